"""What is still in force is seen as long as it lasts, with how to undo it."""

from __future__ import annotations

import pytest

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.play.in_force import in_force_words, undo_words
from tests.env.test_in_force import LASTING
from tests.tui.games import complete, crew, game, press, settled, text_of
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
    (item,) = stepper.observation.view.in_force
    words = in_force_words(item)
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
    assert rows[at + 1].startswith("↳ 25 % of the load of edge shed since ")
    assert rows[at + 1].endswith(" by SRE, undo: shed load edge percent 0 (SRE)")
    marks = [row for row in rows if row.startswith("↳")]
    assert len(marks) == 2
    assert marks[1].endswith("by Dev, cannot be undone")


def test_what_can_be_undone_stands_before_what_cannot() -> None:
    view = view_of(play(hand_made(), {2: move("rollback", "cart"), 4: SHED}, turns=8), DEV)
    assert next(undo_words(item) for item in view.in_force) == "cannot be undone"
    assert in_force_line(view).plain.startswith("in force: 25 % of the load of edge shed")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_a_drained_instance_is_on_the_screen_while_it_is_drained(
    size: tuple[int, int],
) -> None:
    app, screen = game(crew(SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert "in force" not in text_of(app)
        key = next(pick.key for pick in screen.query_one(Picker).picks if pick.label == "drain")
        await press(pilot, key)
        await complete(pilot, screen.query_one(Picker))
        await press(pilot, "enter")
        assert len(screen.session.observation.view.in_force) == 1
        text = text_of(app)
        assert "in force: an instance of " in text
        assert "undo: scale " in text
