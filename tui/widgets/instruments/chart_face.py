"""Draws a chart in cells: plot, axes, marks, and a legend with figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

from textual.content import Content

from chaosops.env.models import Status
from chaosops.env.models.readings import Chart, Series
from chaosops.play.formatting import MUTED, clock, shown, sparkline
from chaosops.play.readings import last_minute, windowed
from chaosops.text.figures import figure
from chaosops.text.readings import shape_of
from tui.widgets.instruments.axis import axis_for, minute_ticks
from tui.widgets.instruments.chart_groups import group_with, letter
from tui.widgets.instruments.plot import Plot

GRID: Final = "$foreground 25%"
CHOSEN: Final = "bold $accent"
OTHERS: Final = ("$primary", "$secondary", "$foreground 70%")
"""The style of lines that are not highlighted; letters at their ends tell them apart."""

MARK_SIGNS: Final = {"automation": "◆", "action": "●"}
"""The symbols of marks; a change by people is ▼."""
MARK_SIGN: Final = "▼"

_LEGEND_BESIDE: Final = 104
"""The width from which the legend is beside the plot."""
_LEGEND_WIDTH: Final = 50
_LEAST_PLOT: Final = 4
_FIGURE: Final = 8
_NAME: Final = 18


class ChartState(NamedTuple):
    """What is shown of a chart.

    Attributes:
        minutes: The length of the window, which ends with the newest value.
        chosen: The number of the highlighted series.
        cursor: The minute whose values are shown; None for the newest.
        from_zero: Whether the axis of values begins at zero.
        has_cursor: Whether the cursor is visible.
    """

    chart: Chart
    minutes: int
    chosen: int = 0
    cursor: int | None = None
    from_zero: bool = True
    has_cursor: bool = False

    @property
    def window(self) -> Chart:
        """The minutes of the chart that are shown."""
        return windowed(self.chart, self.minutes)

    @property
    def reads(self) -> int:
        """The minute whose values are shown."""
        first, last = self.window.start, last_minute(self.chart)
        return last if self.cursor is None else min(last, max(first, self.cursor))


class Face(NamedTuple):
    """A drawn chart.

    Attributes:
        lines: As many lines as requested.
        plot: The plot; None if there is no room or no value.
        left, top: The cell of its upper left corner.
        series_at: The series by line, for rows of the legend.
        legend_left: The column at which the legend begins.
    """

    lines: tuple[Content, ...]
    plot: Plot | None
    left: int
    top: int
    series_at: dict[int, int]
    legend_left: int


def draw_chart(state: ChartState, status: Status, width: int, height: int) -> Face:
    """Draw a chart in a number of cells."""
    face = _drawn(state, status, width, height)
    return face._replace(lines=tuple(line.truncate(width) for line in face.lines))


def _drawn(state: ChartState, status: Status, width: int, height: int) -> Face:
    window = state.window
    if not window.series:
        nothing = _filled([Content.styled("No series.", MUTED)], height)
        return Face(nothing, None, 0, 0, {}, 0)
    beside = width >= _LEGEND_BESIDE
    wanted = len(window.series) + 1
    marks = _marks_line(state, status, width - (_LEGEND_WIDTH + 2 if beside else 0))
    around = 3 + bool(marks)
    if beside:
        legend_height, plot_height = height, height - around
        plot_width, legend_left = width - _LEGEND_WIDTH - 2, width - _LEGEND_WIDTH
    else:
        legend_height = min(wanted, max(2, height - around - max(_LEAST_PLOT, height // 2)))
        plot_height = height - around - legend_height
        plot_width, legend_left = width, 0
    legend, series_at = _legend(state, status, width - legend_left, legend_height)
    if plot_height < 1 or plot_width < 16:
        return Face(_filled(legend, height), None, 0, 0, series_at, 0)
    plotted, plot, left = _plotted(state, status, plot_width, plot_height)
    if marks:
        plotted.append(marks)
    if beside:
        pad = [Content("")] * max(0, len(plotted) - len(legend))
        lines = [
            Content.assemble(_fit(line, plot_width), "  ", right)
            for line, right in zip(_filled(plotted, height), [*legend, *pad], strict=False)
        ]
        return Face(_filled(lines, height), plot, left, 1, series_at, legend_left)
    at = len(plotted)
    rows = {at + row: number for row, number in series_at.items()}
    return Face(_filled([*plotted, *legend], height), plot, left, 1, rows, 0)


def _plotted(
    state: ChartState, status: Status, width: int, height: int
) -> tuple[list[Content], Plot | None, int]:
    """Draw the header and the plot with its axes; return the column at which it begins, too."""
    window = state.window
    group = group_with(window, state.chosen)
    drawn = [window.series[number] for number in group]
    known = [v for s in drawn for v in s.values if v is not None and math.isfinite(v)]
    axis = axis_for(known or [0.0], ticks=min(6, max(1, height // 3)), from_zero=state.from_zero)
    labels = {tick: axis.label(tick) for tick in axis.ticks()}
    left = max(map(len, labels.values())) + 1
    ends = 2 if len(group) > 1 else 0
    last = last_minute(window)
    plot = Plot(width - left - ends - 1, height, axis, window.start, last)
    order = [number for number in group if number != state.chosen] + [state.chosen]
    for number in order:
        plot.draw(number, window.series[number].values, window.start)
    lines = [_header(state, status, drawn, left, width)]
    rows = {plot.row(tick): label for tick, label in labels.items()}
    ends_at = _ends(state, group, plot)
    for y in range(height):
        label = rows.get(y, "")
        axle = "┤" if y in rows else "│"
        end = ends_at.get(y)
        tail = (
            Content("")
            if end is None
            else Content.styled(f" {letter(group.index(end))}", _style(state, group, end))
        )
        lines.append(
            Content.assemble(
                (label.rjust(left - 1), MUTED),
                (axle, GRID),
                _row(state, group, plot, y, y in rows),
                tail,
            )
        )
    lines += _time_axis(state, status, plot, left, width)
    return lines, plot if known else None, left + 0


def _header(
    state: ChartState, status: Status, drawn: Sequence[Series], left: int, width: int
) -> Content:
    """Draw the unit above its axis, the window, and the minute of the cursor."""
    chosen = state.window.series[state.chosen]
    unit = shown(drawn[0].unit, 12) or "count"
    last = last_minute(state.chart)
    at = clock(status, state.reads)
    ago = last - state.reads
    when = f"{at}, newest" if not ago else f"{at}, {ago} min before the newest"
    value = chosen.values[state.reads - state.window.start] if _has(chosen, state) else None
    read = "no value" if value is None else figure(value, shown(chosen.unit, 12))
    span = f"last {last - state.window.start + 1} min"
    scale = "" if state.from_zero else ", fitted to the data"
    head = Content.assemble((unit, "bold"), (f"  {span}{scale}", MUTED))
    tail = Content.assemble(
        (f"{shown(chosen.name, 30)} ", CHOSEN), (read, "bold"), (f" at {when}", MUTED)
    )
    gap = width - head.cell_length - tail.cell_length
    if gap < 2:
        return tail.truncate(width, ellipsis=True)
    return Content.assemble(head, " " * gap, tail)


def _has(series: Series, state: ChartState) -> bool:
    return 0 <= state.reads - state.window.start < len(series.values)


def _row(state: ChartState, group: Sequence[int], plot: Plot, y: int, is_tick: bool) -> Content:
    """Draw a row of the plot, with cells of one style joined."""
    cursor = plot.column(state.reads) if state.has_cursor else -1
    cells = []
    for x in range(plot.width):
        sign, line = plot.cell(x, y)
        if line is not None:
            cells.append((_style(state, group, line), sign))
        elif x == cursor:
            cells.append(("$accent", "┊"))
        else:
            cells.append((GRID, "┈" if is_tick else " "))
    runs = groupby(cells, key=lambda cell: cell[0])
    return Content.assemble(*(("".join(sign for _, sign in run), style) for style, run in runs))


def _ends(state: ChartState, group: Sequence[int], plot: Plot) -> dict[int, int]:
    """Return the row of each line's letter: that of its newest value, or one beside it."""
    if len(group) < 2:
        return {}
    window = state.window
    taken: dict[int, int] = {}
    order = [state.chosen, *(number for number in group if number != state.chosen)]
    for number in order:
        shape = shape_of(window.series[number].values, window.start)
        if shape is None:
            continue
        wanted = plot.row(shape.now)
        free = [y for y in range(plot.height) if y not in taken]
        if free:
            taken[min(free, key=lambda y: abs(y - wanted))] = number
    return taken


def _style(state: ChartState, group: Sequence[int], number: int) -> str:
    if number == state.chosen:
        return CHOSEN
    return OTHERS[group.index(number) % len(OTHERS)] if number in group else MUTED


def _time_axis(
    state: ChartState, status: Status, plot: Plot, left: int, width: int
) -> list[Content]:
    """Draw the axis with its marks, and times of day below."""
    window = state.window
    last = last_minute(window)
    ticks = minute_ticks(window.start, last, plot.width, status.paged_at)
    line = ["─"] * plot.width
    for minute in ticks:
        line[plot.column(minute)] = "┬"
    axle: list[tuple[str, str]] = [(sign, GRID) for sign in line]
    for mark in window.marks:
        axle[plot.column(mark.minute)] = (MARK_SIGNS.get(mark.kind, MARK_SIGN), "bold")
    if state.has_cursor:
        axle[plot.column(state.reads)] = ("┷", CHOSEN)
    below = [" "] * width
    for minute in ticks:
        text = clock(status, minute)
        at = left + plot.column(minute) - len(text) // 2
        at = min(max(0, at), width - len(text))
        if all(sign == " " for sign in below[max(0, at - 1) : at + len(text) + 1]):
            below[at : at + len(text)] = text
    runs = groupby(axle, key=lambda cell: cell[1])
    return [
        Content.assemble(
            (" " * (left - 1) + "└", GRID),
            *(("".join(sign for sign, _ in run), style) for style, run in runs),
        ),
        Content.styled("".join(below).rstrip(), MUTED),
    ]


def _marks_line(state: ChartState, status: Status, width: int) -> Content | None:
    """Describe the marks, those nearest to the cursor first; without one, the newest."""
    window = state.window
    if not window.marks:
        return None
    told = Content("")
    near = last_minute(window) if state.cursor is None else state.cursor
    left_out = len(window.marks)
    for mark in sorted(window.marks, key=lambda mark: (abs(mark.minute - near), -mark.minute)):
        sign = MARK_SIGNS.get(mark.kind, MARK_SIGN)
        text = Content.assemble(
            (f"{sign} ", "bold"),
            (f"{clock(status, mark.minute)} ", MUTED),
            f"{shown(mark.kind, 20)} {shown(mark.text, 60)}",
        )
        gap = "   " if told.cell_length else ""
        if told.cell_length and told.cell_length + text.cell_length + 12 > width:
            break
        told = Content.assemble(told, gap, text)
        left_out -= 1
    if left_out:
        told = Content.assemble(told, (f"   {left_out} more", MUTED))
    return told.truncate(max(1, width), ellipsis=True)


def _legend(
    state: ChartState, status: Status, width: int, height: int
) -> tuple[list[Content], dict[int, int]]:
    """Draw a header and a row per series: name, unit, value at the cursor, bounds, sparkline.

    If not all rows fit, those around the highlighted one are shown.
    """
    window = state.window
    group = group_with(window, state.chosen)
    names = [shown(series.name, 60) for series in window.series]
    units = [shown(series.unit, 10) for series in window.series]
    unit_width = max((len(unit) for unit in units), default=0)
    name_width = min(max(map(len, names)), _NAME, max(4, width - 3 * _FIGURE - unit_width - 6))
    figures = 3 if width >= name_width + unit_width + 6 + 3 * _FIGURE else 1
    trend = width - name_width - unit_width - 6 - figures * _FIGURE - 2
    trend = min(trend, 30) if trend >= 6 else 0
    at = clock(status, state.reads) if state.cursor is not None else "now"
    heads = [at, "min", "max"][:figures]
    head = Content.styled(
        f"   {'series':<{name_width}} {'':<{unit_width}} "
        + "".join(word.rjust(_FIGURE) for word in heads)
        + (f"  {'course':<{trend}}" if trend else ""),
        MUTED,
    )
    rows = max(1, height - 1)
    first = min(max(0, state.chosen - rows // 2), max(0, len(names) - rows))
    lines, series_at = [head.truncate(width)], {}
    for number in range(first, min(first + rows, len(names))):
        series_at[len(lines)] = number
        series = window.series[number]
        is_chosen = number == state.chosen
        sign = "▸" if is_chosen else " "
        name = letter(group.index(number)) if number in group and len(group) > 1 else " "
        cells = _figures(series, state)[:figures]
        course = _course(series, trend) if trend else ""
        style = CHOSEN if is_chosen else "" if number in group else MUTED
        text = (
            f"{sign}{name} {_padded(names[number], name_width)} {units[number]:<{unit_width}} "
            + "".join(cell.rjust(_FIGURE) for cell in cells)
        )
        lines.append(
            Content.assemble(
                (text, style), (f"  {course}", CHOSEN if is_chosen else MUTED)
            ).truncate(width)
        )
    hidden = len(names) - len(series_at)
    if hidden and height > 1:
        more = f" {hidden} more, up and down"
        lines[0] = Content.assemble(lines[0].truncate(max(1, width - len(more))), (more, MUTED))
    return lines[:height] if height > 1 else lines[1:2], series_at if height > 1 else {
        0: state.chosen
    }


def _padded(text: str, width: int) -> Content | str:
    cut = Content(text).truncate(width, ellipsis=True, pad=True)
    return cut.plain


def _figures(series: Series, state: ChartState) -> list[str]:
    value = series.values[state.reads - state.window.start] if _has(series, state) else None
    known = [v for v in series.values if v is not None]
    bounds = [min(known), max(known)] if known else [None, None]
    return ["-" if v is None else _short(v) for v in (value, *bounds)]


def _short(value: float) -> str:
    """Format a figure in at most seven cells."""
    text = figure(value)
    if len(text) < _FIGURE:
        return text
    return f"{value:.3g}" if len(f"{value:.3g}") < _FIGURE else f"{value:.0e}"


def _course(series: Series, width: int) -> str:
    """Draw a series as bars from zero, so that a step or a dip shows however few bars there are."""
    known = [value for value in series.values if value is not None]
    if not known:
        return ""
    low, high = min(0.0, *known), max(known)
    usual = sorted(known)[len(known) // 2]
    values = [low if v is None else v for v in series.values]
    return sparkline(values, low, high, width, usual=usual)


def _fit(line: Content, width: int) -> Content:
    return line.truncate(width, pad=True)


def _filled(lines: Sequence[Content], height: int) -> tuple[Content, ...]:
    return (*lines[:height], *([Content("")] * (height - len(lines))))
