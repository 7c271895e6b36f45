"""Draws sampled requests in cells: a list, and waterfalls of one or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from textual.content import Content

from chaosops.env.models import Status
from chaosops.env.models.readings import Span, Trace
from chaosops.play.formatting import MUTED, clock, milliseconds, shown
from chaosops.text.readings import duration, trace_status

CHOSEN: Final = "bold $accent"
BAR: Final = "$primary"
TWO_FROM: Final = 112
"""The width from which two waterfalls are side by side."""

_FILL: Final = "▆"
"""The character of a bar; a full block would join the bars of two rows."""
_LONGEST_BAR: Final = 72
_DURATION: Final = 9
_LEAST_BAR: Final = 8


class TraceState(NamedTuple):
    """What is shown of requests.

    Attributes:
        traces: The longest first.
        chosen: The number of the request whose waterfall is shown.
        beside: The number of the request beside it, if there is room for two.
        span: The number of the highlighted span.
        one_scale: Whether both waterfalls have the time scale of the longer one.
    """

    traces: tuple[Trace, ...]
    chosen: int = 0
    beside: int = 0
    span: int = 0
    one_scale: bool = False


class TraceFace(NamedTuple):
    """Drawn requests.

    Attributes:
        lines: As many lines as requested.
        trace_at: The request of each line of the list.
        span_at: The span of each line of the waterfall.
        rows: The first and the last span in view.
    """

    lines: tuple[Content, ...]
    trace_at: dict[int, int]
    span_at: dict[int, int]
    rows: tuple[int, int]


def draw_traces(state: TraceState, status: Status, width: int, height: int) -> TraceFace:
    """Draw requests in a number of cells."""
    face = _face(state, status, width, height)
    return face._replace(lines=tuple(line.truncate(width) for line in face.lines))


def _face(state: TraceState, status: Status, width: int, height: int) -> TraceFace:
    if not state.traces:
        nothing = [Content.styled("No requests were sampled.", MUTED)]
        return TraceFace(_filled(nothing, height), {}, {}, (0, 0))
    lines, trace_at = _list(state, status, width, max(1, min(len(state.traces) + 1, height // 2)))
    room = height - len(lines) - 2
    spans = state.traces[state.chosen].spans
    if room < 1 or not spans:
        return TraceFace(_filled(lines, height), trace_at, {}, (0, 0))
    at = min(state.span, len(spans) - 1)
    two = width >= TWO_FROM and state.beside != state.chosen
    column = (width - 3) // 2 if two else width
    scale = max(1, *(duration(trace) for trace in _drawn(state, two=two)))
    body = _block(_drawn(state, two=two), state, status, column, scale, at)
    first = min(max(0, at - room // 2), max(0, len(body) - 1 - room))
    shown_rows = [body[0], *body[1 + first : 1 + first + room]]
    top = len(lines) + 1
    span_at = {
        top + row: first + row for row in range(len(shown_rows) - 1) if first + row < len(spans)
    }
    lines = [*lines, *shown_rows, _detail(spans[at], width)]
    others = [trace for trace in state.traces if trace not in _drawn(state, two=two)]
    for n in range(0, len(others), 2 if two else 1):
        block = _block(others[n : n + 2 if two else n + 1], state, status, column, scale, None)
        if len(lines) + len(block) + 1 > height:
            break
        lines += [Content(""), *block]
    last = min(first + room, len(spans)) - 1
    return TraceFace(_filled(lines, height), trace_at, span_at, (first, max(first, last)))


def _block(
    traces: Sequence[Trace],
    state: TraceState,
    status: Status,
    column: int,
    scale: int,
    at: int | None,
) -> list[Content]:
    """Draw one waterfall, or two side by side, with a highlighted span in the first one."""
    left = _waterfall(traces[0], state, status, column, scale, at)
    if len(traces) < 2:
        return left
    return _side_by_side(left, _waterfall(traces[1], state, status, column, scale, None), column)


def _drawn(state: TraceState, *, two: bool) -> tuple[Trace, ...]:
    chosen = state.traces[state.chosen]
    return (chosen, state.traces[state.beside]) if two else (chosen,)


def _list(
    state: TraceState, status: Status, width: int, height: int
) -> tuple[list[Content], dict[int, int]]:
    """Draw a header and a row per request, with bars on one scale."""
    longest = max(1, *(duration(trace) for trace in state.traces))
    ids = [shown(trace.id, 16) for trace in state.traces]
    ends = [shown(trace_status(trace), 30) for trace in state.traces]
    id_width = max(7, *map(len, ids))
    end_width = min(28, max(6, *map(len, ends)))
    bar_width = min(_LONGEST_BAR, width - id_width - end_width - 29)
    head = f"   {'request':<{id_width}} time {'took':>{_DURATION}}  {'ended':<{end_width}} spans"
    lines, trace_at = [Content.styled(head, MUTED).truncate(width)], {}
    rows = height - 1
    first = min(max(0, state.chosen - rows // 2), max(0, len(ids) - rows))
    for number in range(first, min(first + rows, len(ids))):
        trace = state.traces[number]
        trace_at[len(lines)] = number
        is_chosen = number == state.chosen
        sign = "▸" if is_chosen else "│" if number == state.beside else " "
        text = (
            f"{sign}  {ids[number]:<{id_width}} {clock(status, trace.minute)}"
            f"{milliseconds(duration(trace)):>{_DURATION - 1}}  "
        )
        end = Content(ends[number]).truncate(end_width, ellipsis=True, pad=True).plain
        count = f" {len(trace.spans):>5}  "
        bar = _bar(0, duration(trace), longest, bar_width) if bar_width >= _LEAST_BAR else ""
        style = CHOSEN if is_chosen else ""
        lines.append(Content.assemble((text + end + count, style), (bar, BAR)).truncate(width))
    return lines, trace_at


def _waterfall(
    trace: Trace, state: TraceState, status: Status, width: int, scale: int, at: int | None
) -> list[Content]:
    """Draw a header with the time scale, and a row per span."""
    spans = trace.spans
    whole = scale if state.one_scale else max(1, duration(trace))
    names = ["  " * min(span.depth, 6) + _work(span) for span in spans]
    name_width = min(max(map(len, names), default=4) + 1, max(10, int(width * 0.42)))
    bar_width = width - name_width - _DURATION - 3
    title = f"{shown(trace.id, 16)}  {clock(status, trace.minute)}"
    if bar_width < _LEAST_BAR:
        bar_width = 0
    ruler = _ruler(whole, bar_width)
    lines = [
        Content.assemble(
            (_cut(title, name_width + 1), "bold"), (ruler, MUTED), ("took".rjust(_DURATION), MUTED)
        ).truncate(width, pad=True)
    ]
    for place, (span, name) in enumerate(zip(spans, names, strict=True)):
        failed = span.status != "ok"
        sign = "✖" if failed else " "
        style = CHOSEN if place == at else "bold" if failed else ""
        bar = _bar(span.start_ms, span.duration_ms, whole, bar_width) if bar_width else ""
        lines.append(
            Content.assemble(
                ("▸" if place == at else " ", CHOSEN),
                (_cut(name, name_width), style),
                (bar, "bold $accent" if failed else BAR),
                (milliseconds(span.duration_ms).rjust(_DURATION), style),
                (f" {sign}", "bold"),
            ).truncate(width, pad=True)
        )
    return lines


def _side_by_side(left: list[Content], right: list[Content], column: int) -> list[Content]:
    count = max(len(left), len(right))
    blank = Content(" " * column)
    left = [*left, *[blank] * (count - len(left))]
    right = [*right, *[blank] * (count - len(right))]
    return [Content.assemble(a, (" │ ", MUTED), b) for a, b in zip(left, right, strict=True)]


def _bar(start: int, length: int, scale: int, width: int) -> str:
    """Draw a span on a scale in ms, with at least one cell."""
    first = min(width - 1, max(0, int(start * width / scale)))
    last = min(width, max(first + 1, round((start + length) * width / scale)))
    return f"{' ' * first}{_FILL * (last - first)}{' ' * (width - last)}"


def _ruler(whole: int, width: int) -> str:
    """Draw the scale: 0 on the left, the total on the right, and the half if there is room."""
    if not width:
        return ""
    end = milliseconds(whole)
    half = milliseconds(whole // 2)
    if width < len(end) + len(half) + 6:
        return end.rjust(width)
    middle = half.rjust(width // 2 - 1 + (len(half) + 1) // 2)
    return f"0{middle}{end.rjust(width - 1 - len(middle))}"


def _detail(span: Span, width: int) -> Content:
    end = span.start_ms + span.duration_ms
    words = f"{_work(span)}: {span.start_ms} to {end} ms, "
    return Content.assemble(
        (" ", ""), words, (shown(span.status, 80), "" if span.status == "ok" else "bold")
    ).truncate(width, ellipsis=True)


def _work(span: Span) -> str:
    return f"{shown(span.service, 40)} {shown(span.operation, 80)}".strip()


def _cut(text: str, width: int) -> str:
    return Content(text).truncate(width, ellipsis=True, pad=True).plain


def _filled(lines: Sequence[Content], height: int) -> tuple[Content, ...]:
    return (*lines[:height], *([Content("")] * (height - len(lines))))
