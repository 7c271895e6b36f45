"""Explains the pane that has the focus, and the keys that work now."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Static

from chaosops.play.formatting import MUTED
from chaosops.play.glossary import TERMS, explained
from tui.keys.labels import filled, key_of
from tui.widgets.basic.outside import ClosedFromOutside
from tui.widgets.basic.remeasured import Remeasured

_GENERAL = (
    "Each turn is one minute. Look at the board, choose an action, and the simulation moves on. "
    "The four roles see different parts of it: talk. Move the focus with Tab to have another "
    "pane explained."
)


class Explanation(NamedTuple):
    """A title and a text, with the technical terms to explain with it.

    Attributes:
        causes: The definitions of causes that the incident's author added.
    """

    title: str
    text: str
    terms: tuple[str, ...] = ()
    causes: Mapping[str, str] = MappingProxyType({})


def explanation_for(widget: Widget | None) -> Explanation:
    """Return the explanation of a widget, or of the nearest one around it."""
    node: DOMNode | None = widget
    while node is not None:
        text = getattr(node, "EXPLAINED", "")
        if text:
            title = getattr(node, "TITLE", "") or str(getattr(node, "border_title", "") or "")
            said = filled(node, text)
            return Explanation(title or "About this", said, getattr(node, "TERMS", ()))
        node = node.parent
    return Explanation("How it goes", _GENERAL, tuple(TERMS))


class HelpScreen(ClosedFromOutside, Remeasured, ModalScreen[None]):
    """A scrollable text; any of the closing keys leaves it."""

    CSS_PATH = "../../styles/screens.tcss"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,question_mark,q,enter",
            "dismiss",
            "Close",
            id="help.close",
            tooltip="Back to the game",
        ),
        Binding("g", "terms", "All terms", id="help.terms", tooltip="Explain every term"),
    ]

    def __init__(self, explanation: Explanation, about: Screen[Any] | None) -> None:
        """Create a help text.

        Args:
            about: The screen whose keys are listed; None for a text without keys.
        """
        super().__init__()
        self._explanation = explanation
        self._keys = None if about is None else keys_of(about)

    def compose(self) -> ComposeResult:
        """Compose the explanation and the keys."""
        title, text, terms, causes = self._explanation
        with VerticalScroll(id="help-box", classes="box") as box:
            box.border_title = Content(title)
            box.border_subtitle = Content(
                f"{key_of(self, 'help.close')} closes, "
                f"{key_of(self, 'help.terms')} explains every term"
            )
            yield Static(Content(text))
            yield Static(terms_text(terms), id="help-terms")
            if causes:
                yield Static(causes_text(causes))
            if self._keys is not None and text != _GENERAL:
                yield Static(Content.styled(f"\n{_GENERAL}", MUTED))
            if self._keys is not None:
                yield Static(self._keys)

    def on_mount(self) -> None:
        """Focus the text, so that the arrows scroll."""
        self.query_one("#help-box").focus()

    def action_terms(self) -> None:
        """Show every technical term."""
        terms = self.query_one("#help-terms", Static)
        terms.update(terms_text(tuple(TERMS)))
        self.call_after_refresh(terms.scroll_visible, animate=False, top=True)


def terms_text(terms: tuple[str, ...]) -> Content:
    """Return the terms with their meanings; empty if there are none."""
    parts = [Content("")] if terms else []
    for line in explained(terms).splitlines():
        term, _, meaning = line.partition(":")
        parts.append(Content.assemble((term, "bold"), meaning and ":" + meaning))
    return Content("\n").join(parts)


def causes_text(causes: Mapping[str, str]) -> Content:
    """Return the causes that the incident's author added, with their definitions."""
    parts = [Content.styled("\nCauses that this incident adds", "bold")]
    parts += [Content.assemble((name, "bold"), f": {text}") for name, text in causes.items()]
    return Content("\n").join(parts)


def keys_of(screen: Screen[Any]) -> Content:
    """Return the keys that work on a screen now, with what they do."""
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
