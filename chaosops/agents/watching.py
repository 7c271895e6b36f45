"""What tables of monitoring show: its checks, and how its figures are collected."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.cells import numbers
from chaosops.env.models import Sign
from chaosops.env.models.readings import Table, TableKind

_LATE_S: Final = 120.0
_FEW: Final = 200.0


def _checks(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    made, failed = numbers(table, "checks, last 5 min"), sorted(numbers(table, "failed"))
    if not made or failed[-1] <= 1.0:
        yield Sign.CHECKS_PASS, here
    elif failed[-1] >= made[0] and failed[-2] <= 0.2 * made[0]:
        yield Sign.CHECK_REFUSED, here
    else:
        yield Sign.CHECKS_FAIL, here


def _collected(table: Table, here: str) -> Iterator[tuple[Sign, str]]:
    if max(numbers(table, "newest point"), default=0.0) >= _LATE_S:
        yield Sign.FIGURES_LATE, here
    if min(numbers(table, "requests behind a point"), default=_FEW) < _FEW:
        yield Sign.FEW_COUNTED, here


OF_TABLES: Final[Mapping[TableKind | None, Callable[[Table, str], Iterator[tuple[Sign, str]]]]] = (
    MappingProxyType({TableKind.CHECKS: _checks, TableKind.COLLECTED: _collected})
)
"""What reads each kind of table."""
