"""Finds, summarizes and filters recordings."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError
from chaosops.recording.codec import read_part
from chaosops.recording.event_log import is_held
from chaosops.recording.events import (
    EndReason,
    Footer,
    Header,
    Note,
    Opinion,
    agreed_header,
    opinion_of,
)
from chaosops.recording.lines import GZ_SUFFIX, SUFFIX, LineReader, is_gzip
from chaosops.recording.reader import (
    FooterShape,
    NoteShape,
    OtherVersion,
    count_notes,
    read_event,
    read_header,
)
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.script import ACTION, TURN
from chaosops.recording.turn_sources import Decider, TurnSource
from chaosops.recording.verify import verify
from chaosops.scenarios.renamed_ids import current_id

_HUMAN = ',"human":'
_JSON = json.JSONDecoder()
_TEMPORARY = ".part"


class RecordedOutcome(StrEnum):
    """How a recorded game ended, as far as its file tells."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    ABANDONED = "abandoned"
    POLICY_ERROR = "policy_error"
    UNFINISHED = "unfinished"
    DAMAGED = "damaged"
    OTHER_VERSION = "other_version"


_OUTCOMES = {
    EndReason.RESOLVED: RecordedOutcome.RESOLVED,
    EndReason.OUT_OF_TURNS: RecordedOutcome.UNRESOLVED,
    EndReason.ABANDONED: RecordedOutcome.ABANDONED,
    EndReason.POLICY_ERROR: RecordedOutcome.POLICY_ERROR,
}


class RecordingSummary(NamedTuple):
    """A recording as in a list, without its frames.

    Attributes:
        header: With the player who agreed after the game, if one did.
        takers: Who took turns in each role; for a role without turns, who has its seat.
        turns: Complete turns in the file.
        size: Bytes of the file.
        problem: Why it can't be read; empty if it can. Without a header, nothing is known.
        other_version: Whether that is because it has another version of the format.
    """

    path: Path
    size: int
    header: Header | None = None
    turns: int = 0
    footer: Footer | None = None
    opinion: Opinion = Opinion()
    problem: str = ""
    other_version: bool = False
    takers: frozenset[tuple[AgentRole, TurnSource]] = frozenset()

    @property
    def outcome(self) -> RecordedOutcome:
        """How the game ended."""
        if self.problem:
            return RecordedOutcome.OTHER_VERSION if self.other_version else RecordedOutcome.DAMAGED
        return RecordedOutcome.UNFINISHED if self.footer is None else _OUTCOMES[self.footer.reason]

    @property
    def sources(self) -> tuple[TurnSource, ...]:
        """Who took turns."""
        found = {source for _, source in self.takers}
        return tuple(source for source in TurnSource if source in found)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which recordings are wanted. Empty fields and None match everything.

    Attributes:
        scenarios: Ids, current or former.
        sources: Matches if one of them took a turn; with `roles`, in one of these.
        roles: Matches if one of them is played.
        since_ms, until_ms: When it began, since the epoch; the end is excluded.
        verified: Whether it verifies, which takes a simulation.
        min_quality: The lowest rating; unrated ones are left out.
        submitted: Whether the player wants it to be used.
        pseudonym: Whose it is.
    """

    scenarios: tuple[str, ...] = ()
    outcomes: tuple[RecordedOutcome, ...] = ()
    sources: tuple[TurnSource, ...] = ()
    roles: tuple[AgentRole, ...] = ()
    since_ms: int | None = None
    until_ms: int | None = None
    verified: bool | None = None
    min_quality: int | None = None
    submitted: bool | None = None
    pseudonym: str | None = None

    def wants(self, entry: RecordingSummary) -> bool:
        """Whether the recording fits, apart from `verified`, for which its frames are needed."""
        if self.outcomes and entry.outcome not in self.outcomes:
            return False
        header = entry.header
        if header is None:
            return self == Filter(outcomes=self.outcomes, verified=self.verified)
        takers = [who for role, who in entry.takers if not self.roles or role in self.roles]
        quality = entry.opinion.quality or 0
        return (
            (not self.scenarios or header.current_scenario in map(current_id, self.scenarios))
            and (not self.roles or bool(takers))
            and (not self.sources or any(who in self.sources for who in takers))
            and (self.since_ms is None or header.started_at_ms >= self.since_ms)
            and (self.until_ms is None or header.started_at_ms < self.until_ms)
            and (self.min_quality is None or quality >= self.min_quality)
            and (self.submitted is None or entry.opinion.submitted is self.submitted)
            and (self.pseudonym is None or header.pseudonym == self.pseudonym)
        )


EVERYTHING = Filter()


def recording_files(paths: Sequence[Path]) -> list[Path]:
    """Yield the files, and those in the folders, sorted by name, each once.

    Raises:
        RecordingError: There is nothing of that name, or a folder cannot be read.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(sorted(_files_in(path))))
        elif path.exists() or path.is_symlink():
            found[path] = None
        else:
            raise RecordingError(f"no recording or folder '{path}': check the path")
    return list(found)


def look(path: Path) -> RecordingSummary:
    """Summarise a recording, in memory that does not grow with the file. It never raises."""
    try:
        size = path.stat().st_size
    except OSError as error:
        return RecordingSummary(path, 0, problem=os.strerror(error.errno or 0))
    header: Header | None = None
    footer: Footer | None = None
    notes: list[Note] = []
    takers: set[tuple[AgentRole, TurnSource]] = set()
    turns = number = 0
    problem, other_version = "", False
    try:
        with LineReader(path) as lines:
            for line in lines:
                number = line.number
                if header is None:
                    header = read_header(line)
                elif line.raw.startswith(TURN) and not line.is_last:
                    turns += 1
                    takers.update(_takers(line.raw))
                elif (event := read_event(line)) is None:
                    break
                elif event.data.get("kind") == "footer":
                    footer = read_part(FooterShape, event.data, "").footer
                elif event.data.get("kind") == "note":
                    count_notes(len(notes) + 1)
                    notes.append(read_part(NoteShape, event.data, "").note)
                else:
                    turns += 1
                    takers.update(_takers(line.raw))
        if header is None:
            problem = "the file is empty"
    except RecordingError as error:
        problem = f"line {max(number, 1)}: {error}"
        other_version = isinstance(error, OtherVersion)
    opinion = opinion_of(footer, notes)
    if header is not None:
        header = agreed_header(header, notes)
    for role, seat in header.seats.items() if header else ():
        if all(role is not taken for taken, _ in takers):
            takers.add((role, TurnSource(seat.kind)))
    return RecordingSummary(
        path, size, header, turns, footer, opinion, problem, other_version, frozenset(takers)
    )


def _takers(raw: bytes) -> list[tuple[AgentRole, TurnSource]]:
    """Whose turn a line is, by its beginning; nobody's where that is not as we write it."""
    if not raw.startswith(ACTION):
        return []
    text = raw.decode("ascii", "replace")
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        action, end = _JSON.raw_decode(text, len(ACTION))
        if text.startswith(_HUMAN, end):
            human, _end = _JSON.raw_decode(text, end + len(_HUMAN))
            source = TurnSource.of(Decider(human["source"]), with_proposal="suggestion" in human)
            return [(AgentRole(action["role"]), source)]
    return []


def find(
    paths: Sequence[Path],
    where: Filter = EVERYTHING,
    folders: Sequence[Path] = (),
) -> Iterator[RecordingSummary]:
    """Yield the matching recordings, each as soon as it was read.

    Args:
        paths: Files, and folders in which all are looked at.
        folders: Where scenarios are, besides the built-in set, to verify recordings.

    Raises:
        RecordingError: There is no such file or folder. What is wrong with a file's content is
            no error, but in its entry.
    """
    book = ScenarioBook(folders)
    for path in recording_files(paths):
        entry = look(path)
        if _fits(entry, where, book):
            yield entry


def games(
    entries: Iterable[RecordingSummary], where: Filter = EVERYTHING, folders: Sequence[Path] = ()
) -> list[RecordingSummary]:
    """Yield the matching entries, and those of which nothing is known, grouped by game.

    Of several files with one game, the one with most turns comes first: who takes that one has all
    of it, whatever earlier stages lie beside it. Where one of them was discarded, all are.

    Args:
        folders: Where scenarios are, besides the built-in set, to verify recordings.
    """
    book = ScenarioBook(folders)
    known = list(entries)
    discarded = {_game(entry) for entry in known if not entry.opinion.submitted}
    listed = [
        entry._replace(opinion=entry.opinion._replace(submitted=_game(entry) not in discarded))
        for entry in known
    ]
    listed = [entry for entry in listed if entry.header is None or _fits(entry, where, book)]
    first: dict[str, int] = {}
    for number, entry in enumerate(listed):
        first.setdefault(_game(entry), number)
    return sorted(listed, key=lambda entry: (first[_game(entry)], -entry.turns))


def _fits(entry: RecordingSummary, where: Filter, book: ScenarioBook) -> bool:
    return where.wants(entry) and (
        where.verified is None or verify(entry.path, book=book).ok is where.verified
    )


def _game(entry: RecordingSummary) -> str:
    return str(entry.path) if entry.header is None else entry.header.episode_id


def newest_unfinished(folder: Path) -> Path | None:
    """Return the most recent game in a folder that can be resumed."""
    unfinished = [
        entry
        for entry in find([folder], Filter(outcomes=(RecordedOutcome.UNFINISHED,)))
        if entry.header is not None and not is_gzip(entry.path) and not is_held(entry.path)
    ]
    newest = max(unfinished, key=_begun, default=None)
    return None if newest is None else newest.path


def _files_in(folder: Path) -> Iterator[Path]:
    def fail(error: OSError) -> None:
        raise RecordingError(
            f"cannot read the folder {error.filename}: {os.strerror(error.errno or 0)}; "
            "name another one with --recordings DIR"
        ) from error

    for place, _folders, names in os.walk(folder, onerror=fail):
        for name in names:
            if name.endswith((SUFFIX, GZ_SUFFIX)) and not name.startswith("."):
                yield Path(place, name)


def _begun(entry: RecordingSummary) -> int:
    return entry.header.started_at_ms if entry.header else 0
