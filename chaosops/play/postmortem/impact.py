"""What the incident cost its users, and the signals of the services where it was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from chaosops.env.models import RoleView
from chaosops.env.models.signals import ServiceSignals
from chaosops.play.postmortem.played import PlayedIncident


class UserImpact(NamedTuple):
    """What users felt.

    Attributes:
        availability: The share of user requests that succeeded, by minute from the page.
        below: The minutes in which the objective was missed.
        lowest: The lowest availability, and its minute.
        lost: Thousands of user requests that failed, and the minute of that count; None if nobody
            who counts them was asked in time.
        budget: The error budget in percent at the page and at the end.
        tickets: The number of support tickets.
    """

    availability: tuple[tuple[int, float], ...]
    below: tuple[int, ...]
    lowest: tuple[float, int]
    lost: tuple[float, int] | None
    budget: tuple[int, int]
    tickets: int


def impact_of(played: PlayedIncident) -> UserImpact:
    """Measure the impact from what was seen."""
    views = played.views
    by_minute = {view.status.minute: view.status.users_ok for view in views}
    availability = tuple(sorted(by_minute.items()))
    slo = views[0].status.slo
    least, minute = min((users_ok, minute) for minute, users_ok in availability)
    counted = [(view.status.minute, view.impact) for view in views if view.impact is not None]
    lost = None if not counted else (counted[-1][1].lost, counted[-1][0])
    tickets = {ticket for _, impact in counted for ticket in impact.tickets}
    return UserImpact(
        availability,
        tuple(minute for minute, users_ok in availability if users_ok < slo),
        (least, minute),
        lost,
        (views[0].status.budget, views[-1].status.budget),
        len(tickets),
    )


def signals_of(views: Iterable[RoleView], service: str) -> dict[int, ServiceSignals]:
    """Return the signals of a service by minute, from whoever saw most of them."""
    found: dict[int, ServiceSignals] = {}
    for view in views:
        past = view.history or ()
        first = view.status.minute - len(past) + 1
        for minute, rows in enumerate(past, first):
            for row in rows:
                if row.service == service and _filled(row) >= _filled(found.get(minute)):
                    found[minute] = row
    return dict(sorted(found.items()))


def worst_service(played: PlayedIncident) -> str | None:
    """Return the service with the most errors seen, for when the place isn't known."""
    rows = (row for view in played.views for row in view.services or ())
    worst = max(rows, key=lambda row: (row.errors, row.p95_ms, row.service), default=None)
    return None if worst is None else worst.service


def _filled(row: ServiceSignals | None) -> int:
    return -1 if row is None else sum(value is not None for value in row)
