"""The header's lines never cut off minutes: they say less where there is less room."""

from __future__ import annotations

import pytest

from chaosops.env.models import ActionType, FrozenMap
from tests.worlds import SRE, hand_made, move, play
from tui.widgets.status.in_flight import in_flight_line, waiting_line

NOW = play(
    hand_made(), {0: move("drain", "cart", unit="zone"), 2: move("rollback", "payments")}, turns=3
).observation.view
ONE = NOW.in_flight[0]
NOW = NOW._replace(
    in_flight=(
        ONE._replace(lands=NOW.status.minute + 2),
        ONE._replace(
            role=SRE,
            action_type=ActionType.SCALE,
            target="cart",
            args=FrozenMap({"replicas": 6}),
            lands=NOW.status.minute + 3,
        ),
    )
)


def test_who_and_how_wide_is_left_out_first_and_then_what_lands_last() -> None:
    whole = in_flight_line(NOW).plain
    assert whole.startswith("in flight: ")
    assert whole.count(" min left") == 2
    for width in range(24, 120):
        said = in_flight_line(NOW, width).plain
        assert len(said) <= width
        assert " min left" in said
        assert said.count(" min left") == 2 or " more" in said or said.startswith("2 in flight, ")
    assert in_flight_line(NOW, len(whole)).plain == whole
    assert in_flight_line(NOW, 24).plain == "2 in flight, 3 min left"
    brief = in_flight_line(NOW, len(whole) - 1).plain
    assert brief == "in flight: rollback payments, 3 min left · scale cart, 4 min left"
    assert "SRE" not in brief
    assert "to 6" not in brief


def test_nothing_in_flight_is_said_so() -> None:
    assert in_flight_line(NOW._replace(in_flight=())).plain == "nothing in flight"


@pytest.mark.parametrize("width", [80, 120])
def test_what_waits_takes_two_lines_and_what_does_not_fit_is_counted(width: int) -> None:
    update = "! the Manager's status update is overdue by 3 min"
    request = "? request 1 waits for the Manager: failover db (SRE), lapses in 5 min"
    budget = "! error budget empty in 8-13 min"
    two = waiting_line([update, budget], width)
    assert two.plain == f"{update} · {budget}"
    assert len(two.wrap(width)) <= 2
    many = waiting_line([update, request, request, request, budget], width)
    assert len(many.wrap(width)) <= 2
    assert many.plain.endswith(" more")
    assert many.plain.startswith(update)
