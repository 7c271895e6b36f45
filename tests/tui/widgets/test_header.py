"""The first lines of the header."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import AgentRole
from tests.tui.games import session
from tui.widgets.status.header import Facts, story

STATUS = session(AgentRole.SRE).observation.view.status


@pytest.mark.parametrize(
    ("title", "width", "lines"),
    [
        ("Site is slow", 80, 2),
        ("Site is slow", 120, 1),
        ("Checkout takes too long to answer its users", 120, 2),
        ("Checkout takes too long to answer its users", 160, 1),
    ],
)
def test_a_title_takes_a_line_of_its_own_where_the_figures_leave_too_little_room(
    title: str, width: int, lines: int
) -> None:
    status = STATUS._replace(title=title)
    told = story(Facts(status, 3, -12.5, 1.0), width).plain.split("\n")
    assert len(told) == lines
    assert told[0].startswith(title)
    assert max(map(len, told)) <= width


def test_the_bar_of_the_budget_goes_before_the_title_takes_a_line_of_its_own() -> None:
    bars = []
    for size in range(10, 60):
        told = story(Facts(STATUS._replace(title="x" * size), 3, -12.5, 1.0), 120).plain
        bars.append("▰" in told if "\n" not in told else None)
    assert [*dict.fromkeys(bars)] == [True, False, None]


@given(
    width=st.integers(120, 250),
    title=st.integers(5, 75),
    held=st.integers(0, 10),
    score=st.floats(-999.0, 300.0),
    users=st.floats(0.0, 1.0),
    left=st.sampled_from(["", "45 s left"]),
)
def test_from_120_columns_on_no_title_is_cut_whatever_the_figures_are(
    width: int, title: int, held: int, score: float, users: float, left: str
) -> None:
    status = STATUS._replace(title="x" * title, held=held, hold=10, users_ok=users)
    told = story(Facts(status, 99, score, 0.5, left), width).plain
    assert "x" * title in told
    assert "…" not in told
