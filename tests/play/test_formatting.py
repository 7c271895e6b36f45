import pytest

from chaosops.play.formatting import bar, clock, milliseconds, shown, signed, sparkline
from tests.tui.games import HOSTILE, frames


@pytest.mark.parametrize("text", HOSTILE)
def test_shown_text_is_one_printable_line(text: str) -> None:
    line = shown(text)
    assert "\n" not in line
    assert "\x1b" not in line
    assert len(line) <= 2_100


def test_the_clock_runs_past_midnight_and_before_the_page() -> None:
    status = frames(turns=1)[0].observation.view.status._replace(paged_at=1_439)
    assert clock(status, 2) == "00:01"
    assert clock(status, -1_440) == "23:59"


def test_small_rewards_have_no_sign_of_zero() -> None:
    assert [signed(value) for value in (-0.01, 0.0, 0.06, -38.2)] == ["0.0", "0.0", "+0.1", "-38.2"]


def test_a_rest_of_budget_never_looks_empty() -> None:
    assert bar(0.01) == "▰▱▱▱▱"
    assert bar(0.0) == "▱▱▱▱▱"
    assert bar(7.0) == "▰▰▰▰▰"


def test_latencies_have_their_unit() -> None:
    assert [milliseconds(value) for value in (940, 1_900, 12_000)] == ["940 ms", "1.9 s", "12 s"]


def test_a_sparkline_keeps_a_short_peak_when_it_is_squeezed() -> None:
    values = [0.0] * 29 + [1.0]
    assert sparkline(values, 0.0, 1.0, 5) == "▁▁▁▁▇"
    assert sparkline([0.0, 1.0], 0.0, 1.0, 5) == "   ▁▇"
    assert sparkline([], 0.0, 1.0, 5) == "     "


def test_a_squeezed_sparkline_shows_a_dip_if_it_knows_what_is_usual() -> None:
    instances = [4.0] * 54 + [2.0] * 6
    assert sparkline(instances, 0.0, 4.0, 6) == "▇▇▇▇▇▇"
    assert sparkline(instances, 0.0, 4.0, 6, usual=4.0) == "▇▇▇▇▇▄"
