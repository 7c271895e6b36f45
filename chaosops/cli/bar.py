"""A bar on stderr that says how far a long command is, where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from chaosops.cli.errors import is_terminal

_ItemT = TypeVar("_ItemT")


def over(items: Iterable[_ItemT], total: int, what: str) -> Iterator[_ItemT]:
    """The items, one after another, with a bar that moves with each."""
    with moving(total, what) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def moving(total: int, what: str) -> Iterator[Callable[[], None]]:
    """A bar, and what moves it on by one of so many steps; none where there are no steps."""
    if not total or not is_terminal(sys.stderr):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # What is printed meanwhile stays where it goes: to a file, where that is the output.
    with Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=is_terminal(sys.stdout)
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
