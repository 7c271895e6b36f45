"""The player's keymap: the bindings that exist, and which keys they may have.

Textual accepts any keymap, even nonsense and keys that hide each other, so
it is checked here first.
"""

from __future__ import annotations

import importlib
import pkgutil
import string
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys

from chaosops.play.action_form.picks import OFFER_KEYS, PICK_KEYS

MODIFIERS: Final = ("ctrl", "alt", "shift", "super", "hyper", "meta")

FIXED: Final = frozenset({"app.interrupt"})
"""Bindings that can't be changed, so that there is always a way out."""

COMPANIONS: Final[Mapping[str, frozenset[str]]] = {
    "incident": frozenset({"picker", "lines", "list", "tabs", "logs", "reward", "findings"}),
    "replay": frozenset({"lines", "list", "tabs", "logs", "reward", "findings"}),
    "instrument": frozenset({"lines", "list", "tabs", "chart", "log", "trace", "table"}),
    "debrief": frozenset({"lines", "list"}),
    "glossary": frozenset({"lines", "list"}),
    "rate": frozenset({"scale"}),
    "briefing": frozenset({"choice"}),
    "shift": frozenset({"choice"}),
    "settings": frozenset({"choice", "link"}),
}
"""Widgets whose bindings can be active together with those of a screen."""

_SUGGESTIONS: Final = 20
"""The most unknown ids for which a similar one is suggested."""
_LONGEST_ID: Final = 60

PICKS: Final = frozenset(
    sign if sign.isalnum() else unicodedata.name(sign).lower().replace(" ", "_")
    for sign in f"0{PICK_KEYS}{OFFER_KEYS}"
)
"""Keys that choose an action in a game, wherever the focus is."""


class KnownBinding(NamedTuple):
    """A built-in binding."""

    id: str
    description: str
    tooltip: str
    keys: tuple[str, ...]

    @property
    def scope(self) -> str:
        """The screen or widget it belongs to: the part of its id before the dot."""
        return self.id.partition(".")[0]


class RefusedKey(NamedTuple):
    """An entry of a keymap that is not used."""

    id: str
    message: str


def known_bindings() -> dict[str, KnownBinding]:
    """Return every binding of the game by its id. This imports every screen and widget."""
    found: dict[str, KnownBinding] = {}
    for binding in _bindings():
        if binding.id:
            found[binding.id] = KnownBinding(
                binding.id,
                binding.description,
                binding.tooltip,
                tuple(normal(key) for key in binding.key.split(",")),
            )
    return found


def normal(key: str) -> str:
    """Return Textual's name of a key: "?" becomes "question_mark", "A" stays "A"."""
    key = key.strip()
    if len(key) != 1 or key.isalnum():
        return key
    name = unicodedata.name(key, key).lower().replace("-", "_").replace(" ", "_")
    return KEY_NAME_REPLACEMENTS.get(name, name)


_NAMED: Final = frozenset({str(item.value) for item in Keys}) | {
    normal(character) for character in string.punctuation
}


def is_key(key: str) -> bool:
    """Whether a key of that name can exist."""
    *modifiers, base = key.split("+") if len(key) > 1 else [key]
    if any(modifier not in MODIFIERS for modifier in modifiers):
        return False
    if len(base) == 1:
        return base.isprintable()
    return base in _NAMED and not base.startswith("<")


def checked(
    keymap: Mapping[str, str], known: Mapping[str, KnownBinding]
) -> tuple[dict[str, str], list[RefusedKey]]:
    """Return the valid entries of a keymap, in Textual's names, and the others with the reason.

    Args:
        keymap: Keys separated by commas, by the id of a binding.
        known: The game's bindings.
    """
    good: dict[str, str] = {}
    refused: list[RefusedKey] = []
    for name, text in keymap.items():
        problem = _problem(name, text, known, suggests=len(refused) < _SUGGESTIONS)
        if problem:
            refused.append(RefusedKey(name, problem))
        else:
            good[name] = ",".join(dict.fromkeys(normal(key) for key in _split(text)))
    while hidden := next(
        (RefusedKey(name, why) for name in good if (why := _hidden_by(name, good, known))), None
    ):
        # The built-in key of a refused entry may belong to another one now, so check again.
        del good[hidden.id]
        refused.append(hidden)
    return good, refused


def _problem(name: str, text: str, known: Mapping[str, KnownBinding], *, suggests: bool) -> str:
    """Explain why an entry can't be used; empty if it can.

    Args:
        suggests: Whether to suggest a similar id, which takes a while.
    """
    if name not in known:
        from difflib import get_close_matches

        near = get_close_matches(name[:_LONGEST_ID], known, 1) if suggests else []
        cure = f"did you mean {near[0]}?" if near else "see Keys in the settings for the ids"
        return f"no such key binding; {cure}"
    if name in FIXED:
        return "this key can't be changed, so that there is always a way out"
    for key in _split(text):
        if not is_key(normal(key)):
            return f"there is no key '{key}'; write it as f5, ctrl+n, question_mark or x"
    return ""


def _split(text: str) -> list[str]:
    return [","] if text.strip() == "," else [key.strip() for key in text.split(",")]


def _hidden_by(name: str, good: Mapping[str, str], known: Mapping[str, KnownBinding]) -> str:
    """Explain why an entry would take a key from another binding; empty if it doesn't."""
    scope = known[name].scope
    for key in good[name].split(","):
        if key in PICKS and _meet(scope, "incident"):
            return f"{key} chooses an action in a game; use another key"
        for other in known.values():
            if other.id == name or not _meet(scope, other.scope):
                continue
            theirs = good[other.id].split(",") if other.id in good else other.keys
            if key in theirs:
                what = f"'{other.description}' ({other.id})"
                return f"{key} is already used by {what}; use another key, or change that one"
    return ""


def _meet(a: str, b: str) -> bool:
    """Whether bindings of two scopes can be active at the same time."""
    if a == b or "app" in (a, b):
        return True
    return b in COMPANIONS.get(a, ()) or a in COMPANIONS.get(b, ())


def _bindings() -> Iterator[Binding]:
    import tui

    for found in pkgutil.walk_packages(tui.__path__, "tui."):
        if "plain" in found.name or found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for value in list(vars(module).values()):
            if (
                isinstance(value, type)
                and issubclass(value, DOMNode)
                and value.__module__ == found.name
            ):
                yield from (
                    binding
                    for binding in vars(value).get("BINDINGS", [])
                    if isinstance(binding, Binding)
                )
