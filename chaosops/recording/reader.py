"""Reads a log back. The file is a stranger's: every line is checked, and nothing is executed."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from chaosops.agents.runner import EpisodeStep
from chaosops.env.text_safety import clean
from chaosops.errors import RecordingError
from chaosops.recording.codec import FrameDecoder, read_part
from chaosops.recording.events import SCHEMA_VERSION, Footer, Header, HumanPart

MAX_LINE = 8 * 1024 * 1024
"""The longest line that is read, in bytes."""

_MAY_NEED_CLEANING = re.compile(rb"\\[bfru]|[^\x20-\x7e]")


class RecordedTurn(NamedTuple):
    """A frame, and how its action came about."""

    frame: EpisodeStep
    human: HumanPart


@dataclass(frozen=True, slots=True)
class Recording:
    """A log that was read.

    Attributes:
        footer: None where the game was not finished.
        warnings: What was odd but could be read over, a line each.
    """

    path: Path
    header: Header
    turns: tuple[RecordedTurn, ...]
    footer: Footer | None
    warnings: tuple[str, ...]

    @property
    def frames(self) -> tuple[EpisodeStep, ...]:
        """The frames alone."""
        return tuple(turn.frame for turn in self.turns)


def read_recording(path: Path) -> Recording:
    """Read a log, without changing it.

    A last line that was torn, as a power cut does, is left out and named in `warnings`.

    Raises:
        RecordingError: It cannot be read, is no recording, or is damaged elsewhere; the text
            names the line and the field.
    """
    episode = _Episode()
    warnings: list[str] = []
    number = 0
    try:
        with path.open("rb") as file:
            lines = iter(lambda: file.readline(MAX_LINE + 1), b"")
            for number, line in enumerate(lines, start=1):
                try:
                    event = _parse(line)
                except ValueError as error:
                    if number > 1 and len(line) <= MAX_LINE and not file.peek(1):
                        warnings.append(f"line {number} was torn off and is left out")
                        break
                    raise RecordingError(f"not a JSON object: {error}") from None
                episode.take(event)
        header = episode.whole()
    except RecordingError as error:
        raise RecordingError(f"{path}, line {max(number, 1)}: {error}; {episode.cure}") from None
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise RecordingError(
            f"cannot read the recording {path}: {why}; give a .jsonl file that the game wrote"
        ) from error
    return Recording(path, header, tuple(episode.turns), episode.footer, tuple(warnings))


class _Episode:
    """What the lines so far say, and whether the next one may follow."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.turns: list[RecordedTurn] = []
        self.footer: Footer | None = None
        self.cure = "this is no recording: give a .jsonl file that the game wrote"
        self._decoder = FrameDecoder()

    def take(self, event: dict[str, Any]) -> None:
        kind = event.pop("kind", None)
        if self.header is None:
            if kind != "header":
                _refuse("kind: not 'header'")
            self.header = self._header(event)
            self.cure = "the file is damaged or was edited: take a copy that is whole"
        elif kind == "header":
            _refuse("a second header")
        elif self.footer is not None:
            _refuse("an event after the footer")
        elif kind == "turn":
            self._turn(self.header, event)
        elif kind == "footer":
            self.footer = self._footer(event)
        else:
            _refuse("kind: not one of turn, footer")

    def whole(self) -> Header:
        if self.header is None:
            _refuse("the file is empty")
        return self.header

    def _header(self, event: dict[str, Any]) -> Header:
        _only(event, "header")
        data = event["header"]
        version = data.get("schema_version") if isinstance(data, dict) else None
        if isinstance(version, int) and version != SCHEMA_VERSION:
            self.cure = "open it with the version of chaosops that wrote it"
            _refuse(f"header.schema_version: {version}, and this version reads {SCHEMA_VERSION}")
        return read_part(Header, data, "header")

    def _turn(self, header: Header, event: dict[str, Any]) -> None:
        _only(event, "frame", "human")
        frame = self._decoder.decode(event["frame"])
        human = read_part(HumanPart, event["human"], "human")
        expected = len(self.turns)
        if frame.turn != expected or frame.observation.step != expected:
            _refuse(f"frame.turn: this should be turn {expected}")
        if expected >= header.max_turns:
            _refuse(f"frame.turn: the header allows {header.max_turns} turns")
        if self.turns and self.turns[-1].frame.done:
            _refuse("frame.turn: the episode was over before")
        if not frame.role == frame.action.role == frame.observation.turn_role:
            _refuse("frame.role: not the role that saw and acted")
        if frame.reward != frame.breakdown.total:
            _refuse(
                f"frame.reward: {frame.reward} is not the sum of the breakdown, "
                f"{frame.breakdown.total}"
            )
        self.turns.append(RecordedTurn(frame, human))

    def _footer(self, event: dict[str, Any]) -> Footer:
        _only(event, "footer")
        footer = read_part(Footer, event["footer"], "footer")
        if footer.turns != len(self.turns):
            _refuse(f"footer.turns: {footer.turns}, but there are {len(self.turns)}")
        total = sum(turn.frame.reward for turn in self.turns)
        if footer.cumulative_reward != total:
            _refuse(
                f"footer.cumulative_reward: {footer.cumulative_reward} is not the sum of the "
                f"turns' rewards, {total}"
            )
        return footer


def _only(event: dict[str, Any], *names: str) -> None:
    if set(event) != set(names):
        _refuse(f"the event should have {', '.join(names)} besides its kind")


def _refuse(why: str) -> NoReturn:
    raise RecordingError(why)


def _parse(line: bytes) -> dict[str, Any]:
    """The line's JSON object, its text made safe.

    Raises:
        ValueError: It is none, or has no end.
    """
    if len(line) > MAX_LINE:
        raise ValueError(f"it is longer than {MAX_LINE // 1024**2} MiB")
    if not line.endswith(b"\n"):
        raise ValueError("it does not end")
    try:
        event = json.loads(line, parse_constant=_no_constant)
        if _MAY_NEED_CLEANING.search(line, 0, len(line) - 1):
            event = _clean(event)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    if not isinstance(event, dict):
        raise ValueError("it is another value")
    return event


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): _clean(item) for key, item in value.items()}
    return value
