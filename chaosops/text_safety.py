"""Makes untrusted text safe to store and show.

Terminal escapes (C0 and C1 controls), bidirectional overrides and lone surrogates can change
what a reader sees or control the terminal. They are removed once, where text enters the program.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    """Replace every unsafe character by U+FFFD; tabs and line ends are kept."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def has_unsafe(text: str) -> bool:
    """Whether `clean` would replace anything, carriage returns included."""
    return bool(_UNSAFE.search(text))
