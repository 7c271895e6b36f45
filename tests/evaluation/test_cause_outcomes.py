"""The page of what each cause does at each place: rows, exceptions, and that it is current."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from chaosops.env.cause_trials import MoveTrial, PlaceTrial, Strength, fitting, try_places
from chaosops.env.engine import ENGINE
from chaosops.evaluation.cause_outcomes import CauseOutcome, markdown, row
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_list import built_in_topologies
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.fitting import placements
from tests.worlds import built_in, sound_causes

PAGE = (Path(__file__).parents[2] / "docs" / "cause-trials.md").read_text("utf-8")


def cause(name: str) -> Cause:
    return next(one for one in sound_causes() if one.id == name)


@cache
def spots(name: str) -> int:
    return len(fitting(cause(name), built_in_topologies(FileReader(()))))


def trial(topology: str, place: str, *shares: float, move: MoveTrial | None = None) -> PlaceTrial:
    """A place that reaches the shares up to the last one, which is the most that fails there."""
    most = shares[-1]
    strengths = tuple(Strength(s, s <= most, 0.0 if s <= most else most) for s in (0.05, 0.15, 0.4))
    return PlaceTrial(topology, place, None, strengths, () if move is None else (move,))


def clears(problem: str = "") -> MoveTrial:
    return MoveTrial(("clears", 0), "terminate db", 0.93, problem)


WIDE = (
    trial("shop", "db", 0.4, move=clears()),
    trial("zones", "db", 0.4, move=clears()),
    trial("storefront", "db", 0.4, move=clears()),
)


def test_a_row_counts_places_topologies_and_actions_that_do_what_the_file_says() -> None:
    outcome = CauseOutcome(cause("row_lock"), (*WIDE, trial("shop", "store", 0.2)))
    assert row(outcome) == (
        "| database_waits | `row_lock` | shop 2, zones 1, storefront 1 "
        "| 4 on 3 | 4 on 3 | 3 on 3 | 3 of 3 | - | - |"
    )


def test_three_places_on_three_topologies_are_enough() -> None:
    text = markdown([CauseOutcome(cause("row_lock"), WIDE)])
    assert text.startswith(f"Engine {ENGINE}: 1 causes at 3 places.")
    assert text.count("None.") == 2


def test_a_share_that_too_few_places_reach_is_told_with_the_reason() -> None:
    jumps = Strength(0.4, False, 0.7, jumps=True)
    there = trial("zones", "db", 0.15)
    jumping = there._replace(place="store", strengths=(*there.strengths[:2], jumps))
    silent = trial("pipeline", "db", 0.0)
    places = (*WIDE[:1], trial("storefront", "db", 0.2), jumping, silent)
    text = markdown([CauseOutcome(cause("row_lock"), places)])
    assert (
        "| `row_lock` | 40% | db in shop | at most 20% at db in storefront; jumps to 70% at "
        "store in zones; no user request needs db in pipeline |"
    ) in text
    assert "| `row_lock` | 15% |" not in text


def test_a_cause_that_fits_at_few_places_is_told_so() -> None:
    text = markdown([CauseOutcome(cause("row_lock"), WIDE[:2])])
    assert "| `row_lock` | 5% | db in shop, db in zones | it fits nowhere else |" in text


def test_an_action_that_does_something_else_is_named_with_its_place() -> None:
    odd = WIDE[0]._replace(moves=(clears("it doesn't clear the cause"),))
    text = markdown([CauseOutcome(cause("row_lock"), (odd, *WIDE[1:]))])
    assert "| 2 of 3 | - | - |" in text
    assert "| `row_lock` | clears | terminate the service | db in shop (-93 %) |" in text


def test_an_alarm_has_no_shares() -> None:
    places = tuple(one._replace(strengths=()) for one in WIDE)
    assert "| alarm | alarm | alarm | 3 of 3 |" in row(CauseOutcome(cause("broken_probe"), places))


def test_the_page_has_every_cause_at_every_place_of_this_engine() -> None:
    assert f"Engine {ENGINE}: {len(sound_causes())} causes at " in PAGE
    for one in sound_causes():
        (found,) = re.findall(rf"^\| {one.family} \| `{one.id}` \| ([^|]*) \|", PAGE, re.M)
        assert sum(int(number) for number in re.findall(r"\d+", found)) == spots(one.id), one.id


@pytest.mark.few(1)
@pytest.mark.parametrize("name", sorted((one.id for one in sound_causes()), key=spots))
def test_rows_of_the_page_are_current(name: str) -> None:
    made = cause(name)
    places = fitting(made, built_in_topologies(FileReader(())))
    outcome = CauseOutcome(made, tuple(try_places(made, places)))
    assert row(outcome) in PAGE
    own = markdown([outcome]).splitlines()
    assert [line for line in own if line.startswith(f"| `{name}` |")] == [
        line for line in PAGE.splitlines() if line.startswith(f"| `{name}` |")
    ]


def exceptions() -> list[tuple[str, str, str, str]]:
    """Of the page: cause, list, place and topology of each action that does something else."""
    table = PAGE.partition("Actions that do something else than the file says:")[2]
    return [
        (name, listed, place, fleet)
        for name, listed, where in re.findall(
            r"^\| `(\w+)` \| (\w+) \| [^|]* \| ([^|]*) \|", table, re.M
        )
        for place, fleet in re.findall(r"(\w+)(?: \(caller \w+\))? in (\w+) \(", where)
    ]


def test_only_temptations_do_something_else_and_the_page_says_why_there() -> None:
    found = exceptions()
    assert found
    assert {listed for _name, listed, _place, _fleet in found} == {"tempts"}
    for _name, _listed, place, fleet in found:
        assert f"- `{place}` in {fleet} " in PAGE, (place, fleet)


def test_no_situation_casts_a_cause_where_a_temptation_helps() -> None:
    odd = {(name, fleet, place) for name, _listed, place, fleet in exceptions()}
    cast = {
        (spec.cause, source.topology.id, spot.place)
        for source in built_in()
        for spec in source.drawing.situation.casts
        for spot in placements(source.drawing.causes[spec.cause], source.topology)
        if spot.place in (spec.places or (spot.place,))
        and spot.caller in (spec.callers or (spot.caller,))
    }
    assert cast & odd == set()
