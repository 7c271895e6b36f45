"""Gates that situations still miss, with what was measured. Each fails here until it is met.

A test of this table that passes fails the run, so a row goes as soon as its gate is met.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_LUCK: Final = "test_the_best_of_two_hundred_random_episodes_stays_below_the_expert"
_SHORTCUT: Final = "test_no_shortcut_reaches_the_expert"
_AUDIT: Final = "test_the_audit_log_of_a_situation_is_neither_empty_nor_long_at_the_page"
_SEARCH: Final = "test_it_finds_nothing_better_than_the_oracle_for_any_truth_of_a_situation"
_ALERTS: Final = "test_causes_that_open_alike_cannot_be_told_by_their_alerts"
_WORDS: Final = "test_policies_play_the_same_game_in_other_words"
_COACH: Final = "test_the_coach_and_the_debrief_say_the_same_in_other_words"

SHORTFALLS: Final[Mapping[str, str]] = {
    f"{_LUCK}[site-errors-above-limit]": "95.0 of random play, 73.8 of the expert",
    f"{_LUCK}[checkout-times-out]": "102.0 of random play, 90.2 of the expert",
    f"{_LUCK}[profile-changes-lost]": "91.8 of random play, 83.6 of the expert",
    f"{_SHORTCUT}[site-errors-above-limit]": "97.0 of a repeated rollback, 73.8 of the expert",
    f"{_SHORTCUT}[requests-fail-here-and-there]": "85.4 of escalating, 83.7 of the expert",
    f"{_SHORTCUT}[search-p99-high]": "102.0 of a raised limit, 101.2 of the expert",
    f"{_AUDIT}[calls-not-getting-through]": "18 lines, 12 allowed",
    f"{_AUDIT}[profile-changes-lost]": "14 lines, 12 allowed",
    f"{_AUDIT}[requests-fail-here-and-there]": "13 lines, 12 allowed",
    f"{_SEARCH}[calls-not-getting-through]": "8.9 points found, 2 allowed",
    f"{_ALERTS}[requests-fail-here-and-there]": "port exhaustion opens with alerts of its own",
    f"{_ALERTS}[site-turns-users-away]": "a cold cache opens with alerts of its own",
    f"{_WORDS}[figures-hours-old-expert]": "the expert asks for other things in other words",
    f"{_WORDS}[figures-hours-old-hurried people asked by experts]": "the same",
    f"{_COACH}[figures-hours-old]": "the same",
}
"""The name of each test, and by how much its gate is missed."""
