"""The setup of a game: who sits in which seat, and how long a turn may take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from chaosops.agents.names import POLICY_NAMES, may_be_policy
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.errors import ChaosOpsError

if TYPE_CHECKING:
    from chaosops.agents.registry import Policies
    from chaosops.env.world_sim import Scenario
    from chaosops.play.seats import Roster
    from chaosops.recording.events import Header, Note, Seat
    from chaosops.recording.reader import RecordedTurn

PERSON: Final = "you"
NOBODY: Final = "nobody"
TEAMMATE: Final = "steady"
"""The default teammate: beside it, it is up to the person whether an incident is resolved."""

_FORMER_TEAMMATE: Final = "default"
"""What older settings say for it."""

COPILOT: Final = "expert"
"""The usual copilot."""

_WITH: Final = " + "
_UNNAMED: Final = "policy"


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
        """Parse a choice. What a name like `module:function` stands for is not looked up.

        Raises:
            ChaosOpsError: There is no such choice.
        """
        if word == NOBODY:
            return cls(False)
        if word == _FORMER_TEAMMATE:
            return cls(False, TEAMMATE)
        first, plus, copilot = word.partition(_WITH)
        if first == PERSON and (not plus or may_be_policy(copilot)):
            return cls(True, copilot or None)
        if not plus and word != PERSON and may_be_policy(word):
            return cls(False, word)
        names = ", ".join(POLICY_NAMES)
        raise ChaosOpsError(
            f"'{word}' can't take a seat: choose from {PERSON}, {NOBODY}, {names}, "
            f"MODULE:FUNCTION, or '{PERSON}{_WITH}{COPILOT}' for a copilot"
        )


CHOICES: Final = tuple(
    SeatChoice.of(word)
    for word in (
        "you",
        "you + expert",
        "you + hurried",
        "steady",
        "expert",
        "hurried",
        "junior",
        "random",
        "oracle",
        "nobody",
    )
)
"""What a seat can be set to, in the order of the menu."""


def choices(extra: Iterable[str]) -> tuple[SeatChoice, ...]:
    """Return what a seat can be set to, with further policies before the empty seat."""
    more = dict.fromkeys(name for name in extra if name not in POLICY_NAMES)
    copilots = tuple(SeatChoice(True, name) for name in more)
    return (*CHOICES[:-1], *(SeatChoice(False, name) for name in more), *copilots, CHOICES[-1])


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

    def with_seats(self, seats: Mapping[AgentRole, SeatChoice]) -> Setup:
        """Return the setup with others in some seats."""
        return replace(self, seats={**self.seats, **seats})


def default_setup() -> Setup:
    """Return the default: one person as SRE, and the default teammate everywhere else."""
    return Setup.of((AgentRole.SRE,))


def setup_of(
    header: Header, turns: Iterable[RecordedTurn] = (), notes: Iterable[Note] = ()
) -> Setup:
    """Return the setup of a recorded game, with policies that may not be found here.

    Args:
        turns: The turns so far; the last decider of a seat has it, since seats change hands.
        notes: The notes so far, which tell who took a seat and has not decided yet.
    """
    from chaosops.recording.events import REPLAYED
    from chaosops.recording.turn_sources import PEOPLE, Decider

    seats = {role: _choice(header.seats.get(role)) for role in TURN_ORDER}
    changes: dict[int, dict[AgentRole, SeatChoice]] = {}
    for note in notes:
        if note.turn is not None and note.role is not None:
            changes.setdefault(note.turn, {})[note.role] = _choice(note.seat)
    for frame, human in turns:
        seats.update(changes.pop(frame.turn, {}))
        person = human.source in PEOPLE
        # A program may answer in a person's seat as well as in its own.
        is_said = human.source is not Decider.LLM and human.policy != REPLAYED
        if is_said and person is not seats[frame.role].person:
            seats[frame.role] = SeatChoice(True) if person else _policy(human.policy)
    for late in changes.values():
        seats.update(late)
    clocks = (seat.shot_clock for seat in header.seats.values() if seat.shot_clock)
    return Setup(seats, next(clocks, 0))


def _choice(seat: Seat | None) -> SeatChoice:
    """Return the choice of a recorded seat."""
    from chaosops.recording.events import SeatKind

    if seat is None:
        return SeatChoice(False)
    return _policy(seat.policy) if seat.kind is SeatKind.SCRIPTED else SeatChoice(True, seat.policy)


def _policy(name: str | None) -> SeatChoice:
    """Return the choice of a recorded policy; without a name, there is none to be found."""
    return SeatChoice(False, None if name == NOBODY else name or _UNNAMED)


def roster_of(setup: Setup, scenario: Scenario, policies: Policies | None = None) -> Roster:
    """Make the roster of one episode, with new policies.

    Args:
        policies: Makes the policies by name, here and when seats change; by default all but
            those of a family.

    Raises:
        ChaosOpsError: There is no policy of that name.
    """
    from chaosops.agents.registry import Policies as Registry
    from chaosops.agents.seats import seat_policies
    from chaosops.play.seats import Roster

    made = policies or Registry()
    names = {role: seat.policy for role, seat in setup.seats.items() if seat.policy is not None}
    seated = seat_policies(names, scenario, made)
    people = frozenset(role for role, seat in setup.seats.items() if seat.person)
    return Roster(
        people,
        {role: policy for role, policy in seated.items() if role not in people},
        names,
        {role: policy for role, policy in seated.items() if role in people},
        setup.shot_clock,
        made,
    )
