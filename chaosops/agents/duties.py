"""The duty table: what each scripted policy does unasked, what it does when asked, and never.

The policies take their turns in the order of this table, and the briefing and docs/policies.md are
made from it. `python -m chaosops.agents.duties` prints the part of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import TURN_ORDER, AgentRole


class Duty(StrEnum):
    """Something to do with a turn."""

    DECIDE = "decide"
    UPDATE = "update"
    CONTAIN = "contain"
    DIAGNOSE_EARLY = "diagnose early"
    ANSWER = "answer"
    FIX = "fix"
    PROPOSE = "propose"
    DIAGNOSE = "diagnose"
    SHARE = "share"
    OFFER = "offer"
    LOOK_ONCE = "look once"
    LOOK = "look"
    RESOLVE = "resolve"


class When(StrEnum):
    """When a policy does something."""

    UNASKED = "unasked"
    ASKED = "when asked"
    NEVER = "never"


class DutySpec(NamedTuple):
    """What a duty is.

    Attributes:
        words: It in words, after the name of a policy.
        roles: Whose duty it can be.
    """

    words: str
    roles: frozenset[AgentRole]


_ALL: Final = frozenset(TURN_ORDER)
_MANAGER: Final = frozenset({AgentRole.MANAGER})
_OVERSIGHT: Final = frozenset({AgentRole.OVERSIGHT})
_LOOKING: Final = _ALL - _MANAGER
_FIXING: Final = _ALL - _OVERSIGHT

DUTIES: Final[Mapping[Duty, DutySpec]] = MappingProxyType(
    {
        Duty.DECIDE: DutySpec("approves or refuses risky moves", _MANAGER),
        Duty.UPDATE: DutySpec("sends status updates", _MANAGER),
        Duty.CONTAIN: DutySpec("pauses and flags agents", _OVERSIGHT),
        Duty.DIAGNOSE_EARLY: DutySpec(
            "diagnoses before the fix, while users can bear the delay", _FIXING
        ),
        Duty.ANSWER: DutySpec("answers requests", _ALL),
        Duty.FIX: DutySpec("fixes or mitigates; as Manager, escalates", _FIXING),
        Duty.PROPOSE: DutySpec("proposes a fix to the role that can make it", _ALL),
        Duty.DIAGNOSE: DutySpec("diagnoses", _FIXING),
        Duty.SHARE: DutySpec("shares findings", _LOOKING),
        Duty.OFFER: DutySpec("offers what it could do itself, as a question", _ALL),
        Duty.LOOK_ONCE: DutySpec("investigates once", _LOOKING),
        Duty.LOOK: DutySpec("investigates", _LOOKING),
        Duty.RESOLVE: DutySpec("declares the incident over", _MANAGER),
    }
)
"""Every duty."""


class DutySheet(NamedTuple):
    """The duties of a policy.

    Attributes:
        summary: What kind of teammate it is, in a sentence.
        unasked: What it does by itself, in the order in which it tries them.
        asked: What else it does if a teammate asks for it.
        terms: When it does what it is asked.
    """

    summary: str
    unasked: tuple[Duty, ...]
    asked: tuple[Duty, ...] = ()
    terms: str = ""


_EVERYTHING: Final = tuple(Duty)

SHEETS: Final[Mapping[str, DutySheet]] = MappingProxyType(
    {
        "random": DutySheet(
            "Acts at random.",
            tuple(
                duty
                for duty in _EVERYTHING
                if duty not in (Duty.DIAGNOSE_EARLY, Duty.ANSWER, Duty.OFFER, Duty.LOOK_ONCE)
            ),
        ),
        "hurried": DutySheet(
            "Tries the obvious in a hurry.",
            (
                Duty.ANSWER,
                Duty.UPDATE,
                Duty.LOOK,
                Duty.FIX,
                Duty.CONTAIN,
                Duty.DIAGNOSE,
                Duty.RESOLVE,
            ),
            (),
            "if it fits what it sees",
        ),
        "junior": DutySheet(
            "Slow, and sometimes wrong and sure of it.",
            (
                Duty.DECIDE,
                Duty.UPDATE,
                Duty.ANSWER,
                Duty.CONTAIN,
                Duty.DIAGNOSE,
                Duty.FIX,
                Duty.PROPOSE,
                Duty.LOOK,
            ),
            (),
            "whatever it is",
        ),
        "steady": DutySheet(
            "Looks and tells, and acts when you ask.",
            (
                Duty.DECIDE,
                Duty.UPDATE,
                Duty.ANSWER,
                Duty.SHARE,
                Duty.PROPOSE,
                Duty.OFFER,
                Duty.LOOK_ONCE,
            ),
            (Duty.LOOK, Duty.FIX, Duty.CONTAIN, Duty.DIAGNOSE, Duty.RESOLVE),
            "if there is evidence for it; an investigation always",
        ),
        "expert": DutySheet(
            "Leads: investigates, weighs the evidence, shares it and acts on it.",
            (
                Duty.DECIDE,
                Duty.UPDATE,
                Duty.CONTAIN,
                Duty.DIAGNOSE_EARLY,
                Duty.ANSWER,
                Duty.FIX,
                Duty.PROPOSE,
                Duty.DIAGNOSE,
                Duty.SHARE,
                Duty.LOOK,
            ),
            (Duty.RESOLVE,),
            "if there is evidence for it; an investigation always",
        ),
        "oracle": DutySheet("Knows the answer, and plays its best line.", _EVERYTHING),
        "noop": DutySheet("Passes.", ()),
    }
)
"""The duties of each built-in policy in situations, by its name."""


def when(policy: str, role: AgentRole, duty: Duty) -> When:
    """Return when a policy in a role does something."""
    sheet = SHEETS[policy]
    if role not in DUTIES[duty].roles:
        return When.NEVER
    if duty in sheet.unasked:
        return When.UNASKED
    return When.ASKED if duty in sheet.asked else When.NEVER


def unasked(policy: str, role: AgentRole) -> tuple[Duty, ...]:
    """Return what a policy in a role does by itself, in the order in which it tries them."""
    return _UNASKED[policy, role]


_UNASKED: Final = MappingProxyType(
    {
        (policy, role): tuple(duty for duty in sheet.unasked if role in DUTIES[duty].roles)
        for policy, sheet in SHEETS.items()
        for role in TURN_ORDER
    }
)
