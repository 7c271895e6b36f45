"""Several processes for a command, with a progress bar."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import click

from chaosops.cli.bar import over
from chaosops.worker_pool import WorkerPool

_ItemT = TypeVar("_ItemT")
_ResultT = TypeVar("_ResultT")
_Decorated = TypeVar("_Decorated", bound=Callable[..., Any])


def jobs_option(command: _Decorated) -> _Decorated:
    """Add `--jobs`; the parameter is `jobs`."""
    return click.option(
        "--jobs",
        metavar="NUMBER",
        type=click.IntRange(1, 64),
        default=1,
        help="Number of processes; 1 by default. The results are the same.",
    )(command)


class BarredPool(NamedTuple):
    """Distributes work over the processes of a pool, with a progress bar on a terminal.

    Attributes:
        what: The bar's label.
    """

    what: str
    pool: WorkerPool

    def __call__(
        self, function: Callable[[_ItemT], _ResultT], items: Sequence[_ItemT], /
    ) -> Iterator[_ResultT]:
        """Yield the results in the order of the items.

        Raises:
            WorkerError: A process died, or could not be started.
        """
        return over(self.pool.spread(function, items), len(items), self.what)
