"""What instruments show of healthy services, measured and held against what real ones show.

`python -m tests.env.instruments.healthy_figures --write docs/physics.md` writes the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from math import floor
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.cli.insert import insert
from chaosops.env.models.readings import TableKind
from chaosops.output import say
from tests.env.instruments import healthy_readings as read
from tests.env.instruments.healthy_services import Population, population, quiet_situations

MARK: Final = "healthy"
"""The comments of the page between which the table is."""

SEEDS: Final = 3
"""Seeds of each situation behind the table."""


class Figure(NamedTuple):
    """A figure of the reference, and how it is read off the instruments.

    Attributes:
        reference: What real instruments show, in words.
        least, most: The range in which the median has to be.
        measure: Every value of it.
        differs: Why the median isn't in the range, where the simulator simplifies.
        digits: Digits after the point.
    """

    name: str
    unit: str
    reference: str
    least: float
    most: float
    measure: read.Of
    differs: str = ""
    digits: int = 1


class Spread(NamedTuple):
    """The distribution of a figure."""

    low: float
    middle: float
    high: float
    count: int


def spread(values: Iterable[float]) -> Spread:
    """Return the 5th, 50th and 95th percentile, each between the two values next to it."""
    ordered = sorted(values)
    assert ordered, "nothing was measured"
    return Spread(*(_quantile(ordered, share) for share in (0.05, 0.5, 0.95)), len(ordered))


def _quantile(ordered: list[float], share: float) -> float:
    at = share * (len(ordered) - 1)
    i = floor(at)
    after = ordered[min(i + 1, len(ordered) - 1)]
    return ordered[i] + (at - i) * (after - ordered[i])


def within(figure: Figure, measured: Spread) -> bool:
    """Whether the median is in the figure's range."""
    return figure.least <= measured.middle <= figure.most


_BOUNDED: Final = "noise is bounded, so a p99 of twice the usual always has its reason in the fleet"
_SAMPLED: Final = (
    "a view has sixty requests a minute of a service, and hardly one of so few ends in an error"
)
_FEW_LINES: Final = "what is no application logs no requests, so its routine warnings weigh more"
_WIDE_POOLS: Final = (
    "the smallest pools have four connections, of which a quiet instance needs less than one, and "
    "each idle one is an idle session"
)
_NO_CHECKPOINT: Final = "a checkpoint is a line of the log, and the device doesn't show it"
_HIT_RATES: Final = (
    "topologies set 90 to 92 %, so that what cold caches send to stores is about ten times as much"
)
FIGURES: Final = (
    Figure("requests, swing in 15 min", "%", "±3 to 6", 3, 6, read.swing("requests", 15)),
    Figure("errors", "%", "0.01 to 0.1", 0.01, 0.1, read.minutes("errors"), digits=2),
    Figure("p50, swing in an hour", "%", "±5", 2.5, 5, read.swing("p50")),
    Figure("p95, swing in an hour", "%", "±12", 6, 12, read.swing("p95")),
    Figure("p99, swing in an hour", "%", "±25", 12.5, 25, read.swing("p99")),
    Figure(
        "p99, lone spikes an hour", "", "1 of x2", 0.5, 2, read.hourly(read.lone_spikes), _BOUNDED
    ),
    Figure("WARN in logs of applications", "%", "0.5 to 3", 0.5, 3, read.warned(apps=True)),
    Figure("WARN in logs of others", "%", "0.5 to 3", 0.5, 3, read.warned(apps=False), _FEW_LINES),
    Figure(
        "ERROR lines", "a minute", "1 to 5", 1, 5, read.at_looks(read.failed_lines), _SAMPLED, 2
    ),
    Figure("CPU", "%", "35 to 60", 35, 60, read.minutes("cpu"), digits=0),
    Figure("CPU of an instance, from the mean", "%", "±8", 4, 8, read.hourly(read.instances_apart)),
    Figure(
        "periods throttled",
        "%",
        "0 to 3",
        0,
        3,
        read.inside(TableKind.CPU_QUOTA, "periods throttled"),
    ),
    Figure(
        "restarts of an instance",
        "",
        "0 to 2 a week",
        0,
        2,
        read.inside(TableKind.INSTANCES, "restarts"),
        digits=0,
    ),
    Figure("time in gc", "%", "0.5 to 3", 0.5, 3, read.inside(TableKind.COLLECTION, "time in gc")),
    Figure(
        "longest pause of gc",
        "ms",
        "5 to 40",
        5,
        40,
        read.inside(TableKind.COLLECTION, "longest pause"),
        digits=0,
    ),
    Figure(
        "heap after full gc, change a minute",
        "points",
        "flat",
        -0.05,
        0.05,
        read.inside(TableKind.COLLECTION, "change per minute"),
        digits=2,
    ),
    Figure("sessions, idle", "%", "70", 60, 80, read.at_looks(read.idle), _WIDE_POOLS, 0),
    Figure("sessions, active", "", "2 to 8", 2, 8, read.at_looks(read.active), digits=0),
    Figure("longest wait for a lock", "ms", "below 200", 0, 200, read.at_looks(read.lock_waits_ms)),
    Figure("deadlocks", "an hour", "0 to 2", 0, 2, read.hourly(read.deadlocks)),
    Figure("await of a database", "ms", "0.5 to 2", 0.5, 2, read.hourly(read.device_ms)),
    Figure("await, bumps an hour", "", "12", 6, 18, read.hourly(read.bumps), _NO_CHECKPOINT),
    Figure("pool, in use", "%", "15 to 40", 15, 40, read.at_looks(read.pool_used), digits=0),
    Figure("pool, waiting", "", "0 to 3", 0, 3, read.inside(TableKind.POOL, "waiting"), digits=0),
    Figure("replay lag", "s", "0 to 0.3", 0, 0.3, read.at_looks(read.replica_lag), digits=2),
    Figure("cache hits", "%", "94 to 98", 94, 98, read.minutes("hit rate"), _HIT_RATES),
    Figure(
        "cache hits, node from the mean", "points", "±0.5", 0.1, 0.5, read.at_looks(read.hits_apart)
    ),
    Figure(
        "lag of a partition",
        "",
        "0 to 200",
        0,
        200,
        read.inside(TableKind.PARTITIONS, "lag"),
        digits=0,
    ),
    Figure(
        "consumers in a stable group", "%", "all", 100, 100, read.at_looks(read.settled), digits=0
    ),
    Figure(
        "packets lost",
        "%",
        "0 to 0.05",
        0,
        0.05,
        read.outside(TableKind.ZONE_PAIRS, "loss"),
        digits=2,
    ),
    Figure(
        "retransmits",
        "%",
        "0.01 to 0.1",
        0.01,
        0.1,
        read.outside(TableKind.ZONE_PAIRS, "retransmits"),
        digits=2,
    ),
    Figure(
        "connect in a zone",
        "ms",
        "0.3",
        0.2,
        0.4,
        read.at_looks(read.connects(near=True)),
        digits=2,
    ),
    Figure(
        "connect across zones",
        "ms",
        "0.6 to 1.5",
        0.6,
        1.5,
        read.at_looks(read.connects(near=False)),
        digits=2,
    ),
    Figure("look-up of a name", "ms", "1 to 5", 1, 5, read.outside(TableKind.PROBES, "lookup")),
    Figure(
        "addresses named first", "of 3", "they rotate", 2, 3, read.at_looks(read.answers), digits=0
    ),
    Figure("clock offset", "ms", "±2", -2, 2, read.outside(TableKind.PROBES, "clock offset")),
    Figure(
        "certificate",
        "days left",
        "30 to 89",
        30,
        89,
        read.outside(TableKind.PROBES, "certificate"),
        digits=0,
    ),
    Figure("failed checks", "%", "0.02", 0, 0.04, read.hourly(read.failed_checks), digits=2),
    Figure("deploys", "a day", "3 to 12", 3, 12, read.by_fleet(read.deploys), digits=0),
    Figure("acts of agents", "an hour", "5 to 20", 5, 20, read.by_fleet(read.acts), digits=0),
    Figure(
        "refused requests of agents",
        "an hour",
        "some",
        1,
        20,
        read.by_fleet(read.refused),
        digits=0,
    ),
)
"""The figures of the reference that instruments show, in its order."""


def page(found: Population) -> str:
    """Return the table as Markdown."""
    fleets = ", ".join(f"{name} {count}" for name, count in found.topologies.items())
    lines = [
        f"{len(found.hours)} healthy services in {len(found.fleets)} incidents ({fleets}).",
        "",
        "| figure | unit | usual | 5th | median | 95th | n | as usual |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for figure in FIGURES:
        measured = spread(figure.measure(found))
        cells = [_shown(value, figure.digits) for value in measured[:3]]
        said = "yes" if within(figure, measured) else f"no: {figure.differs or 'not explained'}"
        lines.append(
            f"| {figure.name} | {figure.unit} | {figure.reference} | {' | '.join(cells)} "
            f"| {measured.count:,} | {said} |"
        )
    return "\n".join(lines)


def _shown(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"


def main() -> None:
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", metavar="FILE", type=Path, help="write the table into this page")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="seeds of each situation")
    given = parser.parse_args()
    text = page(population(quiet_situations(), given.seeds))
    if given.write is not None:
        insert(given.write, MARK, text)
    say(text)


if __name__ == "__main__":
    main()
