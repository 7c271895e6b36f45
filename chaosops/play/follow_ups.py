"""The causes that followed the first one in a finished game, for its debrief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chaosops.env.models import Diagnosis, InFlight, RoleView, Status
from chaosops.env.world_sim import Scenario
from chaosops.play.formatting import clock, in_words, shown
from chaosops.scenarios.change_history import fill

_FIRST_COUNTS = "A diagnosis is judged by the first cause."


class FollowUp(NamedTuple):
    """A cause that could follow another one.

    Attributes:
        id: Its id, as that of its fault.
        name: What a diagnosis calls it.
        minute: The minute in which it began; None if it didn't.
        link: Why the one sets off the other.
        lesson: What to learn from the two together.
    """

    id: str
    name: str
    place: str
    minute: int | None
    link: str
    happened: str
    lesson: str
    same_kind: str


def landed_in(views: Sequence[RoleView]) -> tuple[InFlight, ...]:
    """Return everything that landed in a game, once; a view has only the newest of it."""
    return tuple(dict.fromkeys(item for view in views for item in view.landed))


def follow_ups(scenario: Scenario, views: Sequence[RoleView]) -> tuple[FollowUp, ...]:
    """Return the causes that followed the first one, and those that could have."""
    incident = scenario.incident
    if not incident.followers:
        return ()
    last = views[-1].status.minute
    begun = incident.beginnings(landed_in(views))
    return tuple(
        FollowUp(
            each.cause.id,
            str(each.cause.diagnosis),
            each.place,
            minute if minute is not None and minute <= last else None,
            each.link,
            fill(each.cause.happened, dict(each.words)),
            each.lesson,
            each.same_kind,
        )
        for each, minute in zip(incident.followers, begun, strict=True)
    )


def told(
    followed: Sequence[FollowUp], diagnoses: Sequence[Diagnosis], status: Status
) -> Iterator[tuple[str, str]]:
    """Yield what followed as paragraphs, each with its heading."""
    for each in followed:
        what = f"{in_words(each.name)} at {each.place}"
        if each.minute is None:
            yield "What could have followed", f"{what}. {shown(each.link, 4_000)}"
        else:
            when = clock(status, each.minute)
            text = f"{what}, from {when} on. {each.link} {each.happened}"
            yield "What followed", shown(text, 8_000)
        yield "The lesson of both", shown(each.lesson, 4_000)
        yield "Similar outages", shown(each.same_kind)
    names = {each.name for each in followed}
    if any(str(made.cause) in names and not made.right for made in diagnoses):
        yield "Which cause counts", _FIRST_COUNTS
