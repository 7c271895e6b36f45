"""A person in one seat who thinks, with the default teammates: the expert that also asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chaosops.agents.acting import act
from chaosops.agents.cures import OUT_OF_BOUNDS, is_open, is_untreated
from chaosops.agents.policies import Policy, expert_policy
from chaosops.agents.reasoning import beliefs, known, looks
from chaosops.agents.seats import seat_policies
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    RoleView,
)
from chaosops.evaluation.measurement import Figure, Sample, mean_of
from chaosops.evaluation.study import Study, StudyPlan, play, situation_of
from chaosops.scenarios.rendering import ScenarioSource

_SEATS: Final = (AgentRole.SRE, AgentRole.DEV)
_ASK_AGAIN: Final = 8
_IDLE: Final = frozenset({ActionType.NOOP, ActionType.INVESTIGATE})


class Thoughtful:
    """Plays the SRE seat, and then the Dev seat, of each situation."""

    def measure(self, study: Study, levels: frozenset[Difficulty]) -> Mapping[str, Figure]:
        """Measure how often the team resolves it, by seat."""
        found: dict[str, list[Sample]] = {gate_name(role): [] for role in _SEATS}
        for part in study.of_each(_samples):
            for name, samples in part.items():
                found[name] += samples
        return {name: mean_of(samples, levels) for name, samples in found.items()}


def gate_name(role: AgentRole) -> str:
    """Return the name of a seat's gate."""
    return f"thoughtful {role.value}"


def _samples(plan: StudyPlan, source: ScenarioSource) -> dict[str, list[Sample]]:
    found: dict[str, list[Sample]] = {}
    for scenario in plan.scenarios(source):
        team = seat_policies(dict.fromkeys(TURN_ORDER, plan.teammate), scenario)
        for role in _SEATS:
            game = play(scenario, {**team, role: thoughtful_policy(scenario.seed)})
            sample = Sample(game.level, situation_of(scenario), float(game.resolved))
            found.setdefault(gate_name(role), []).append(sample)
    return found


def thoughtful_policy(seed: int) -> Policy:
    """Play as the expert does, and ask teammates for what only they can do.

    It asks for an investigation where another role's instrument would tell more than its own, and
    for a pause of an agent that is known to have gone beyond its policy.
    """
    expert = expert_policy(seed)

    def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        view = observation.view
        pause = _ask_for_pause(view)
        if pause is not None:
            return pause
        action = expert(observation, role)
        if action.action_type not in _IDLE:
            return action
        return _ask_for_look(view) or action

    return policy


def _ask_for_pause(view: RoleView) -> ChaosOpsAction | None:
    if view.role is AgentRole.OVERSIGHT:
        return None
    paused = {item.target for item in view.landed if item.action_type is ActionType.PAUSE}
    for fact in known(view):
        if fact.sign in OUT_OF_BOUNDS and fact.place not in paused:
            return _ask(view, AgentRole.OVERSIGHT, ActionType.PAUSE, fact.place, {})
    return None


def _ask_for_look(view: RoleView) -> ChaosOpsAction | None:
    """Ask for the investigation that tells most if it tells more than any of the role's own."""
    if not (is_open(view) or is_untreated(view)):
        return None
    held = beliefs(view)
    own = looks(view, held)
    least = own[0].worth if own else 0.0
    found = [
        (look.worth, other, look.source, look.target)
        for other in TURN_ORDER
        if other is not view.role
        for look in looks(view, held, other)
        if look.worth > least
    ]
    for _worth, other, source, target in sorted(found, key=lambda each: -each[0]):
        asked = _ask(view, other, ActionType.INVESTIGATE, target, {"source": source.value})
        if asked is not None:
            return asked
    return None


def _ask(
    view: RoleView, to: AgentRole, verb: ActionType, target: str, args: dict[str, Any]
) -> ChaosOpsAction | None:
    """Ask for an action, unless the role asked for the same lately, or for another one just now."""
    for message in (*view.channel, *view.inbox):
        asked = message.proposal
        if message.sender is not view.role or asked is None or message.to is not to:
            continue
        same = (asked.action_type, asked.target, dict(asked.args)) == (verb, target, args)
        if same and message.minute > view.status.minute - _ASK_AGAIN:
            return None
        if asked.action_type is ActionType.INVESTIGATE and _is_open(
            view, message.minute, asked.target, asked.args.get("source")
        ):
            return None
    proposal = {"action_type": verb.value, "target": target, "args": args}
    return act(view, ActionType.COMMUNICATE, None, {"to": to.value, "proposal": proposal})


def _is_open(view: RoleView, since: int, target: str | None, source: object) -> bool:
    """Whether what was asked for is still to come."""
    return since > view.status.minute - _ASK_AGAIN and not any(
        message.finding is not None
        and message.finding.target == target
        and message.finding.source.value == source
        and message.finding.minute >= since
        for message in view.channel
    )
