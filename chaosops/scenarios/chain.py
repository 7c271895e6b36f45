"""When the causes of a chain began in a game, as its landings tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from chaosops.env.models import ActionType, InFlight
from chaosops.scenarios.following import LASTING_CURES, DrawnFollower, When
from chaosops.scenarios.schema import ChangeSpec, FaultSpec, has_args

_NEVER: Final = 1_000_000


class Chain(NamedTuple):
    """A first cause and its followers, as faults of an incident.

    Attributes:
        onset: The minute in which the first cause began.
        agent: The agent that keeps the first cause up; None if there is none.
        faults: All of them, the first one first.
        changes: The change history.
    """

    onset: int
    agent: str | None
    followers: Sequence[DrawnFollower]
    faults: Sequence[FaultSpec]
    changes: Sequence[ChangeSpec]

    def beginnings(self, landed: Iterable[InFlight]) -> tuple[int | None, ...]:
        """Return the minute in which each follower began, or is about to; None if it doesn't.

        Args:
            landed: Everything that has landed.
        """
        items = sorted(landed, key=lambda item: item.lands)
        starts = [self.onset]
        cures = [self._cure(self.faults[0], items, self.onset, self.agent)]
        found: list[int | None] = []
        for follower, fault in zip(self.followers, self.faults[1:], strict=True):
            begins = _begins(follower, starts[follower.of], cures[follower.of], items)
            if begins is not None and self._is_prevented(fault, items, begins):
                begins = None
            found.append(begins)
            starts.append(_NEVER if begins is None else begins)
            cures.append(self._cure(fault, items, starts[-1]))
        return tuple(found)

    def _is_prevented(self, fault: FaultSpec, items: Sequence[InFlight], begins: int) -> bool:
        return any(
            item.action_type in LASTING_CURES and item.lands < begins and self._cures(fault, item)
            for item in items
        )

    def _cure(
        self, fault: FaultSpec, items: Sequence[InFlight], since: int, agent: str | None = None
    ) -> InFlight | None:
        """Return the action that cleared a cause, if it began in that minute.

        What landed while the agent behind it was still at work counts from the minute after the
        order to pause it, in which it stops.
        """
        before: InFlight | None = None
        paused = agent is None
        for item in items:
            if not paused and item.action_type is ActionType.PAUSE and item.target == agent:
                paused = True
                if before is not None:
                    return before._replace(lands=item.lands + 1)
            if item.lands >= since and self._cures(fault, item):
                if paused:
                    return item
                before = item
        return None

    def _cures(self, fault: FaultSpec, item: InFlight) -> bool:
        args = dict(item.args)
        if item.action_type is ActionType.ROLLBACK and args.get("change") is None:
            # Without a version, it takes back the newest change.
            own = [
                change
                for change in self.changes
                if change.service == item.target and change.at <= item.lands
            ]
            if own:
                args["change"] = max(own, key=lambda change: change.at).version
        return any(move.matches(item.action_type, item.target, args) for move in fault.clears)


def _begins(
    follower: DrawnFollower,
    leader_starts: int,
    cured: InFlight | None,
    items: Sequence[InFlight],
) -> int | None:
    """Return when a follower begins if nothing prevents it."""
    spec = follower.spec
    if spec.when is When.LANDED:
        for item in items:
            lands_there = item.action_type in spec.by and item.target == follower.sets_off_at
            if lands_there and has_args(spec.args, item.args):
                return item.lands + follower.after
        return None
    if leader_starts == _NEVER:
        return None
    if spec.when is When.CLEARED:
        if cured is None or (spec.by and cured.action_type not in spec.by):
            return None
        return cured.lands + follower.after
    begins = leader_starts + follower.after
    if spec.when is When.UNCLEARED and cured is not None and cured.lands <= begins:
        return None
    return begins
