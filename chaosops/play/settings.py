"""The player's settings in TOML: read with a report of problems, written without losing anything.

Missing and invalid settings have their defaults. A line that is not
understood stays in the file, since it may be from a newer version.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from chaosops.env.models import AgentRole
from chaosops.errors import ChaosOpsError
from chaosops.files import copy_file, read_bytes, replace_file, why
from chaosops.play.escape_wait import ESCAPE_WAITS
from chaosops.play.settings_toml import Scalar, TomlError, edited, lines_of, parsed
from chaosops.play.setup import CLOCKS, SeatChoice, Setup, default_setup
from chaosops.recording.folders import make_private
from chaosops.text_safety import clean

PACES: Final[Mapping[str, float]] = {"slow": 0.9, "normal": 0.3, "fast": 0.08, "instant": 0.0}
"""Seconds for which each turn of a teammate stays in view."""

MAX_BYTES: Final = 2**16
"""The most that is read of the file."""

MOST_TROUBLES: Final = 20
"""How many problems of the file are reported one by one."""

DEFAULT_THEME: Final = "chaosops-dark"


@dataclass(frozen=True, slots=True)
class Settings:
    """A player's settings.

    Attributes:
        theme: The name of a theme.
        mouse: Whether the game uses the mouse; without it the terminal selects text as usual.
        pace: One of `PACES`.
        coach: Whether the tutorial's incidents are explained step by step.
        curtain: Whether the board is hidden between two seats that people play, until the next
            one sits there; not needed by someone who plays several seats alone.
        escape_wait: One of `ESCAPE_WAITS`.
        setup: The seats and the shot clock of the last game.
        keys: Changed keys by the id of a binding: keys separated by commas.
    """

    theme: str = DEFAULT_THEME
    mouse: bool = True
    pace: str = "normal"
    coach: bool = True
    curtain: bool = True
    escape_wait: int = 0
    setup: Setup = field(default_factory=default_setup)
    keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def pace_seconds(self) -> float:
        """Seconds for which each turn of a teammate stays in view."""
        return PACES[self.pace]


class Trouble(NamedTuple):
    """Something in the file that is not used. `line` is 0 if it is unknown."""

    path: Path
    line: int
    name: str
    message: str

    def __str__(self) -> str:
        place = f"{self.path.name}:{self.line}" if self.line else self.path.name
        what = f"{clean(self.name)}: " if self.name else ""
        return f"{place}: {what}{clean(self.message)}"


class SettingsFile:
    """The settings on disk.

    Attributes:
        path: The file, which need not exist. None to keep nothing.
        settings: The current settings.
        troubles: The problems of the file when it was read.
    """

    def __init__(self, path: Path | None = None) -> None:
        """Read a file. Problems don't raise; they are in `troubles`."""
        self.path = path
        self.settings = Settings()
        self.troubles: tuple[Trouble, ...] = ()
        self._text = ""
        self._read()

    def troubles_with(self, wrong: Sequence[Wrong]) -> tuple[Trouble, ...]:
        """Return the problems of values with their lines; of many, the first ones and a count."""
        assert self.path is not None
        told = wrong[:MOST_TROUBLES]
        lines = lines_of(self._text, [(table, name) for table, name, _message in told])
        found = [
            Trouble(
                self.path,
                lines[table, name],
                _cut(f"{table}.{name}" if table else name),
                message,
            )
            for table, name, message in told
        ]
        if more := len(wrong) - len(found):
            found.append(Trouble(self.path, 0, "", f"{more} more problems; fix these first"))
        return tuple(found)

    def change(self, **changes: Any) -> str:
        """Change values of `Settings`, and save them.

        Returns:
            Why they couldn't be saved, in one line; empty if they were. They apply in any case.
        """
        self.settings = replace(self.settings, **changes)
        if self.path is None:
            return ""
        try:
            return self._write(_flat(self.settings), frozenset(changes))
        except OSError as error:
            return f"The settings were not saved: cannot write {self.path}: {why(error)}"

    def _read(self) -> None:
        if self.path is None:
            return
        try:
            self._text = self._text_on_disk()
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as error:
            reason = why(error) if isinstance(error, OSError) else "it is not UTF-8 text"
            self.troubles = (
                Trouble(self.path, 0, "", f"cannot be read: {reason}; using defaults"),
            )
            return
        try:
            data = parsed(self._text)
        except TomlError as error:
            message = f"{error}; fix the line or remove the file. Using defaults"
            self.troubles = (Trouble(self.path, error.line, "", message),)
            return
        self.settings, wrong = _settings(data)
        self.troubles = self.troubles_with(wrong)

    def _text_on_disk(self) -> str:
        assert self.path is not None
        return read_bytes(self.path, MAX_BYTES).decode("utf-8").replace("\r\n", "\n")

    def _write(self, values: Mapping[tuple[str, str], Scalar], changed: frozenset[str]) -> str:
        assert self.path is not None
        make_private(self.path.parent)
        try:
            text = self._text_on_disk()
        except FileNotFoundError:
            text = ""
        except UnicodeDecodeError:
            return self._start_over(values)
        try:
            before = parsed(text)
        except TomlError:
            return self._start_over(values)
        wanted: dict[tuple[str, str], Scalar | None] = {
            place: value for place, value in values.items() if _field_of(place) in changed
        }
        if "keys" in changed and isinstance(before.get("keys"), dict):
            gone = [("keys", name) for name in before["keys"] if ("keys", name) not in values]
            wanted.update(dict.fromkeys(gone))
        new = edited(text, wanted)
        if new is None:
            return self._start_over(values)
        replace_file(self.path, new)
        self._text = new
        return ""

    def _start_over(self, values: Mapping[tuple[str, str], Scalar]) -> str:
        """Move a file that can't be edited aside, and write a new one."""
        assert self.path is not None
        number = 1
        while (aside := self.path.with_name(f"{self.path.stem}.old{number}.toml")).exists():
            number += 1
        # A copy, since the path may be a link, which should stay.
        copy_file(self.path, aside)
        self._text = edited("", values) or ""
        replace_file(self.path, self._text)
        return f"The old settings could not be read; they were moved to {aside.name}"


def default_path() -> Path:
    """Return the path of the settings file."""
    from platformdirs import user_config_path

    return user_config_path("chaosops", appauthor=False) / "settings.toml"


def _flat(settings: Settings) -> dict[tuple[str, str], Scalar]:
    """Return the settings by table and key, as in the file."""
    values: dict[tuple[str, str], Scalar] = {
        ("", "theme"): settings.theme,
        ("", "mouse"): settings.mouse,
        ("", "pace"): settings.pace,
        ("", "coach"): settings.coach,
        ("", "curtain"): settings.curtain,
        ("", "escape_wait"): settings.escape_wait,
        ("", "shot_clock"): settings.setup.shot_clock,
    }
    for role, seat in settings.setup.seats.items():
        values["seats", role.value] = seat.word
    for name, keys in settings.keys.items():
        values["keys", name] = keys
    return values


def _field_of(place: tuple[str, str]) -> str:
    """Return the field of `Settings` that a key in the file belongs to."""
    table, name = place
    if table == "seats" or name == "shot_clock":
        return "setup"
    return table or name


Wrong = tuple[str, str, str]
"""A problem with a value: its table, empty for none, its name, and a message."""


def _settings(data: Mapping[str, Any]) -> tuple[Settings, list[Wrong]]:
    """Return the settings in a file, and its problems as table, name and message."""
    wrong: list[Wrong] = []
    found: dict[str, Any] = {}
    setup = default_setup()
    for name, value in data.items():
        if name in ("mouse", "coach", "curtain"):
            if isinstance(value, bool):
                found[name] = value
            else:
                wrong.append(("", name, f"{_short(value)} is not true or false; true is used"))
        elif name == "theme":
            if isinstance(value, str):
                found[name] = value
            else:
                wrong.append(("", name, f"{_short(value)} is not a theme; the default is used"))
        elif name == "pace":
            if isinstance(value, str) and value in PACES:
                found[name] = value
            else:
                wrong.append(
                    ("", name, f"{_short(value)} is none of {', '.join(PACES)}; normal is used")
                )
        elif name == "escape_wait":
            if type(value) is int and value in ESCAPE_WAITS:
                found[name] = value
            else:
                waits = ", ".join(map(str, ESCAPE_WAITS))
                wrong.append(("", name, f"{_short(value)} is none of {waits}; 0 is used"))
        elif name == "shot_clock":
            if type(value) is int and value in CLOCKS:
                setup = replace(setup, shot_clock=value)
            else:
                seconds = ", ".join(str(clock) for clock in CLOCKS)
                wrong.append(("", name, f"{_short(value)} is none of {seconds}; 0 is used"))
        elif name == "seats" and isinstance(value, dict):
            seats, bad = _seats(value)
            setup = replace(setup, seats={**setup.seats, **seats})
            wrong += bad
        elif name == "keys" and isinstance(value, dict):
            keys, bad = _keys(value)
            found["keys"] = keys
            wrong += bad
        elif name in ("seats", "keys"):
            wrong.append(("", name, f"has to be a table: put [{name}] on its own line"))
        else:
            wrong.append(("", name, _unknown(name) if len(wrong) < MOST_TROUBLES else ""))
    return Settings(setup=setup, **found), wrong


def _seats(table: Mapping[str, Any]) -> tuple[dict[AgentRole, SeatChoice], list[Wrong]]:
    seats: dict[AgentRole, SeatChoice] = {}
    wrong: list[Wrong] = []
    for name, value in table.items():
        try:
            role = AgentRole(name)
        except ValueError:
            roles = ", ".join(role.value for role in AgentRole)
            wrong.append(("seats", name, f"no such role; the roles are {roles}"))
            continue
        try:
            seats[role] = SeatChoice.of(value if isinstance(value, str) else _short(value))
        except ChaosOpsError as error:
            used = default_setup().seats[role].word
            wrong.append(("seats", name, f"{error}; {used} used"))
    return seats, wrong


def _keys(table: Mapping[str, Any]) -> tuple[dict[str, str], list[Wrong]]:
    keys: dict[str, str] = {}
    wrong: list[Wrong] = []
    for name, value in table.items():
        if isinstance(value, str) and value.strip():
            keys[name] = value
        elif isinstance(value, dict):
            wrong.append(("keys", name, f'put the id in quotes: "{name}.…" = "key"'))
        else:
            wrong.append(("keys", name, f"{_short(value)} is not a key; the default is used"))
    return keys, wrong


_LONGEST_NAME: Final = 60
_KNOWN: Final = (
    "theme",
    "mouse",
    "pace",
    "coach",
    "curtain",
    "escape_wait",
    "shot_clock",
    "seats",
    "keys",
)


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name[:_LONGEST_NAME], _KNOWN, 1)
    cure = f"did you mean {near[0]}?" if near else f"settings are {', '.join(_KNOWN)}."
    return f"no such setting; {cure} It stays in the file"


def _short(value: object) -> str:
    return _cut(re.sub(r"\s+", " ", clean(repr(value))))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else text[: _LONGEST_NAME - 1] + "…"
