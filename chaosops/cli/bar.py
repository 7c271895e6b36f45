"""A bar on stderr that says how far a long command is, where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from chaosops.cli.errors import is_terminal

_ItemT = TypeVar("_ItemT")

_WORTH_IT = 2


def over(items: Iterable[_ItemT], total: int, what: str) -> Iterator[_ItemT]:
    """The items, one after another, with a bar that moves with each."""
    if total < _WORTH_IT or not is_terminal(sys.stderr):
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, what, total, transient=True, console=Console(stderr=True))
