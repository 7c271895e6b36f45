"""What home recommends: the next unplayed incident of a level, then what is left to earn."""

from __future__ import annotations

from pathlib import Path

from chaosops.env.models import Difficulty
from chaosops.play.progress import Best, Progress
from chaosops.play.recommended import recommended
from chaosops.play.stars import Star
from chaosops.play.truths import Truths
from chaosops.scenarios.summaries import ScenarioSummary

EVERY_STAR = frozenset(Star)


def incident(name: str, level: Difficulty) -> ScenarioSummary:
    return ScenarioSummary(Path(name), name, name, level, "shop", 20, 10)


FIRST = incident("first", Difficulty.TUTORIAL)
SECOND = incident("second", Difficulty.TUTORIAL)
EASY = incident("easy", Difficulty.EASY)
ALL = (FIRST, SECOND, EASY)


def best(*, resolved: bool = True, stars: frozenset[Star] = EVERY_STAR) -> Best:
    return Best(stars, resolved, 50.0, 12)


def test_a_newcomer_begins_with_the_tutorial_also_before_the_recordings_were_read() -> None:
    for progress in (None, Progress({})):
        found = recommended(ALL, progress)
        assert found is not None
        assert (found.incident, found.why) == (FIRST, "new")


def test_within_a_level_what_is_new_comes_before_what_was_lost() -> None:
    progress = Progress({"first": best(resolved=False)})
    found = recommended(ALL, progress)
    assert found is not None
    assert found.incident is SECOND


def test_a_level_is_resolved_before_the_next_one_begins() -> None:
    progress = Progress({"first": best(), "second": best(resolved=False)})
    found = recommended(ALL, progress)
    assert found is not None
    assert (found.incident, found.why) == (SECOND, "not resolved yet")
    progress = Progress({"first": best(), "second": best()})
    found = recommended(ALL, progress)
    assert found is not None
    assert found.incident is EASY


def test_when_all_is_resolved_the_fewest_stars_come_first() -> None:
    two = frozenset({Star.USERS, Star.CLEAN})
    progress = Progress({"first": best(stars=two), "second": best(), "easy": best(stars=two)})
    found = recommended(ALL, progress)
    assert found is not None
    assert (found.incident, found.why) == (FIRST, "2 of 3 stars")


def test_with_every_star_causes_that_were_not_met_are_left() -> None:
    played = {seen.id: best() for seen in ALL}
    truths = {"first": Truths(1, 1), "second": Truths(1, 1), "easy": Truths(2, 5)}
    found = recommended(ALL, Progress(played, truths=truths))
    assert found is not None
    assert (found.incident, found.why) == (EASY, "2 of 5 causes met")
    met = {**truths, "easy": Truths(5, 5)}
    assert recommended(ALL, Progress(played, truths=met)) is None
    assert recommended((), Progress(played)) is None
