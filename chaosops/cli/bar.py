"""Shows the progress of a long command on stderr, if stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from chaosops.cli.errors import is_terminal

_ItemT = TypeVar("_ItemT")


def over(items: Iterable[_ItemT], total: int, what: str) -> Iterator[_ItemT]:
    """Yield the items and advance a progress bar after each one."""
    with moving(total, what) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def moving(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show a progress bar and yield the function that advances it by one of `total` steps."""
    if not total or not is_terminal(sys.stderr):
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # Leave stdout alone if it is redirected to a file.
    with Progress(
        console=Console(stderr=True), transient=True, redirect_stdout=is_terminal(sys.stdout)
    ) as progress:
        task = progress.add_task(what, total=total)
        yield lambda: progress.advance(task)
