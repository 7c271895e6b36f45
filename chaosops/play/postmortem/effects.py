"""What each order did: what was measured when it took effect, and how it was judged."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, AgentRole
from chaosops.env.models.duties import PaidFor
from chaosops.env.models.verbs import LANDING
from chaosops.play.happenings import measured_words
from chaosops.play.postmortem.played import PlayedIncident
from chaosops.play.wording import describe, without_line
from chaosops.scenarios.cause import At


class Judgement(StrEnum):
    """How an order was judged, in words."""

    FIXED = "removed the cause"
    HELD = "removed the cause for some minutes"
    EASED = "eased the impact"
    STOPPED = "stopped the agent behind it"
    WRONG = "neither removed nor eased it"
    NOT_APPROVED = "was not approved"
    NEVER_LANDED = "had not taken effect when it ended"
    OPEN = "not judged"


class Order(NamedTuple):
    """A change that somebody ordered.

    Attributes:
        ordered: The minute of the order.
        lands: The minute in which it took effect; None if it never did.
        measured: What was measured then, in words; may be empty.
        why: Why it is the wrong move here; empty if it isn't, or nobody wrote it down.
    """

    ordered: int
    role: AgentRole
    action_type: ActionType
    target: str
    words: str
    lands: int | None
    measured: str
    judgement: Judgement
    why: str = ""


def orders(played: PlayedIncident) -> tuple[Order, ...]:
    """Return what was ordered and not refused and takes time, and every pause, oldest first."""
    views = played.views
    landed = {
        (item.role, item.action_type, item.target, item.taken): item.lands
        for view in views
        for item in view.landed
    }
    measured = {
        (item.minute, item.role, item.action_type, item.target): measured_words(item.measured)
        for item in views[-1].landings or ()
    }
    wrong = {
        (paid.role, paid.ordered, paid.target)
        for paid in views[-1].paid or ()
        if paid.component is PaidFor.WRONG_FIX
    }
    approved = _approved(played)
    found = []
    for number, step in enumerate(played.steps):
        verb, target = ActionType(step.action.action_type), step.action.target or ""
        if verb not in LANDING and verb is not ActionType.PAUSE:
            continue
        if played.was_refused(number):
            continue
        minute = step.observation.view.status.minute
        request = _request_for(played, step, minute)
        taken = minute if request is None else approved.get(request)
        lands = None if taken is None else landed.get((step.role, verb, target, taken))
        if lands is None and verb is ActionType.PAUSE:
            lands = minute + 1
        words = measured.get((-1 if lands is None else lands, step.role, verb, target), "")
        judged = _by_truth(played, verb, target, step.action.args, lands)
        paid_wrong = (step.role, taken, target) in wrong
        if views[-1].paid is None:
            # The first edition pays for a wrong fix when it is ordered.
            paid_wrong = step.breakdown.wrong_fix_penalty < 0
        if paid_wrong and judged is not Judgement.FIXED:
            judged = Judgement.WRONG
        judged = judged or Judgement.OPEN
        if lands is None:
            judged = Judgement.NOT_APPROVED if taken is None else Judgement.NEVER_LANDED
        why = _why(played, verb, target, step.action.args) if judged is Judgement.WRONG else ""
        what = describe(without_line(step.action))
        found.append(Order(minute, step.role, verb, target, what, lands, words, judged, why))
    return tuple(found)


def _request_for(played: PlayedIncident, step: EpisodeStep, minute: int) -> int | None:
    """Return the number of the request that an order made; None if it needed no approval."""
    ordered = (step.role, step.action.action_type, step.action.target or "", minute)
    for view in played.views:
        for asked in view.requests or ():
            if (asked.role, asked.action_type, asked.target, asked.asked) == ordered:
                return asked.number
    return None


def _approved(played: PlayedIncident) -> dict[int, int]:
    """Return the minute in which each request was approved, by its number."""
    return {
        step.action.args["request"]: step.observation.view.status.minute
        for number, step in enumerate(played.steps)
        if step.action.action_type is ActionType.APPROVE and not played.was_refused(number)
    }


def _by_truth(
    played: PlayedIncident,
    verb: ActionType,
    target: str,
    args: Mapping[str, Any],
    lands: int | None,
) -> Judgement | None:
    """Return what the scenario says about a move; None if it says nothing."""
    if played.scenario is None:
        return None
    incident = played.scenario.incident
    if verb is ActionType.PAUSE:
        guilty = {agent.name for agent in incident.automation if agent.is_guilty}
        return Judgement.STOPPED if target in guilty else None
    begun = [fault for fault, starts in played.faults if lands is None or starts <= lands]
    for fault in begun:
        if any(move.matches(verb, target, args) for move in fault.clears):
            return Judgement.FIXED
    drawn = incident.drawn
    parts = {At.PLACE: drawn.place, At.CALLER: drawn.caller, At.ENTRY: drawn.entry}
    for held in drawn.cause.clears:
        if held.returns is not None and (verb, target) == (held.action, parts.get(held.at)):
            return Judgement.HELD
    for fault in begun:
        if any(move.matches(verb, target, args) for move in fault.mitigates):
            return Judgement.EASED
    return None


def _why(played: PlayedIncident, verb: ActionType, target: str, args: Mapping[str, Any]) -> str:
    if played.scenario is None:
        return ""
    tempting = played.scenario.incident.tempting
    return next((move.why for move in tempting if move.matches(verb, target, args)), "")
