"""No program reads prose: whatever is written for people may say anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from chaosops.agents.policies import Policy, expert_policy
from chaosops.agents.runner import EpisodeResult, EpisodeStep, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    VerbChoice,
)
from chaosops.play.coach import advise
from chaosops.play.debrief import ledger, timeline
from chaosops.recording.layout import records
from chaosops.scenarios.scenario import Scenario
from tests.rewording import IN_VIEWS, SIGN, Translation
from tests.worlds import all_ids, scenario, situations

INCIDENTS = (
    *all_ids()[::4],
    *(source.id for source in situations()[::2]),
)
SOME = (*all_ids()[::12], "checkout-times-out")
"""Those that every run of the tests plays; the others are played with the proofs."""

EACH_INCIDENT = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in SOME else [pytest.mark.proof]) for name in INCIDENTS],
)
TEAMS: Mapping[str, tuple[str, str, str, str]] = {
    "heuristic": ("heuristic",) * 4,
    "expert": ("expert",) * 4,
    "oracle": ("oracle",) * 4,
    "experts asked by hurried people": ("heuristic", "expert", "expert", "heuristic"),
    "hurried people asked by experts": ("expert", "heuristic", "heuristic", "expert"),
    "an expert among people who say anything": ("random", "expert", "random", "heuristic"),
}


def _seats(team: str, played: Scenario) -> dict[AgentRole, Policy]:
    return dict(seat_policies(dict(zip(TURN_ORDER, TEAMS[team], strict=True)), played))


def _game(played: Scenario, seats: Mapping[AgentRole, Policy | None]) -> EpisodeResult:
    return run_episode(ChaosOpsEnvironment(), played, seats)


def _done(steps: Sequence[EpisodeStep]) -> list[Any]:
    """What was done in each turn and what it paid, without what was said."""
    done = []
    for step in steps:
        args = {name: value for name, value in step.action.args.items() if name != "text"}
        done.append((step.role, step.action.action_type, step.action.target, args, step.reward))
    return done


@pytest.mark.few(2)
@pytest.mark.parametrize("team", TEAMS)
@EACH_INCIDENT
def test_policies_play_the_same_game_in_other_words(name: str, team: str) -> None:
    played, other = scenario(name, 7), Translation()
    plain = _game(played, _seats(team, played))
    seats = {role: other.policy(policy) for role, policy in _seats(team, played).items()}
    reworded = _game(other.scenario(played), seats)
    assert _done(reworded.steps) == _done(plain.steps)
    assert reworded.resolved == plain.resolved
    assert reworded.cumulative_reward == plain.cumulative_reward
    assert len(other) > 10


@pytest.mark.few(1)
@EACH_INCIDENT
def test_the_coach_and_the_debrief_say_the_same_in_other_words(name: str) -> None:
    played, other = scenario(name, 7), Translation()
    result = _game(played, _seats("expert", played))
    steps = result.steps
    expert, offers = expert_policy(7), {role: _allowed(steps, role) for role in TURN_ORDER}
    for step in steps:
        mine = advise(step.observation, (), expert, offers, guided=True)
        theirs = advise(other.observation(step.observation), (), expert, offers, guided=True)
        assert (mine.keys, mine.reached) == (theirs.keys, theirs.reached)
    last = steps[-1].observation
    retold = [step._replace(observation=other.observation(step.observation)) for step in steps]
    people = frozenset({AgentRole.SRE})
    plain = timeline(played, steps, last, people)
    assert [entry._replace(text="") for entry in plain] == [
        entry._replace(text="")
        for entry in timeline(other.scenario(played), retold, other.observation(last), people)
    ]
    facts = ledger(played, steps, last)
    assert [fact._replace(text="") for fact in facts] == [
        fact._replace(text="")
        for fact in ledger(other.scenario(played), retold, other.observation(last))
    ]


def _allowed(steps: Sequence[EpisodeStep], role: AgentRole) -> tuple[VerbChoice, ...]:
    return next(step.observation.view.allowed for step in steps if step.role is role)


def test_a_translation_leaves_no_word_that_was_there() -> None:
    played, other = scenario(INCIDENTS[0], 0), Translation()
    for step in _game(played, _seats("heuristic", played)).steps:
        seen = other.observation(step.observation)
        texts = [seen.message, seen.view.status.title]
        texts += [alert.text for alert in seen.view.alerts]
        texts += [line.text for line in seen.view.logs or ()]
        texts += [message.text for message in (*seen.view.channel, *seen.view.inbox)]
        assert all(text.startswith(SIGN) for text in texts if text)


def test_a_program_that_reads_a_sentence_is_found_out() -> None:
    """A diagnosis by a word of an alert is another one, or none, in other words."""
    played, other = scenario("checkout-times-out", 0), Translation()

    def by_a_word(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        said = any(
            "slow" in alert.text or "above" in alert.text for alert in observation.view.alerts
        )
        verb = ActionType.DIAGNOSE if said else ActionType.NOOP
        args = {"cause": "slow_disk"} if said else {}
        return ChaosOpsAction(role, verb, None, args)

    seats: dict[AgentRole, Policy | None] = {AgentRole.SRE: by_a_word}
    plain = _game(played, seats)
    seats = {AgentRole.SRE: other.policy(by_a_word)}
    assert _done(plain.steps) != _done(_game(played, seats).steps)


def test_every_record_that_is_reworded_is_one_of_an_observation() -> None:
    assert set(records()) | {"ChaosOpsObservation"} >= set(IN_VIEWS)
