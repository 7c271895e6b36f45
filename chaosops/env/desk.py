"""The Manager's desk: risky moves that wait for an approval, and those approved in advance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from chaosops.env.models import ActionType, AgentRole, ApprovalRequest, FrozenMap, InFlight

LAPSES_AFTER: Final = 8
AHEAD_FOR: Final = 12


class RiskyMove(NamedTuple):
    """A move of a role, whenever it is taken."""

    role: AgentRole
    action_type: ActionType
    target: str
    args: FrozenMap

    @classmethod
    def of(cls, request: ApprovalRequest) -> RiskyMove:
        """Return the move that a request is for."""
        return cls(request.role, request.action_type, request.target, request.args)


class Desk:
    """The requests of an episode.

    Attributes:
        open: Those that wait, oldest first.
        approved: The minute of the approval of each move that was launched by one.
        refused_cures: Minute and target of each refused move that would have cleared a cause.
    """

    def __init__(self) -> None:
        self.open: tuple[ApprovalRequest, ...] = ()
        self.approved: dict[InFlight, int] = {}
        self.refused_cures: list[tuple[int, str]] = []
        self._ahead: dict[RiskyMove, int] = {}
        self._asked = 0

    def copy(self) -> Desk:
        """Return an independent copy."""
        twin = Desk()
        twin.open, twin._asked = self.open, self._asked
        twin.approved, twin._ahead = self.approved.copy(), self._ahead.copy()
        twin.refused_cures = self.refused_cures.copy()
        return twin

    def ask(self, move: RiskyMove, minute: int) -> int:
        """Add a request; return its number, or that of the same one that waits already."""
        waits = self.waiting(move)
        if waits is not None:
            return waits.number
        self._asked += 1
        made = ApprovalRequest(self._asked, *move, minute, minute + LAPSES_AFTER)
        self.open = (*self.open, made)
        return self._asked

    def count_readings(self, readings: Mapping[str, int]) -> None:
        """Note how many readings the team has of each request's target."""
        if any(readings.get(request.target, 0) != request.readings for request in self.open):
            self.open = tuple(
                [
                    request._replace(readings=readings.get(request.target, 0))
                    for request in self.open
                ]
            )

    def waiting(self, move: RiskyMove) -> ApprovalRequest | None:
        """Return the open request for a move; None if there is none."""
        for request in self.open:
            if RiskyMove.of(request) == move:
                return request
        return None

    def take(self, number: int) -> ApprovalRequest:
        """Take a request off the desk.

        Raises:
            KeyError: None with this number waits.
        """
        for request in self.open:
            if request.number == number:
                self.open = tuple(other for other in self.open if other is not request)
                return request
        raise KeyError(number)

    def expire(self, minute: int) -> None:
        """Drop what has lapsed by a minute."""
        if self.open and self.open[0].lapses <= minute:
            self.open = tuple(request for request in self.open if request.lapses > minute)

    def approve_ahead(self, move: RiskyMove, minute: int) -> None:
        """Approve a move in advance, for some minutes."""
        self._ahead[move] = minute

    def approved_ahead(self, move: RiskyMove, minute: int) -> int | None:
        """Use up the approval of a move; return its minute, None if there is none in force."""
        at = self._ahead.pop(move, None)
        return at if at is not None and minute <= at + AHEAD_FOR else None
