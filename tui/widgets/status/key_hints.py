"""The line of keys at the bottom."""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding
from textual.dom import DOMNode
from textual.geometry import Size
from textual.layout import ArrangeResult, Layout
from textual.layouts.horizontal import HorizontalLayout
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer
from textual.widgets._footer import FooterKey, FooterLabel, KeyGroup

from tui.keys.labels import declared, shown_together


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


class _Hint(NamedTuple):
    """A binding as it is shown."""

    binding: Binding
    label: str
    enabled: bool


class KeyHints(Footer):
    """A footer whose order stays whatever the keys are, and whose labels follow them.

    It is made anew only where it shows other keys, and once for many changes: making it costs as
    much as a paint, and every key that is pressed meanwhile waits for it. On a narrow screen it
    takes a second line.
    """

    DEFAULT_CSS = """
    KeyHints {
        height: auto;
        max-height: 3;
    }
    """

    def __init__(self) -> None:
        super().__init__(show_command_palette=False, compact=True)
        self._row = WrappedRow()
        self._is_due = False
        self._hints: list[_Hint] | None = None

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
        hints = self._hints_now()
        if hints != self._hints:
            self._hints = hints
            await super().recompose()

    def compose(self) -> ComposeResult:
        """A label for each binding; those of a group share its word."""
        for group, members in groupby(self._hints or (), lambda hint: hint.binding.group):
            hints = list(members)
            if group is None or len(hints) < 2:
                yield from (_label(hint, hint.binding.description) for hint in hints)
                continue
            with KeyGroup(classes="-compact" if group.compact else ""):
                for hint in hints:
                    label = _label(hint, "")
                    label.add_class("-grouped")
                    yield label
            yield FooterLabel(group.description)

    def _hints_now(self) -> list[_Hint]:
        """What to show, in the order in which it is declared, from the focus to the app."""
        screen = self.screen
        nodes: list[DOMNode] = [*(screen.focused or screen).ancestors_with_self]
        if self.app not in nodes:
            nodes.append(self.app)
        shown: dict[str, tuple[tuple[int, int], _Hint]] = {}
        for active in screen.active_bindings.values():
            binding, node = active.binding, active.node
            name = binding.id or binding.action
            if not binding.show or name in shown:
                continue
            order = [each.id for each in declared(node)]
            place = order.index(binding.id) if binding.id in order else len(order)
            near = nodes.index(node) if node in nodes else len(nodes)
            hint = _Hint(binding, shown_together(node, binding), active.enabled)
            shown[name] = ((near, place), hint)
        return [hint for _place, hint in sorted(shown.values(), key=lambda item: item[0])]


def _label(hint: _Hint, description: str) -> FooterKey:
    binding = hint.binding
    return FooterKey(
        binding.key,
        hint.label,
        description,
        binding.action,
        disabled=not hint.enabled,
        tooltip=binding.tooltip or binding.description,
    )
