"""A cause is tried at every place: how strong it gets, and whether its moves do what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.cause_trials import PlaceTrial, fitting, problems_of, try_places
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_starter import write_cause_starter
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import builtin_folder
from tests.scenarios.files import edited
from tests.worlds import built_in


def cause(tmp_path: Path, old: str = "", new: str = "") -> Cause:
    """The starter, with a change."""
    path = write_cause_starter("slow_table", tmp_path)
    path.write_text(edited(path.read_text("utf-8"), old, new), "utf-8")
    found = FileReader([tmp_path]).cause(path)
    assert found.cause is not None, found.problems
    return found.cause


def tried(made: Cause, *services: str) -> list[PlaceTrial]:
    """Its trials at some services of the shop."""
    shop = next(each.topology for each in built_in() if each.topology.id == "shop")
    spots = [spot for spot in fitting(made, [shop]) if spot[1].place in services]
    assert len(spots) == len(services)
    return list(try_places(made, spots))


def said(made: Cause, *services: str) -> list[str]:
    """What its author has to change."""
    trials = tried(made, *services)
    return [f"{'.'.join(map(str, w.path))}: {w.message}" for w in problems_of(made, trials)]


@pytest.mark.slow
def test_a_place_is_as_strong_as_the_traffic_through_it(tmp_path: Path) -> None:
    anywhere = cause(tmp_path, "traits: [pooled, needed, several", "traits: [several")
    catalog, search, payments = tried(anywhere, "catalog", "search", "payments")
    assert [each.reached for each in catalog.strengths] == [True, True, True]
    assert [each.reached for each in payments.strengths] == [True, False, False]
    assert 0.1 < payments.strengths[2].most < 0.16
    assert [each.is_unnoticed for each in search.strengths] == [True, True, True]
    assert (catalog.hurts, search.hurts) == (True, False)
    assert search.moves == ()


def test_each_move_is_judged_as_in_a_game(tmp_path: Path) -> None:
    (catalog,) = tried(cause(tmp_path), "catalog")
    relief = {move.action: move.relief for move in catalog.moves}
    assert set(relief) == {
        "rollback catalog",
        "disable feature catalog",
        "restart catalog",
        "raise limit catalog",
    }
    assert relief["rollback catalog"] > 0.9
    assert 0.1 < relief["disable feature catalog"] < 0.9
    assert max(relief["restart catalog"], relief["raise limit catalog"]) < 0.02
    assert not any(move.problem for move in catalog.moves)


WRONG = {
    "an ease that does not help": (
        "remains: 0.4, minutes: 12",
        "remains: 1.0",
        "eases.0: at cart in shop and 1 more: no fewer requests fail with it; lower 'remains'",
    ),
    "a temptation that clears": (
        "  - {action: restart, why:",
        "  - {action: rollback, why:",
        "tempts.0: at cart in shop and 1 more: it clears the cause, so it is right",
    ),
    "a temptation that eases": (
        "  - {action: restart, why:",
        "  - {action: disable_feature, why:",
        "tempts.0: at cart in shop and 1 more: fewer requests fail with it, so it is right",
    ),
    "a clear that an entry before it takes": (
        "  - {action: rollback}\n",
        "  - {action: rollback, returns: 2}\n  - {action: rollback}\n",
        "clears.1: at cart in shop and 1 more: it doesn't clear the cause; an entry before it",
    ),
    "a clear on a part that is not there": (
        "  - {action: rollback}\n",
        "  - {action: terminate, at: consumer}\n",
        "clears.0.at: at cart in shop and 1 more: nothing there is its consumer",
    ),
    "a clear that does not work there": (
        "  - {action: rollback}\n",
        "  - {action: purge}\n",
        "clears.0.action: at cart in shop: 'purge' does not work on cart",
    ),
    "an effect that hurts nobody": (
        "parameter: errors, drive: level, most: 0.97",
        "parameter: errors, drive: level, most: 0.02",
        "effects: it can't make 5% of requests fail at any place, at most",
    ),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("what", WRONG)
def test_what_is_not_as_the_file_says_is_told_with_the_place_and_the_cure(
    what: str, tmp_path: Path
) -> None:
    old, new, message = WRONG[what]
    found = said(cause(tmp_path, old, new), "catalog", "cart")
    assert [line for line in found if line.startswith(message)], found


def test_a_harmless_cause_has_moves_and_no_strength() -> None:
    path = builtin_folder() / "causes" / "alarms" / "broken_probe.yaml"
    made = FileReader(()).cause(path).cause
    assert made is not None
    (edge,) = tried(made, "edge")
    assert edge.strengths == ()
    assert [move.problem for move in edge.moves] == [""] * 4
    assert list(problems_of(made, [edge])) == []


@pytest.mark.slow
def test_the_starter_is_sound_everywhere(tmp_path: Path) -> None:
    shop = next(each.topology for each in built_in() if each.topology.id == "shop")
    made = cause(tmp_path)
    spots = fitting(made, [shop])
    assert list(problems_of(made, list(try_places(made, spots)))) == []
