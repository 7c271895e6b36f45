"""The same content, seed and actions give the same bytes: in any process, on any Python."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import Stepper, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from tests.compiled import compiled
from tests.frames_digest import digests, frame_lines
from tests.worlds import scenario, some_ids

_ROOT = Path(__file__).resolve().parent.parent
_SCRIPT = Path(__file__).with_name("frames_digest.py")
_OLDEST = (3, 11)


def _digest_of(python: str, hash_seed: str, *, env: dict[str, str] | None = None) -> list[str]:
    done = subprocess.run(
        [python, str(_SCRIPT)],
        env={**os.environ, "PYTHONPATH": str(_ROOT), **(env or {}), "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def ours() -> list[str]:
    return list(digests())


def test_an_episode_repeats_itself_within_a_process(ours: list[str]) -> None:
    assert list(digests()) == ours
    assert len(set(ours)) == len(ours)


@pytest.mark.few(1)
@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_other_processes_and_hash_seeds_make_the_same_bytes(
    ours: list[str], hash_seed: str
) -> None:
    assert _digest_of(sys.executable, hash_seed) == ours


@pytest.mark.packaging
def test_the_compiled_core_makes_the_same_bytes(ours: list[str], tmp_path: Path) -> None:
    env = compiled(tmp_path)
    version = [sys.executable, "-P", "-m", "chaosops", "--version"]
    said = subprocess.run(version, env=env, capture_output=True, text=True, check=True).stdout
    assert said.endswith(", compiled core\n")
    assert _digest_of(sys.executable, "7", env=env) == ours


@pytest.mark.slow
def test_the_recorded_actions_alone_make_the_same_frames_again() -> None:
    for name in some_ids():
        played = scenario(name, 11)
        policies = {role: random_policy(k) for k, role in enumerate(TURN_ORDER)}
        first = run_episode(ChaosOpsEnvironment(), played, policies)
        again = Stepper(ChaosOpsEnvironment(), played)
        for frame in first.steps:
            again.take(frame.action)
        assert list(frame_lines(again.steps)) == list(frame_lines(first.steps))


def test_no_figure_in_a_frame_shows_its_last_bits() -> None:
    for name in some_ids():
        policies = {role: random_policy(k) for k, role in enumerate(TURN_ORDER)}
        for frame in run_episode(ChaosOpsEnvironment(), scenario(name), policies).steps:
            status = frame.observation.view.status
            shares = [status.users_ok]
            if frame.observation.view.services is not None:
                shares += [signals.errors for signals in frame.observation.view.services]
            if frame.observation.view.impact is not None:
                shares.append(frame.observation.view.impact.failed)
            assert all(share == round(share, 4) for share in shares)
            assert (frame.reward * 1024).is_integer()


def _version(python: str) -> tuple[int, int] | None:
    try:
        asked = subprocess.run(
            [python, "-c", "import json, sys; print(json.dumps(sys.version_info[:2]))"],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        major, minor = json.loads(asked.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return int(major), int(minor)


def _other_pythons() -> list[str]:
    """Interpreters of another supported version than this one, the newest first."""
    names = [f"python3.{minor}" for minor in range(_OLDEST[1], 30)]
    found = [path for path in map(shutil.which, names) if path]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found += [str(path) for path in sorted(pyenv.glob("*/bin/python"))]
    versions = {path: _version(path) for path in dict.fromkeys(found)}
    fitting = {
        version: path
        for path, version in versions.items()
        if version is not None and version >= _OLDEST and version != sys.version_info[:2]
    }
    return [fitting[version] for version in sorted(fitting, reverse=True)]


def _with_libraries(python: str, folder: Path) -> str:
    """That Python with the simulator's libraries, in the versions we run on."""
    libraries = {name: importlib.metadata.version(name) for name in ("pydantic", "pyyaml")}
    home = folder / "venv"
    subprocess.run([python, "-m", "venv", str(home)], check=True, capture_output=True, timeout=120)
    made = str(home / ("Scripts" if os.name == "nt" else "bin") / "python")
    wanted = [f"{name}=={version}" for name, version in libraries.items()]
    subprocess.run(
        [made, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted],
        check=True,
        capture_output=True,
        timeout=300,
    )
    return made


@pytest.mark.packaging
def test_another_version_of_python_makes_the_same_bytes(ours: list[str], tmp_path: Path) -> None:
    pythons = _other_pythons()
    if not pythons:
        pytest.skip(
            "DETERMINISM ACROSS PYTHON VERSIONS WAS NOT CHECKED: there is no other interpreter "
            "of version 3.11 or newer on this machine; install one (CI has two)"
        )
    try:
        other = _with_libraries(pythons[0], tmp_path)
    except (OSError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", b"") or b""
        pytest.fail(f"{pythons[0]} got no libraries: {output.decode(errors='replace')[-500:]}")
    assert _version(other) != sys.version_info[:2]
    assert _digest_of(other, "1") == ours
