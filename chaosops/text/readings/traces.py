"""Traces as text: a tree on one line."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import Status
from chaosops.env.models.readings import Span, Trace, TraceView
from chaosops.text.dialect import Dialect
from chaosops.text.readings.facts import PartFacts

_TREES: Final = 2
"""How many traces are shown as trees; of the others, only the first span."""

_DEEPEST: Final = 32
"""Levels of a trace that are marked; a file may claim any number of them."""


def duration(trace: Trace) -> int:
    """Return the duration of a request, in ms."""
    return max((span.start_ms + span.duration_ms for span in trace.spans), default=0)


def trace_status(trace: Trace) -> str:
    """Return the status of a request: that of its root."""
    return trace.spans[0].status if trace.spans else "no spans"


def longest_first(view: TraceView) -> tuple[Trace, ...]:
    """Sort traces by duration, the longest first."""
    return tuple(sorted(view.traces, key=lambda trace: -duration(trace)))


def trace_facts(view: TraceView, status: Status, dialect: Dialect) -> PartFacts:
    """Return the longest and the shortest request as trees, then the others by their first span."""
    ranked = longest_first(view)
    trees = ranked if len(ranked) <= _TREES else (ranked[0], ranked[-1])
    rest = tuple(trace for trace in ranked if trace not in trees)
    lines = [f"{_head(trace, status, dialect)}: {_tree(trace)}" for trace in trees]
    lines += [_head(trace, status, dialect) for trace in rest]
    title = (
        f"{len(ranked)} requests through {view.title}, the longest and the shortest span by span "
        "(> for each level of calls, @ when it began, in ms)"
    )
    return PartFacts(title, tuple(lines), "requests")


def trace_lines(trace: Trace, status: Status, dialect: Dialect) -> list[str]:
    """Return a request, a line per span."""
    lines = [_head(trace, status, dialect)]
    for span in trace.spans:
        ended = "" if span.status == "ok" else f", {span.status}"
        lines.append(
            f"level {span.depth + 1}: {_work(span)}, {span.duration_ms} ms from "
            f"{span.start_ms} ms on{ended}"
        )
    return lines


def _head(trace: Trace, status: Status, dialect: Dialect) -> str:
    at = dialect.at(status, trace.minute)
    spans = len(trace.spans)
    ended = f"{duration(trace)} ms, {trace_status(trace)}, {spans} span{'s' * (spans != 1)}"
    return f"{trace.id} {at} {ended}"


def _tree(trace: Trace) -> str:
    return " ".join(
        f"{'>' * min(span.depth, _DEEPEST)}{_work(span)} {span.duration_ms}@{span.start_ms}"
        + ("" if span.status == "ok" else f" [{span.status}]")
        for span in trace.spans
    )


def _work(span: Span) -> str:
    return f"{span.service} {span.operation}"
