"""The fuzzer finds what is broken, says how to see it again, and makes it short."""

from __future__ import annotations

import pytest

from tests.fuzz.acts import Burst, burst
from tests.fuzz.pilot import crash_of
from tests.fuzz.reduction import reduced
from tui.screens.settings.screen import SettingsScreen

pytestmark = pytest.mark.fuzz


def test_a_seed_is_the_same_burst_each_time_and_can_be_kept_as_text() -> None:
    one, same, other = (burst(seed, ("home", "incident")) for seed in (1, 1, 2))
    assert one == same != other
    assert Burst.parsed(str(one)) == one


def test_a_failing_sequence_is_made_as_short_as_it_can_be() -> None:
    acts = [str(number) for number in range(50)]
    assert reduced(acts, lambda some: {"7", "31"} <= set(some)) == ("7", "31")


async def test_a_screen_that_breaks_is_found_with_its_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(self: SettingsScreen) -> None:
        self.query_one("#not-there")

    monkeypatch.setattr(SettingsScreen, "on_screen_resume", broken)
    why = await crash_of(Burst("home", "80x24", ("key f2", "key escape")))
    assert "NoMatches" in why
    assert "in broken" in why
