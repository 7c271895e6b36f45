"""A list of options that can be paged through before its first layout."""

from __future__ import annotations

from typing import Any

from textual.widgets import OptionList


class Menu(OptionList):
    """Textual's list, which fails at Page Up and Page Down while it has no size."""

    def _move_page(self, direction: Any) -> None:
        """Move by a page, or stay if there is no layout yet."""
        if (self.highlighted or 0) in self._index_to_line and self._lines:
            super()._move_page(direction)
