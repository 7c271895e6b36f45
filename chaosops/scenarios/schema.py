"""The parts of an incident: what files say of them, and what a seed draws.

Minutes count from the page, so a cause that began before it has a negative one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from chaosops.env.models import (
    ActionType,
    ChangeKind,
    Source,
)
from chaosops.env.models.failures import DrawnCauseName
from chaosops.env.models.topology import Line, Name, ReadOnly, Strict, Visible

Prose = Annotated[str, StringConstraints(min_length=1, max_length=4000, strict=True), Visible]
Minute = Annotated[int, Field(ge=-240, le=240)]


class Bound(Strict):
    """A range for an argument.

    Attributes:
        at_least, at_most: Its ends, which belong to it.
    """

    at_least: int | None = None
    at_most: int | None = None


def has_args(wanted: Mapping[str, int | Bound | str], args: Mapping[str, object]) -> bool:
    """Whether an action has the arguments that it must have."""
    for name, want in wanted.items():
        have = args.get(name)
        if isinstance(want, Bound):
            if not isinstance(have, int):
                return False
            if want.at_least is not None and have < want.at_least:
                return False
            if want.at_most is not None and have > want.at_most:
                return False
        elif have != want:
            return False
    return True


class Move(Strict):
    """An action to match: a verb, a target, and arguments, if given."""

    action: ActionType
    target: Name | None = None
    args: Annotated[dict[str, int | Bound | str], AfterValidator(ReadOnly)] = Field(
        default_factory=ReadOnly
    )

    def arguments(self) -> dict[str, int | str]:
        """Return matching arguments; for a range, its lower end."""
        return {
            name: (want.at_least or want.at_most or 0) if isinstance(want, Bound) else want
            for name, want in self.args.items()
        }

    def matches(self, action_type: ActionType, target: str | None, args: Any) -> bool:
        """Whether an action matches; other arguments don't matter."""
        if action_type is not self.action or (self.target is not None and target != self.target):
            return False
        return has_args(self.args, args)


class Mitigation(Move):
    """A move that helps without clearing the fault.

    Attributes:
        remains: The share of the fault's effects that remains.
        minutes: How long it helps; None for to the end.
    """

    remains: float = Field(default=1.0, ge=0, le=1)
    minutes: int | None = Field(default=None, ge=1, le=240)


class ChangeSpec(Strict):
    """An entry of the change history."""

    at: Annotated[int, Field(ge=-10_000, le=240)]
    service: Name
    kind: ChangeKind
    version: Line
    author: Line
    text: Line


class EventSpec(Strict):
    """One act of an automation agent, as in its audit log.

    Attributes:
        at: The minute of it; the page is minute 0.
        act, reason, approval: What it did, why, and by whose leave, as the log has it.
        target: The service that it acted on.
        gates: Gates passed and required, if the approval depends on gates.
    """

    at: Annotated[int, Field(ge=-10_000, le=240)]
    act: Line
    target: Name
    reason: Line
    approval: Line
    gates: tuple[int, int] | None = None


class TicketSpec(Strict):
    """A support ticket, which is written if users are affected at the time.

    Attributes:
        at: The minute of it; the page is minute 0.
        text: What the customer writes.
    """

    at: Annotated[int, Field(ge=-60, le=240)]
    text: Line


class Hints(Strict):
    """Hints at three levels, each more expensive and clearer than the one before."""

    nudge: Prose
    direction: Prose
    answer: Prose


class Debrief(Strict):
    """What is said when it is over.

    Attributes:
        title: The incident's true name.
        same_kind: A public incident of the same kind.
    """

    title: Line
    happened: Prose
    misleading: Prose
    lesson: Prose
    same_kind: Line


class FaultSpec(Strict):
    """A cause of the incident.

    Attributes:
        starts: The minute in which it begins; None if it only follows another one.
        place: The service where it is.
        clears: Actions each of which fixes it for good.
        mitigates: Moves that help without clearing it.
    """

    id: Name
    starts: Minute | None = None
    place: Name
    clears: tuple[Move, ...] = Field(min_length=1)
    mitigates: tuple[Mitigation, ...] = ()


class Tempting(Move):
    """A wrong fix that looks right, and why it is wrong."""

    why: Line


class AgentSpec(Strict):
    """An automation agent in the fleet, with its duty and its policy.

    Attributes:
        name: Its name.
        duty: What it is for.
        policy: The rules that it has to keep to.
        events: What it did before the page and does after it.
    """

    name: Name
    duty: Line
    policy: Line
    events: tuple[EventSpec, ...] = ()


class DrawnAgent(AgentSpec):
    """An automation agent in an incident that was drawn.

    Attributes:
        is_guilty: Whether its doing is the cause.
    """

    is_guilty: bool = False


class Evidence(Strict):
    """An investigation that tells a cause from its twins.

    Attributes:
        at: The service that is investigated.
        text: What it shows.
        while_live: The fault that has to be live for it to be seen.
        supports: The causes that it supports; never shown in play.
    """

    source: Source
    at: Name
    text: Line
    while_live: Name
    supports: tuple[DrawnCauseName, ...] = ()
