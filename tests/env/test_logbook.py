"""What the fleet writes into its logs by itself."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from chaosops.env.logbook import nearest


@example(0.5)
@example(12.5)
@example(0.49999999999999994)
@given(st.floats(0, 1e12))
def test_figures_in_a_line_are_rounded_as_python_rounds(value: float) -> None:
    assert nearest(value) == round(value)
