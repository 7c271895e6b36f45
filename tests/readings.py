"""Readings to look at: one of each part with values that can be checked by hand, and odd ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hypothesis import strategies as st

from chaosops.env.models import AgentRole, Finding, Source, Status
from chaosops.env.models.readings import (
    Chart,
    Column,
    Diff,
    LogEntry,
    LogView,
    Mark,
    Part,
    Reading,
    Series,
    Span,
    Statement,
    Table,
    Trace,
    TraceView,
)

STATUS: Final = Status(
    title="Checkout times out",
    minute=0,
    paged_at=600,
    turns=100,
    users_ok=0.97,
    slo=0.999,
    held=0,
    hold=8,
    budget=80,
)
"""Paged at ten o'clock, and that is now."""


def _values(text: str) -> tuple[float | None, ...]:
    return tuple(None if word == "-" else float(word) for word in text.split())


SHARDS: Final = Chart(
    "chart",
    "cpu by shard",
    -11,
    (
        Series("shard 0", "%", _values("34 33 34 34 33 34 34 35 60 99 100 99")),
        Series("shard 1", "%", _values("33 34 33 34 34 33 34 34 33 34 33 34")),
        Series("shard 2", "%", _values("34 34 33 33 34 34 - - - - - -")),
    ),
    (Mark(-9, "migration", "CHG-1334"), Mark(-2, "automation", "autoscaler: scale")),
)

SIGNALS: Final = Chart(
    "chart",
    "signals",
    -11,
    (
        Series("requests", "rps", (870.0,) * 12),
        Series("errors", "%", (0.03,) * 10 + (1.5, 2.2)),
        Series("p50", "ms", (8.0,) * 12),
        Series("p95", "ms", (10.0,) * 9 + (42.0, 43.0, 42.0)),
        Series("cpu", "%", (33.0, 34.0) * 6),
    ),
)

LOG: Final = LogView(
    "logs",
    "db",
    (
        LogEntry(-2, "db-4fad", "INFO", "checkpoint wrote *", "checkpoint wrote 812", 1),
        LogEntry(-2, "db-8660", "WARN", "throttled * requests", "throttled 10 requests", 5),
        LogEntry(-1, "db-8660", "WARN", "throttled * requests", "throttled 19 requests", 6),
        LogEntry(-1, "db-4fad", "INFO", "connection authorized", "connection authorized", 9),
        LogEntry(0, "db-4fad", "ERROR", "connection reset by peer", "connection reset by peer", 1),
        LogEntry(0, "db-4fad", "WARN", "throttled * requests", "throttled 31 requests", 2),
    ),
)

TRACES: Final = TraceView(
    "traces",
    "checkout",
    (
        Trace(
            "92b406",
            0,
            (
                Span(0, "checkout", "POST /checkout", 0, 240, "ok"),
                Span(1, "payments", "GET /payments", 50, 185, "ok"),
                Span(2, "db", "SELECT payments", 67, 10, "ok"),
            ),
        ),
        Trace(
            "3e9e1c",
            -1,
            (
                Span(0, "checkout", "POST /checkout", 0, 2_060, "timeout"),
                Span(1, "payments", "GET /payments", 50, 2_000, "timeout"),
                Span(2, "db", "SELECT payments", 67, 1_900, "timeout"),
            ),
        ),
        Trace("1d5ab0", -1, (Span(0, "checkout", "GET /checkout", 0, 231, "ok"),)),
    ),
)

SESSIONS: Final = Table(
    "table",
    "sessions",
    (Column("pid"), Column("state"), Column("age", "s"), Column("blocked by"), Column("query")),
    (
        (5178, "active", 3613.0, None, "COPY cart_items TO STDOUT"),
        (14988, "active", 0.48, 5178, "SELECT * FROM payments"),
        (902, "idle in transaction", 12.5, None, "SELECT * FROM logins"),
    ),
)

DIFF: Final = Diff(
    "diff",
    -9,
    "payments",
    "config",
    "c125",
    "maria",
    "CHG-1334",
    "raise the pool",
    (" [pool]", "-max = 20", "-wait = 3 s", "+max = 200", " min = 5", "+idle = 60 s"),
)

STATEMENT: Final = Statement(
    "statement", "policy of autoscaler", ("Adds instances above 70 % CPU.", "Never below three.")
)

EVERY_PART: Final[tuple[Part, ...]] = (
    SHARDS,
    SIGNALS,
    LOG,
    TRACES,
    SESSIONS,
    DIFF,
    STATEMENT,
)


def finding(*parts: Part, source: Source = Source.RUNTIME, target: str = "db") -> Finding:
    """What an SRE found now."""
    reading = Reading(0, source.value, target, parts)
    return Finding(0, AgentRole.SRE, source, target, f"{source.value} of {target}", (), reading)


def hostile_parts(text: str) -> tuple[Part, ...]:
    """Each part with a text wherever an author or a person could put one."""
    return (
        Chart("chart", text, -1, (Series(text, text, (1.0, 2.0)),), (Mark(0, text, text),)),
        LogView("logs", text, (LogEntry(0, text, text, text, text, 3),)),
        TraceView("traces", text, (Trace(text, 0, (Span(0, text, text, 0, 5, text),)),)),
        Table("table", text, (Column(text, text), Column("n")), ((text, 1), (None, 2))),
        Diff("diff", 0, text, text, text, text, text, text, (f"+{text}", f"-{text}", text)),
        Statement("statement", text, (text, text)),
    )


def odd_parts() -> Iterator[Part]:
    """Parts without anything in them, with one value, and with rows that do not fit."""
    yield Chart("chart", "no series", 0, ())
    yield Chart("chart", "no values", 0, (Series("none", "ms", ()),))
    yield Chart("chart", "never collected", -4, (Series("gone", "ms", (None,) * 5),))
    yield Chart("chart", "one value", 0, (Series("one", "", (7.0,)),))
    yield Chart("chart", "uneven", -3, (Series("a", "", (1.0,)), Series("b", "", (1.0, 2.0, 3.0))))
    yield Chart("chart", "far mark", 0, (Series("a", "", (1.0, 2.0)),), (Mark(900, "deploy", "x"),))
    yield LogView("logs", "quiet", ())
    yield TraceView("traces", "unsampled", ())
    yield TraceView("traces", "no spans", (Trace("aa", 0, ()),))
    yield TraceView("traces", "no time", (Trace("aa", 0, (Span(0, "s", "o", 0, 0, "ok"),)),))
    yield TraceView("traces", "odd", (Trace("aa", 0, (Span(9, "s", "o", 900, -5, "ok"),)),))
    yield Table("table", "no columns", (), ())
    yield Table("table", "no rows", (Column("a"),), ())
    yield Table("table", "short rows", (Column("a"), Column("b")), ((), (1,), (1, 2, 3)))
    yield Diff("diff", 0, "s", "k", "v", "a", "", "t", ())
    yield Diff("diff", 0, "s", "k", "v", "a", "", "t", ("", "+", "-", "++", "no sign"))
    yield Statement("statement", "empty", ())


values = st.none() | st.floats(-1e12, 1e12) | st.floats(0, 100)
"""A value of a series, or none."""


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    """Any chart: 1 to 8 series of up to 60 minutes, each with at least one value, and marks."""
    length = draw(st.integers(1, 60))
    start = draw(st.integers(-60, 60))
    count = draw(st.integers(1, 8))
    series = []
    for number in range(count):
        made = draw(st.lists(values, min_size=length, max_size=length))
        made[draw(st.integers(0, length - 1))] = draw(st.floats(0, 1e6))
        unit = draw(st.sampled_from(["", "%", "ms"]))
        series.append(Series(f"line {number}", unit, tuple(made)))
    marks = draw(
        st.lists(
            st.builds(
                Mark,
                st.integers(-80, 80),
                st.sampled_from(["deploy", "automation", "action", "else"]),
                st.just("x"),
            ),
            max_size=4,
        )
    )
    return Chart("chart", "any", start, tuple(series), tuple(marks))
