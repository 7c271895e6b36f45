"""Policies in processes of their own."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.agents.isolated import IsolatedPolicyError, IsolatedSeats
from chaosops.agents.registry import PolicyNameError
from chaosops.agents.runner import EpisodeResult, PolicyError, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole
from tests.agents import hostile_policies
from tests.test_worker_pool import is_alive
from tests.worlds import DEV, SRE, scenario

NAME = "paying-ends-in-an-error"
HERE = "tests.agents.hostile_policies"


@pytest.fixture
def seats() -> Iterator[IsolatedSeats]:
    with IsolatedSeats() as made:
        yield made


def played(
    seats: IsolatedSeats,
    names: dict[AgentRole, str],
    seed: int = 0,
    name: str = NAME,
    turns: int = 4,
) -> EpisodeResult:
    incident = scenario(name, seed)
    policies = seats.seat(names, incident)
    return run_episode(ChaosOpsEnvironment(), incident, policies, max_turns=turns)


def said(result: EpisodeResult) -> list[str]:
    return [str(step.action.args["text"]) for step in result.steps if "text" in step.action.args]


@pytest.mark.few(1)
@pytest.mark.parametrize("name", [NAME, "search-p99-high"])
def test_a_policy_that_walks_all_objects_of_its_process_finds_no_scenario(
    seats: IsolatedSeats, name: str
) -> None:
    result = played(seats, dict.fromkeys(TURN_ORDER, f"{HERE}:hunts"), name=name, turns=5)
    assert said(result) == ["found nothing"] * 5


@pytest.mark.slow
def test_in_the_same_process_it_finds_the_scenario() -> None:
    incident = scenario(NAME)
    policies = {SRE: hostile_policies.hunts}
    result = run_episode(ChaosOpsEnvironment(), incident, policies, max_turns=1)
    (text,) = said(result)
    assert {"Scenario", "Incident", "ChaosOpsEnvironment"} <= set(
        text.removeprefix("found ").split(", ")
    )


def test_each_seat_has_a_process_of_its_own_that_stays(seats: IsolatedSeats) -> None:
    names = dict.fromkeys(TURN_ORDER, f"{HERE}:notes_its_process")
    first, again = (said(played(seats, names, seed)) for seed in (0, 1))
    assert first == again
    pids = {int(text.split()[0]) for text in first}
    assert len(pids) == 4
    assert os.getpid() not in pids
    assert all(NAME not in text for text in first)
    seats.close()
    assert not any(is_alive(pid) for pid in pids)


def test_a_seed_that_says_nothing_of_the_episode_is_given(seats: IsolatedSeats) -> None:
    names = {SRE: f"{HERE}:TellsItsSeed", DEV: f"{HERE}:TellsItsSeed"}
    assert said(played(seats, names, 3)) == said(played(seats, names, 8)) == ["seed 0", "seed 2"]


def test_built_in_policies_play_as_ever(seats: IsolatedSeats) -> None:
    incident = scenario(NAME, 2)
    names = dict.fromkeys(TURN_ORDER, "expert") | {AgentRole.MANAGER: "oracle"}
    here = run_episode(ChaosOpsEnvironment(), incident, seat_policies(names, incident))
    assert run_episode(ChaosOpsEnvironment(), incident, seats.seat(names, incident)) == here


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["prints", "answers_with_a_number"])
def test_what_it_prints_or_returns_is_as_in_this_process(seats: IsolatedSeats, name: str) -> None:
    incident = scenario(NAME)
    there = played(seats, {SRE: f"{HERE}:{name}"}, turns=6)
    policies = {SRE: getattr(hostile_policies, name)}
    assert there == run_episode(ChaosOpsEnvironment(), incident, policies, max_turns=6)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("raises_in_turn_8", "KeyError: 'oops'"),
        ("dies_in_turn_8", "ended with exit code 7"),
        ("writes_nonsense", "something that is no action"),
        ("writes_too_much", "process of the policy"),
    ],
)
def test_what_goes_wrong_ends_its_part_and_the_next_episode_begins_anew(
    seats: IsolatedSeats, name: str, why: str
) -> None:
    incident = scenario(NAME)
    for _episode in range(2):
        with pytest.raises(PolicyError, match="the policy of sre raised in turn") as caught:
            played(seats, {SRE: f"{HERE}:{name}"}, turns=12)
        assert why in str(caught.value)
        result = caught.value.play_on()
        assert not result.resolved
        assert len(result.steps) > 8
    assert run_episode(ChaosOpsEnvironment(), incident, seats.seat({}, incident)).error == ""


def test_a_pickle_as_an_answer_is_not_read(seats: IsolatedSeats) -> None:
    mark = hostile_policies.mark_of(os.getpid())
    mark.unlink(missing_ok=True)
    with pytest.raises(PolicyError, match="no action"):
        played(seats, {SRE: f"{HERE}:writes_a_pickle"}, turns=12)
    assert not mark.exists()


def test_secrets_in_the_environment_stay_here(
    seats: IsolatedSeats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (text,) = said(played(seats, {SRE: f"{HERE}:tells_its_variables"}))
    names = set(text.split())
    assert "PATH" in names
    assert names <= {*os.environ, "PYTHONPATH", "LC_CTYPE"}
    assert "OPENAI_API_KEY" not in names
    assert not any(word in name for name in names for word in ("KEY", "TOKEN", "SECRET"))


def test_a_policy_that_takes_too_long_is_ended() -> None:
    with (
        IsolatedSeats(patience=1.5) as seats,
        pytest.raises(PolicyError, match=r"did not answer within 1.5 seconds"),
    ):
        played(seats, {SRE: f"{HERE}:sleeps"})


def test_a_name_is_checked_without_an_import_here(
    seats: IsolatedSeats, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "imports"
    text = f"open({str(mark)!r}, 'a').write(str(__import__('os').getpid()))"
    (tmp_path / "marking_policy.py").write_text(f"{text}\ndef agent(o, r): pass\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    seats.check("marking_policy:agent")
    assert int(mark.read_text("utf-8")) != os.getpid()
    with pytest.raises(IsolatedPolicyError, match=r"there is no policy .* has no 'nothing'"):
        seats.check(f"{HERE}:nothing")
    with pytest.raises(IsolatedPolicyError, match="no module 'nowhere'"):
        seats.check("nowhere:at_all")
    seats.check("oracle")
    with pytest.raises(PolicyNameError):
        seats._registry.check("nobody")


def test_the_processes_of_pickled_seats_are_their_own(seats: IsolatedSeats) -> None:
    names = {SRE: f"{HERE}:notes_its_process"}
    mine = said(played(seats, names))
    with pickle.loads(pickle.dumps(seats)) as others:
        assert said(played(others, names)) != mine
