"""All panes of a wide board are in view, fill it, and stand where they stood the turn before."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Region, Size

from tui.widgets.panes.spread import PaneNeeds, shared, spread


def text(name: str, lines: int = 8, *, is_talk: bool = False) -> PaneNeeds:
    return PaneNeeds(name, 0, lambda _width: lines, is_talk=is_talk)


def table(name: str, width: int, lines: int = 15) -> PaneNeeds:
    return PaneNeeds(name, width, lambda _width: lines)


def talk(lines: int = 8) -> list[PaneNeeds]:
    return [text(name, lines, is_talk=True) for name in ("alerts", "channel", "findings")]


SRE = [table("services", 119), text("logs", 40), *talk()]
OVERSIGHT = [table("services", 45), text("audit", 20), *talk()]
MANAGER = [text("impact", 14), *talk()]
SIZES = (Size(121, 35), Size(161, 50), Size(211, 60), Size(161, 40))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("panes", [SRE, OVERSIGHT, MANAGER], ids=["sre", "oversight", "manager"])
def test_every_pane_is_in_view_and_none_covers_another(size: Size, panes: list[PaneNeeds]) -> None:
    places = spread(size, panes)
    assert set(places) == {pane.name for pane in panes}
    for one, other in combinations(places.values(), 2):
        assert not one.overlaps(other)
    assert sum(place.area for place in places.values()) == size.area
    assert all(place in Region(0, 0, *size) for place in places.values())


def test_a_table_takes_the_whole_width_where_half_of_it_is_too_little() -> None:
    assert spread(Size(121, 35), SRE)["services"] == Region(0, 0, 121, 15)
    assert spread(Size(211, 60), SRE)["services"].width < 211
    assert spread(Size(121, 35), OVERSIGHT)["services"].width < 121


def test_what_was_said_stands_in_the_last_column() -> None:
    places = spread(Size(211, 60), SRE)
    assert places["alerts"].x == places["channel"].x == places["findings"].x == 135
    assert places["logs"].x == 0


def test_without_room_for_all_nothing_is_spread() -> None:
    assert spread(Size(119, 60), SRE) == {}
    assert spread(Size(121, 22), SRE) == {}
    assert spread(Size(121, 60), [table("services", 119, lines=42), *SRE[1:]]) == {}
    assert spread(Size(121, 35), []) == {}


@given(words=st.lists(st.integers(1, 60), min_size=5, max_size=5))
def test_a_pane_stays_in_its_column_whatever_there_is_to_say(words: list[int]) -> None:
    said = [text("logs", words[0]), *talk()]
    long = [
        PaneNeeds(pane.name, 0, lambda _width, lines=lines: lines, pane.is_talk)
        for pane, lines in zip(said, words, strict=False)
    ]
    before, now = spread(Size(121, 35), said), spread(Size(121, 35), long)
    assert {name: place.x for name, place in before.items()} == {
        name: place.x for name, place in now.items()
    }


@given(room=st.integers(0, 80), needs=st.lists(st.integers(1, 60), min_size=1, max_size=6))
def test_lines_are_shared_to_the_last_and_nobody_has_too_many_while_another_lacks_some(
    room: int, needs: list[int]
) -> None:
    heights = shared(room, needs)
    assert sum(heights) == room
    lacking = [have for have, need in zip(heights, needs, strict=True) if have < need]
    if lacking:
        assert all(have <= need for have, need in zip(heights, needs, strict=True))
        assert max(lacking) - min(lacking) <= 1


def test_what_nobody_needs_goes_to_the_lowest() -> None:
    assert shared(20, [12, 3, 2]) == [12, 4, 4]
    assert shared(20, [40, 3, 2]) == [15, 3, 2]
    assert shared(20, [40, 30, 2]) == [9, 9, 2]
    assert shared(5, []) == []
