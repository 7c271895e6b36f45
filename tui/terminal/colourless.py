"""Support for NO_COLOR: text and attributes such as bold, in the terminal's own colours."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter


class Colourless(LineFilter):
    """Removes all colours, so that no colour sequence reaches the terminal."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without their colours."""
        return [
            Segment(text, None if style is None else _bare(style), control)
            for text, style, control in segments
        ]


@lru_cache(4_096)
def _bare(style: Style) -> Style:
    bare = style.without_color
    # The style also has the meaning of a click.
    return bare + Style.from_meta(style.meta) if style.meta else bare
