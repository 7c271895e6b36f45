"""The steady teammate: it looks and tells, and acts when it is asked and there is evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest

from chaosops.agents.cures import PAGES
from chaosops.agents.healthy import HEALTHY, is_out_of_range
from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    ReplyKind,
    Sign,
)
from chaosops.env.models.verbs import AGENT_VERBS, FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.thoughtful import thoughtful_policy
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE

HANDS = FIXES | AGENT_VERBS | {ActionType.ESCALATE, ActionType.DIAGNOSE, ActionType.RESOLVE}


def frames(scenario: Scenario, people: Mapping[AgentRole, Policy]) -> tuple[EpisodeStep, ...]:
    """A game of some people beside steady teammates."""
    team = seat_policies(dict.fromkeys(TURN_ORDER, "steady"), scenario) | dict(people)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    while not stepper.done:
        stepper.take(team[stepper.role](stepper.observation, stepper.role))
    return stepper.steps


def script(moves: Sequence[Mapping[str, Any] | None]) -> Policy:
    """A person who makes some moves, one in each round, and passes from there on."""

    def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        at = observation.step // len(TURN_ORDER)
        move = moves[at] if at < len(moves) else None
        return pass_turn(observation, role) if move is None else ChaosOpsAction(role, **move)

    return policy


def ask(to: AgentRole, verb: str, target: str, **args: Any) -> dict[str, Any]:
    """Ask a role for an action."""
    proposal = {"action_type": verb, "target": target, "args": args}
    return {
        "action_type": ActionType.COMMUNICATE,
        "args": {"to": to.value, "proposal": proposal},
    }


def look(source: str, target: str) -> dict[str, Any]:
    """Look into something."""
    return {"action_type": ActionType.INVESTIGATE, "target": target, "args": {"source": source}}


SHARE = {"action_type": ActionType.COMMUNICATE, "args": {"to": "all", "finding": 0}}


def by(role: AgentRole, steps: Sequence[EpisodeStep]) -> list[ChaosOpsAction]:
    """What a role did."""
    return [step.action for step in steps if step.role is role]


def verbs(actions: Sequence[ChaosOpsAction]) -> list[ActionType | str]:
    """The verbs of actions."""
    return [action.action_type for action in actions]


SOME = [("checkout-times-out", 0), ("sign-in-errors", 1), ("requests-fail-here-and-there", 2)]
some_games = pytest.mark.parametrize(("name", "seed"), SOME)


@pytest.mark.few(1)
@some_games
def test_unasked_it_looks_once_and_does_nothing_else_than_tell(name: str, seed: int) -> None:
    steps = frames(Scenario.load(name, seed), {MANAGER: pass_turn})
    for role in (SRE, OVERSIGHT, DEV):
        done = verbs(by(role, steps))
        assert done[0] is ActionType.INVESTIGATE
        assert done.count(ActionType.INVESTIGATE) == 1
    asked = {step.action.args.get("proposal") for step in steps} - {None}
    assert asked or not HANDS & {*verbs([step.action for step in steps])}


@pytest.mark.few(1)
@some_games
def test_it_shares_what_is_out_of_the_healthy_range_and_what_it_was_asked_for(
    name: str, seed: int
) -> None:
    person = script([ask(SRE, "investigate", "db", source="network")])
    steps = frames(Scenario.load(name, seed), {DEV: person})
    found = steps[-1].observation.view
    for role in (SRE, OVERSIGHT):
        own = next(step.observation.view for step in reversed(steps) if step.role is role)
        told = {(m.finding.source, m.finding.target) for m in found.channel if m.finding}
        for finding in own.findings:
            asked = role is SRE and finding.source.value == "network"
            shared = (finding.source, finding.target) in told
            assert shared == (asked or is_out_of_range(finding))
    assert len([a for a in by(SRE, steps) if a.action_type is ActionType.INVESTIGATE]) == 2


def _lock(seed: int = 0) -> Scenario:
    """Checkout hangs on a lock of the database, which terminating its holder clears."""
    scenario = Scenario.load("checkout-times-out", seed)
    assert scenario.failure_type.value == "row_lock"
    return scenario


def test_without_evidence_it_refuses_and_names_what_is_missing() -> None:
    steps = frames(_lock(), {DEV: script([ask(SRE, "terminate", "db")])})
    second = by(SRE, steps)[1]
    assert second.action_type is ActionType.COMMUNICATE
    assert second.args["reply"]["kind"] == ReplyKind.DECLINES.value
    assert "runtime of db" in second.args["text"]
    assert ActionType.TERMINATE not in verbs(by(SRE, steps))


@pytest.mark.parametrize("place", ["catalog", "payments", "db"])
def test_what_it_asks_for_is_a_look_at_what_the_request_is_for_and_by_someone_who_can(
    place: str,
) -> None:
    steps = frames(_lock(), {MANAGER: script([ask(SRE, "restart", place)])})
    said = next(a for a in by(SRE, steps) if a.args.get("reply"))
    assert f" of {place} first" in said.args["text"]
    assert said.args["text"].endswith(("(SRE can look).", "(Dev can look)."))


def test_asked_again_it_takes_the_missing_look_and_acts_on_what_it_shows() -> None:
    moves = [ask(SRE, "terminate", "db"), None, ask(SRE, "terminate", "db")]
    done = by(SRE, frames(_lock(), {DEV: script(moves)}))
    looked = [a for a in done if a.action_type is ActionType.INVESTIGATE]
    assert [(a.args["source"], a.target) for a in looked[1:]] == [("runtime", "db")]
    assert done.index(looked[1]) < verbs(done).index(ActionType.TERMINATE)
    assert looked[1].args[SAY] == {"to": "all", "finding": 1}


def test_it_never_refuses_the_same_twice_in_the_same_words() -> None:
    moves = [ask(SRE, "drain", "cart", unit="instance") for _ in range(9)]
    steps = frames(_lock(), {DEV: script(moves)})
    said = [a.args["text"] for a in by(SRE, steps) if a.args.get("reply")]
    assert len(said) == 2
    assert len(set(said)) == 2


def test_what_it_found_when_asked_is_evidence_for_what_it_is_asked_next() -> None:
    moves = [
        ask(SRE, "investigate", "db", source="runtime"),
        None,
        None,
        ask(SRE, "terminate", "db"),
    ]
    done = by(SRE, frames(_lock(), {DEV: script(moves)}))
    assert ActionType.TERMINATE in verbs(done)
    assert not [action for action in done if action.args.get("reply")]


def test_what_a_teammate_shares_is_evidence() -> None:
    scenario = _lock()
    proposal = {"action_type": "diagnose", "target": None, "args": {"cause": "row_lock"}}
    asked = {"action_type": ActionType.COMMUNICATE, "args": {"to": "manager", "proposal": proposal}}
    unshared = frames(scenario, {SRE: script([None, None, asked])})
    shared = frames(scenario, {SRE: script([look("runtime", "db"), SHARE, asked])})
    assert ActionType.DIAGNOSE in verbs(by(MANAGER, shared))
    assert ActionType.DIAGNOSE not in verbs(by(MANAGER, unshared))


def test_as_manager_it_approves_on_evidence_and_otherwise_asks_for_it() -> None:
    purge = {"action_type": ActionType.PURGE, "target": "db"}
    steps = frames(_lock(), {SRE: script([purge])})
    manager = by(MANAGER, steps)
    assert ActionType.APPROVE not in verbs(manager)
    assert manager[0].args["text"] == "What shows that db needs it?"
    assert verbs(manager).count(ActionType.COMMUNICATE) == 1


@pytest.mark.few(1)
@some_games
@pytest.mark.parametrize("role", [SRE, DEV])
def test_it_speaks_twelve_words_at_most_and_never_in_the_words_of_the_runbook(
    name: str, seed: int, role: AgentRole
) -> None:
    steps = frames(Scenario.load(name, seed), {role: thoughtful_policy(seed)})
    signs = [sign.value.replace("_", " ") for sign in Sign]
    for step in steps:
        text = step.action.args.get("text")
        if step.role is role or text is None:
            continue
        assert len(text.split()) <= 12, text
        assert not [sign for sign in signs if sign in text.lower()], text


@pytest.mark.few(1)
@some_games
def test_it_asks_one_question_in_three_rounds_at_most(name: str, seed: int) -> None:
    risky = [{"action_type": ActionType.PURGE, "target": "db"}, *[None] * 3] * 3
    steps = frames(Scenario.load(name, seed), {SRE: script(risky)})
    for role in (OVERSIGHT, DEV, MANAGER):
        asked = [
            step.observation.view.status.minute
            for step in steps
            if step.role is role and str(step.action.args.get("text", "")).endswith("?")
        ]
        assert all(later - one >= 12 for one, later in pairwise(asked))


def test_no_sign_that_settles_a_cause_is_in_the_healthy_range() -> None:
    assert not HEALTHY & {sign for page in PAGES for sign in page.settled_by}


def test_it_proposes_what_its_own_findings_tell_from_the_twins() -> None:
    scenario = Scenario.load("requests-fail-here-and-there", 14)
    assert scenario.failure_type.value == "quota_throttling"
    person = script([ask(DEV, "investigate", "payments", source="logs")])
    proposed = [
        a.args["proposal"] for a in by(DEV, frames(scenario, {SRE: person})) if "proposal" in a.args
    ]
    assert [(each["action_type"], each["target"]) for each in proposed] == [
        ("escalate", "payments")
    ]


def test_as_manager_it_declares_a_false_alarm_over_after_the_hold_and_nothing_else() -> None:
    resolve = {"action_type": "resolve", "target": None, "args": {}}
    asked = {"action_type": ActionType.COMMUNICATE, "args": {"to": "manager", "proposal": resolve}}
    alarm = Scenario.load("site-errors-above-limit", 0)
    assert alarm.failure_type.value == "false_alarm"
    moves = [look("network", alarm.incident.drawn.place), SHARE, *[asked] * 9]
    assert ActionType.RESOLVE in verbs(by(MANAGER, frames(alarm, {SRE: script(moves)})))
    assert ActionType.RESOLVE not in verbs(by(MANAGER, frames(_lock(), {SRE: script(moves)})))


def test_what_was_shared_is_not_shared_again_though_an_older_reading_of_it_is_shared_after() -> (
    None
):
    """Both looked at the logs of cart; Dev told all, and then the SRE told an older reading."""
    scenario = Scenario.load("first-shift-2-carts-fail", 0)
    told = frames(scenario, {SRE: script([look("logs", "cart"), None, SHARE])})
    shares = [
        (step.turn, step.observation.view.findings[step.action.args["finding"]])
        for step in told
        if step.role is DEV and step.action.args.get("finding") is not None
    ]
    assert [(found.source.value, found.target) for _turn, found in shares] == [("logs", "cart")]


def test_a_change_is_offered_in_plain_words() -> None:
    assert ActionType.ROLLBACK.asked == "roll back"
    assert ActionType.FAILOVER.asked == "fail over"
    assert ActionType.DISABLE_FEATURE.asked == "disable feature"
