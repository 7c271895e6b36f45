from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chaosops.agents.names import POLICY_NAMES, installed, may_be_policy
from chaosops.agents.policies import pass_turn
from chaosops.agents.policy import Policy
from chaosops.agents.registry import Policies, PolicyFactory, PolicyNameError
from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType
from tests.agents.own_policies import HERE, Seeded
from tests.compiled import ROOT
from tests.worlds import DEV, SRE, hand_made

EXAMPLE = ROOT / "docs" / "example-policy"


def made(name: str, seed: int = 0) -> Policy:
    return Policies().make(name, hand_made(), seed)


def refused(name: str) -> str:
    with pytest.raises(PolicyNameError) as caught:
        made(name)
    text = str(caught.value)
    assert "\n" not in text
    assert name in text
    return text


def install(folder: Path, name: str, entries: str) -> None:
    """Install a package as pip would, as far as its entry points are concerned."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[chaosops.policies]\n{entries}\n")


def test_a_function_is_the_policy_of_every_seat() -> None:
    assert made(f"{HERE}:agent") is pass_turn


def test_a_class_makes_a_policy_for_each_seat_with_the_seed_of_the_seat() -> None:
    seats = seat_policies({SRE: f"{HERE}:Seeded", DEV: f"{HERE}:Seeded"}, hand_made(seed=3))
    one, two = seats[SRE], seats[DEV]
    assert isinstance(one, Seeded)
    assert isinstance(two, Seeded)
    assert (one.seed, two.seed) == (12, 14)


def test_a_function_with_less_than_an_observation_and_a_role_makes_a_policy() -> None:
    first, second = made(f"{HERE}:made"), made(f"{HERE}:made")
    assert isinstance(first, Seeded)
    assert first is not second
    extra = made(f"{HERE}:made_with_defaults", 7)
    assert isinstance(extra, Seeded)
    assert extra.seed == 10


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("wizard", "choose from random, hurried, junior"),
        ("exprt", "did you mean 'expert'?"),
        ("", "choose from random"),
        ("no_such_module:agent", "no module 'no_such_module'"),
        ("tests.no_such:agent", "no module 'tests.no_such'"),
        (f"{HERE}:agnet", "did you mean agent?"),
        (f"{HERE}:agent.inner", "check the name after the colon"),
        (f"{HERE}:number", "it is of type int"),
        (f"{HERE}:slow", "is asynchronous"),
        (f"{HERE}:nothing", "can't be called"),
        (f"{HERE}:Needy", "it needs 'scenario', and only 'seed' is given"),
        (f"{HERE}:fails", "ValueError: no model file"),
    ],
)
def test_a_name_without_a_policy_is_refused_with_the_cure(name: str, why: str) -> None:
    assert why in refused(name)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("raise RuntimeError('weights are missing')", "RuntimeError: weights are missing"),
        ("def", "SyntaxError"),
        ("raise SystemExit(3)", "it ends the program"),
        ("import no_such_library", "needs the module 'no_such_library': install it"),
    ],
)
def test_a_module_that_fails_on_import_is_named_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str
) -> None:
    (tmp_path / "failing_agent.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert why in refused("failing_agent:agent")
    sys.modules.pop("failing_agent", None)


def test_a_module_is_found_in_the_current_folder_and_hides_no_installed_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "my_agent.py").write_text("from chaosops.agents.policies import pass_turn as a\n")
    (tmp_path / "json.py").write_text("raise RuntimeError('not this one')\n")
    # The installed command has no current folder on its path.
    probe = (
        f"import sys; sys.path[:] = [{str(ROOT)!r}, *(p for p in sys.path if p)]\n"
        "from chaosops.agents.registry import Policies\n"
        "Policies().check('my_agent:a')\n"
        "import json.tool\n"
    )
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_installed_package_offers_its_policies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLE)
    assert not may_be_policy("patient")
    install(tmp_path, "patient-oncall", "patient = patient_oncall:patient")
    assert may_be_policy("patient")
    assert Policies(named=["a:b", "expert"]).extra == ("patient", "a:b")
    scenario = hand_made()
    seats = seat_policies({SRE: "patient", DEV: "patient"}, scenario)
    steps = run_episode(ChaosOpsEnvironment(), scenario, seats).steps
    assert not any(step.breakdown.miscommunication_penalty for step in steps)
    assert any(step.action.action_type is ActionType.INVESTIGATE for step in steps)


def test_a_package_cannot_replace_a_built_in_policy_or_take_a_word_with_a_meaning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    lines = [f"{name} = {HERE}:broken" for name in (*POLICY_NAMES, "you", "nobody", "all", "a b")]
    install(tmp_path, "cuckoo", "\n".join(lines))
    assert not installed()
    assert made("noop") is pass_turn


def test_a_name_of_two_packages_is_refused_with_both_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "first", f"mine = {HERE}:agent")
    install(tmp_path, "second", f"mine = {HERE}:made")
    assert re.search(rf"write {HERE}:agent or {HERE}:made$", refused("mine"))


def test_an_entry_point_whose_module_is_gone_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "half-removed", "left = no_such_module:agent")
    assert "no module 'no_such_module'" in refused("left")


def family(rest: str) -> PolicyFactory:
    if not rest:
        raise PolicyNameError("models: has no name")
    return Seeded


def test_a_family_goes_before_a_module_and_is_asked_once() -> None:
    policies = Policies({"tests.agents.own_policies": family})
    assert isinstance(policies.make(f"{HERE}:agent", hand_made(), 5), Seeded)
    with pytest.raises(PolicyNameError):
        policies.check(f"{HERE}:")
    again = pickle.loads(pickle.dumps(policies))
    assert isinstance(again.make(f"{HERE}:agent", hand_made(), 5), Seeded)


@pytest.mark.packaging
def test_the_example_package_installs_and_plays(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps"]
    target = tmp_path / "site"
    subprocess.run([*pip, "--target", str(target), str(EXAMPLE)], check=True, capture_output=True)
    run = (
        f"import sys; sys.path[:0] = [{str(target)!r}, {str(ROOT)!r}]; "
        "from chaosops.cli.main import main; "
        "main(['run', 'paying-ends-in-an-error', '--policy', 'all=curious', "
        "'--policy', 'dev=patient'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", run], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "1 episodes: " in done.stdout
