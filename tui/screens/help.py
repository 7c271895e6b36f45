"""Explains the pane that has the focus, and the keys that work now."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from tui.words import MUTED

_GENERAL = (
    "Each turn is one minute. Look at the board, choose an action, and the world moves on. "
    "The four roles see different parts of it: talk. Move the focus with Tab to have another "
    "pane explained."
)


class Explanation(NamedTuple):
    """A title and a text."""

    title: str
    text: str


def explanation_for(widget: Widget | None) -> Explanation:
    """What there is to say about a widget, or the nearest one around it."""
    node: DOMNode | None = widget
    while node is not None:
        text = getattr(node, "EXPLAINED", "")
        if text:
            title = getattr(node, "TITLE", "") or str(getattr(node, "border_title", "") or "")
            return Explanation(title or "About this", text)
        node = node.parent
    return Explanation("How it goes", _GENERAL)


class HelpScreen(ModalScreen[None]):
    """A text to scroll; any of the closing keys leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,question_mark,q,enter",
            "dismiss",
            "Close",
            id="help.close",
            tooltip="Back to the game",
        ),
    ]

    def __init__(self, explanation: Explanation, about: Screen[Any]) -> None:
        super().__init__()
        self._explanation = explanation
        self._keys = keys_of(about)

    def compose(self) -> ComposeResult:
        """The explanation, then the keys."""
        title, text = self._explanation
        with VerticalScroll(id="help-box", classes="box") as box:
            box.border_title = Content(title)
            box.border_subtitle = Content("escape closes")
            yield Static(Content(text))
            if text != _GENERAL:
                yield Static(Content.styled(f"\n{_GENERAL}", MUTED))
            yield Static(self._keys)

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one("#help-box").focus()


def keys_of(screen: Screen[Any]) -> Content:
    """The keys that work on a screen now, with what they do."""
    lines = [Content.styled("\nKeys", "bold")]
    listed: set[str] = set()
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.id and binding.description and binding.id not in listed and active.enabled:
            listed.add(binding.id)
            key = screen.app.get_key_display(binding)
            text = binding.tooltip or binding.description
            lines.append(Content.assemble((f"{key:>6}  ", "bold"), text))
    return Content("\n").join(lines)
