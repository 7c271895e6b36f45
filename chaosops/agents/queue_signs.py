"""Signs of a queue: its partitions, who publishes there, and the group that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chaosops.agents.cells import numbers
from chaosops.env.models import Sign
from chaosops.env.models.readings import Reading, Table, TableKind, column

_HOT: Final = 2.5
_SLOW: Final = 1.6
_REBALANCING: Final = "PreparingRebalance"


def seen(reading: Reading) -> Iterator[tuple[Sign, str]]:
    """Find what the inside of a queue shows."""
    partitions, group = reading.table(TableKind.PARTITIONS), reading.table(TableKind.CONSUMERS)
    if partitions is None or group is None:
        return
    here = reading.target
    consumer = next((str(each.values[0]) for each in group.stated if each.column == "member"), "")
    stuck = max(numbers(partitions, "errors, last minute"), default=0.0) >= 1.0
    if stuck:
        yield Sign.SAME_MESSAGE_FAILS, here
    yield (
        (Sign.PARTITION_SKEW if _is_skewed(partitions) else Sign.PARTITIONS_EVEN),
        (_publisher(reading) or here),
    )
    if _REBALANCING in column(group, "group state"):
        yield Sign.GROUP_REBALANCES, consumer
        return
    yield Sign.GROUP_STABLE, here
    slow = any(
        now - waiting > _SLOW * before
        for now, waiting, before in zip(
            numbers(group, "mean time"),
            numbers(group, "waiting for cpu"),
            numbers(group, "a week ago"),
            strict=True,
        )
    )
    yield (Sign.MESSAGES_SLOW if slow else Sign.MESSAGES_FAST), consumer


def _is_skewed(table: Table) -> bool:
    """Whether one partition gets several times as much as most others."""
    came = sorted(
        kept + held
        for kept, held in zip(numbers(table, "in"), numbers(table, "held back"), strict=True)
    )
    return len(came) > 2 and came[-1] > _HOT * max(1.0, came[len(came) // 2])


def _publisher(reading: Reading) -> str:
    """Return the service that publishes most."""
    table = reading.table(TableKind.PRODUCERS)
    if table is None:
        return ""
    sent, names = numbers(table, "messages"), column(table, "producer")
    most = max(range(len(sent)), key=lambda k: sent[k], default=-1)
    return str(names[most]) if most >= 0 else ""
