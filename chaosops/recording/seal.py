"""Seals: checksums that say which line of a log, and which value in it, was changed by hand.

They are no secret: who rewrites a log can seal it again. That the frames came from the engine is
proved by simulating them; a seal covers what cannot be simulated, the actions and the human part.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterator
from typing import Any

from chaosops.env.models import ChaosOpsAction
from chaosops.recording.json_text import plain, to_text

_DIGITS = 16
_TAIL = len(',"seal":""}') + _DIGITS


class SealChain:
    """Seals the lines of one log in their order: each seal covers all the lines before it."""

    def __init__(self, last: str = "") -> None:
        """Begin a log, or go on after the line that has the seal `last`."""
        self._last = last

    def line(self, body: str) -> bytes:
        """The line of an event's JSON text, with the seal as its last key, and a line end."""
        self._last = self.seal_of(body.encode("ascii"))
        return f'{body[:-1]},"seal":"{self._last}"}}\n'.encode("ascii")

    def seal_of(self, body: bytes) -> str:
        """The seal that the event would get as the next one."""
        return hashlib.sha256(self._last.encode("ascii") + body).hexdigest()[:_DIGITS]

    def is_whole(self, line: bytes) -> bool:
        """Whether the line, without its end, has the seal that it should have as the next one."""
        body, seal = line[:-_TAIL] + b"}", line[-_TAIL:]
        return seal == f',"seal":"{self.seal_of(body)}"}}'.encode("ascii")


def marks_of(turn: int, action: ChaosOpsAction) -> dict[str, str]:
    """A checksum for each value of an action, by its path, such as `args.text`."""
    parts = {"action_type": action.action_type, "target": action.target, "args": action.args}
    return raw_marks(turn, plain(parts))


def raw_marks(turn: int, parts: Any) -> dict[str, str]:
    """The same for an action's parts as JSON values."""
    marks: dict[str, str] = {}
    for path, value in _leaves("", parts):
        text = f"{turn} {path} {to_text(value)}"
        marks[path] = f"{zlib.crc32(text.encode('ascii', 'backslashreplace')):08x}"
    return marks


def _leaves(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if value and isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(f"{path}.{key}" if path else key, inner)
    elif value and isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(f"{path}.{index}", inner)
    else:
        yield path, value
