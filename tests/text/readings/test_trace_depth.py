"""Traces as text."""

from chaosops.env.models.readings import Span, SpanStatus, Trace
from chaosops.text.readings.traces import _tree


def test_a_trace_that_claims_to_be_endlessly_deep_takes_a_short_line() -> None:
    span = Span(10**12, "db", "query", 0, 1, SpanStatus.OK)
    assert len(_tree(Trace("t", 0, (span,)))) < 200
