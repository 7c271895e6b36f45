"""The setup of a game: who sits in which seat, and how long a turn may take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from chaosops.agents.names import POLICY_NAMES
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.errors import ChaosOpsError

if TYPE_CHECKING:
    from chaosops.env.world_sim import Scenario
    from chaosops.play.seats import Roster
    from chaosops.recording.events import Header, Note, Seat
    from chaosops.recording.reader import RecordedTurn

PERSON: Final = "you"
NOBODY: Final = "nobody"
TEAMMATE: Final = "expert"
"""Who plays a seat by default."""

_WITH: Final = " + "


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """Who sits in a seat: a person, a policy, a person with a policy as copilot, or nobody.

    Attributes:
        policy: The policy's name; with a person in the seat, the copilot's; None for none.
    """

    person: bool
    policy: str | None = None

    @property
    def word(self) -> str:
        """The choice as it is shown and saved: "you", "you + expert", "expert", "nobody"."""
        if not self.person:
            return self.policy or NOBODY
        return PERSON if self.policy is None else f"{PERSON}{_WITH}{self.policy}"

    @classmethod
    def of(cls, word: str) -> Self:
        """Parse a choice.

        Raises:
            ChaosOpsError: There is no such choice.
        """
        if word == NOBODY:
            return cls(False)
        first, plus, copilot = word.partition(_WITH)
        if first == PERSON and (not plus or copilot in POLICY_NAMES):
            return cls(True, copilot or None)
        if not plus and word in POLICY_NAMES:
            return cls(False, word)
        names = ", ".join(POLICY_NAMES)
        raise ChaosOpsError(
            f"'{word}' can't take a seat: choose from {PERSON}, {NOBODY}, {names}, "
            f"or '{PERSON}{_WITH}{TEAMMATE}' for a copilot"
        )


CHOICES: Final = tuple(
    SeatChoice.of(word)
    for word in (
        "you",
        "you + expert",
        "you + heuristic",
        "expert",
        "heuristic",
        "random",
        "oracle",
        "nobody",
    )
)
"""What a seat can be set to, in the order of the menu."""

CLOCKS: Final = (0, 60, 90, 120)
"""Seconds that a turn may take; 0 for no limit."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Four seats and a shot clock.

    Attributes:
        shot_clock: Seconds that a turn may take, 0 for no limit; the game offers
            `CLOCKS`.
    """

    seats: Mapping[AgentRole, SeatChoice]
    shot_clock: int = 0

    @property
    def has_person(self) -> bool:
        """Whether any seat is a person's."""
        return any(seat.person for seat in self.seats.values())

    @classmethod
    def of(
        cls,
        people: tuple[AgentRole, ...],
        teammates: str = TEAMMATE,
        *,
        copilot: str | None = None,
        shot_clock: int = 0,
    ) -> Self:
        """Make a setup with people in some seats, and the same policy in all others."""
        seats = {
            role: SeatChoice(True, copilot) if role in people else SeatChoice(False, teammates)
            for role in TURN_ORDER
        }
        return cls(seats, shot_clock)


def default_setup() -> Setup:
    """Return the default: one person as SRE, and the expert everywhere else."""
    return Setup.of((AgentRole.SRE,))


def setup_of(
    header: Header, turns: Iterable[RecordedTurn] = (), notes: Iterable[Note] = ()
) -> Setup:
    """Return the setup of a recorded game; a policy that this version doesn't have is replaced.

    Args:
        turns: The turns so far; the last decider of a seat has it, since seats change hands.
        notes: The notes so far, which tell who took a seat and has not decided yet.
    """
    from chaosops.recording.events import REPLAYED
    from chaosops.recording.turn_sources import Decider

    seats = {role: _choice(header.seats.get(role)) for role in TURN_ORDER}
    changes: dict[int, dict[AgentRole, SeatChoice]] = {}
    for note in notes:
        if note.turn is not None and note.role is not None:
            changes.setdefault(note.turn, {})[note.role] = _choice(note.seat)
    for frame, human in turns:
        seats.update(changes.pop(frame.turn, {}))
        person = human.source is not Decider.SCRIPTED
        if human.policy != REPLAYED and person is not seats[frame.role].person:
            known = human.policy in POLICY_NAMES
            policy = None if person else human.policy if known else TEAMMATE
            seats[frame.role] = SeatChoice(person, policy)
    for late in changes.values():
        seats.update(late)
    clocks = (seat.shot_clock for seat in header.seats.values() if seat.shot_clock)
    return Setup(seats, next(clocks, 0))


def _choice(seat: Seat | None) -> SeatChoice:
    """Return the choice of a recorded seat."""
    from chaosops.recording.events import SeatKind

    if seat is None:
        return SeatChoice(False)
    person = seat.kind is not SeatKind.SCRIPTED
    policy = seat.policy if seat.policy in POLICY_NAMES else None
    if not person and policy is None and seat.policy != NOBODY:
        policy = TEAMMATE
    return SeatChoice(person, policy)


def roster_of(setup: Setup, scenario: Scenario) -> Roster:
    """Make the roster of one episode, with new policies.

    Raises:
        ChaosOpsError: There is no policy of that name.
    """
    from chaosops.agents.seats import seat_policies
    from chaosops.play.seats import Roster

    names = {role: seat.policy for role, seat in setup.seats.items() if seat.policy is not None}
    policies = seat_policies(names, scenario)
    people = frozenset(role for role, seat in setup.seats.items() if seat.person)
    return Roster(
        people,
        {role: policy for role, policy in policies.items() if role not in people},
        names,
        {role: policy for role, policy in policies.items() if role in people},
        setup.shot_clock,
    )
