"""Charts as text: figures, and a clause on the shape of each series."""

from __future__ import annotations

from chaosops.env.models import Status
from chaosops.env.models.readings import Chart, Series
from chaosops.text.dialect import Dialect
from chaosops.text.figures import figure
from chaosops.text.readings.facts import PartFacts
from chaosops.text.readings.shape import shape_of


def chart_facts(chart: Chart, status: Status, dialect: Dialect) -> PartFacts:
    """Return a line per series, then one per mark."""
    length = max((len(series.values) for series in chart.series), default=0)
    first = dialect.at(status, chart.start)
    last = dialect.at(status, chart.start + max(0, length - 1))
    title = f"{chart.title}, a value a minute from {first} to {last}"
    lines = [series_line(series, chart.start, status, dialect) for series in chart.series]
    lines += [f"{dialect.at(status, mark.minute)} {mark.kind} {mark.text}" for mark in chart.marks]
    return PartFacts(title, tuple(lines), "series")


def series_line(series: Series, start: int, status: Status, dialect: Dialect) -> str:
    """Describe a series: its newest value, its bounds, and since when it has moved."""
    shape = shape_of(series.values, start)
    if shape is None:
        return f"{series.name}: no values"
    unit = series.unit
    when = "now"
    if shape.now_at < start + len(series.values) - 1:
        when = f"at {dialect.at(status, shape.now_at)}, none since"
    words = f"{series.name}: {figure(shape.now, unit)} {when}"
    if shape.low == shape.high:
        words += ", unchanged"
    else:
        words += f", {figure(shape.low)} to {figure(shape.high, unit)}"
    if shape.since is not None:
        moved = "up" if shape.rose else "down"
        words += (
            f", {moved} from {figure(shape.usual, unit)} since {dialect.at(status, shape.since)}"
        )
    elif shape.low != shape.high and shape.high_at < shape.now_at:
        words += f", highest at {dialect.at(status, shape.high_at)}"
    if shape.gaps and when == "now":
        words += f", no value in {shape.gaps} min"
    return words
