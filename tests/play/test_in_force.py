"""What is still in force is seen as long as it lasts, with how to undo it."""

from __future__ import annotations

import re

import pytest

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.play.in_force import effect, effect_and_undo, in_force
from tests.env.test_in_force import LASTING
from tests.tui.games import complete, game, press, roster, settled, text_of
from tests.worlds import DEV, SRE, Move, hand_made, move, play, view_of
from tui.plain.board import force_line
from tui.widgets.panes.services import ServicesPane
from tui.widgets.picker.picker import Picker
from tui.widgets.status.in_flight import in_force_line

SHED = move("shed_load", "edge", percent=25)


@pytest.mark.parametrize(("role", "action", "_undo"), LASTING)
def test_each_kind_of_action_that_lasts_has_words_of_its_own(
    role: AgentRole, action: Move, _undo: object
) -> None:
    stepper = play(hand_made(), {TURN_ORDER.index(role): action}, turns=12)
    (item,) = in_force(stepper.observation.view)
    words = effect(item)
    assert action[1] in words
    assert "None" not in words
    assert words != f"{action[0].replace('_', ' ')} {action[1]}"


@pytest.mark.parametrize("role", TURN_ORDER)
def test_every_role_reads_a_shed_in_the_header_and_in_plain_mode_until_it_is_undone(
    role: AgentRole,
) -> None:
    undo = move("shed_load", "edge", percent=0)
    view = view_of(play(hand_made(), {0: SHED}, turns=4), role)
    told = "25 % of the load of edge shed"
    assert in_force_line(view).plain == f"in force: {told}, undo: shed load edge percent 0 (SRE)"
    assert told in force_line(view)
    assert "undo: shed load edge percent 0 (SRE)" in force_line(view)
    after = view_of(play(hand_made(), {0: SHED, 4: undo}, turns=8), role)
    assert after.in_force == ()
    assert force_line(after) == ""


def test_the_services_pane_marks_the_service_it_is_in_force_on() -> None:
    view = view_of(play(hand_made(), {0: SHED, 2: move("rollback", "cart")}, turns=8), SRE)
    rows = [row.content.plain.strip() for row in ServicesPane().rows(view, 78)]
    at = next(i for i, row in enumerate(rows) if row.startswith("edge "))
    assert rows[at + 1] == "↳ 25 % of the load of edge shed, undo: shed load edge percent 0 (SRE)"
    marks = [row for row in rows if row.startswith("↳")]
    assert marks[1:] == ["↳ cart rolled back, stays until the incident is over"]


def test_what_can_be_undone_stands_before_what_cannot() -> None:
    view = view_of(play(hand_made(), {2: move("rollback", "cart"), 4: SHED}, turns=8), DEV)
    assert effect_and_undo(in_force(view)[-1]).endswith(", stays until the incident is over")
    assert in_force_line(view).plain.startswith("in force: 25 % of the load of edge shed")


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_drained_instance_is_on_the_screen_while_it_is_drained(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert "in force" not in text_of(app)
        key = next(
            pick.key for pick in screen.query_one(Picker).flow.picks if pick.label == "drain"
        )
        await press(pilot, key)
        await complete(pilot, screen.query_one(Picker))
        await press(pilot, "enter")
        assert len(screen.session.observation.view.in_force) == 1
        text = text_of(app)
        assert "in force: an instance of " in text
        assert "undo: scale " in text


@pytest.mark.parametrize("width", [58, 78, 118])
def test_however_much_is_in_force_the_header_counts_all_of_it_in_two_lines(width: int) -> None:
    moves = {1: move("pause", "compactor"), 2: move("rollback", "cart")}
    later = ("drain", "raise_limit", "failover", "purge")
    targets = {"drain": "catalog", "raise_limit": "auth", "failover": "queue", "purge": "queue"}
    given = {"raise_limit": {"limit": "memory"}}
    for i, verb in enumerate(later, 1):
        moves[4 * i] = move(verb, targets[verb], **given.get(verb, {}))
    moves[4 * len(later) + 4] = SHED
    view = play(hand_made(max_steps=15), moves, turns=4 * len(later) + 8).observation.view
    assert len(view.in_force) == 7
    line = in_force_line(view, width, "i")
    assert len(line.wrap(width)) <= 2
    named = sum(effect(item) in line.plain for item in in_force(view))
    left = re.search(r"(\d+) more", line.plain)
    assert named + (int(left[1]) if left else 0) == 7
    assert line.plain.endswith("i: how to undo it")


async def test_the_news_tell_all_that_is_in_force_with_what_undoes_it() -> None:
    app, screen = game(roster(SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        key = next(
            pick.key for pick in screen.query_one(Picker).flow.picks if pick.label == "drain"
        )
        await press(pilot, key)
        await complete(pilot, screen.query_one(Picker))
        await press(pilot, "enter", "i")
        text = " ".join(text_of(app).replace("│", " ").split())
        assert "Since your last turn" in text
        assert "Points -" in text
        assert "Still in force: an instance of " in text
        assert "undo: scale " in text
