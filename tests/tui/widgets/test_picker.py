"""What can be said of a decision at the picker's last look, by keys and by mouse."""

from __future__ import annotations

import pytest
from textual.events import Paste

from chaosops.env.models import MAX_TEXT, ActionType, AgentRole
from chaosops.play.action_form.picks import PICK_KEYS
from chaosops.play.action_form.state import Stage
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.replay_model import replay_of_game
from chaosops.play.service_tree import tree
from tests.tui.games import game, press, roster, settled, text_of
from tests.tui.widgets.test_key_guard import Clock, with_copilot
from tui.screens.incident.screen import IncidentScreen
from tui.screens.instrument.screen import InstrumentScreen
from tui.widgets.key_guard import SEEN_AFTER
from tui.widgets.picker.layout import cut_to
from tui.widgets.picker.picker import Picker
from tui.widgets.rewards.turn import detail_rows

WIDE = (120, 40)
SMALL = (80, 24)


def kept(screen: IncidentScreen) -> Thought:
    return Thought.kept_in(screen.session.humans[0])


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_the_reason_and_the_sureness_go_with_the_turn_and_stand_in_its_replay(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "0", "plus", "plus", "plus", "quotation_mark", *"y0", "enter")
        text = text_of(app)
        assert "why: y0" in text
        assert "75 % sure" in text
        await press(pilot, "enter")
        session = screen.session
        assert kept(screen) == Thought("y0", 75)
        replay = replay_of_game(session.steps, session.humans, session.roster, "")
        mine, theirs = (
            [row.content.plain for row in detail_rows(replay.steps[turn], replay.notes[turn])]
            for turn in (0, 1)
        )
        assert {"why: y0", "75 % sure"} <= set(mine)
        assert not [line for line in theirs if "why" in line or "sure" in line]


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_what_it_may_cost_is_in_view_also_beside_a_copilot(size: tuple[int, int]) -> None:
    app, _screen = game(with_copilot())
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "s", "1", "1")
        assert "costs 25" in text_of(app)


@pytest.mark.slow
async def test_a_look_and_a_diagnosis_are_taken_with_the_key_of_the_last_answer() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "1", "2", "1")
        assert isinstance(app.screen, InstrumentScreen)
        await press(pilot, "escape")
        await settled(pilot)
        await press(pilot, "n", "1", "2", "2")
        made = [step.action for step in screen.session.steps if step.role is AgentRole.SRE]
    assert [action.action_type for action in made] == [ActionType.INVESTIGATE, ActionType.DIAGNOSE]


async def test_a_key_that_is_held_down_leads_to_the_confirmation_of_a_look() -> None:
    app, screen = game(roster(AgentRole.SRE), clock=Clock())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "1", "1", "1", "1", "1")
        assert screen.query_one(Picker).flow.stage is Stage.CONFIRM
        assert screen.session.turn == 0


@pytest.mark.parametrize("keys", [("r", "1"), ("0",)])
async def test_what_changes_the_fleet_or_ends_the_turn_is_confirmed(keys: tuple[str, ...]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, *keys)
        assert screen.session.turn == 0


async def test_enter_at_once_does_it_and_nothing_is_said() -> None:
    app, screen = game(roster(AgentRole.SRE), clock=Clock())
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert kept(screen) == UNSAID


@pytest.mark.slow
async def test_a_reason_that_is_pasted_goes_in_as_far_as_there_is_room() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "quotation_mark", "a", "b", "left")
        app.post_message(Paste("one\r\ntwo " + "x" * MAX_TEXT))
        await settled(pilot)
        assert "Cut off after 2,000 characters" in text_of(app)
        await press(pilot, "enter", "enter")
        why = kept(screen).why
        assert (len(why), why[:9], why[-1]) == (MAX_TEXT, "aone two ", "b")


@pytest.mark.slow
async def test_escape_leaves_the_line_without_keeping_it_and_then_the_pick() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        await press(pilot, "0", "plus", "quotation_mark", *"no", "escape")
        assert picker.flow.stage is Stage.CONFIRM
        assert "why:" not in text_of(app)
        assert "25 % sure" in text_of(app)
        await press(pilot, "escape", "0", "enter")
        assert kept(screen) == UNSAID


@pytest.mark.slow
async def test_enter_that_ends_the_reason_and_is_held_down_does_not_take_the_turn() -> None:
    clock = Clock()
    app, screen = game(roster(AgentRole.SRE), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "quotation_mark", "x", *["enter"] * 5)
        assert screen.session.steps == ()
        clock.go(SEEN_AFTER)
        await press(pilot, "enter")
        assert kept(screen) == Thought("x")


@pytest.mark.slow
async def test_a_reason_for_one_action_does_not_go_with_what_is_accepted_instead() -> None:
    clock = Clock()
    app, screen = game(with_copilot(), clock=clock)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        clock.go(SEEN_AFTER)
        restart = next(
            pick for pick in screen.query_one(Picker).flow.picks if pick.label == "restart"
        )
        await press(pilot, restart.key, "1", "plus", "escape", "y")
        assert screen.session.steps[0].action.target == "db"
        assert kept(screen) == UNSAID


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_they_are_entries_of_the_list_that_a_mouse_can_choose(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "0")
        await pilot.click("#picker-list", offset=(9, 3))
        await settled(pilot)
        await pilot.click("#picker-list", offset=(9, 3))
        await settled(pilot)
        assert "50 % sure" in text_of(app)
        await pilot.click("#picker-list", offset=(9, 2))
        await settled(pilot)
        assert screen.query_one(Picker).flow.stage is Stage.WRITE


async def test_the_last_look_names_the_keys_as_they_are_now_wherever_it_was_reached_from() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        app.use_keys({"picker.sure": "f7"})
        await settled(pilot)
        screen.query_one("#services").focus()
        await press(pilot, "0")
        assert '"  say why' in text_of(app)
        assert "f7  say how sure" in text_of(app)
        await press(pilot, "f7", "quotation_mark", "x", "enter")
        assert "25 % sure" in text_of(app)
        assert '"  say why' in text_of(app)
        assert "f7  say how sure" in text_of(app)


@pytest.mark.slow
async def test_a_restart_of_one_instance_takes_one_key_more_and_a_choice() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        picks = screen.query_one(Picker).flow.picks
        restart = next(p.key for p in picks if p.verb.action_type is ActionType.RESTART)
        await press(pilot, restart)
        order = [branch.name for branch in tree(screen.session.observation.view.graph)]
        await press(pilot, PICK_KEYS[order.index("payments")])
        assert "one instance only" in text_of(app)
        await press(pilot, "equals_sign", "2")
        assert "restart payments instance 2" in text_of(app)
        await press(pilot, "enter")
        action = screen.session.steps[0].action
        assert (action.target, dict(action.args)) == ("payments", {"instance": 2})


def test_a_text_that_is_cut_says_so_and_where_the_rest_is() -> None:
    text = "SRE looked at runtime of db. Dev and Oversight passed."
    assert cut_to(text, 60, 1, "… (i: all of it)") == text
    cut = cut_to(text, 30, 1, "… (i: all)")
    assert cut == "SRE looked at… (i: all)"
    assert cut_to(text, 30, 2, "…") == text


async def test_a_search_that_finds_nothing_says_nothing_about_another_entry() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "n", "slash", *"leak")
        assert "diagnose memory leak" in text_of(app)
        await press(pilot, *"zzz")
        assert "Nothing here matches" in text_of(app)
        assert not screen.query_one("#picker-preview").region.height


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_what_a_choice_costs_is_in_view_below_a_long_list(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for keys in (("n",), ("escape", "escape", "s")):
            await press(pilot, *keys)
            preview, picker = screen.query_one("#picker-preview"), screen.query_one(Picker)
            assert preview.region.height == preview.virtual_size.height > 1
            assert preview.region.bottom <= picker.region.bottom


@pytest.mark.slow
async def test_a_box_is_closed_by_a_click_outside_or_on_the_words_that_say_so() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        for key in ("h", "question_mark", "ctrl+p"):
            await press(pilot, key)
            box = app.screen.query(".box").first().region
            assert app.screen is not screen
            await pilot.click(offset=(box.x + 4, box.y + 1))
            assert app.screen is not screen
            await pilot.click(offset=(0, 0))
            await settled(pilot)
            assert app.screen is screen
            await press(pilot, key)
            await pilot.click(offset=(box.right - 5, box.bottom - 1))
            await settled(pilot)
            assert app.screen is screen or key == "ctrl+p"
            await press(pilot, *(("escape",) if app.screen is not screen else ()))


async def test_the_palette_lists_each_command_once_and_not_itself() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        titles = [command.title for command in app.get_system_commands(screen)]
        assert "Commands" not in titles
        assert titles.count("Quit") == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_a_proposal_takes_four_keys_and_its_finding_is_in_view_and_can_be_left_out(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        order = [branch.name for branch in tree(screen.session.observation.view.graph)]
        payments = PICK_KEYS[order.index("payments")]
        await press(pilot, "1", payments, "2", "escape")
        for keys, carried in ((("minus",), None), (("minus", "minus"), 0), ((), 0)):
            await press(pilot, "4", payments, "z")
            assert "with logs of payments" in " ".join(text_of(app).split())
            await press(pilot, *keys)
            assert ("with logs of payments" in " ".join(text_of(app).split())) is (carried == 0)
            await press(pilot, "enter")
            mine = [s.action for s in screen.session.steps if s.role is AgentRole.SRE][-1]
            assert mine.args["to"] == "dev"
            assert mine.args["proposal"]["action_type"] == "rollback"
            assert mine.args.get("finding") == carried
