"""Text from strangers, made safe to keep, to print and to show.

Terminal escapes (C0 and C1 controls), bidirectional overrides and lone surrogates can rewrite
what a reader sees or drive the terminal. They are taken out once, where text enters the world.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069\ud800-\udfff]"
)


def clean(text: str) -> str:
    """The text with every unsafe character replaced by U+FFFD, tabs and line ends kept."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def has_unsafe(text: str) -> bool:
    """Whether `clean` would replace anything, carriage returns included."""
    return bool(_UNSAFE.search(text))
