"""The line of keys at the bottom."""

from __future__ import annotations

from typing import Any

from textual.binding import Binding
from textual.geometry import Size
from textual.layout import ArrangeResult, Layout
from textual.layouts.horizontal import HorizontalLayout
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterLabel


class WrappedRow(HorizontalLayout):
    """A row that goes on in the next line where the width ends."""

    name = "wrapped-row"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """Place the children one after another, and the rest of them a line lower.

        The label of a group of keys stays beside it.
        """
        row = list(super().arrange(parent, children, size, greedy))
        placed = []
        begin = line = 0
        for placement, after in zip(row, [*row[1:], None], strict=True):
            region = placement.region
            labelled = after is not None and isinstance(after.widget, FooterLabel)
            right = after.region.right if after is not None and labelled else region.right
            if right - begin > size.width and not isinstance(placement.widget, FooterLabel):
                begin, line = (region.x, line + 1) if region.x > begin else (begin, line)
            placed.append(placement._replace(region=region.translate((-begin, line))))
        return placed


class KeyHints(Footer):
    """A footer that is made anew only where it shows other keys, and once for many changes.

    Making it costs as much as a paint, and every key that is pressed meanwhile waits for it. On a
    narrow screen it takes a second line.
    """

    DEFAULT_CSS = """
    KeyHints {
        height: auto;
        max-height: 3;
    }
    """

    def __init__(self, *, compact: bool = False) -> None:
        """A footer.

        Args:
            compact: With less room between the keys.
        """
        super().__init__(show_command_palette=False, compact=compact)
        self._row = WrappedRow()
        self._is_due = False
        self._hints: list[tuple[Binding, bool]] | None = None

    @property
    def layout(self) -> Layout:
        """A row that wraps."""
        return self._row

    def bindings_changed(self, screen: Screen[Any]) -> None:
        """Note that keys have changed."""
        if not self._is_due:
            super().bindings_changed(screen)
            self._is_due = self.is_attached and screen is self.screen and self.app.app_focus

    async def recompose(self) -> None:
        """Show the keys as they are now."""
        self._is_due = False
        if not self.is_attached:
            return
        hints = [
            (active.binding, active.enabled)
            for active in self.screen.active_bindings.values()
            if active.binding.show
        ]
        if hints != self._hints:
            self._hints = hints
            await super().recompose()
