"""Lines of words with their styles, for lists that need no screen."""

from __future__ import annotations

from typing import NamedTuple


class StyledText(NamedTuple):
    """A piece of a line with its style on a screen."""

    text: str
    style: str = ""


Words = tuple[StyledText, ...]


class CatalogueLine(NamedTuple):
    """A line of the list; a heading has no name and can't be chosen."""

    name: str
    words: Words
