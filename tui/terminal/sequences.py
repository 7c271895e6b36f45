"""Splits terminal input into complete keys and reports, and drops control strings.

This follows ECMA-48: a control sequence ends with its final byte, and a control string
(OSC, DCS, APC, PM, SOS) at its terminator. Strings are answers of the terminal, never keys. Alt
with one of `]P^_X` looks like the beginning of one and is therefore not a key either, unless the
terminal speaks the Kitty protocol, in which no key looks like a string.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, NamedTuple

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS

MAX_SEQUENCE: Final = 32
"""The most characters of a control sequence; no key has more, and Textual types out longer ones."""

PASTE_START: Final = "\x1b[200~"
PASTE_END: Final = "\x1b[201~"

_ESC: Final = "\x1b"
_CSI: Final = "\x1b["
_SS3: Final = "\x1bO"
_X10_MOUSE: Final = "\x1b[M"
_LINUX_KEY: Final = "\x1b[["
_PARAMETERS: Final = frozenset("0123456789;")
_STRING_STARTS: Final = frozenset("]P^_X")
_ENDS_STRING: Final = re.compile("[\x07\x18\x1a\x1b\x9c\udc9c]")
_CANCELS: Final = frozenset("\x18\x1a")
_PLAIN: Final = re.compile("[^\x1b\x80-\x9f\udc80-\udcff]+")
_ESC_IN_STRING: Final = "ESC in a string"
_C1: Final = {
    **dict.fromkeys("\x90\x98\x9d\x9e\x9f\udc90\udc98\udc9d\udc9e\udc9f", "string"),
    **dict.fromkeys("\x9b\udc9b", _CSI),
    **dict.fromkeys("\x8f\udc8f", _SS3),
}
"""Single characters with the same meaning as ESC and another character."""
_RAW: Final = re.compile("[\udc80-\udcff]")
_NO_KEY: Final = re.compile(r"\x1b\[(?!1?[;A-Z])[\d:;]*[A-FHP-S]")
"""Endings of keys with the number 1 or none; Textual takes another number for a character."""
_REST_OF: Final = {
    _ESC: re.compile(r"[\[O\]P^_X]."),
    _CSI: re.compile(r"[<?]?[\d;]+[ -/]*[@-~]"),
    _SS3: re.compile(r"[\d;]+[@-~]"),
}
"""More characters at once than a person can type after the beginning of a sequence."""


class Piece(NamedTuple):
    """A part of the input. A sequence that is not a key is dropped; all else is typed."""

    text: str
    is_sequence: bool = False


class Held(Enum):
    """An unfinished part of the input."""

    NOTHING = "nothing"
    KEY = "a key that may be the beginning of a sequence"
    SEQUENCE = "a sequence or string, which is no key"
    PASTE = "a paste"


class Sequences:
    """Takes input in chunks, which may be split anywhere.

    Invalid UTF-8 has to be decoded with Python's "surrogateescape".
    """

    def __init__(self) -> None:
        self._begun = ""
        self._in_string = False
        self._pasted: str | None = None
        self._late = ""

    @property
    def held(self) -> Held:
        """The unfinished part that the next chunk continues."""
        if self._pasted is not None:
            return Held.PASTE
        if self._in_string:
            return Held.SEQUENCE
        if not self._begun:
            return Held.NOTHING
        return Held.KEY if self._begun in _REST_OF else Held.SEQUENCE

    def fed(self, text: str) -> list[Piece]:
        """Take a chunk; return what is complete."""
        pieces: list[Piece] = []
        if self._late and _REST_OF[self._late].match(text):
            self._begun = self._late
        self._late = ""
        while text:
            if self._pasted is not None:
                text = self._paste(text, pieces)
            elif self._in_string:
                text = self._string(text)
            elif self._begun:
                self._go_on(text[0], pieces)
                text = text[1:]
            elif plain := _PLAIN.match(text):
                pieces.append(Piece(plain[0]))
                text = text[plain.end() :]
            else:
                self._begin(text[0], pieces)
                text = text[1:]
        return pieces

    def timed_out(self) -> list[Piece]:
        """Return what was typed if the rest of an unfinished part did not come."""
        held, begun = self.held, self._begun
        self._begun, self._in_string = "", False
        if held is Held.KEY:
            self._late = begun
            return [Piece(begun)]
        if held is Held.PASTE:
            self._pasted = None
            return [Piece(PASTE_END, is_sequence=True)]
        return []

    def _begin(self, character: str, pieces: list[Piece]) -> None:
        means = _ESC if character == _ESC else _C1.get(character, "")
        if means == "string":
            self._in_string = True
        elif means:
            self._begun = means
        elif _RAW.match(character):
            pieces.append(Piece("\ufffd"))

    def _go_on(self, character: str, pieces: list[Piece]) -> None:
        if self._begun == _ESC_IN_STRING:
            self._begun = ""
            if character != "\\":
                self._after_escape(character, pieces)
        elif self._begun == _ESC:
            self._after_escape(character, pieces)
        elif character == _ESC:
            self._drop(pieces)
            self._begun = _ESC
        elif character in _CANCELS:
            self._begun = ""
        elif self._begun.startswith(_X10_MOUSE):
            self._extend(character, pieces, ends=len(self._begun) == len(_X10_MOUSE) + 2)
        elif self._begun == _LINUX_KEY:
            self._extend(character, pieces, ends=True)
        elif character in _PARAMETERS or (" " <= character <= "?" and self._begun[:2] == _CSI):
            # Some terminals end shifted keys with "$", which is no final byte elsewhere.
            self._extend(character, pieces, ends=self._begun + character in ANSI_SEQUENCES_KEYS)
        elif "@" <= character <= "~":
            goes_on = self._begun == _CSI and character in "M["
            self._extend(character, pieces, ends=not goes_on)
        elif character != "\x7f":
            self._drop(pieces)
            self._anew(character, pieces)

    def _after_escape(self, character: str, pieces: list[Piece]) -> None:
        self._begun = ""
        if character in "[O":
            self._begun = _ESC + character
        elif character in _STRING_STARTS:
            self._in_string = True
        elif character == _ESC:
            pieces.append(Piece(_ESC))
            self._begun = _ESC
        elif _PLAIN.match(character):
            pieces.append(Piece(_ESC + character))
        else:
            pieces.append(Piece(_ESC))
            self._begin(character, pieces)

    def _anew(self, character: str, pieces: list[Piece]) -> None:
        if _PLAIN.match(character):
            pieces.append(Piece(character))
        else:
            self._begin(character, pieces)

    def _drop(self, pieces: list[Piece]) -> None:
        """End an unfinished part; treat as typed what a person can have typed."""
        if self._begun in _REST_OF:
            pieces.append(Piece(self._begun))
        self._begun = ""

    def _extend(self, character: str, pieces: list[Piece], *, ends: bool) -> None:
        # One more than the limit tells that there were too many.
        self._begun = (self._begun + character)[: MAX_SEQUENCE + 1]
        if not ends:
            return
        sequence, self._begun = self._begun, ""
        if len(sequence) <= MAX_SEQUENCE and not _NO_KEY.fullmatch(sequence):
            pieces.append(Piece(sequence, is_sequence=True))
        if sequence == PASTE_START:
            self._pasted = ""

    def _string(self, text: str) -> str:
        """Skip a control string; return the rest of the text."""
        end = _ENDS_STRING.search(text)
        if end is None:
            return ""
        self._in_string = False
        if end[0] == _ESC:
            # Followed by "\\", it ends the string; otherwise it begins a sequence.
            self._begun = _ESC_IN_STRING
        return text[end.end() :]

    def _paste(self, text: str, pieces: list[Piece]) -> str:
        """Return a paste without escapes, so that nothing in it looks like a key."""
        pasted, mark, rest = ((self._pasted or "") + text).partition(PASTE_END)
        self._pasted = None
        if not mark:
            cut = next((n for n in range(5, 0, -1) if pasted.endswith(PASTE_END[:n])), 0)
            pasted, self._pasted = pasted[: len(pasted) - cut], pasted[len(pasted) - cut :]
        clean = _RAW.sub("\ufffd", pasted.replace(_ESC, ""))
        if clean:
            pieces.append(Piece(clean))
        if mark:
            pieces.append(Piece(mark, is_sequence=True))
        return rest
