"""Stars and glyphs in words and letters, since a screen reader names each sign."""

from __future__ import annotations

import re
from typing import Final

from chaosops.play.turn_glyphs import TurnGlyph

_LETTERS: Final = str.maketrans(
    {
        TurnGlyph.WAITED.value: "w",
        TurnGlyph.LOOKED.value: "l",
        TurnGlyph.ACTED.value: "a",
        TurnGlyph.NAMED.value: "n",
        TurnGlyph.WRONG.value: "x",
    }
)
_STARS: Final = re.compile("[★☆]+")


def spelled(text: str) -> str:
    """Return a text with its stars counted, and its glyphs as letters."""
    counted = _STARS.sub(lambda found: _count(found[0]), text)
    return counted.replace(" |", ";").translate(_LETTERS)


def _count(shape: str) -> str:
    return f"{shape.count('★')} of {len(shape)} stars"
