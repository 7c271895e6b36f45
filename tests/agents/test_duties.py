"""The duty table is what the policies do in games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from chaosops.agents.duties import DUTIES, SHEETS, Duty, DutyTiming, page, told, when
from chaosops.agents.names import POLICY_NAMES
from chaosops.agents.policies import Policy
from chaosops.agents.reasoning import beliefs, suspects
from chaosops.agents.runner import EpisodeStep, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
)
from chaosops.env.models.verbs import AGENT_VERBS, FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.thoughtful import thoughtful_policy
from tests.compiled import ROOT
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE, situations

PLAYED = ("random", "hurried", "junior", "steady", "expert")
RARE_OF_STEADY = {(DEV, Duty.PROPOSE), (MANAGER, Duty.RESOLVE)}
"""Rows that these games hardly ever show; test_steady.py has a game of each."""

_ASKED_FOR = 24
"""The minutes within which a policy may do what it was asked."""


class Deed(NamedTuple):
    """What a policy did in a turn, and whether a teammate had asked for it."""

    role: AgentRole
    duty: Duty
    asked: bool


def _deeds(policy: str, steps: tuple[EpisodeStep, ...], role: AgentRole) -> Iterator[Deed]:
    looks = 0
    for step in steps:
        if step.role is not role or step.action.action_type is ActionType.NOOP:
            continue
        asked = _is_asked(step.observation.view, step.action)
        for duty in _duties_of(step):
            is_first = False
            if duty is Duty.LOOK and not asked:
                looks += 1
                is_first = looks == 1
            is_once = when(policy, role, Duty.LOOK_ONCE) is DutyTiming.UNASKED
            yield Deed(role, Duty.LOOK_ONCE if is_first and is_once else duty, asked)
        if asked or step.action.args.get("reply"):
            # Who does what it was asked may have done it by itself; who replies was asked.
            yield Deed(role, Duty.ANSWER, asked)


def _duties_of(step: EpisodeStep) -> Iterator[Duty]:
    verb, args = step.action.action_type, step.action.args
    if "finding" in (args.get(SAY) or {}):
        yield Duty.SHARE
    if verb in FIXES or verb is ActionType.ESCALATE:
        yield Duty.FIX
    elif verb in AGENT_VERBS:
        yield Duty.CONTAIN
    elif verb in (ActionType.APPROVE, ActionType.REFUSE):
        yield Duty.DECIDE
    elif verb in (ActionType.GRANT, ActionType.DENY, ActionType.ASK):
        yield Duty.PERMIT
    elif verb is ActionType.COMMUNICATE and "proposal" not in args:
        if "finding" in args:
            yield Duty.SHARE
        elif str(args["text"]).startswith("Shall I"):
            yield Duty.OFFER
    else:
        yield {
            ActionType.INVESTIGATE: Duty.LOOK,
            ActionType.DIAGNOSE: Duty.DIAGNOSE,
            ActionType.RESOLVE: Duty.RESOLVE,
            ActionType.UPDATE: Duty.UPDATE,
            ActionType.COMMUNICATE: Duty.PROPOSE,
            ActionType.ASSIGN: Duty.PROPOSE,
        }[ActionType(verb)]


def _is_asked(view: RoleView, action: ChaosOpsAction) -> bool:
    """Whether a teammate asked for it, or for the action that a look has to justify."""
    return any(
        message.proposal is not None
        and message.to is view.role
        and message.sender is not view.role
        and message.minute >= view.status.minute - _ASKED_FOR
        and (
            message.proposal.action_type is action.action_type
            or action.action_type is ActionType.INVESTIGATE
        )
        and message.proposal.target == action.target
        for message in (*view.channel, *view.inbox)
    )


_Wish = tuple[AgentRole, str, str | None, dict[str, str]]


class _Asker:
    """A person who asks each teammate for everything, one after another, in every other round.

    In between it plays as one who thinks, but leaves diagnoses to others.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._thinks = thoughtful_policy(scenario.seed)
        self._agents = [agent.name for agent in scenario.incident.automation]

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        number, between = divmod(observation.step // len(TURN_ORDER), 2)
        if not between:
            action = self._thinks(observation, role)
            if action.action_type is not ActionType.DIAGNOSE:
                return action
        wanted = [wish for wish in self._wanted(observation.view) if wish[0] is not role]
        to, verb, target, args = wanted[number % len(wanted)]
        proposal = {"action_type": verb, "target": target, "args": args}
        return ChaosOpsAction(
            role, ActionType.COMMUNICATE, None, {"to": to.value, "proposal": proposal}
        )

    def _wanted(self, view: RoleView) -> list[_Wish]:
        top = beliefs(view)[0]
        if top.settled:
            named = {"cause": top.cause.value}
            wishes: list[_Wish] = [(to, "diagnose", None, named) for to in (MANAGER, SRE, DEV)]
            return [*wishes, (MANAGER, "resolve", None, {}), (MANAGER, "escalate", top.place, {})]
        place = next(iter(suspects(view)), view.graph[0].name)
        agents: list[_Wish] = [
            (OVERSIGHT, "investigate", name, {"source": "automation"}) for name in self._agents
        ]
        return [
            *agents[:2],
            (SRE, "investigate", place, {"source": "runtime"}),
            (DEV, "investigate", place, {"source": "logs"}),
            (MANAGER, "escalate", place, {}),
            *agents[2:],
        ]


def _games(policy: str, ids: list[str], seeds: range) -> set[Deed]:
    """Everything that a policy does in some games: among its like, and beside those who ask."""
    done: set[Deed] = set()
    for name in ids:
        for seed in seeds:
            scenario = Scenario.load(name, seed)
            team = seat_policies(dict.fromkeys(TURN_ORDER, policy), scenario)
            people: list[dict[AgentRole, Policy]] = [{}, {SRE: thoughtful_policy(seed)}]
            people += [{seat: _Asker(scenario)} for seat in TURN_ORDER]
            for person in people:
                steps = run_episode(ChaosOpsEnvironment(), scenario, {**team, **person}).steps
                for role in TURN_ORDER:
                    if role not in person:
                        done |= set(_deeds(policy, steps, role))
    return done


def _check(policy: str, done: set[Deed]) -> None:
    for role in TURN_ORDER:
        for duty in Duty:
            time = when(policy, role, duty)
            asked, unasked = (Deed(role, duty, how) in done for how in (True, False))
            assert time is DutyTiming.UNASKED or not unasked, (policy, role, duty)
            by_chance = duty is Duty.ANSWER
            assert time is not DutyTiming.NEVER or by_chance or not asked, (policy, role, duty)


@pytest.mark.few(1)
@pytest.mark.parametrize("policy", PLAYED)
def test_a_policy_does_nothing_that_the_table_says_it_never_does(policy: str) -> None:
    _check(policy, _games(policy, ["sign-in-errors"], range(1)))


@pytest.mark.proof
@pytest.mark.parametrize("policy", PLAYED)
def test_each_row_of_the_table_is_what_the_policy_does_in_games(policy: str) -> None:
    every = [source.id for source in situations()]
    done = _games(policy, every, range(3 if policy == "random" else 1))
    _check(policy, done)
    seen = {(deed.role, deed.duty) for deed in done}
    if policy == "steady":
        seen |= RARE_OF_STEADY
    forms = {Duty.DIAGNOSE_EARLY}
    missing = [
        (role.value, duty.value)
        for role in TURN_ORDER
        for duty in Duty
        if when(policy, role, duty) is not DutyTiming.NEVER
        and (role, duty) not in seen
        and duty not in forms
    ]
    assert missing == []


def test_every_built_in_policy_has_a_sheet_and_passes_only_what_it_never_does() -> None:
    assert set(SHEETS) == set(POLICY_NAMES)
    assert all(duty in DUTIES for sheet in SHEETS.values() for duty in sheet.unasked + sheet.asked)
    for role in TURN_ORDER:
        assert "Unasked" not in told("noop", role)
        assert told("heuristic", role) == told("hurried", role)
        assert told("module:function", role) == ""


def test_the_page_about_policies_has_the_table() -> None:
    text = (ROOT / "docs" / "policies.md").read_text("utf-8")
    assert f"<!-- duties: begin -->\n{page()}\n<!-- duties: end -->" in text
    assert all(f"| `{name}` | " in text for name in POLICY_NAMES)
