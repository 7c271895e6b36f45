"""The duty table: what each scripted policy does unasked, what it does when asked, and never.

The policies take their turns in the order of this table, and the briefing and docs/policies.md are
made from it. `python -m chaosops.agents.duties` prints the part of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.agents.names import FORMER_NAMES
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.env.models.approvals import TWO_KEY_LEVELS
from chaosops.output import print_data


class Duty(StrEnum):
    """Something to do with a turn."""

    DECIDE = "decide"
    UPDATE = "update"
    CONTAIN = "contain"
    PERMIT = "permit"
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


class DutyTiming(StrEnum):
    """When a policy does something."""

    UNASKED = "unasked"
    ASKED = "when asked"
    NEVER = "never"


class DutySpec(NamedTuple):
    """What a duty is.

    Attributes:
        words: It in words, after the name of a policy.
        roles: Whose duty it can be.
        form_of: The duty that it is a form of, if any.
        as_manager: The words for the Manager, if they differ.
    """

    words: str
    roles: frozenset[AgentRole]
    form_of: Duty | None = None
    as_manager: str = ""


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
        Duty.PERMIT: DutySpec("grants or denies what agents request", _OVERSIGHT),
        Duty.DIAGNOSE_EARLY: DutySpec(
            "diagnoses before the fix, while users can bear the delay", _FIXING, Duty.DIAGNOSE
        ),
        Duty.ANSWER: DutySpec("answers requests", _ALL),
        Duty.FIX: DutySpec("fixes and mitigates", _FIXING, as_manager="escalates"),
        Duty.PROPOSE: DutySpec("proposes fixes to the role that can make them", _ALL),
        Duty.DIAGNOSE: DutySpec("diagnoses", _FIXING),
        Duty.SHARE: DutySpec("shares findings", _LOOKING),
        Duty.OFFER: DutySpec("asks whether to make a fix of its own", _LOOKING, Duty.PROPOSE),
        Duty.LOOK_ONCE: DutySpec("investigates once", _LOOKING, Duty.LOOK),
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
        only: The roles in which it does something by itself, where these are fewer than could.
    """

    summary: str
    unasked: tuple[Duty, ...]
    asked: tuple[Duty, ...] = ()
    terms: str = ""
    only: Mapping[Duty, frozenset[AgentRole]] = MappingProxyType({})


_EVERYTHING: Final = tuple(Duty)

SHEETS: Final[Mapping[str, DutySheet]] = MappingProxyType(
    {
        "random": DutySheet(
            "Acts at random.",
            (
                Duty.DECIDE,
                Duty.UPDATE,
                Duty.PERMIT,
                Duty.CONTAIN,
                Duty.FIX,
                Duty.PROPOSE,
                Duty.DIAGNOSE,
                Duty.LOOK,
                Duty.RESOLVE,
            ),
            only=MappingProxyType({Duty.PROPOSE: _MANAGER}),
        ),
        "hurried": DutySheet(
            "Tries the obvious in a hurry.",
            (
                Duty.ANSWER,
                Duty.PERMIT,
                Duty.UPDATE,
                Duty.LOOK,
                Duty.FIX,
                Duty.CONTAIN,
                Duty.DIAGNOSE,
                Duty.RESOLVE,
            ),
            (Duty.FIX,),
            "whatever it is",
            MappingProxyType({Duty.DIAGNOSE: _MANAGER, Duty.FIX: _FIXING - _MANAGER}),
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
                Duty.PERMIT,
            ),
            (Duty.RESOLVE,),
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
                Duty.LOOK,
                Duty.PERMIT,
            ),
            (Duty.LOOK, Duty.FIX, Duty.CONTAIN, Duty.DIAGNOSE, Duty.RESOLVE),
            "if there is evidence (an investigation needs none)",
            MappingProxyType({Duty.PROPOSE: _LOOKING, Duty.LOOK: _OVERSIGHT}),
        ),
        "expert": DutySheet(
            "Leads: investigates, weighs the evidence, shares it and acts on it.",
            (
                Duty.DECIDE,
                Duty.UPDATE,
                Duty.CONTAIN,
                Duty.PERMIT,
                Duty.DIAGNOSE_EARLY,
                Duty.ANSWER,
                Duty.FIX,
                Duty.PROPOSE,
                Duty.DIAGNOSE,
                Duty.SHARE,
                Duty.LOOK,
            ),
            (),
            "if there is evidence (an investigation needs none)",
        ),
        "oracle": DutySheet("Knows the answer, and plays its best line.", _EVERYTHING),
        "noop": DutySheet("Passes.", ()),
    }
)
"""The duties of each built-in policy in situations, by its name."""


def when(policy: str, role: AgentRole, duty: Duty) -> DutyTiming:
    """Return when a policy in a role does something."""
    sheet = SHEETS[policy]
    if duty in sheet.unasked and role in sheet.only.get(duty, DUTIES[duty].roles):
        return DutyTiming.UNASKED
    is_asked = duty in sheet.asked and role in DUTIES[duty].roles
    return DutyTiming.ASKED if is_asked else DutyTiming.NEVER


def told(policy: str, role: AgentRole) -> str:
    """Describe what a built-in policy does in a role, in some sentences; empty for another one."""
    sheet = SHEETS.get(FORMER_NAMES.get(policy, policy))
    if sheet is None:
        return ""
    name = FORMER_NAMES.get(policy, policy)
    parts = [sheet.summary]
    for time, head in (
        (DutyTiming.UNASKED, "Unasked"),
        (DutyTiming.ASKED, f"When asked, {sheet.terms}"),
        (DutyTiming.NEVER, "Never"),
    ):
        found = [words_of(duty, role) for duty in rows(name, role, time)]
        if found:
            parts.append(f"{head}: {', '.join(found)}.")
    return " ".join(parts)


def duties_of(role: AgentRole, level: Difficulty) -> tuple[Duty, ...]:
    """Return what a seat may have to do in an incident of a level, whoever takes it.

    Moves need an approval from medium on, and agents request nothing in the tutorial.
    """
    never = set()
    if level not in TWO_KEY_LEVELS:
        never.add(Duty.DECIDE)
    if level is Difficulty.TUTORIAL:
        never.add(Duty.PERMIT)
    return tuple(
        duty
        for duty, spec in DUTIES.items()
        if role in spec.roles and spec.form_of is None and duty not in never
    )


def page() -> str:
    """Return the table as Markdown, for docs/policies.md."""
    lines = ["| policy | role | unasked | when asked | never |", "| --- | --- | --- | --- | --- |"]
    for name in (name for name in SHEETS if name not in ("random", "oracle", "noop")):
        for role in TURN_ORDER:
            cells = [
                "; ".join(words_of(duty, role) for duty in rows(name, role, time)) or "-"
                for time in DutyTiming
            ]
            lines.append(f"| `{name}` | {role.label} | {' | '.join(cells)} |")
    return "\n".join(lines)


def words_of(duty: Duty, role: AgentRole) -> str:
    """Word a duty of a role."""
    spec = DUTIES[duty]
    return spec.as_manager if role is AgentRole.MANAGER and spec.as_manager else spec.words


def rows(policy: str, role: AgentRole, time: DutyTiming) -> tuple[Duty, ...]:
    """Return what a policy in a role does at some time, without forms of what is listed anyway."""
    found = [
        duty for duty in Duty if role in DUTIES[duty].roles and when(policy, role, duty) is time
    ]
    return tuple(
        duty
        for duty in found
        if (base := DUTIES[duty].form_of) is None
        or (time is DutyTiming.UNASKED and base not in found)
    )


def unasked(policy: str, role: AgentRole) -> tuple[Duty, ...]:
    """Return what a policy in a role does by itself, in the order in which it tries them."""
    return _UNASKED[policy, role]


_UNASKED: Final = MappingProxyType(
    {
        (policy, role): tuple(
            duty for duty in sheet.unasked if role in sheet.only.get(duty, DUTIES[duty].roles)
        )
        for policy, sheet in SHEETS.items()
        for role in TURN_ORDER
    }
)


if __name__ == "__main__":
    print_data(page())
