"""What one way of telling a view knows, all know: panes, the plain mode and prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache, partial
from itertools import islice
from typing import Any

import pytest

from chaosops.env.models import TURN_ORDER, ChaosOpsObservation, FrozenMap, RoleView, SignalRows
from chaosops.env.models.readings import Reading
from chaosops.play.in_force import in_force, told
from chaosops.presenter import PARTS, Entry, RowCell, Value, Weight, parts, services
from chaosops.presenter.rows import Wording
from chaosops.text import render_compact, render_observation
from tests.text.samples import seen
from tests.text.test_observation import SAID_IN_THE_TEXT
from tests.worlds import all_ids
from tui.plain.board import flight_line, force_line, part_lines, status_line
from tui.widgets.panes.board import LOWER, UPPER
from tui.widgets.status.header import Facts, story
from tui.widgets.status.in_flight import in_flight_line, in_force_line

Leaf = tuple[str, str]
"""A field, and the record that has it."""

Telling = Callable[[ChaosOpsObservation], str]

WIDE = 400


def _prompt(observation: ChaosOpsObservation) -> str:
    return render_observation(observation)


def _plain(observation: ChaosOpsObservation) -> str:
    view = observation.view
    lines = [line for part in PARTS for line in part_lines(part, view)]
    return "\n".join([*lines, flight_line(view), force_line(view), status_line(view.status, 0.0)])


def _panes(observation: ChaosOpsObservation) -> str:
    view = observation.view
    rows = [
        row.content.plain
        for kind in (*UPPER, *LOWER)
        if kind.sees(view)
        for row in kind().rows(view, WIDE)
    ]
    header = story(Facts(view.status, observation.step, 0.0, None), WIDE)
    news = [told(item) for item in in_force(view)]
    lines = (header, in_flight_line(view), in_force_line(view))
    return "\n".join([*rows, *news, *(line.plain for line in lines)])


TELLINGS: Mapping[str, Telling] = {"a prompt": _prompt, "the plain mode": _plain, "panes": _panes}

ELSEWHERE: Mapping[str, frozenset[Leaf]] = {
    "a prompt": frozenset(),
    "the plain mode": frozenset({("Status", "title"), ("Status", "turns")}),
    "panes": frozenset({("LastAction", "role"), ("Finding", "role")}),
}
"""What is told elsewhere: when a game begins, in a text beside it, or by whose view it is."""


def _leaf(value: Any) -> Any:
    """Another value in its place; None where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, StrEnum):
        return next(member for member in reversed(type(value)) if member is not value)
    if isinstance(value, str):
        return f"{value}x"
    if isinstance(value, int):
        return value + 7
    if isinstance(value, float):
        return value + 0.07
    if isinstance(value, FrozenMap) and value:
        return FrozenMap({name: _leaf(inner) for name, inner in value.items()})
    return None


def _changed(value: Any) -> Iterator[tuple[Leaf, Any]]:
    """The record or list with one field of one record changed, and which it is."""
    names = getattr(value, "_fields", None)
    beside = SAID_IN_THE_TEXT.get(type(value).__name__, set())
    for place, inner in enumerate(value):
        if isinstance(inner, Reading) or (names and names[place] in beside):
            continue
        if isinstance(inner, tuple | SignalRows):
            for leaf, other in _changed(inner):
                parts = [*value[:place], other, *value[place + 1 :]]
                kind = SignalRows if isinstance(value, SignalRows) else type(value)
                yield leaf, kind(*parts) if names else kind(parts)
        elif names:
            other = _leaf(inner)
            if other is not None:
                leaf = (type(value).__name__, names[place])
                yield leaf, value._replace(**{names[place]: other})


def _changes(view: RoleView) -> Iterator[tuple[set[Leaf], RoleView]]:
    for name in RoleView._fields:
        part = getattr(view, name)
        if not isinstance(part, tuple | SignalRows) or name in ("history", "allowed"):
            continue
        for leaf, other in _changed(part):
            yield {leaf, ("RoleView", name)}, view._replace(**{name: other})


@cache
def _observations() -> tuple[ChaosOpsObservation, ...]:
    """What each role saw late in its games."""
    late = []
    for name in all_ids()[::6]:
        for policy in ("expert", "heuristic"):
            turns = seen(name, policy)
            late += turns[-len(TURN_ORDER) :]
            late += turns[len(turns) // 2 :][: len(TURN_ORDER)]
    waiting = (turn for turn in seen("checkout-times-out", "random") if turn.view.requests)
    late += islice(waiting, len(TURN_ORDER))
    return tuple(late)


def _untold(telling: Telling) -> set[Leaf]:
    """The fields of which no change shows."""
    tries: dict[Leaf, int] = {}
    told: set[Leaf] = set()
    for observation in _observations():
        before = telling(observation)
        for leaves, view in _changes(observation.view):
            todo = {leaf for leaf in leaves if leaf not in told and tries.get(leaf, 0) < _TRIES}
            if not todo:
                continue
            for leaf in todo:
                tries[leaf] = tries.get(leaf, 0) + 1
            if telling(observation._replace(view=view)) != before:
                told |= leaves
    return set(tries) - told


_TRIES = 40


@pytest.mark.slow
@pytest.mark.parametrize("name", TELLINGS)
def test_every_field_of_a_view_is_told(name: str) -> None:
    assert _untold(TELLINGS[name]) == ELSEWHERE[name]


WORDINGS = [name for name, value in vars(parts).items() if isinstance(value, Wording)]

ADDED = "something new"


@pytest.mark.slow
@pytest.mark.parametrize("wording", WORDINGS)
def test_a_cell_that_is_added_to_a_row_is_told_everywhere(
    wording: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Longer(Wording):
        def row(self, weight: Weight = Weight.NORMAL, /, **values: Value) -> Entry:
            return super().row(weight, **values).with_cell(RowCell("added", ADDED))

    longer = Longer("")
    longer.__dict__.update(vars(getattr(parts, wording)))
    monkeypatch.setattr(parts, wording, longer)
    assert _who_tells_what_was_added() == {*TELLINGS, "a compact prompt"}


def test_a_cell_that_is_added_to_a_service_is_told_everywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells = services._named
    added = RowCell("added", ADDED)
    monkeypatch.setattr(services, "_named", lambda *named: (*cells(*named), added))
    assert _who_tells_what_was_added() == {*TELLINGS, "a compact prompt"}


def _who_tells_what_was_added() -> set[str]:
    tellings = {**TELLINGS, "a compact prompt": partial(render_compact, tokens=20_000)}
    return {
        name
        for name, telling in tellings.items()
        if any(ADDED in telling(each) for each in _observations())
    }


def test_the_sample_has_every_part_that_there_is() -> None:
    seen_parts = {
        name
        for observation in _observations()
        for name in RoleView._fields
        if getattr(observation.view, name)
    }
    assert seen_parts == set(RoleView._fields)
