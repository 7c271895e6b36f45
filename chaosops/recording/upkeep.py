"""Rating, discarding, compressing and deleting recordings.

Every change is safe during running games: a log that is being played is left alone.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from chaosops.errors import RecordingError
from chaosops.files import WRITE, open_file, sync_folder
from chaosops.recording.codec import read_part
from chaosops.recording.event_log import cannot_write, held, is_held, write_all
from chaosops.recording.events import EndReason, Note, new_footer
from chaosops.recording.library import RecordedOutcome, look, recording_files
from chaosops.recording.lines import GZ_SUFFIX, MAX_LINE, SUFFIX, LineReader, is_gzip
from chaosops.recording.reader import FooterShape, NoteShape, count_notes, read_event
from chaosops.recording.resume import reopen
from chaosops.recording.script import TURN, Script
from chaosops.recording.seal import SealChain
from chaosops.recording.times import now_ms

_TEMPORARY = ".part"
_NAMED = re.compile(rb'"pseudonym"\s*:\s*(null|"(?:[^"\\]|\\.)*")')


def add_note(path: Path, note: Note) -> None:
    """Append a rating, a comment or a change of mind to a finished recording.

    An earlier torn note, for example after a power cut, is cut off.

    Raises:
        RecordingError: The game is not over, or the file can't be read or written.
    """
    with held(path) as descriptor:
        seal, size = _last_seal(path, more=1)
        line = Script(SealChain(seal)).note(note)
        try:
            if is_gzip(path):
                size = os.lseek(descriptor, 0, os.SEEK_END)
            else:
                os.ftruncate(descriptor, size)
            write_all(descriptor, gzip.compress(line, mtime=0) if is_gzip(path) else line)
            os.fsync(descriptor)
        except OSError as error:
            os.ftruncate(descriptor, size)
            raise cannot_write(path, error) from error


def discard(path: Path, folders: Sequence[Path] = ()) -> None:
    """Exclude a recording from statistics and data sets; a game that is not over is ended.

    Args:
        folders: Where scenarios are, besides the built-in set.

    Raises:
        RecordingError: The file can't be read or written.
    """
    if look(path).outcome is RecordedOutcome.UNFINISHED:
        resumed = reopen(path, folders)
        if not resumed.stepper.done:
            footer = new_footer(
                resumed.stepper.result(), reason=EndReason.ABANDONED, submitted=False
            )
            resumed.writer.finish(footer)
            return
    add_note(path, Note(at_ms=now_ms(), submitted=False))


def delete(path: Path) -> None:
    """Delete a recording, and what an interrupted compression has left.

    Raises:
        RecordingError: It is being played, is a link, or can't be removed.
    """
    _refuse_link(path)
    with held(path):
        try:
            for part in _parts_of(path):
                part.unlink(missing_ok=True)
            path.unlink()
            sync_folder(path.parent)
        except OSError as error:
            raise _cannot_remove(path, error) from error


def compress(path: Path) -> Path:
    """Compress a finished recording; return the compressed file, which replaces the other.

    Raises:
        RecordingError: The game is not over, or the file is a link or can't be read or written.
    """
    _refuse_link(path)
    if is_gzip(path):
        return path
    target = path.with_name(path.name.removesuffix(SUFFIX) + GZ_SUFFIX)
    temporary = _part_of(target)
    with held(path):
        _last_seal(path)
        if target.exists():
            raise RecordingError(f"{target} already exists: remove one of the two")
        try:
            # A killed process may have left a file here, but no symbolic link.
            temporary.unlink(missing_ok=True)
            descriptor = os.open(temporary, WRITE | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as raw:
                with (
                    gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
                    LineReader(path) as lines,
                ):
                    for line in lines:
                        if not line.is_torn:
                            packed.write(line.raw)
                raw.flush()
                os.fsync(raw.fileno())
            temporary.replace(target)
            sync_folder(target.parent)
            path.unlink()
        except OSError as error:
            raise cannot_write(target, error) from error
        finally:
            temporary.unlink(missing_ok=True)
    return target


class FileLeft(NamedTuple):
    """A file that a withdrawal could not remove or read, and why."""

    path: Path
    why: str


@dataclass(slots=True)
class Withdrawal:
    """The result of a withdrawal.

    Attributes:
        removed: Recordings that were deleted.
        left: Files that could not be removed or read.
    """

    removed: list[Path] = field(default_factory=list)
    left: list[FileLeft] = field(default_factory=list)


def withdraw(paths: Sequence[Path], pseudonym: str) -> Withdrawal:
    """Delete every recording of a pseudonym, finished or not.

    A damaged file is deleted too if a line has the pseudonym in it. What an interrupted
    compression has left is deleted with its recording, and also alone unless it is known to be
    someone else's.

    Raises:
        RecordingError: There is no such file or folder, or the pseudonym is invalid.
    """
    if not pseudonym.strip():
        raise RecordingError("not a pseudonym: copy it from 'chaosops recordings show FILE'")
    done = Withdrawal()
    parts = _half_packed(paths)
    for path in recording_files(paths):
        entry = look(path)
        is_theirs: bool | None = entry.header is not None and entry.header.pseudonym == pseudonym
        if entry.problem and not is_theirs:
            is_theirs = _a_line_has(path, pseudonym)
        if is_theirs is None:
            done.left.append(FileLeft(path, entry.problem))
        elif is_theirs:
            try:
                delete(path)
            except RecordingError as error:
                done.left.append(FileLeft(path, str(error)))
            else:
                done.removed.append(path)
    for path in parts:
        if not path.exists():
            done.removed.append(path)
        elif _may_be_of(path, pseudonym) and not _is_being_packed(path):
            try:
                path.unlink()
            except OSError as error:
                done.left.append(FileLeft(path, str(_cannot_remove(path, error))))
            else:
                done.removed.append(path)
    return done


def _refuse_link(path: Path) -> None:
    """Raise for a link, since its target would stay and only the link would be gone."""
    if path.is_symlink() and path.is_file():
        raise RecordingError(f"{path} is a link: use its target, {path.resolve()}")


def _part_of(packed: Path) -> Path:
    """Return the temporary file of a compression."""
    return packed.with_name(f".{packed.name}{_TEMPORARY}")


def _parts_of(path: Path) -> tuple[Path, ...]:
    """Return where an interrupted compression may have left a file."""
    plain = path.name.removesuffix(".gz").removesuffix(SUFFIX)
    return (_part_of(path.with_name(plain + GZ_SUFFIX)),)


def _half_packed(paths: Sequence[Path]) -> list[Path]:
    """Return what interrupted compressions have left: in the folders, and beside the files."""
    folders = [path for path in paths if path.is_dir()]
    left = {found for at in folders for found in at.rglob(f".*{GZ_SUFFIX}{_TEMPORARY}")}
    beside = {part for path in paths if not path.is_dir() for part in _parts_of(path)}
    return sorted(left | {part for part in beside if part.is_file()})


def _is_being_packed(part: Path) -> bool:
    packed = part.name.removeprefix(".").removesuffix(_TEMPORARY)
    plain = part.with_name(packed.removesuffix(GZ_SUFFIX) + SUFFIX)
    return plain.exists() and is_held(plain)


def _may_be_of(part: Path, pseudonym: str) -> bool:
    """Whether a partial file is of the pseudonym, or ends before it tells whose it is.

    A reader of complete gzip files returns nothing for a truncated one; here every byte counts.
    """
    try:
        with open_file(part) as file:
            text = zlib.decompressobj(wbits=31).decompress(file.read(MAX_LINE), 16 * MAX_LINE)
    except (OSError, zlib.error):
        text = b""
    named = set(_NAMED.findall(text))
    return not named or json.dumps(pseudonym).encode() in named


def _a_line_has(path: Path, pseudonym: str) -> bool | None:
    """Whether a damaged log names the pseudonym; None if it can't be read."""
    named = re.compile(rb'"pseudonym"\s*:\s*' + re.escape(json.dumps(pseudonym).encode()))
    lines_read = 0
    try:
        with LineReader(path) as lines:
            for line in lines:
                lines_read += 1
                if named.search(line.raw):
                    return True
    except RecordingError:
        return False if lines_read else None
    return False


def _last_seal(path: Path, more: int = 0) -> tuple[str, int]:
    """Return the seal of the last complete line of a finished game, and the bytes up to its end.

    Args:
        more: How many more notes there must be room for.
    """
    seal = ""
    size, notes = 0, more
    is_over = False
    try:
        with LineReader(path) as lines:
            for line in lines:
                if line.is_torn:
                    break
                seal = ""
                size += len(line.raw)
                if not line.raw.startswith(TURN) and line.number > 1:
                    event = read_event(line)
                    is_footer = event is not None and event.data.get("kind") == "footer"
                    shape = FooterShape if is_footer else NoteShape
                    seal = read_part(shape, event and event.data, "").seal
                    is_over |= is_footer
                    notes += not is_footer
                    count_notes(notes)
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}; use an intact copy") from error
    if not (seal and is_over):
        raise RecordingError(
            f"{path} is not finished: finish the game first with 'chaosops resume'"
        )
    return seal, size


def _cannot_remove(path: Path, error: OSError) -> RecordingError:
    why = os.strerror(error.errno) if error.errno else str(error)
    return RecordingError(f"cannot delete {path}: {why}; check the permissions of its folder")
