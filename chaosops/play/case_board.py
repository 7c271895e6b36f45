"""The case board: which causes fit a service, and what a person thinks of each.

It costs nothing and changes nothing in the incident. What is marked is recorded with the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from chaosops.env.models import AgentRole
from chaosops.env.models.failures import CauseName
from chaosops.env.models.topology import Topology
from chaosops.play.formatting import in_words
from chaosops.play.readings import KnownFinding
from chaosops.recording.board_marks import MAX_MARKS, MAX_PINS, BoardMark, PinnedReading
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fitting import parts_of, placements
from chaosops.scenarios.own_causes import in_general


class CaseMark(StrEnum):
    """What the evidence says of a cause at a service."""

    FOR = "+"
    AGAINST = "-"
    OPEN = "?"


MARK_WORDS: Final[Mapping[CaseMark, str]] = MappingProxyType(
    {CaseMark.FOR: "speaks for it", CaseMark.AGAINST: "speaks against it", CaseMark.OPEN: "open"}
)


class Suspect(NamedTuple):
    """A cause that may be behind what a service shows.

    Attributes:
        cause: What a diagnosis names.
        family: Its family, in words.
        gist: Its definition in a sentence.
    """

    cause: CauseName
    family: str
    gist: str

    @property
    def name(self) -> str:
        """The cause in words."""
        return in_words(self.cause)


class Noted(NamedTuple):
    """What is on the board for a cause at a service.

    Attributes:
        pins: The findings that speak for the mark, in the order in which they were pinned.
    """

    mark: CaseMark | None = None
    pins: tuple[KnownFinding, ...] = ()


_SIGNS: Final[Mapping[CaseMark | None, Literal["+", "-", "?"]]] = MappingProxyType(
    {CaseMark.FOR: "+", CaseMark.AGAINST: "-", CaseMark.OPEN: "?"}
)
_NOTHING: Final = Noted()
Suspects = Mapping[str, tuple[Suspect, ...]]


def suspects_in(topology: Topology, causes: Iterable[Cause], agents: Sequence[str]) -> Suspects:
    """Return the causes that fit each service, by family and name; one row for each diagnosis.

    A cause fits where it sits, and where one of its parts shows it: at a caller, a store, a
    consumer or a cache. Several causes that are diagnosed alike are told by the one of that name.

    Args:
        agents: The automation agents of the fleet; a cause by another agent can't be behind it.
    """
    found: dict[str, dict[CauseName, Suspect]] = {name: {} for name in topology.names()}
    for cause in sorted(causes, key=lambda cause: (cause.id != cause.diagnosis, cause.id)):
        if cause.agent is not None and cause.agent not in agents:
            continue
        suspect = Suspect(cause.diagnosis, in_words(cause.family), in_general(cause.glossary))
        for spot in placements(cause, topology):
            parts = parts_of(spot, topology)
            touched = {parts[effect.at] for effect in cause.effects} | {spot.place}
            for service in touched - {None}:
                found[str(service)].setdefault(cause.diagnosis, suspect)
    return MappingProxyType(
        {
            name: tuple(sorted(rows.values(), key=lambda row: (row.family, row.name)))
            for name, rows in found.items()
        }
    )


class CaseBoard:
    """The marks and pins of one game.

    Args:
        suspects: Returns the causes that fit each service; called once, when it is first needed.
    """

    def __init__(self, suspects: Callable[[], Suspects]) -> None:
        self._find = suspects
        self._found: Suspects | None = None
        self._noted: dict[tuple[str, CauseName], Noted] = {}
        self._changed: dict[AgentRole, dict[tuple[str, CauseName], None]] = {}

    def suspects(self, service: str) -> tuple[Suspect, ...]:
        """Return the causes that fit a service; none for what is no service."""
        if self._found is None:
            self._found = self._find()
        return self._found.get(service, ())

    def noted(self, service: str, cause: CauseName) -> Noted:
        """Return what is noted of a cause at a service."""
        return self._noted.get((service, cause), _NOTHING)

    def marks(self) -> tuple[tuple[str, CauseName, Noted], ...]:
        """Return everything that is on the board, in the order in which it was noted first."""
        return tuple(
            (service, cause, noted) for (service, cause), noted in self._noted.items() if any(noted)
        )

    def mark(self, role: AgentRole, service: str, cause: CauseName, mark: CaseMark) -> Noted:
        """CaseMark a cause; the same mark again takes it back."""
        before = self.noted(service, cause)
        now = before._replace(mark=None if before.mark is mark else mark)
        return self._note(role, service, cause, now)

    def pin(self, role: AgentRole, service: str, cause: CauseName, found: KnownFinding) -> Noted:
        """Pin a finding to a cause; the same one again takes it off."""
        before = self.noted(service, cause)
        kept = tuple(pin for pin in before.pins if pin.finding != found.finding)
        if len(kept) == len(before.pins):
            kept = (*kept, found)[-MAX_PINS:]
        return self._note(role, service, cause, before._replace(pins=kept))

    def _note(self, role: AgentRole, service: str, cause: CauseName, noted: Noted) -> Noted:
        self._noted[service, cause] = noted
        self._changed.setdefault(role, {})[service, cause] = None
        return noted

    def taken(self, role: AgentRole) -> tuple[BoardMark, ...] | None:
        """Return what the role changed since its last turn; None if nothing."""
        changed = self._changed.pop(role, None)
        if not changed:
            return None
        return tuple(
            _recorded(service, cause, self.noted(service, cause))
            for service, cause in list(changed)[-MAX_MARKS:]
        )


def _recorded(service: str, cause: CauseName, noted: Noted) -> BoardMark:
    pins = tuple(
        PinnedReading(
            source=pin.finding.source.value,
            target=pin.finding.target,
            taken_at=pin.finding.minute,
        )
        for pin in noted.pins
    )
    return BoardMark(service=service, cause=str(cause), mark=_SIGNS.get(noted.mark), pins=pins)
