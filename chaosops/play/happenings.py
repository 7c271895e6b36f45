"""What everybody could see happen in a turn: landings with what was measured, requests, updates.

Needs no screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from chaosops.env.models import Landing, RoleView, Status
from chaosops.env.models.effects import Measured
from chaosops.play.formatting import ROLE_NAMES, clock, percent, shown
from chaosops.play.wording import verb_word


class Happening(NamedTuple):
    """Something that happened.

    Attributes:
        mark: Its kind as one character: ↓ a landing, ? a request, ✎ a status update, ! a limit.
    """

    mark: str
    text: str


def measured_words(measured: Iterable[Measured]) -> str:
    """Describe what was measured: "errors 28.2 to 9.5 %, no change in p95"."""
    moved, still = [], []
    for each in measured:
        if each.before == each.after:
            still.append(each.signal)
        else:
            unit = f" {each.unit}" if each.unit else ""
            moved.append(f"{each.signal} {each.before:g} to {each.after:g}{unit}")
    if still:
        moved.append(f"no change in {' or '.join(still)}")
    return ", ".join(moved)


def landing_words(landing: Landing, statuses: Sequence[Status] = ()) -> str:
    """Describe a landing: "restart payments (SRE): errors 38 to 35 %; users 92.1 to 93.4 %".

    Args:
        statuses: Of minutes around it, in order; what they show of users is told if they have one
            from before it and one from its minute or later.
    """
    who = f"{verb_word(landing.action_type)} {shown(landing.target, 60)}"
    measured = measured_words(landing.measured)
    before = [each.users_ok for each in statuses if each.minute < landing.minute]
    after = [each.users_ok for each in statuses if each.minute >= landing.minute]
    users = ""
    if before and after:
        was, now = percent(before[-1]), percent(after[-1])
        users = f"users {was.removesuffix(' %')} to {now}" if was != now else f"users still {now}"
    told = "; ".join(part for part in (measured, users) if part)
    return f"{who} ({ROLE_NAMES[landing.role]}){f': {told}' if told else ''}"


def happened(before: RoleView, after: RoleView) -> list[Happening]:
    """Return what is new in what every role sees.

    Args:
        before: What was seen in a turn.
        after: What was seen in a later one; the roles may differ.
    """
    return [
        *_landings(before, after),
        *_requests(before, after),
        *_updates(before, after),
        *_bounds(before, after),
    ]


def new_landings(before: RoleView, after: RoleView) -> list[Landing]:
    """Return what has landed in between, with what was measured."""
    known = frozenset(before.landings or ())
    return [landing for landing in after.landings or () if landing not in known]


def _landings(before: RoleView, after: RoleView) -> Iterator[Happening]:
    for landing in new_landings(before, after):
        told = landing_words(landing, (before.status, after.status))
        yield Happening("↓", f"landed: {told}")


def _requests(before: RoleView, after: RoleView) -> Iterator[Happening]:
    known = {request.number for request in before.requests or ()}
    for request in after.requests or ():
        if request.number not in known:
            move = f"{verb_word(request.action_type)} {shown(request.target, 60)}"
            until = clock(after.status, request.lapses)
            yield Happening(
                "?",
                f"request {request.number} by {ROLE_NAMES[request.role]} waits for the Manager: "
                f"{move}, lapses {until}",
            )


def _updates(before: RoleView, after: RoleView) -> Iterator[Happening]:
    due, status = after.due, after.status
    if due is not None and (before.due is None or before.due.due != due.due):
        yield Happening("✎", f"status update due, late from {clock(status, due.late)}")
    known = len(before.updates or ())
    for update in (after.updates or ())[known:]:
        fits = "fits the figures" if update.calms else "is contradicted by the figures"
        yield Happening("✎", f"status update sent: it {fits}")


def _bounds(before: RoleView, after: RoleView) -> Iterator[Happening]:
    was, now = before.status, after.status
    if (was.users_ok >= was.slo) is not (now.users_ok >= now.slo):
        where = "back at" if now.users_ok >= now.slo else "below"
        yield Happening("!", f"availability is {where} the objective")
    if was.held < was.hold <= now.held:
        yield Happening("!", "users have been well for the hold")
