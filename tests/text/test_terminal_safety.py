"""Whatever a view holds, no prompt made of it can drive a terminal."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from chaosops.text import render_compact, render_observation
from chaosops.text_safety import has_unsafe
from tests.strategies import episodes


@pytest.mark.slow
@given(frames=episodes(max_turns=2))
def test_no_view_makes_words_that_can_drive_a_terminal(frames: tuple[Any, ...]) -> None:
    for frame in frames:
        for words in (render_observation(frame.observation), render_compact(frame.observation)):
            assert not has_unsafe(words)
            assert "\t" not in words
