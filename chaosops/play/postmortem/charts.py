"""The charts of a post-mortem as SVG: panels above each other on one time axis, with marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

from chaosops.env.models import Status
from chaosops.env.models.signals import SIGNALS, ServiceSignals, SignalFormat, SignalSpec
from chaosops.evaluation.baselines.plots import COLOURS, round_step
from chaosops.play.formatting import clock, shown
from chaosops.play.postmortem.effects import orders
from chaosops.play.postmortem.impact import impact_of, signals_of
from chaosops.play.postmortem.played import PlayedIncident
from chaosops.text_safety import clean

_WIDTH: Final = 860
_LEFT: Final = 72
_RIGHT: Final = 24
_TOP: Final = 44
_MARKS: Final = 46
_PANEL: Final = 130
_GAP: Final = 34
_BOTTOM: Final = 40
_TICKS: Final = 8
_NO_XML: Final = re.compile("[\ufffe\uffff]")
"""Characters that XML can't contain, besides those that are cleaned everywhere."""


class ChartMark(NamedTuple):
    """A vertical line at a minute.

    Attributes:
        label: One or two characters above the line; the key below the chart explains it.
    """

    minute: int
    label: str
    text: str


class ChartPanel(NamedTuple):
    """A curve over time.

    Attributes:
        values: By minute; None is a gap.
        limit: A horizontal line, such as the objective; None for none.
    """

    title: str
    values: dict[int, float | None]
    unit: str
    low: float
    high: float
    limit: float | None = None


def availability_chart(played: PlayedIncident) -> str:
    """Draw the share of user requests that succeeded, with the objective and the marks."""
    impact, status = impact_of(played), played.status
    values: dict[int, float | None] = {m: share * 100 for m, share in impact.availability}
    slo = status.slo * 100
    low = min([slo, *(share * 100 for _, share in impact.availability)])
    step = round_step(max(100.0 - low, 1.0))
    panel = ChartPanel(
        f"availability, objective {slo:g} %", values, "%", int(low / step) * step, 100.0, slo
    )
    return _drawn("User requests that succeeded", [panel], marks_of(played), status)


def signals_chart(played: PlayedIncident, service: str) -> str:
    """Draw the golden signals of a service: traffic, latency, errors and saturation."""
    rows = signals_of(played.views, service)
    specs = sorted(SIGNALS, key=lambda spec: spec.place)
    panels = [panel for spec in specs if (panel := _panel(spec, rows)) is not None]
    title = f"Signals of {shown(service, 80)}"
    return _drawn(title, panels, marks_of(played), played.status)


def marks_of(played: PlayedIncident) -> tuple[ChartMark, ...]:
    """Return the page, the onset, what took effect, the right diagnoses, and the end."""
    found = [ChartMark(0, "P", "page")]
    for fault, starts in played.faults:
        found.append(ChartMark(starts, "F", f"a fault begins at {fault.place}"))
    landed = [order for order in orders(played) if order.lands is not None]
    for number, order in enumerate(sorted(landed, key=lambda each: each.lands or 0), 1):
        found.append(
            ChartMark(order.lands or 0, str(number), f"{order.words}: {order.judgement.value}")
        )
    for made in played.views[-1].diagnoses:
        if made.right:
            found.append(ChartMark(made.minute, "D", "right diagnosis"))
    if played.resolved:
        found.append(ChartMark(played.status.minute, "R", "resolved"))
    return tuple(sorted(found, key=lambda mark: mark.minute))


def _panel(spec: SignalSpec, rows: dict[int, ServiceSignals]) -> ChartPanel | None:
    factor = 100 if spec.format is SignalFormat.SHARE else 1
    values: dict[int, float | None] = {}
    for minute, row in rows.items():
        value = getattr(row, spec.field)
        values[minute] = None if value is None else value * factor
    known = [value for value in values.values() if value is not None]
    if not any(known):
        return None
    share = spec.format in (SignalFormat.SHARE, SignalFormat.PERCENT)
    unit = "%" if share else {"milliseconds": "ms", "seconds": "s"}.get(spec.format.value, "")
    step = round_step(max(*known, 1.0))
    high = -(-max(*known, 1.0) // step) * step
    name = spec.spoken or spec.name
    return ChartPanel(name, values, unit, 0.0, min(high, 100.0) if share else high)


class _TimePlane(NamedTuple):
    """Maps minutes and values to the picture."""

    first: int
    last: int
    top: float

    def x(self, minute: float) -> float:
        span = max(1, self.last - self.first)
        return round(_LEFT + (minute - self.first) / span * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, panel: ChartPanel, value: float) -> float:
        share = (panel.high - value) / max(panel.high - panel.low, 1e-9)
        return round(self.top + min(1.0, max(0.0, share)) * _PANEL, 1)


def _drawn(
    title: str, panels: Sequence[ChartPanel], marks: Sequence[ChartMark], status: Status
) -> str:
    minutes = [minute for panel in panels for minute in panel.values]
    minutes += [mark.minute for mark in marks]
    first, last = min(minutes), max(minutes)
    keys = [mark for mark in marks if first <= mark.minute <= last]
    bottom = _MARKS + _TOP + len(panels) * (_PANEL + _GAP)
    height = bottom + _BOTTOM + 18 * len(keys)
    described = "; ".join(f"{mark.label} {clock(status, mark.minute)} {mark.text}" for mark in keys)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
            'font-family="system-ui, sans-serif" font-size="13">'
        ),
        f"<title>{_text(title)}</title>",
        f"<desc>{_text(described)}</desc>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15" fill="#222222">{_text(title)}</text>',
    ]
    for number, panel in enumerate(panels):
        plane = _TimePlane(first, last, _TOP + _MARKS + number * (_PANEL + _GAP))
        parts += _panel_parts(panel, plane, COLOURS[number % len(COLOURS)])
    axis = _TimePlane(first, last, 0)
    parts += _mark_parts(keys, axis, bottom - _GAP)
    parts += _clock_parts(axis, status, bottom - _GAP + 18)
    for number, mark in enumerate(keys):
        y = bottom + _BOTTOM - 12 + 18 * number
        words = f"{mark.label}  {clock(status, mark.minute)}  {mark.text}"
        parts.append(f'<text x="{_LEFT}" y="{y}" fill="#222222">{_text(words)}</text>')
    return "\n".join((*parts, "</svg>", ""))


def _panel_parts(panel: ChartPanel, plane: _TimePlane, colour: str) -> Iterable[str]:
    left, right = plane.x(plane.first), plane.x(plane.last)
    yield (
        f'<text x="{left}" y="{plane.top - 8}" fill="#222222">{_text(panel.title)}'
        f"{f' ({panel.unit})' if panel.unit else ''}</text>"
    )
    step = round_step(max(panel.high - panel.low, 1e-3), 3)
    for number in range(round(panel.low / step), round(panel.high / step) + 1):
        value = round(number * step, 6)
        if not panel.low <= value <= panel.high:
            continue
        y = plane.y(panel, value)
        yield f'<path d="M{left} {y}H{right}" stroke="#e2e2e2"/>'
        yield f'<text x="{left - 8}" y="{y + 4}" text-anchor="end" fill="#444444">{value:g}</text>'
    if panel.limit is not None:
        y = plane.y(panel, panel.limit)
        yield f'<path d="M{left} {y}H{right}" stroke="#d55e00" stroke-dasharray="6 4"/>'
    yield from _curves(panel, plane.x, lambda value: plane.y(panel, value), colour)


def _curves(
    panel: ChartPanel, x: Callable[[float], float], y: Callable[[float], float], colour: str
) -> Iterable[str]:
    """Yield the curve, broken where there is a gap; a lone value is a dot."""
    run: list[tuple[float, float]] = []
    before: int | None = None
    for minute, value in [*sorted(panel.values.items()), (10**6, None)]:
        if run and (value is None or before is None or minute != before + 1):
            if len(run) == 1:
                yield f'<circle cx="{run[0][0]}" cy="{run[0][1]}" r="2.5" fill="{colour}"/>'
            else:
                points = " ".join(f"{at},{height}" for at, height in run)
                yield (
                    f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
                )
            run = []
        if value is not None:
            run.append((x(minute), y(value)))
        before = minute


def _mark_parts(marks: Sequence[ChartMark], plane: _TimePlane, bottom: float) -> Iterable[str]:
    """Yield the lines of the marks; those of one minute share a line."""
    labels: dict[int, list[str]] = {}
    for mark in marks:
        labels.setdefault(mark.minute, []).append(mark.label)
    for minute, names in labels.items():
        x = plane.x(minute)
        yield f'<path d="M{x} {_TOP + 20}V{bottom}" stroke="#888888" stroke-dasharray="2 3"/>'
        yield (
            f'<text x="{x}" y="{_TOP + 14}" text-anchor="middle" fill="#222222">'
            f"{_text(','.join(names))}</text>"
        )


def _clock_parts(plane: _TimePlane, status: Status, y: float) -> Iterable[str]:
    step = max(1, round(round_step(max(plane.last - plane.first, 1), _TICKS)))
    for minute in range(plane.first - plane.first % step, plane.last + 1, step):
        if minute >= plane.first:
            yield (
                f'<text x="{plane.x(minute)}" y="{y}" text-anchor="middle" fill="#444444">'
                f"{clock(status, minute)}</text>"
            )


def _text(text: str) -> str:
    return escape(_NO_XML.sub("\ufffd", clean(text).replace("\n", " ")))
