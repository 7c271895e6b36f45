"""Action items: what to change so that the incident does not happen again, or ends sooner."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from chaosops.env.models import ActionType, AgentRole
from chaosops.env.models.duties import PaidFor
from chaosops.env.models.roles import roles_looking_at, roles_with
from chaosops.env.models.verbs import VERBS
from chaosops.play.formatting import ROLE_NAMES, in_words, shown
from chaosops.play.postmortem.effects import Judgement, orders
from chaosops.play.postmortem.knowledge import known, telling_places
from chaosops.play.postmortem.played import PlayedIncident
from chaosops.play.postmortem.prevention import BY_PART, BY_TRIGGER
from chaosops.play.wording import proposal_words
from chaosops.scenarios.schema import Move


class Aim(StrEnum):
    """What an action item is for."""

    PREVENTION = "prevention"
    DETECTION = "detection"
    RESPONSE = "response"


class ActionItem(NamedTuple):
    """Something to do after the incident.

    Attributes:
        owner: Who takes it on, in words.
    """

    aim: Aim
    text: str
    owner: str


def action_items(played: PlayedIncident) -> tuple[ActionItem, ...]:
    """Return what follows from the cause's data and from how the incident was handled."""
    found = (*_prevention(played), *_detection(played), *_response(played))
    return tuple(dict.fromkeys(found))


def _prevention(played: PlayedIncident) -> Iterator[ActionItem]:
    owner = ROLE_NAMES[AgentRole.DEV]
    for cause, place in played.causes:
        for part in dict.fromkeys(effect.part for effect in cause.effects):
            if part in BY_PART:
                yield ActionItem(Aim.PREVENTION, BY_PART[part].format(place=place), owner)
        yield ActionItem(Aim.PREVENTION, BY_TRIGGER[cause.trigger].format(place=place), owner)
        if cause.agent is not None:
            yield ActionItem(Aim.PREVENTION, _of_agent(cause.agent, dict(cause.defect)), _OVERSIGHT)


_OVERSIGHT = ROLE_NAMES[AgentRole.OVERSIGHT]
_MANAGER = ROLE_NAMES[AgentRole.MANAGER]


def _of_agent(name: str, defect: dict[str, int]) -> str:
    edited = ", ".join(f"{in_words(key)} was {value}" for key, value in defect.items())
    went_by = f" ({edited})" if edited else ""
    return (
        f"Restore the written policy of {name}{went_by}, have every change of it reviewed, and "
        "alert when its acts depart from it."
    )


def _detection(played: PlayedIncident) -> Iterator[ActionItem]:
    onset = played.onset
    sre = ROLE_NAMES[AgentRole.SRE]
    if onset is not None and onset < 0:
        yield ActionItem(
            Aim.DETECTION,
            f"Page sooner: {-onset} min passed from the onset to the page.",
            sre,
        )
    for source, at in telling_places(played):
        who = roles_looking_at(source)
        yield ActionItem(
            Aim.DETECTION,
            f"Link {source.value} of {shown(at, 80)} from the alert: it tells this cause from its "
            "twins.",
            ROLE_NAMES[who[0]] if who else sre,
        )
    for cause, place in played.causes:
        if cause.course.hard is None:
            continue
        part = in_words(cause.course.hard.part)
        yield ActionItem(
            Aim.DETECTION,
            f"Alert on the trend of the {part} at {shown(place, 80)}: at this rate, how long is it "
            "until the step that is hard to reverse?",
            sre,
        )


def _response(played: PlayedIncident) -> Iterator[ActionItem]:
    yield from _runbook(played)
    looks = known(played)
    if any(look.tells and look.shared is None for look in looks):
        yield ActionItem(
            Aim.RESPONSE,
            "Share what a look shows in the turn after it, with everyone.",
            "everyone",
        )
    paid = {each.component for each in played.views[-1].paid or () if each.amount < 0}
    if PaidFor.STATUS_UPDATE in paid:
        yield ActionItem(Aim.RESPONSE, "Name one person who writes the status updates.", _MANAGER)
    if PaidFor.APPROVAL in paid:
        yield ActionItem(
            Aim.RESPONSE, "Ask for the reading behind a risky move before answering it.", _MANAGER
        )
    if PaidFor.GRANT in paid:
        yield ActionItem(
            Aim.RESPONSE,
            "Check what an agent says it measured before answering its request.",
            _OVERSIGHT,
        )
    if PaidFor.WRONG_ACCUSATION in paid:
        yield ActionItem(
            Aim.RESPONSE,
            "Compare an agent's acts with its written policy before accusing it.",
            _OVERSIGHT,
        )


def _runbook(played: PlayedIncident) -> Iterator[ActionItem]:
    """Yield what belongs into the runbook: what ends it, and what was tried for nothing."""
    for fault, _ in played.faults:
        ends = fault.clears[0]
        minutes = VERBS[ends.action].minutes
        takes = f", which takes about {minutes} min" if minutes else ""
        yield ActionItem(
            Aim.RESPONSE, f"Runbook: {_words(ends)} ends it{takes}.", _owner(ends.action)
        )
        if fault.mitigates:
            eases = fault.mitigates[0]
            text = f"Runbook: {_words(eases)} gains time."
            yield ActionItem(Aim.RESPONSE, text, _owner(eases.action))
    for order in orders(played):
        if order.judgement is Judgement.WRONG and order.why:
            text = f"Runbook: {order.words} does not help. {order.why}"
            yield ActionItem(Aim.RESPONSE, text, _owner(order.action_type))


def _words(move: Move) -> str:
    return proposal_words(
        {"action_type": move.action, "target": move.target, "args": move.arguments()}
    )


def _owner(verb: ActionType) -> str:
    able = roles_with(verb)
    return ROLE_NAMES[able[0]] if able else _MANAGER
