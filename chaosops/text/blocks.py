"""Lines under a title, each fact on a line of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from chaosops.text_safety import clean


class Block(NamedTuple):
    """A title and what stands under it, or beside it.

    Attributes:
        items: A fact each; none if there is nothing of the kind.
        beside: They stand on the line of the title.
    """

    title: str
    items: tuple[str, ...]
    beside: bool = False

    @classmethod
    def under(cls, title: str, items: Iterable[str]) -> Self:
        """Return a block with a line for each item."""
        return cls(title, tuple(items))

    @classmethod
    def after(cls, title: str, items: Iterable[str]) -> Self:
        """Return a block with all items on one line."""
        return cls(title, tuple(items), beside=True)

    def lines(self) -> list[str]:
        """Return the lines, each without line ends, tabs and terminal controls."""
        if not self.items:
            return [one_line(f"{self.title}: none")]
        if self.beside:
            return [one_line(f"{self.title}: {', '.join(self.items)}")]
        return [one_line(f"{self.title}:"), *(one_line(f"- {item}") for item in self.items)]


def one_line(text: str) -> str:
    """Return the text without line ends, tabs and terminal controls."""
    if text.isascii() and text.isprintable():
        return text
    return " ".join(clean(text).replace("\t", " ").split("\n"))
