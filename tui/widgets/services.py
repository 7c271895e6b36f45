"""The services pane: the dependency tree with health, golden signals and their recent history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from textual.content import Content

from chaosops.env.models import Health, RoleView, ServiceSignals
from tui.fleet import (
    HISTORY_MINUTES,
    Branch,
    deepest_unwell,
    failing_path,
    health_of,
    history_of,
    path_ends,
    tree,
    unwell_minutes,
)
from tui.in_force import told
from tui.widgets.lines import Row
from tui.widgets.pane import Pane
from tui.words import HEALTH_SHAPES, HEALTH_STYLES, MUTED, milliseconds, shown, sparkline

_SPARK_LEAST = 7
_HEALTH = 11
_SINCE = 4


class Column(NamedTuple):
    """A figure of a service: heading, width, and the field of `ServiceSignals` it shows."""

    title: str
    width: int
    field: str


_CORE = (
    Column("rps", 6, "rps"),
    Column("p95", 7, "p95_ms"),
    Column("err", 7, "errors"),
    Column("busy", 5, "busy"),
)
_EXTRA = (
    Column("mem", 6, "memory"),
    Column("disk", 6, "disk"),
    Column("pool", 6, "pool"),
    Column("hit", 6, "hit"),
    Column("wait", 7, "backlog"),
    Column("inst", 6, "replicas"),
)


class ServicesPane(Pane):
    """Health in a word, a shape and a colour; figures as far as the role sees them."""

    NAME = "services"
    TITLE = "Services"
    NOTHING = "No service is visible to this role."
    FOLLOWS = False
    TERMS = ("golden signals", "p95", "saturation", "dependency", "retry storm")
    EXPLAINED: ClassVar[str] = (
        "Who calls whom, from the users down; each service stands once, under its first caller.\n\n"
        "health  ● healthy, ▲ degraded, ■ critical, ✖ down: errors and latency against what is "
        "usual for the service.\n"
        "for     minutes in a row it has been unwell.\n"
        "rps     requests a second offered to it.\n"
        "p95     95 of 100 requests are faster than this, calls included.\n"
        "err     share of its requests that fail.\n"
        "busy    compute in use. Low while the service is slow means that it waits for something.\n"
        "mem, disk, pool   in use, percent of the limit; hit: cache hits; wait: requests that "
        "queue; inst: instances.\n"
        "◂       unwell, while nothing it calls is: look here first. The heavy line leads there "
        "from the users. Where it ends without ◂, that service calls one that you do not see.\n"
        "↳       what an action has changed there and is still in force, and what undoes it.\n\n"
        "The bars are the last 30 minutes: errors, then latency."
    )

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role sees signals, or at least health."""
        return view.services is not None or view.health is not None

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """The heading and one row a service."""
        signals = {item.service: item for item in view.services or ()}
        health = health_of(view)
        history = history_of(view)
        marked = deepest_unwell(view.graph, health)
        branches, on_path = failing_path(tree(view.graph), path_ends(view.graph, health), health)
        if not branches:
            return []
        name_width = max(len(branch.guides) + len(branch.name) for branch in branches) + 3
        name_width = min(max(name_width, 12), 34)
        columns, spark = _fit(width, name_width, signals.values())
        rows = [Row(_heading(name_width, columns, spark))]
        for branch in branches:
            past = history.get(branch.name, [])
            rows.append(
                Row(
                    Content.assemble(
                        _name(branch, name_width, branch.name in marked, branch.name in on_path),
                        _health(health.get(branch.name), past),
                        *_figures(columns, signals.get(branch.name)),
                        _sparks(past, spark),
                    )
                )
            )
            rows += _in_force_rows(branch, view, name_width)
        return rows


def _in_force_rows(branch: Branch, view: RoleView, name_width: int) -> list[Row]:
    """What people's actions have left in force on a service, below it."""
    indent = min(name_width, len(branch.guides) + 2)
    return [
        Row(Content.assemble(" " * indent, ("↳ ", MUTED), (told(item, view), "bold")), indent + 2)
        for item in view.in_force
        if item.target == branch.name
    ]


def _fit(
    width: int, name_width: int, signals: Iterable[ServiceSignals]
) -> tuple[list[Column], int]:
    """The columns that fit, and the width of each of the two sparklines (0 for none)."""
    seen = {
        field
        for item in signals
        for field, value in zip(item._fields, item, strict=True)
        if value is not None
    }
    if not seen:
        return [], 0
    room = width - name_width - _HEALTH - _SINCE
    columns: list[Column] = []
    for column in _CORE:
        if room >= column.width and column.field in seen:
            columns.append(column)
            room -= column.width
    spark = _SPARK_LEAST if room >= 2 * _SPARK_LEAST + 2 else 0
    room -= 2 * spark + 2 if spark else 0
    for column in _EXTRA:
        if spark and room >= column.width and column.field in seen:
            columns.append(column)
            room -= column.width
    if spark:
        spark = min(HISTORY_MINUTES, spark + max(0, room) // 2)
    return columns, spark


def _heading(name_width: int, columns: Sequence[Column], spark: int) -> Content:
    text = (
        " " * name_width
        + "health".ljust(_HEALTH)
        + ("for" if spark or columns else "").rjust(_SINCE)
    )
    text += "".join(column.title.rjust(column.width) for column in columns)
    if spark:
        text += " " + "errors".rjust(spark) + " " + "latency".rjust(spark)
    return Content.styled(text, MUTED)


def _name(branch: Branch, width: int, marked: bool, on_path: bool) -> Content:
    room = max(1, width - len(branch.guides) - 2)
    name = shown(branch.name, room)
    rest = width - len(branch.guides) - len(name)
    tail = ("◂" if marked else " ").rjust(rest - 1) + " " if rest > 1 else " " * rest
    lines = Content("").join(
        Content.styled(mark, "bold $error" if mark in "┣┗┃┠" else MUTED) for mark in branch.guides
    )
    return lines + Content.assemble((name, "bold" if on_path else ""), (tail, "bold"))


def _health(state: Health | None, past: Sequence[ServiceSignals]) -> Content:
    if state is None:
        return Content(" " * (_HEALTH + _SINCE))
    since, longer = unwell_minutes(past)
    minutes = f"{since}m{'+' if longer else ''}" if since else ""
    word = f"{HEALTH_SHAPES[state]} {state.value}".ljust(_HEALTH)
    return Content.assemble((word, HEALTH_STYLES[state]), (minutes.rjust(_SINCE), MUTED))


def _figures(columns: Sequence[Column], item: ServiceSignals | None) -> Iterator[Content]:
    for column in columns:
        value = None if item is None else getattr(item, column.field)
        text = "·" if value is None else _figure(column.field, value)
        yield Content.styled(text.rjust(column.width), MUTED if value is None else "")


def _figure(field: str, value: float) -> str:
    if field == "errors":
        return f"{value * 100:.1f}%"
    if field == "p95_ms":
        return milliseconds(int(value)).replace(" ms", "ms").replace(" s", "s")
    if field in ("busy", "memory", "disk", "pool", "hit"):
        return f"{int(value)}%"
    return f"{int(value)}" if value < 100_000 else f"{int(value) // 1000}k"


def _sparks(past: Sequence[ServiceSignals], width: int) -> Content:
    if not width:
        return Content("")
    if not past:
        return Content(" " * (2 * width + 2))
    errors = [item.errors**0.5 for item in past]
    latency = [float(item.p95_ms) for item in past]
    floor = min(latency)
    first = sparkline(errors, 0.0, max(0.5, *errors), width)
    second = sparkline(latency, floor, max(floor * 3, *latency), width)
    return Content(f" {first} {second}")
