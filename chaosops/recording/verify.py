"""Verification: simulates a recording again and compares every frame.

A recording that passes is proof that each of its numbers came from this engine, on this scenario,
with these actions. Otherwise, the verdict names the first turn and field that differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any, NoReturn

from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, ChaosOpsAction
from chaosops.errors import RecordingError
from chaosops.recording.codec import (
    ActionShape,
    FieldError,
    FrameDecoder,
    read_part,
)
from chaosops.recording.differences import first_difference, shown
from chaosops.recording.events import (
    EndReason,
    Footer,
    Header,
    HumanPart,
    Note,
    outcome_of,
)
from chaosops.recording.hint_ledger import HintLedger
from chaosops.recording.lines import CannotRead, LineReader, RecordedLine
from chaosops.recording.reader import (
    FooterShape,
    NoteShape,
    OtherVersion,
    TurnShape,
    count_notes,
    place_note,
    read_event,
    read_header,
    torn,
)
from chaosops.recording.recorded_scenario import NoScenario, OtherScenario, ScenarioBook
from chaosops.recording.script import ACTION, Script
from chaosops.recording.seal import SealChain, marks_of
from chaosops.recording.verdict import Verdict, VerificationStatus
from chaosops.recording.versions import is_of_this_version, other_engine
from chaosops.version import __version__

_HUMAN = b',"human":'
_MARKS = b',"marks":'
_ACTION_PARTS = ("role", "action_type", "target", "args")
_ACTION = itemgetter(*_ACTION_PARTS)
_BY_HAND = (
    "this version of ChaosOps and of the incident doesn't write such a line: it was changed by "
    "hand and sealed again"
)
_ROLES = {role.value: role for role in AgentRole}


def verify(
    path: Path,
    folders: Sequence[Path] = (),
    *,
    book: ScenarioBook | None = None,
    env: ChaosOpsEnvironment | None = None,
) -> Verdict:
    """Verify a recording, in memory that does not grow with the file.

    Args:
        folders: Where scenarios are, besides the built-in set.
        book, env: Used to look up scenarios instead, and to simulate them: for many
            recordings one after another.
    """
    check = Verification(path, book or ScenarioBook(folders), env)
    try:
        for _turn in check.turns():
            pass
    except Failed as failure:
        return check.verdict(failure)
    return check.verdict(None)


class Failed(RecordingError):
    """A recording that doesn't verify."""

    def __init__(self, status: VerificationStatus, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.field = field


class Verification:
    """One verification, turn by turn.

    Attributes:
        header, stepper: Available from the first turn on.
        proved: Turns that were reproduced so far.
        script: The expected text of the log up to there.
        size: Bytes of the lines that were checked.
        seal: The seal of the game: of the last line that was checked, except for notes.
        notes: The notes between the turns.
        footer, warnings: Available after the last turn.
        in_turn: Whether the last line that was read is a turn's.
    """

    header: Header
    stepper: Stepper

    def __init__(
        self, path: Path, book: ScenarioBook, env: ChaosOpsEnvironment | None = None
    ) -> None:
        """Begin to verify a file; resets `env`."""
        self.path = path
        self.proved = 0
        self.seal = ""
        self.footer: Footer | None = None
        self.warnings: list[str] = []
        self.notes: list[Note] = []
        self.script = Script()
        self.size = 0
        self._book = book
        self._env = env or ChaosOpsEnvironment()
        self.in_turn = False
        self._notes = 0
        self._hints = HintLedger()

    def verdict(self, failure: Failed | None) -> Verdict:
        """Return the verdict, with the failure that ended the verification, if any."""
        status = VerificationStatus.VERIFIED if failure is None else failure.status
        return Verdict(
            self.path,
            status,
            self.proved if failure is not None and self.in_turn else None,
            "" if failure is None else failure.field,
            "" if failure is None else str(failure),
            self.proved,
            self.footer is not None,
            tuple(self.warnings),
        )

    def turns(self) -> Iterator[tuple[EpisodeStep, HumanPart]]:
        """Yield each turn as soon as it was reproduced.

        Raises:
            Failed: The next line is not what the engine gives.
        """
        lines = LineReader(self.path)
        with self._as_failure(lines), lines:
            for line in lines:
                if line.number == 1:
                    self._begin(line)
                    continue
                kind, event = "turn", None
                if line.is_last or not line.raw.startswith(ACTION):
                    event = read_event(line)
                    if event is None:
                        self.warnings.append(torn(line))
                        break
                    kind = str(event.data.get("kind", ""))
                self.in_turn = kind == "turn" and self.footer is None
                if kind == "turn":
                    yield self._turn(line)
                elif event is not None and kind == "footer":
                    self._end(line, event.data)
                elif event is not None and kind == "note":
                    self._note(line, event.data)
                else:
                    _damaged("kind", "none of turn, footer, note")
            if not lines.number:
                _damaged("", "the file is empty")

    def _begin(self, line: RecordedLine) -> None:
        self.header = header = read_header(line)
        if self.script.header(header) != _ended(line.raw):
            raise Failed(VerificationStatus.EDITED, "the header was edited", "header")
        engine = other_engine(header)
        if engine:
            raise Failed(VerificationStatus.OTHER_ENGINE, engine, "header.engine")
        self.size += len(line.raw)
        scenario = self._book.scenario(header)
        if header.difficulty is not (own := scenario.incident.level):
            self.warnings.append(
                f"header.difficulty: {header.difficulty.value}, but the incident's level is "
                f"{own.value}"
            )
        self.stepper = Stepper(self._env, scenario)

    def _turn(self, line: RecordedLine) -> tuple[EpisodeStep, HumanPart]:
        if self.footer is not None:
            _damaged("frame.turn", "a turn after the footer")
        chain = SealChain(self.script.chain.last)
        memory = self.script.frames.memory.copy()
        action, human = _decision(line)
        if self.stepper.done:
            _damaged("frame.turn", "a turn after the end of the episode")
        frame = self.stepper.take(action)
        expected = self.script.turn(frame, human)
        # A line as it was written needs no copy.
        if expected != line.raw and expected != _ended(line.raw):
            event = read_event(line)
            turn = read_part(TurnShape, event and event.data, "")
            recorded = FrameDecoder(memory).decode(turn.frame, turn.action)
            self._check_difficulty(recorded)
            is_whole = chain.is_whole(_ended(line.raw)[:-1])
            is_sealed_so = self.script.chain.last == turn.seal
            _explain(self.header, turn, recorded, frame, is_whole, is_sealed_so)
        if why := self._hints.problem(frame, human):
            raise Failed(VerificationStatus.EDITED, f"human.hints: {why}", "human.hints")
        self.size += len(line.raw)
        self.seal = self.script.chain.last
        self.proved += 1
        return frame, human

    def _check_difficulty(self, recorded: EpisodeStep) -> None:
        """Fail if the frame is that of the incident's default level."""
        own = self.stepper.scenario.incident.level
        if self.header.difficulty is own or not is_of_this_version(self.header):
            return
        scenario = replace(self.stepper.scenario, difficulty=own)
        again = Stepper(ChaosOpsEnvironment(), scenario, max_turns=self.header.max_turns)
        for step in self.stepper.steps:
            again.take(step.action)
        if first_difference(recorded, again.steps[-1]) is None:
            raise Failed(
                VerificationStatus.EDITED,
                f"header.difficulty: {self.header.difficulty.value}, and the frames are those of "
                f"{own.value}; {_BY_HAND}",
                "header.difficulty",
            )

    def _end(self, line: RecordedLine, event: dict[str, Any]) -> None:
        if self.footer is not None:
            _damaged("footer", "a second footer")
        footer = read_part(FooterShape, event, "").footer
        for name, value in outcome_of(self.stepper.result()).items():
            if getattr(footer, name) != value:
                raise Failed(
                    VerificationStatus.EDITED,
                    f"footer.{name}: {shown(getattr(footer, name))}, but the engine gives "
                    f"{shown(value)}",
                    f"footer.{name}",
                )
        over = footer.reason in (EndReason.RESOLVED, EndReason.OUT_OF_TURNS)
        resolved = footer.reason is EndReason.RESOLVED
        if over is not self.stepper.done or resolved is not footer.resolved:
            raise Failed(
                VerificationStatus.EDITED,
                "footer.reason: not how the episode ended",
                "footer.reason",
            )
        if self.script.footer(footer) != _ended(line.raw):
            raise Failed(VerificationStatus.EDITED, "the footer was edited", "footer")
        self.footer = footer
        self.seal = self.script.chain.last

    def _note(self, line: RecordedLine, event: dict[str, Any]) -> None:
        self._notes += 1
        count_notes(self._notes)
        note = read_part(NoteShape, event, "").note
        place_note(note, self.proved if self.footer is None else None)
        if self.script.note(note) != _ended(line.raw):
            raise Failed(
                VerificationStatus.EDITED, f"the note in line {line.number} was edited", "note"
            )
        if self.footer is None:
            self.size += len(line.raw)
            self.notes.append(note)
            self._hints.note(note)

    @contextmanager
    def _as_failure(self, lines: LineReader) -> Iterator[None]:
        """Turn an error in a file into a failure with its line."""
        try:
            yield
        except Failed:
            raise
        except FieldError as error:
            place = "" if self.in_turn else f"line {lines.number}: "
            raise Failed(VerificationStatus.EDITED, f"{place}{error}", error.field) from error
        except (OtherVersion, OtherScenario) as error:
            raise Failed(VerificationStatus.OTHER_VERSION, str(error)) from error
        except NoScenario as error:
            raise Failed(VerificationStatus.NO_SCENARIO, str(error)) from error
        except CannotRead as error:
            raise Failed(VerificationStatus.DAMAGED, str(error)) from error
        except RecordingError as error:
            field = error.field if isinstance(error, _Damage) else ""
            place = f"line {max(lines.number, 1)}: "
            raise Failed(VerificationStatus.DAMAGED, f"{place}{error}", field) from error


def _decision(line: RecordedLine) -> tuple[ChaosOpsAction, HumanPart]:
    """Read only the action and the human part of a turn's line.

    If the text between two keys is not a value, a key of the same name is inside it.
    """
    start = len(ACTION)
    human = line.raw.find(_HUMAN, start)
    marks = line.raw.find(_MARKS, human)
    if 0 < human < marks:
        try:
            action = _action(line.raw[start:human])
            return action, _human_part(line.raw[human + len(_HUMAN) : marks])
        except (FieldError, ValueError, RecursionError):
            pass
    event = read_event(line)
    turn = read_part(TurnShape, event and event.data, "")
    return turn.action.action, turn.human


@lru_cache(maxsize=1_024)
def _action(text: bytes) -> ChaosOpsAction:
    """Return the action; known texts are not parsed again."""
    data = json.loads(text)
    try:
        role, verb, target, args = _ACTION(data)
        known = _ROLES[role]
    except (KeyError, TypeError):
        return read_part(ActionShape, data, "action").action
    is_text = type(verb) is str and (target is None or type(target) is str)
    if is_text and type(args) is dict and len(data) == len(_ACTION_PARTS):
        return ChaosOpsAction(known, verb, target, args)
    return read_part(ActionShape, data, "action").action


@lru_cache(maxsize=64)
def _human_part(text: bytes) -> HumanPart:
    """Return the human part; those of scripted turns are always the same."""
    return read_part(HumanPart, text, "human")


def _explain(
    header: Header,
    turn: TurnShape,
    recorded: EpisodeStep,
    engine: EpisodeStep,
    is_whole: bool,
    is_sealed_so: bool,
) -> NoReturn:
    """Explain what is wrong with a turn's line that differs from the expected one.

    Args:
        is_whole: Whether the line has the right seal for its text.
        is_sealed_so: Whether it has the seal of the expected line.
    """
    found = marks_of(turn.action.action)
    marks = turn.marks
    changed = [path for path in {**found, **marks} if found.get(path) != marks.get(path)]
    if changed and not is_sealed_so:
        field = f"action.{changed[0]}"
        raise Failed(VerificationStatus.EDITED, f"{field}: it was changed", field)
    difference = first_difference(recorded, engine)
    if difference is not None:
        field, was, is_ = difference
        message = f"{field}: {shown(was)}, but the engine gives {shown(is_)}"
        if not is_whole:
            raise Failed(VerificationStatus.EDITED, message, field)
        if is_of_this_version(header):
            raise Failed(VerificationStatus.EDITED, f"{message}; {_BY_HAND}", field)
        message += (
            f"; the line is as it was written, by chaosops {header.chaosops}, and this is "
            f"{__version__}"
        )
        raise Failed(VerificationStatus.DRIFTED, message, field)
    if not is_sealed_so:
        raise Failed(VerificationStatus.EDITED, "human: it or the seal was changed", "human")
    if changed:
        field = f"marks.{changed[0]}"
        raise Failed(VerificationStatus.EDITED, f"{field}: it was changed", field)
    raise Failed(
        VerificationStatus.EDITED,
        "the line has the same content in another form: it was rewritten",
        "frame",
    )


class _Damage(RecordingError):
    """Lines that are not those of a log."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}" if field else why)
        self.field = field


def _damaged(field: str, why: str) -> NoReturn:
    raise _Damage(field, why)


def _ended(raw: bytes) -> bytes:
    """Return a line with the line end of the writer, which a copy may have changed."""
    return raw.rstrip(b"\r\n") + b"\n"
