"""Causes that follow another one: what a situation's file says of them, and where they may sit.

A cast says it and not a cause, since what follows depends on the fleet and on the place: the same
cause is all there is behind one page, and begins a chain behind another.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

from chaosops.env.models import ActionType
from chaosops.env.models.topology import Line, Name, ReadOnly, Strict, Topology
from chaosops.scenarios.cause import At, Cause, Span
from chaosops.scenarios.fitting import Placement, parts_of, placements
from chaosops.scenarios.schema import Bound, Prose

LASTING_CURES: Final = frozenset(
    {
        ActionType.SCALE,
        ActionType.RAISE_LIMIT,
        ActionType.ROLLBACK,
        ActionType.DISABLE_FEATURE,
        ActionType.ROTATE,
    }
)
"""Verbs whose effect stays: if one of them cures a follower, it prevents it as well."""

_LATEST: Final = 60
_LONGEST_WAIT: Final = 15
_TIMED: Final = ("onset", "uncleared")


class When(StrEnum):
    """What a follower waits for.

    `onset` is the onset of the cause that it follows, whatever is done meanwhile; `uncleared` is
    the same, unless that cause is cleared before. `cleared` is the minute in which that cause is
    cleared, and `landed` the one in which an action lands.
    """

    ONSET = "onset"
    UNCLEARED = "uncleared"
    CLEARED = "cleared"
    LANDED = "landed"


class FollowSpec(Strict):
    """A cause that follows the cause of a cast.

    Attributes:
        cause: Its id.
        of: The cause that it follows: the one of the cast, or another of its followers.
        when: What it waits for.
        by: For `cleared`: the actions that set it off; empty for any that clears that cause. For
            `landed`: the actions of which one has to land.
        on: For `landed`: the part of that cause on which it lands.
        args: For `landed`: the arguments that it must have.
        after: Minutes from then to its own onset.
        at: The part of that cause where it sits.
        places, callers: Its possible places and callers; empty for all that fit.
        next_zone: Whether it is about the zone next to the one that was drawn.
        chance: Share of the seeds in which it follows.
        link: Why the one sets off the other, for the debrief.
        lesson: What to learn from the two together; by default its cause's lesson.
        same_kind: A public incident in which both happened; by default its cause's.
    """

    cause: Name
    of: Name | None = None
    when: When = When.CLEARED
    by: tuple[ActionType, ...] = ()
    on: At = At.PLACE
    args: Annotated[dict[str, int | Bound | str], AfterValidator(ReadOnly)] = Field(
        default_factory=ReadOnly
    )
    after: Span = (1, 2)
    at: At | None = None
    places: tuple[Name, ...] = ()
    callers: tuple[Name, ...] = ()
    next_zone: bool = False
    chance: float = Field(default=1.0, gt=0, le=1)
    link: Prose
    lesson: Prose | None = None
    same_kind: Line | None = None

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        first, last = self.after
        if not 0 <= first <= last <= _LATEST:
            raise ValueError(f"after: use two minutes from 0 to {_LATEST}, the earlier one first")
        if self.when not in _TIMED and last > _LONGEST_WAIT:
            raise ValueError(
                f"after: people wait for the end of the hold and no longer; use {_LONGEST_WAIT} "
                "minutes at most"
            )
        if self.when is When.LANDED and not self.by:
            raise ValueError("by: name the actions of which one has to land")
        if self.when in _TIMED and self.by:
            raise ValueError(f"by: no action sets it off with 'when: {self.when.value}'; remove it")
        if self.when is not When.LANDED and (self.args or self.on is not At.PLACE):
            key = "args" if self.args else "on"
            raise ValueError(f"{key}: only an action that lands has it; use 'when: landed'")
        if self.at is not None and self.places:
            raise ValueError("places: 'at' says already where it sits; remove one of them")
        return self


class DrawnFollower(Strict):
    """A follower as a seed has drawn it.

    Attributes:
        of: The number of the cause that it follows: 0 is the first cause, 1 the first follower.
        after: Minutes from what it waits for to its onset.
        hard_at: The minute of its hard step if nobody acts, counted from its own beginning.
        words: What is filled into its texts.
        sets_off_at: The service on which the action has to land that it waits for, if any.
        version: The version of the change behind it, if any.
        link, lesson, same_kind: For the debrief, filled in.
    """

    spec: FollowSpec
    cause: Cause
    of: int
    place: Name
    caller: Name | None
    after: int
    hard_at: int
    words: tuple[tuple[str, str], ...]
    sets_off_at: Name | None = None
    version: str = ""
    link: Prose
    lesson: Prose
    same_kind: Line


def in_order(specs: tuple[FollowSpec, ...], first: str) -> tuple[FollowSpec, ...]:
    """Return followers so that each comes after the one that it follows.

    Those that no chain leads to from the first cause are left out.
    """
    found: list[FollowSpec] = []
    known = {first}
    while True:
        more = [spec for spec in specs if spec not in found and (spec.of or first) in known]
        if not more:
            return tuple(found)
        found += more
        known |= {spec.cause for spec in more}


def spots_after(
    spec: FollowSpec, cause: Cause, leader: Placement, topology: Topology
) -> Iterator[Placement]:
    """Yield the places of a follower, given where the cause sits that it follows."""
    where = spec.places
    if spec.at is not None:
        part = parts_of(leader, topology)[spec.at]
        where = () if part is None else (part,)
        if not where:
            return
    for spot in placements(cause, topology):
        if where and spot.place not in where:
            continue
        if not spec.callers or spot.caller in spec.callers:
            yield spot
