"""The services pane: the dependency tree with health, golden signals and their recent history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final, NamedTuple

from textual.content import Content

from chaosops.env.models import Health, RoleView
from chaosops.env.models.signals import SIGNALS, SignalFormat, SignalSpec
from chaosops.play.cells import CellPlace, Piece, placed, unplaced
from chaosops.play.formatting import (
    HEALTH_SHAPES,
    HEALTH_STYLES,
    MUTED,
    milliseconds,
    shown,
    sparkline,
)
from chaosops.play.in_force import effect_and_undo
from chaosops.play.outlook import ExpectedLimit, expected_limits
from chaosops.play.service_tree import (
    HEAVY,
    HISTORY_MINUTES,
    Branch,
    FleetRow,
    fleet,
    unhealthy_minutes,
)
from chaosops.presenter import Entry, TakenAction, entries
from tui.widgets.basic.lines import Row
from tui.widgets.panes.object_pane import ObjectPane

_HEALTH = 11
_SINCE = 3
_TIER = 10
SOME_FAIL: Final = 0.02
"""The share of errors from which a service is unhealthy."""
_SLOW: Final = 2.5
_SLOW_MS: Final = 20.0
"""A service is slow from so many times its usual latency on, and so many milliseconds more."""
_SPARK_LEAST = 4
_SPARK_ROOMY = 10
"""How wide a sparkline is before signals that few services have get columns of their own."""


_COLUMNS = tuple(sorted(SIGNALS, key=lambda spec: spec.place))
_COMMON = tuple(spec for spec in _COLUMNS if spec.is_common)
_SPARSE = tuple(spec for spec in _COLUMNS if not spec.is_common)
_EXPLAINED = "\n".join(f"{spec.heading.ljust(7)} {spec.help}" for spec in _COLUMNS)


class SignalLayout(NamedTuple):
    """How the signals are laid out at a width.

    Attributes:
        columns: Those with a column each.
        rest: Those below the tree, service by service, so that no width hides a signal.
        spark: The width of each of the two sparklines, 0 for none.
    """

    columns: tuple[SignalSpec, ...]
    rest: tuple[SignalSpec, ...]
    spark: int

    @property
    def cells(self) -> int:
        """How many cells the columns and the sparklines take."""
        sparks = 2 * (self.spark + 1) if self.spark else 0
        return sum(column.width for column in self.columns) + sparks


class ServicesPane(ObjectPane):
    """Health in a word, a shape and a colour; figures as far as the role sees them."""

    NAME = "services"
    TITLE = "Services"
    NOTHING = "This role can't see any services."
    FOLLOWS = False
    IS_TABLE = True
    TERMS = ("golden signals", "p95", "saturation", "dependency", "retry storm")
    EXPLAINED: ClassVar[str] = (
        "Services and their dependencies, from the users down; each is listed once, under its "
        "first caller.\n\n"
        "health  ● healthy, ▲ degraded from 2 % errors or 2.5 times the usual latency on, "
        "■ critical from 20 % or 8 times on, ✖ down. What makes it so is in colour.\n"
        "for     minutes that it has been unhealthy without a break.\n"
        f"{_EXPLAINED}\n"
        "Signals without a column are below the tree; the tier needs a wide screen.\n"
        "◂       unhealthy, while its own dependencies are healthy: investigate here first. The "
        "heavy line leads there from the users. If it ends without ◂, you can't see the dependency "
        "below it.\n"
        "↳       a lasting effect of an action there, and how to undo it.\n"
        "!       a limit that will be reached if it goes on as in the last 5 to 10 minutes.\n\n"
        "The bars show the last 30 minutes: errors, then latency."
    )

    _brought_to = 0

    def _fill(self) -> None:
        super()._fill()
        if self.scroll_offset.y == self._brought_to:
            self.call_after_refresh(self._bring_into_view)

    def _bring_into_view(self) -> None:
        """Scroll to where to begin, unless somebody has scrolled."""
        subjects = [row.subject for row in self._rows]
        # The rows may be of an earlier view by the time of the refresh.
        first = self.first_subject
        if first and first in subjects and self.scroll_offset.y == self._brought_to:
            self.scroll_to_row(subjects.index(first))
            self._brought_to = round(self.scroll_target_y)

    @property
    def first_subject(self) -> str:
        """The unhealthy service to begin with: the failure begins there."""
        services = () if self._view is None else fleet(self._view)
        return next((row.branch.name for row in services if row.is_deepest), "")

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """The heading and one row a service."""
        services = fleet(view)
        if not services:
            return []
        name_width = max(len(row.branch.guides) + len(row.branch.name) for row in services) + 2
        name_width = min(max(name_width, 12), 34)
        fit = fitted(width - name_width - _HEALTH - _SINCE, services)
        has_room = width - name_width - _HEALTH - _SINCE - fit.cells >= _TIER
        heading = _heading(name_width, fit)
        lasting = entries(view, "flight", "force")
        limits = expected_limits(view)
        rows = [Row(heading + Content.styled("  tier", MUTED) if has_room else heading)]
        for row in services:
            content = Content.assemble(
                *_name(row, name_width),
                *_health(row),
                *_figures(fit.columns, row),
                _sparks(row, fit.spark),
                *placed(row.entry, (_KIND,) if has_room else ()),
                *unplaced(row.entry, (_KIND,), _IN_COLUMNS),
            )
            rows.append(Row(content, subject=row.branch.name))
            rows += _in_force_rows(row.branch, lasting, name_width)
            rows += _limit_rows(row.branch, limits)
        return rows + _rest_rows(fit.rest, services, width)


def _in_force_rows(branch: Branch, lasting: Sequence[Entry], name_width: int) -> list[Row]:
    """What people's actions have left in force on a service, below it."""
    indent = min(name_width, len(branch.guides) + 2)
    return [
        Row(
            Content.assemble(" " * indent, ("↳ ", MUTED), (effect_and_undo(item), "bold")),
            indent + 2,
        )
        for item in lasting
        if isinstance(deed := item.find("act"), TakenAction) and deed.target == branch.name
    ]


def _limit_rows(branch: Branch, limits: Sequence[ExpectedLimit]) -> list[Row]:
    """Which limits a service is heading for, below it."""
    indent = len(branch.guides) + 2
    return [
        Row(Content.assemble(" " * indent, ("! ", "bold"), (limit.words, "bold")), indent + 2)
        for limit in limits
        if limit.service == branch.name
    ]


def fitted(room: int, services: Sequence[FleetRow]) -> SignalLayout:
    """How the signals that are seen go into so many cells beside names and health."""
    seen = {name for row in services for name in row.signals}
    columns: list[SignalSpec] = []
    rest: list[SignalSpec] = []
    for column in (column for column in _COMMON if column.name in seen):
        if column.width <= room and not rest:
            columns.append(column)
            room -= column.width
        else:
            rest.append(column)
    sparse = [column for column in _SPARSE if column.name in seen]
    needed = sum(column.width for column in sparse)
    if not rest and room >= needed + 2 * (_SPARK_ROOMY + 1):
        columns += sparse
        room -= needed
    else:
        rest += sparse
    spark = min(HISTORY_MINUTES, room // 2 - 1)
    return SignalLayout(
        tuple(columns), tuple(rest), spark if columns and spark >= _SPARK_LEAST else 0
    )


def _rest_rows(rest: Sequence[SignalSpec], services: Sequence[FleetRow], width: int) -> list[Row]:
    """The signals that have no column, as many services to a line as there is room for."""
    lines: list[Content] = []
    for row in services:
        told = [
            Content.assemble((f" {column.heading} ", MUTED), _figure(column, value))
            for column in rest
            if (value := row.signals.get(column.name)) is not None
            and not (column.panes_skip_zero and not value)
        ]
        if not told:
            continue
        entry = Content("").join([Content(shown(row.branch.name, 40)), *told])
        if lines and lines[-1].cell_length + 3 + entry.cell_length <= width:
            lines[-1] += Content.styled(" · ", MUTED) + entry
        else:
            lines.append(entry)
    return [Row(line) for line in lines]


def _heading(name_width: int, fit: SignalLayout) -> Content:
    text = (
        " " * name_width
        + "health".ljust(_HEALTH)
        + ("for" if fit.spark or fit.columns else "").rjust(_SINCE)
    )
    text += "".join(column.heading.rjust(column.width) for column in fit.columns)
    if fit.spark:
        names = ("errors", "latency") if fit.spark >= len("latency") else ("err", "p95")
        text += "".join(" " + name.rjust(fit.spark) for name in names)
    return Content.styled(text, MUTED)


def _name(row: FleetRow, width: int) -> Iterator[Piece]:
    branch = row.branch
    room = max(1, width - len(branch.guides) - 2)
    name = shown(branch.name, room)
    rest = width - len(branch.guides) - len(name)
    tail = ("◂" if row.is_deepest else " ").rjust(rest - 1) + " " if rest > 1 else " " * rest
    for mark in branch.guides:
        yield mark, "bold $error" if mark in HEAVY else MUTED
    yield name, "bold" if row.is_on_path else ""
    yield tail, "bold"


def _health(row: FleetRow) -> Iterator[Piece]:
    state = row.health
    if state is None:
        yield " " * (_HEALTH + _SINCE), ""
        return
    since, longer = unhealthy_minutes(row.past)
    minutes = f"{since}{'+' if longer else 'm'}" if since else ""
    word = f"{HEALTH_SHAPES[state]} {state.value}".ljust(_HEALTH)
    yield word, HEALTH_STYLES[state]
    yield minutes.rjust(_SINCE), MUTED


def _figures(columns: Sequence[SignalSpec], row: FleetRow) -> Iterator[Piece]:
    for column in columns:
        value = row.signals.get(column.name)
        text = "·" if value is None else _figure(column, value)
        yield text.rjust(column.width), MUTED if value is None else _figure_style(row, column.name)


def _figure_style(row: FleetRow, signal: str) -> str:
    """Colour the figure that makes a service unhealthy: its errors, or else its latency."""
    fails = row.signals.get("errors", 0.0) > SOME_FAIL
    if signal == "errors" and fails:
        return HEALTH_STYLES[Health.CRITICAL] + " bold"
    is_slow = row.health not in (None, Health.HEALTHY) and not fails
    return HEALTH_STYLES[Health.DEGRADED] + " bold" if signal == "p95" and is_slow else ""


def _figure(spec: SignalSpec, value: float) -> str:
    match spec.format:
        case SignalFormat.SHARE:
            return f"{value:.0%}" if value >= 0.9995 else f"{value:.1%}"
        case SignalFormat.MILLISECONDS:
            return milliseconds(int(value)).replace(" ms", "ms").replace(" s", "s")
        case SignalFormat.PERCENT:
            return f"{int(value)}%"
        case SignalFormat.SECONDS:
            return f"{int(value)}s" if value < 1_000 else f"{int(value) // 60}m"
        case SignalFormat.COUNT:
            return f"{int(value)}" if value < 10_000 else f"{int(value) // 1000}k"


def _sparks(row: FleetRow, width: int) -> Piece:
    """Errors and latency of the last minutes, in the colour of the service's health."""
    if not width:
        return "", ""
    errors = [value**0.5 for value in _past(row, "errors")]
    latency = _past(row, "p95")
    if not errors or not latency:
        return " " * (2 * width + 2), ""
    usual = _usual_latency(row)
    first = sparkline(errors, 0.0, max(0.5, *errors), width)
    second = sparkline(latency, usual, max(_SLOW * usual + _SLOW_MS, *latency), width)
    return f" {first} {second}", MUTED if row.health is None else HEALTH_STYLES[row.health]


def _usual_latency(row: FleetRow) -> float:
    """Return the least latency of a healthy minute; 0 if none is known.

    A latency that was bad all the time is a row of high bars, then.
    """
    past = row.past
    if past is None:
        return 0.0
    known = zip(past.series["p95"], past.health, strict=True)
    return min((v for v, state in known if v is not None and state is Health.HEALTHY), default=0.0)


def _past(row: FleetRow, signal: str) -> list[float]:
    values = () if row.past is None else row.past.series[signal]
    return [value for value in values if value is not None]


_KIND: Final = CellPlace("kind", "  ", style=MUTED)
_IN_COLUMNS: Final = frozenset(
    {"name", "calls", "service", "health", *(spec.name for spec in SIGNALS)}
)
