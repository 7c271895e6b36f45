"""What a player and a terminal can do to the game, as words that can be kept and typed again."""

from __future__ import annotations

import string
from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from tui.keys.keymap import known_bindings

SIZES: Final = ("80x24", "120x40", "60x20", "200x50", "10x3", "2x1", "1x1", "36x12")
WORDS: Final = ("set", "se", "theme", "key", "rec", "hint", "re", "zz", "light", "back")
TYPED: Final = string.ascii_letters + string.digits + string.punctuation
LEAVING: Final = frozenset({"ctrl+c", "ctrl+q", "ctrl+z"})
"""Keys that end or suspend the game, as they should; they are not sent."""

MOVES: Final = (
    *("up", "down", "left", "right", "pageup", "pagedown", "home", "end"),
    *("tab", "shift+tab", "backspace", "delete", "space", "f2", "ctrl+t"),
)


class Burst(NamedTuple):
    """What is sent to one fixture, word by word.

    Attributes:
        fixture: The name of the fixture that it begins with.
        size: Columns and rows, as in "80x24".
        acts: "key enter", "click 3 4", "move 3 4", "wheel 3 4", "size 80x24", "paste text", or
            "wait" for the screen to catch up. Between all others nobody waits.
    """

    fixture: str
    size: str
    acts: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((f"fixture {self.fixture}", f"start {self.size}", *self.acts))

    @staticmethod
    def parsed(text: str) -> Burst:
        """A burst from its text, as `str` gives it."""
        fixture, size, *acts = text.strip().splitlines()
        return Burst(fixture.removeprefix("fixture "), size.removeprefix("start "), tuple(acts))


def bound_keys() -> tuple[str, ...]:
    """Every key that does something somewhere."""
    keys = {key for known in known_bindings().values() for key in known.keys}
    return tuple(sorted((keys | {"ctrl+p"}) - LEAVING))


def burst(seed: int, fixtures: Sequence[str], length: int = 60) -> Burst:
    """The burst of a seed: the same on every machine."""
    random = Random(seed)
    keys = bound_keys()
    acts: list[str] = []
    while len(acts) < length:
        acts += _some(random, keys)
    return Burst(random.choice(fixtures), random.choice(SIZES[:4]), tuple(acts))


def _some(random: Random, keys: Sequence[str]) -> list[str]:
    kind = random.random()
    if kind < 0.30:
        return [f"key {random.choice(keys)}"]
    if kind < 0.45:
        return [f"key {random.choice(MOVES)}"]
    if kind < 0.55:
        return ["key enter"] * random.choice((1, 1, 2, 3))
    if kind < 0.62:
        return ["key escape"] * random.choice((1, 1, 2))
    if kind < 0.70:
        return [f"key {random.choice(TYPED)}"]
    if kind < 0.80:
        return ["key ctrl+p", *(f"key {c}" for c in random.choice(WORDS)), "key enter", "key enter"]
    if kind < 0.83:
        return [f"size {random.choice(SIZES)}"]
    if kind < 0.85:
        return ["paste 0 a b"]
    if kind < 0.97:
        verb = random.choice(("click", "click", "move", "wheel"))
        return [f"{verb} {random.randrange(120)} {random.randrange(40)}"]
    return ["wait"]
