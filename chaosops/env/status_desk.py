"""Status updates: when they are due, how they are drafted, and whether they are true.

An update is true if nothing that it says is contradicted by the minute in which it is sent. A
share may be off by a point or by a quarter of itself, and a trend has to be off by more than the
figures swing anyway. What it says of the cause is judged when the incident is over, so that nobody
learns from an update whether a guess is right.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    CauseFamily,
    InFlight,
    Journey,
    NextStep,
    StatusUpdate,
    Trend,
    UpdateContent,
    UpdateDue,
    UpdatePoint,
)
from chaosops.env.models.updates import SHARES
from chaosops.env.models.verbs import FIXES
from chaosops.scenarios.scenario import Scenario

DUE: Final = (8, 24, 40)
"""The minutes in which an update becomes due."""

OPEN_FOR: Final = 8
"""Minutes for which a late update can still be sent."""

CALM_FOR: Final = 10
"""Minutes for which a true update calms users."""

_OUT_OF_DATE: Final = 0.4
_AGES: Final = (5, 9)
_POINTS: Final = (
    UpdatePoint.FAILED,
    UpdatePoint.TREND,
    UpdatePoint.JOURNEY,
    UpdatePoint.CAUSE,
    UpdatePoint.NEXT,
)

_SHARE_OFF: Final = 0.01
_SHARE_OFF_BY: Final = 0.25
_MOVED: Final = 0.005
_STEADY: Final = 0.02
_STEADY_BY: Final = 0.2
_CLEARLY: Final = 0.01
_CLEARLY_BY: Final = 0.1


class UpdateFacts(NamedTuple):
    """What an update can be checked against.

    Attributes:
        journeys: How users fare.
        named: What the team has diagnosed; `NOT_KNOWN` if nothing.
        place: Where it is, or where somebody looked last; empty if that isn't known.
        looked: Where anybody has looked.
        under_way: Whether a fix is in flight or waits for an approval.
        fixed: Whether one has landed.
    """

    journeys: tuple[Journey, ...]
    named: CauseFamily
    place: str
    looked: frozenset[str]
    under_way: bool
    fixed: bool


def moves_at(minute: int, items: Iterable[InFlight]) -> tuple[bool, bool]:
    """Return whether a fix was in flight in a minute, and whether one had landed by then."""
    under_way = fixed = False
    for item in items:
        if item.action_type in _CHANGING and item.taken <= minute:
            fixed = fixed or item.lands <= minute
            under_way = under_way or item.lands > minute
    return under_way, fixed


def drafted(facts: UpdateFacts) -> UpdateContent:
    """Return an update that nothing contradicts."""
    worst = max(facts.journeys, key=lambda journey: journey.failed)
    step = NextStep.WATCH if facts.fixed else NextStep.INVESTIGATE
    return UpdateContent(
        worst.service,
        nearest_share(worst.failed),
        trend_of(worst),
        facts.named,
        facts.place,
        NextStep.FIX if facts.under_way else step,
    )


def nearest_share(failed: float) -> int:
    """Return the percentage that comes nearest to a share."""
    return min(SHARES, key=lambda percent: abs(percent / 100.0 - failed))


def trend_of(journey: Journey) -> Trend:
    """Return where the share of failed requests is heading."""
    moved = journey.failed - journey.before
    if abs(moved) < max(_CLEARLY, _CLEARLY_BY * journey.before):
        return Trend.STEADY
    return Trend.RISING if moved > 0.0 else Trend.FALLING


def contradicted(said: UpdateContent, facts: UpdateFacts) -> UpdatePoint | None:
    """Return the first point of an update that the facts contradict; None if none does."""
    hurt = {journey.service: journey for journey in facts.journeys}
    named, worst = hurt[said.journey], max(journey.failed for journey in facts.journeys)
    if worst - named.failed > _off(worst):
        return UpdatePoint.JOURNEY
    if abs(said.failed / 100.0 - named.failed) > _off(named.failed):
        return UpdatePoint.FAILED
    if not _fits(said.trend, named):
        return UpdatePoint.TREND
    if said.cause is CauseFamily.NOT_KNOWN:
        if facts.named is not CauseFamily.NOT_KNOWN:
            return UpdatePoint.CAUSE
        if said.place and said.place not in facts.looked:
            return UpdatePoint.PLACE
    if facts.under_way is not (said.next is NextStep.FIX):
        return UpdatePoint.NEXT
    return UpdatePoint.NEXT if said.next is NextStep.WATCH and not facts.fixed else None


def _off(share: float) -> float:
    """Return by how much a figure may miss a share. A rounded one is no nearer than that."""
    return max(_SHARE_OFF, _SHARE_OFF_BY * share) + 1e-9


def _fits(trend: Trend, journey: Journey) -> bool:
    moved = journey.failed - journey.before
    if trend is Trend.STEADY:
        return abs(moved) <= max(_STEADY, _STEADY_BY * journey.before)
    return moved >= _MOVED if trend is Trend.RISING else -moved >= _MOVED


class Plan(NamedTuple):
    """What the seed draws of an update.

    Attributes:
        age: By how many minutes the draft is out of date in one point; 0 if it isn't.
        points: The points in the order in which they are tried.
    """

    age: int
    points: tuple[UpdatePoint, ...]


class StatusDesk:
    """The status updates of an episode.

    Attributes:
        due: The one that is due; None if none is.
        sent: Those that were sent, oldest first.
    """

    def __init__(self, plans: tuple[Plan, ...]) -> None:
        self.due: UpdateDue | None = None
        self.sent: tuple[StatusUpdate, ...] = ()
        self._plans = plans
        self._before: UpdateFacts | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> StatusDesk:
        """Draw the plans of a scenario."""
        dice = scenario.stream("status updates")
        first, last = _AGES
        plans = []
        for _due in DUE:
            age = first + int(dice.random() * (last - first + 1))
            is_old = dice.random() < _OUT_OF_DATE
            ranked = sorted((dice.random(), k) for k in range(len(_POINTS)))
            plans.append(Plan(age if is_old else 0, tuple(_POINTS[k] for _roll, k in ranked)))
        return cls(tuple(plans))

    def copy(self) -> StatusDesk:
        """Return an independent copy."""
        twin = StatusDesk(self._plans)
        twin.due, twin.sent, twin._before = self.due, self.sent, self._before
        return twin

    def plan(self, minute: int) -> Plan | None:
        """Return the plan of the update that becomes due in a minute; None if none does."""
        return self._plans[DUE.index(minute)] if minute in DUE else None

    def open(self, minute: int, now: UpdateFacts, before: UpdateFacts) -> None:
        """Make an update due.

        Args:
            before: What could be known as many minutes ago as its draft may be out of date.
        """
        late = next_turn_of(AgentRole.MANAGER, minute) + 1
        self._before = before
        self.due = UpdateDue(minute, late, late + OPEN_FOR, drafted(now))
        self.keep_drafted(now)

    def keep_drafted(self, now: UpdateFacts) -> None:
        """Let the draft follow the facts, but for the point in which it is out of date."""
        due, before = self.due, self._before
        plan = None if due is None else self.plan(due.due)
        if due is None or before is None or plan is None:
            return
        draft = drafted(now)
        if plan.age:
            draft = _aged(draft, drafted(before), plan.points, now)
        if draft != due.draft:
            self.due = due._replace(draft=draft)

    def send(self, minute: int, said: UpdateContent, facts: UpdateFacts) -> UpdatePoint | None:
        """Send the update that is due; return the first point that the facts contradict."""
        assert self.due is not None
        wrong = contradicted(said, facts)
        self.sent = (*self.sent, StatusUpdate(minute, self.due.due, said, wrong is None))
        self.due = None
        return wrong

    def turns_late(self, minute: int) -> int:
        """Return for how many turns the update that is due has been late, up to a minute."""
        return 0 if self.due is None else max(0, minute - self.due.late)

    def close(self) -> None:
        """Give up the update that is due."""
        self.due = None


_CHANGING: Final = FIXES | {ActionType.PAUSE}
"""The verbs of which users are told as a fix."""


def next_turn_of(role: AgentRole, minute: int) -> int:
    """Return the minute of a role's next turn, from a minute on."""
    place = TURN_ORDER.index(role)
    return minute + (place - minute) % len(TURN_ORDER)


def _aged(
    draft: UpdateContent, old: UpdateContent, points: Iterable[UpdatePoint], now: UpdateFacts
) -> UpdateContent:
    """Return the draft with one point as it was, the first that is not true any more."""
    for point in points:
        changed = draft._replace(**{point.value: getattr(old, point.value)})
        if point is UpdatePoint.CAUSE:
            changed = changed._replace(place=old.place)
        if contradicted(changed, now) is point:
            return changed
    return draft
