"""The benchmark measures what it says; how fast it is, is for the benchmark itself to say."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.benchmarks.measures import (
    COMMAND,
    ONE_LABEL,
    answered_before,
    bytes_per_frame,
    cost_growth,
    seconds_to_help,
    seconds_to_paint,
    seconds_to_start,
    turns_per_second,
)
from tests.worlds import hand_made

pytestmark = pytest.mark.benchmark


def test_turns_alone_are_at_least_as_fast_as_whole_episodes() -> None:
    whole, alone = turns_per_second(hand_made(), 2)
    assert 0.0 < whole <= alone < math.inf


def test_the_cost_of_a_turn_is_compared_between_long_and_short_episodes() -> None:
    assert 0.0 < cost_growth(hand_made(), 80, 8) < math.inf


def test_a_kept_frame_has_a_size() -> None:
    assert 100.0 < bytes_per_frame(hand_made(), 2) < 1e6


def test_help_takes_longer_than_doing_nothing() -> None:
    assert seconds_to_help() > seconds_to_start() * 0.5 > 0.0


def test_the_first_paint_is_seen_in_a_terminal_of_its_own() -> None:
    assert 0.0 < seconds_to_paint(ONE_LABEL, "first paint") < 30.0


def test_the_game_is_painted_as_a_player_starts_it(tmp_path: Path) -> None:
    answered_before(tmp_path)
    folder = str(tmp_path)
    assert 0.0 < seconds_to_paint(COMMAND, "You are on call", [folder, "play"]) < 30.0
    assert (
        0.0
        < seconds_to_paint(COMMAND, "restart", [folder, "play", "paying-ends-in-an-error"])
        < 30.0
    )


def test_a_paint_that_never_comes_is_an_error_with_what_came() -> None:
    with pytest.raises(TimeoutError, match="something else"):
        seconds_to_paint("print('something else')", "nothing like it", patience=5.0)
