"""The labels of keys, which change with the player's keymap."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import format_key, key_to_character
from textual.screen import Screen

_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "enter": "Enter",
        "escape": "Escape",
        "backspace": "Backspace",
        "delete": "Delete",
        "tab": "Tab",
        "space": "Space",
        "home": "Home",
        "end": "End",
        "pageup": "Page Up",
        "pagedown": "Page Down",
        "left": "←",
        "right": "→",
        "up": "↑",
        "down": "↓",
    }
)

TOGETHER: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "incident.next_pane": ("incident.previous_pane", "incident.next_pane"),
        "replay.next_pane": ("replay.previous_pane", "replay.next_pane"),
        "debrief.next_pane": ("debrief.previous_pane", "debrief.next_pane"),
        "briefing.sre": (
            "briefing.sre",
            "briefing.oversight",
            "briefing.dev",
            "briefing.manager",
        ),
        "shift.sre": ("shift.sre", "shift.oversight", "shift.dev", "shift.manager"),
        "choice.next": ("choice.before", "choice.next"),
    }
)
"""Bindings that represent others too in a line of keys."""

_PLACE: Final = re.compile(r"\{([a-z]+\.[a-z_]+)\}")


def key_word(key: str) -> str:
    """Return a key's name for sentences: "Enter", "?", "^q", "f2"."""
    named = _WORDS.get(key)
    if named is not None:
        return named
    character = key_to_character(key)
    if character is not None and character.isprintable() and not character.isspace():
        return character
    if "+" in key:
        return key.replace("ctrl+", "^")
    return format_key(key)


def declared(node: DOMNode) -> Iterator[Binding]:
    """Yield the built-in bindings of a node's class."""
    for kind in type(node).__mro__:
        for binding in vars(kind).get("BINDINGS", ()):
            if isinstance(binding, Binding):
                yield binding


def keys_now(app: App[Any], binding: Binding) -> tuple[str, ...]:
    """Return the current keys of a built-in binding, in Textual's names."""
    own: Mapping[str, str] = getattr(app, "own_keys", {})
    return tuple(key.strip() for key in (own.get(binding.id or "") or binding.key).split(","))


def key_of(node: DOMNode, name: str) -> str:
    """Return the name of the current first key of a binding of a node, its screen or the app.

    Raises:
        KeyError: None of them has a binding of that id.
    """
    for holder in _holders(node):
        for binding in declared(holder):
            if binding.id == name:
                return key_word(keys_now(node.app, binding)[0])
    raise KeyError(name)


def key_if_any(node: DOMNode, name: str) -> str:
    """Return the same; empty if none of them has such a binding."""
    try:
        return key_of(node, name)
    except KeyError:
        return ""


def filled(node: DOMNode, text: str) -> str:
    """Replace "{screen.binding}" in a text by the keys of the bindings."""
    return _PLACE.sub(lambda place: key_of(node, place[1]), text)


def shown_together(node: DOMNode, binding: Binding) -> str:
    """Return the label of a binding in a line of keys, with those that it represents."""
    names = TOGETHER.get(binding.id or "")
    if names is None:
        return node.app.get_key_display(binding)
    words = [key_of(node, name) for name in names]
    is_run = len(words) > 2 and "".join(words) in "123456789"
    return f"{words[0]}-{words[-1]}" if is_run else " ".join(words)


def _holders(node: DOMNode) -> Iterator[DOMNode]:
    yield node
    if not isinstance(node, Screen | App):
        yield node.screen
    if not isinstance(node, App):
        yield node.app
