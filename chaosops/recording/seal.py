"""Seals: checksums that tell which line of a log, and which value in it, was edited.

They are not secret: anyone can edit a log and seal it again. That frames came from the engine is
proved by simulating them; seals cover what can't be simulated, the actions and the human part.
"""

from __future__ import annotations

import hashlib
import zlib
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from chaosops.env.models import EMPTY, ChaosOpsAction, FrozenMap
from chaosops.recording.json_text import to_text

SEAL_PROVES: Final = (
    "A seal is a checksum, not a signature: it shows that a file was damaged or edited without "
    "care. Whoever changes actions, times, rewards or ratings by hand can seal the file again."
)
"""What a seal doesn't prove, as a sentence."""

_DIGITS = 16
_TAIL = len(',"seal":""}') + _DIGITS


class SealChain:
    """Seals the lines of one log in their order; each seal covers all lines before it.

    Attributes:
        last: The seal of the last line; empty before the first.
    """

    def __init__(self, last: str = "") -> None:
        """Begin a log, or continue after the line with the seal `last`."""
        self.last = last

    def line(self, body: bytes) -> bytes:
        """Return the line of an event's JSON text, with the seal as its last key and a line end."""
        self.last = self.seal_of(body)
        return b'%b,"seal":"%b"}\n' % (body[:-1], self.last.encode("ascii"))

    def seal_of(self, body: bytes) -> str:
        """Return the seal that an event would get as the next one."""
        sealed = hashlib.sha256(self.last.encode("ascii"))
        sealed.update(body)
        return sealed.hexdigest()[:_DIGITS]

    def is_whole(self, line: bytes) -> bool:
        """Whether a line, without its end, has the right seal for the next one."""
        body, seal = line[:-_TAIL] + b"}", line[-_TAIL:]
        return seal == f',"seal":"{self.seal_of(body)}"}}'.encode("ascii")


def marks_of(action: ChaosOpsAction) -> dict[str, str]:
    """Return a checksum for each value of an action by its path, such as `args.text`."""
    marks = {
        "action_type": _mark_of_text("action_type", action.action_type),
        "target": _mark("target", action.target),
    }
    _add_marks(marks, "args", action.args)
    return marks


def _mark(path: str, value: Any) -> str:
    if isinstance(value, str):
        return _mark_of_text(path, value)
    if value is None or value == EMPTY:
        return _mark_of_nothing(path, value is None)
    return _crc(path, to_text(value))


@lru_cache(maxsize=1_024)
def _mark_of_text(path: str, text: str) -> str:
    return _crc(path, encode_basestring_ascii(text))


@lru_cache(maxsize=1_024)
def _mark_of_nothing(path: str, is_null: bool) -> str:
    return _crc(path, "null" if is_null else "{}")


def _crc(path: str, json_text: str) -> str:
    return f"{zlib.crc32(f'{path} {json_text}'.encode()):08x}"


def _add_marks(marks: dict[str, str], path: str, value: Any) -> None:
    if value and isinstance(value, FrozenMap):
        for key, inner in value.items():
            _add_marks(marks, f"{path}.{key}", inner)
    elif value and isinstance(value, tuple):
        for index, inner in enumerate(value):
            _add_marks(marks, f"{path}.{index}", inner)
    else:
        marks[path] = _mark(path, value)
