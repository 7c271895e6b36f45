"""What is told between two incidents of a shift and at its end, line by line. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import ROLE_NAMES, shown, signed
from chaosops.play.shifts.files import kept_shifts
from chaosops.play.shifts.ratings import NEWEST, mean_rating, rating_of, seats_in
from chaosops.play.shifts.results import ShiftResult
from chaosops.play.shifts.shift import Shift
from chaosops.play.shifts.state import ShiftState
from chaosops.play.stars import Star, shape_of
from chaosops.scenarios.carryover import EFFECTS, Improvement


class Offered(NamedTuple):
    """An improvement that can be chosen.

    Attributes:
        effect: What it does; also says so if that is nothing in the next incident.
    """

    improvement: Improvement
    name: str
    effect: str
    helps: bool


class Learned(NamedTuple):
    """What an incident teaches."""

    truth: str
    lesson: str


class NextPage(NamedTuple):
    """What is known of the next incident."""

    number: int
    title: str
    page: str


class Between(NamedTuple):
    """What is told between two incidents.

    Attributes:
        over: The number of the incident that is over, from 1, and `incidents` is how many there
            are.
        cost: What the last one cost.
        offers: What can be chosen.
    """

    over: int
    incidents: int
    cost: tuple[str, ...]
    learned: Learned
    offers: tuple[Offered, ...]
    next_page: NextPage


class SeatRating(NamedTuple):
    """The rating of a seat in a shift.

    Attributes:
        mean: Over the newest shifts, this one included.
    """

    role: AgentRole
    rating: int
    mean: int


class ShiftEnd(NamedTuple):
    """What is told at the end of a shift.

    Attributes:
        headline: How it went.
        incidents: A line for each incident that was played.
        ratings: Of the seats that people played.
        share: The line to paste, in parts.
    """

    headline: str
    incidents: tuple[str, ...]
    ratings: tuple[SeatRating, ...]
    code: str
    share: tuple[str, ...]


def opening_line(shift: Shift) -> str:
    """Describe a shift in a line, as it stands."""
    fleet = shift.incidents[0].situation.topology
    count = len(shift.incidents)
    at = f"incident {shift.number + 1} of {count}" if shift.number < count else "over"
    return (
        f"Shift {shift.state.code}: {count} incidents on the fleet {fleet}, one error budget; "
        f"{at}, {shift.state.budget} % of the budget left"
    )


def between(shift: Shift) -> Between:
    """Return what is told after an incident that is over and before the next one.

    Raises:
        ChaosOpsError: An incident can't be loaded.
    """
    number = shift.number
    last = shift.plain_scenario(number - 1).incident.debrief
    coming = shift.plain_scenario(number)
    helps = shift.helps()
    return Between(
        over=number,
        incidents=len(shift.incidents),
        cost=tuple(_cost(shift.state)),
        learned=Learned(shown(last.title, 400), shown(last.lesson, 1_000)),
        offers=tuple(_offer(one, helps[one]) for one in Improvement),
        next_page=NextPage(number + 1, shown(coming.title, 200), shown(coming.page, 300)),
    )


def _offer(improvement: Improvement, helps: bool) -> Offered:
    name = improvement.words
    effect = EFFECTS[improvement]
    if not helps:
        effect = f"has nothing to act on in the next incident; where it has, {effect}"
    return Offered(improvement, f"{name[0].upper()}{name[1:]}", effect, helps)


def _cost(state: ShiftState) -> Iterator[str]:
    """Describe what the last incident cost."""
    result = state.played[-1]
    before = state.played[-2].budget if len(state.played) > 1 else 100
    what = "Resolved" if result.resolved else "Not resolved"
    yield f"{what} after {result.minutes} minutes, score {signed(result.score)}"
    yield (
        f"It cost {before - result.budget} % of the shift's error budget; {result.budget} % is left"
    )
    yield from _stars(result)


def _stars(result: ShiftResult) -> Iterator[str]:
    for role, names in result.stars.items():
        yield f"{ROLE_NAMES[role]} {_shape(names)}"


def _shape(names: Sequence[str] | frozenset[str]) -> str:
    return shape_of([star for star in Star if star.value in names])


def end_of(shift: Shift) -> ShiftEnd:
    """Return what is told at the end of a shift."""
    state = shift.state
    played, count = state.played, state.incidents
    solved = sum(result.resolved for result in played)
    if state.budget <= 0:
        what = f"The error budget was spent in incident {len(played)} of {count}"
    else:
        what = f"The shift is over, with {state.budget} % of the error budget left"
    return ShiftEnd(
        headline=f"{what}; {solved} of {count} incidents resolved",
        incidents=tuple(_incident_line(shift, number) for number in range(len(played))),
        ratings=_ratings(state, shift.recordings),
        code=state.code,
        share=shift_share(state),
    )


def _incident_line(shift: Shift, number: int) -> str:
    result = shift.state.played[number]
    try:
        title = shift.plain_scenario(number).title
    except ChaosOpsError:
        title = shift.incidents[number].situation.id
    what = "resolved" if result.resolved else "not resolved"
    stars = ", ".join(_stars(result)) or "nobody played"
    return (
        f"{number + 1} {shown(title, 120)}: {what} in {result.minutes} min, {stars}, "
        f"{result.budget} % left"
    )


def _ratings(state: ShiftState, recordings: Path) -> tuple[SeatRating, ...]:
    """Rate each seat in this shift and over the newest ones."""
    others = [
        kept.state
        for kept in kept_shifts(recordings).shifts
        if kept.state.is_over and kept.state != state
    ]
    found = []
    for role in seats_in(state.played):
        own = rating_of(role, state.played, state.incidents)
        past = [
            rating_of(role, other.played, other.incidents)
            for other in others
            if role in seats_in(other.played)
        ]
        found.append(SeatRating(role, own, mean_rating([*past, own]) or 0))
    return tuple(found)


def shift_line(state: ShiftState) -> str:
    """Describe a shift in a list."""
    played, count = state.played, state.incidents
    solved = sum(result.resolved for result in played)
    where = "over" if state.is_over else f"incident {len(played) + 1} of {count} next"
    return f"{state.code}: {where}, {solved} resolved, {state.budget} % of the budget left"


def seat_lines(states: Sequence[ShiftState]) -> tuple[str, ...]:
    """Describe each seat's rating over the newest finished shifts.

    Args:
        states: All shifts, the oldest first.
    """
    found = []
    for role in TURN_ORDER:
        ratings = [
            rating_of(role, one.played, one.incidents)
            for one in states
            if one.is_over and role in seats_in(one.played)
        ]
        mean = mean_rating(ratings)
        if mean is not None:
            count = min(len(ratings), NEWEST)
            found.append(f"{ROLE_NAMES[role]}: rated {mean} of 100 over the newest {count}")
    return tuple(found)


def shift_share(state: ShiftState) -> tuple[str, ...]:
    """Return the result of a shift in parts of a line to paste, which give nothing away."""
    seats = seats_in(state.played)
    rated = " ".join(
        f"{ROLE_NAMES[role]} {rating_of(role, state.played, state.incidents)}" for role in seats
    )
    games = " | ".join(
        f"{result.glyphs} {_shape(result.all_stars)}".strip() for result in state.played
    )
    solved = sum(result.resolved for result in state.played)
    return (
        f"ChaosOps shift {state.code}",
        rated or "watched",
        games,
        f"{solved} of {state.incidents} resolved",
        f"budget {state.budget} %",
    )
