from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual.widgets import OptionList
from textual.widgets._toast import Toast

from chaosops.agents.policies import expert_policy
from chaosops.env.models import (
    MAX_TEXT,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.state import Stage
from chaosops.play.log_search import lines_found
from chaosops.play.passing import MOST_ROUNDS, events
from chaosops.recording.reader import read_recording
from tests.tui.games import BY_DEV, complete, game, press, roster, scenario, settled, text_of
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.incident.handover import HandoverScreen
from tui.screens.incident.hint import HintScreen
from tui.widgets.key_guard import SEEN_AFTER
from tui.widgets.panes.board import Board
from tui.widgets.panes.channel import ChannelPane
from tui.widgets.panes.logs import LogsPane
from tui.widgets.picker.picker import Picker
from tui.widgets.rewards.log import RewardLog

WIDE = (120, 40)
SMALL = (80, 24)


@pytest.mark.slow
@pytest.mark.parametrize("role", TURN_ORDER)
async def test_every_verb_of_a_role_can_be_played_with_the_picker(role: AgentRole) -> None:
    """Each in a game of its own: an incident that is left alone ends before all were played."""
    number, verbs = 0, set()
    while True:
        app, screen = game(roster(role), rounds=15)
        async with app.run_test(size=WIDE) as pilot:
            await settled(pilot)
            picker = screen.query_one(Picker)
            offered = [pick for pick in picker.flow.picks if not pick.blocked]
            if number == len(offered):
                break
            pick = offered[number]
            await press(pilot, pick.key)
            await complete(pilot, picker)
            assert picker.flow.stage is Stage.CONFIRM
            before = len(screen.session.steps)
            await press(pilot, "enter")
            mine = screen.session.steps[before]
            assert (mine.role, mine.action.action_type) == (role, pick.verb.action_type)
            assert mine.breakdown.miscommunication_penalty == 0, mine.message
            verbs.add(mine.action.action_type)
            number += 1
    everything = {choice.action_type for choice in screen.session.observation.view.allowed}
    assert everything <= verbs


@pytest.mark.slow
async def test_a_whole_incident_is_played_to_its_end_beside_experts(tmp_path: Path) -> None:
    seats = roster(AgentRole.MANAGER, others=expert_policy(3))
    app, screen = game(seats, folder=tmp_path, played=scenario(BY_DEV))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        session = screen.session
        for _ in range(session.scenario.max_steps):
            if not session.done:
                await press(pilot, "0", "enter")
        assert isinstance(app.screen, DebriefScreen)
        assert session.resolved
        text = text_of(app)
        assert f"Resolved in {len(session.steps)} min" in text
        assert "The team said" in text
    assert session.recording is not None
    kept = read_recording(session.recording)
    assert kept.frames == session.steps
    assert kept.footer is not None
    assert kept.footer.resolved


@pytest.mark.slow
async def test_four_people_share_a_keyboard_without_seeing_each_others_views() -> None:
    app, screen = game(roster(*TURN_ORDER))
    async with app.run_test(size=WIDE) as pilot:
        for role in (*TURN_ORDER, TURN_ORDER[0]):
            await settled(pilot)
            assert isinstance(app.screen, HandoverScreen)
            assert screen.query_one(Board).open_panes() == ()
            await press(pilot, "enter")
            assert screen.session.role is role
            assert (
                "audit" in screen.query_one(Board).open_panes() or role is not AgentRole.OVERSIGHT
            )
            await press(pilot, "0", "enter")
        assert [step.role for step in screen.session.steps[:4]] == list(TURN_ORDER)


async def test_five_fast_enters_are_one_action() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "0")
        await pilot.press(*["enter"] * 5)
        await settled(pilot)
        assert len([step for step in screen.session.steps if step.role is AgentRole.SRE]) == 1
        assert screen.session.turn == 4


async def test_a_second_submission_of_the_same_turn_is_refused() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        await settled(pilot)
        twice = Picker.Submitted(0, ChaosOpsAction(AgentRole.SRE, ActionType.NOOP))
        picker = screen.query_one(Picker)
        picker.post_message(twice)
        picker.post_message(Picker.Submitted(0, twice.action))
        await settled(pilot)
        assert [step.turn for step in screen.session.steps if step.role is AgentRole.SRE] == [0]


@pytest.mark.slow
@pytest.mark.parametrize("start", [WIDE, SMALL])
async def test_any_size_is_survived_and_the_game_goes_on(start: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=start) as pilot:
        await settled(pilot)
        await press(pilot, "1")
        for size in ((1, 1), (20, 5), (200, 60), (1, 60), (200, 1), start):
            await pilot.resize_terminal(*size)
            await settled(pilot)
        assert "investigate" in text_of(app)
        assert "edge" in text_of(app)
        await complete(pilot, screen.query_one(Picker))
        await press(pilot, "enter")
        assert screen.session.steps[0].action.action_type is ActionType.INVESTIGATE


async def test_a_small_screen_has_every_pane_behind_tabs() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        board = screen.query_one(Board)
        seen = []
        for _ in range(5):
            seen.append(board.current)
            assert board.open_panes() == (board.current,)
            await press(pilot, "right_square_bracket")
        assert seen == ["services", "logs", "alerts", "channel", "findings"]
        assert board.current == "services"


async def test_a_tab_opens_by_mouse() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.click("#tabs-first", offset=(14, 0))
        await settled(pilot)
        assert screen.query_one(Board).current == "logs"


async def test_an_action_is_taken_by_mouse_alone() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.click("#picker-list", offset=(6, 1))
        await settled(pilot)
        for _ in range(2):
            await pilot.click("#picker-list", offset=(6, 2))
            await settled(pilot)
        assert screen.query_one(Picker).flow.stage is Stage.CONFIRM
        await pilot.click("#picker-list", offset=(6, 0))
        await settled(pilot)
        action = screen.session.steps[0].action
        assert action.action_type is ActionType.INVESTIGATE
        assert action.args["source"] == "traces"


@pytest.mark.slow
async def test_typing_searches_the_list() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"shed", "enter")
        picker = screen.query_one(Picker)
        assert picker.flow.stage is Stage.CHOOSE
        await press(pilot, "slash", *"edge", "enter")
        await press(pilot, "slash", "5", "0", "enter")
        assert picker.flow.stage is Stage.CONFIRM
        await press(pilot, "enter")
        assert screen.session.steps[0].action.args["percent"] == 50


async def test_a_folded_picker_has_no_list_until_it_is_opened() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        listing = screen.query_one(OptionList)
        shown = [listing.display]
        for key in ("enter", "escape", "3", "escape", "escape"):
            await press(pilot, key)
            shown.append(listing.display)
        assert shown == [False, True, False, True, True, False]


async def test_escape_goes_back_one_step_at_a_time_and_takes_nothing() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        await press(pilot, "s", "1", "1")
        assert picker.flow.stage is Stage.CONFIRM
        stages = []
        for _ in range(4):
            await press(pilot, "escape")
            stages.append(picker.flow.stage)
        assert stages == [Stage.CHOOSE, Stage.CHOOSE, Stage.PICK, Stage.PICK]
        assert screen.session.steps == ()


async def test_an_empty_message_is_not_sent() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "3", "1", "space", "enter")
        assert screen.query_one(Picker).flow.stage is Stage.WRITE
        assert "Type something first" in text_of(app)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "panes"),
    [
        ([WIDE], {"services", "logs"}),
        ([SMALL], {"services"}),
        ([SMALL, WIDE], {"services", "logs"}),
        ([WIDE, SMALL, WIDE], {"services", "logs"}),
    ],
)
async def test_the_panes_that_were_in_view_are_kept_with_the_turn_however_they_came_there(
    sizes: list[tuple[int, int]], panes: set[str]
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=sizes[0]) as pilot:
        await settled(pilot)
        for size in sizes[1:]:
            await pilot.resize_terminal(*size)
            await settled(pilot)
        await press(pilot, "0", "enter")
        assert set(screen.session.humans[0].panes) == panes
        await press(pilot, "0", "enter")
        assert screen.session.humans[4].panes == screen.query_one(Board).open_panes()


@pytest.mark.slow
async def test_a_megabyte_of_pasted_text_is_cut_and_that_is_said() -> None:
    from textual.events import Paste

    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "3", "1")
        app.post_message(Paste("x" * 1_000_000))
        await settled(pilot)
        assert "Cut off after 2,000 characters" in text_of(app)
        await press(pilot, "o", "k", "enter", "enter")
        assert screen.session.steps[0].action.args["text"] == "x" * MAX_TEXT


@pytest.mark.slow
async def test_a_hint_shows_its_price_before_it_is_taken() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "h", "enter")
        assert isinstance(app.screen, HintScreen)
        assert all(price in text_of(app) for price in ("-5.0", "-10.0", "-20.0"))
        assert screen.session.hints.taken == frozenset()
        await press(pilot, "1")
        assert "taken" in text_of(app)
        await press(pilot, "escape", "0", "enter")
        assert screen.session.steps[0].breakdown.hint_penalty == -5.0


@pytest.mark.slow
async def test_a_finding_is_told_with_the_next_turn() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "1", "1", "1", "enter", "escape")
        finding = screen.session.observation.view.findings[0]
        assert f"Found at {finding.target}" in text_of(app)


@pytest.mark.slow
async def test_the_reward_log_hides_what_others_say_in_private() -> None:
    def whisper(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        to = "manager" if role is AgentRole.DEV else "dev"
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": to, "text": "psst"})

    app, screen = game(roster(AgentRole.SRE, others=whisper))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert "private message" in screen.query_one(RewardLog).plain
        assert "psst" not in text_of(app)


@pytest.mark.slow
async def test_a_policy_that_raises_is_named_and_the_game_lives() -> None:
    def broken(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        raise RuntimeError("[/] oh no")

    app, screen = game(roster(AgentRole.SRE, others=broken))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert screen.session.turn == 4
        assert "Manager's policy raised RuntimeError: [/] oh no in turn 4" in text_of(app)
        await press(pilot, "0", "enter")
        assert screen.session.turn == 8


@pytest.mark.slow
async def test_a_policy_that_hangs_can_be_passed_for() -> None:
    release = threading.Event()

    def stuck(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        release.wait(30)
        return ChaosOpsAction(role, ActionType.NOOP)

    app, screen = game(roster(AgentRole.SRE, others=stuck))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("0", "enter")
        for turn in (1, 2, 3):
            for _ in range(200):
                if screen.session.turn == turn and screen.check_action("pass_for", ()):
                    break
                await pilot.pause(0.01)
            await pilot.press("x")
        await settled(pilot)
        assert screen.session.turn == 4
        assert "did not answer" in screen.session.trouble
        release.set()


async def test_a_full_disk_shows_a_banner_and_play_goes_on(tmp_path: Path) -> None:
    app, screen = game(roster(AgentRole.SRE), folder=tmp_path / "not there")
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert "This game is not recorded" in text_of(app)
        await press(pilot, "0", "enter")
        assert screen.session.turn == 4


async def test_keys_before_the_first_paint_do_no_harm() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.press("1", "escape", "question_mark", "h", "enter")
        await settled(pilot)
        assert screen.session.steps == ()
        assert app.is_running


async def test_leaving_keeps_what_was_played(tmp_path: Path) -> None:
    app, screen = game(roster(AgentRole.SRE), folder=tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        path = screen.session.recording
        await pilot.press("ctrl+c")
    assert app.return_value == 0
    assert path is not None
    assert len(read_recording(path).turns) == 4


@pytest.mark.slow
async def test_one_key_passes_until_something_happens(tmp_path: Path) -> None:
    app, screen = game(roster(AgentRole.SRE), folder=tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await pilot.pause(SEEN_AFTER + 0.1)
        await press(pilot, "full_stop")
        mine = [step for step in screen.session.steps if step.role is AgentRole.SRE]
        assert 1 <= len(mine) <= MOST_ROUNDS
        assert {step.action.action_type for step in mine} == {ActionType.NOOP}
        assert screen.session.waits_for_person
        assert screen.session.role is AgentRole.SRE
        assert not screen.flow.is_passing_on
        before, now = mine[0].observation.view, screen.session.observation.view
        why = next(events(before, now), "Nothing happened in 3 rounds.")
        assert why in [str(note.message) for note in app._notifications]
    assert screen.session.recording is not None
    assert len(read_recording(screen.session.recording).turns) == len(screen.session.steps)


async def test_a_full_stop_in_a_message_passes_nothing() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        await press(pilot, next(p.key for p in picker.flow.picks if p.label == "message"), "1")
        assert picker.flow.stage is Stage.WRITE
        await pilot.pause(SEEN_AFTER + 0.1)
        await press(pilot, "o", "full_stop")
        assert picker.flow.stage is Stage.WRITE
        assert not screen.session.steps


@pytest.mark.slow
async def test_who_passes_on_can_stop_before_their_next_turn() -> None:
    gate = threading.Event()

    def slow(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        gate.wait(5.0)
        return ChaosOpsAction(role, ActionType.NOOP)

    app, screen = game(roster(AgentRole.SRE, others=slow))
    async with app.run_test(size=WIDE) as pilot:
        await pilot.pause(SEEN_AFTER + 0.2)
        await pilot.press("full_stop")
        await pilot.pause(0.1)
        assert screen.flow.is_passing_on
        await pilot.press("full_stop")
        await pilot.pause(0.1)
        assert not screen.flow.is_passing_on
        gate.set()
        await settled(pilot)
        mine = [step for step in screen.session.steps if step.role is AgentRole.SRE]
        assert len(mine) == 1


@pytest.mark.slow
async def test_a_key_and_a_choice_add_a_line_to_an_action() -> None:
    played = Scenario.load("checkout-times-out", seed=3)
    app, screen = game(roster(AgentRole.SRE), played=played)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        await press(pilot, next(p.key for p in picker.flow.picks if p.label == "investigate"))
        await complete(pilot, picker)
        assert picker.flow.stage is Stage.CONFIRM
        await press(pilot, "semicolon", "1")
        assert picker.flow.stage is Stage.CONFIRM
        assert "share what it shows with all" in text_of(app)
        await pilot.pause(SEEN_AFTER + 0.1)
        await press(pilot, "enter")
        step = screen.session.steps[0]
        assert step.action.args["say"] == {"finding": 0}
        assert screen.session.view_of(AgentRole.DEV).channel[0].finding is not None


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE, (160, 45)])
async def test_a_search_finds_log_lines_by_their_words_and_opens_them(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        view = screen.session.observation.view
        (line, *_) = reversed(view.logs or ())
        word = max(line.text.split(), key=len)
        found = lines_found(view, word).total
        await press(pilot, "slash", *word)
        assert "Log lines, the newest first" in text_of(app)
        await press(pilot, "enter")
        logs = screen.query_one(LogsPane)
        assert logs.words == word.casefold()
        assert logs.display
        heading, *rows = logs.rows(view, 80)
        assert heading.content.plain.startswith(f"{found} of ")
        assert len(rows) == found
        assert screen.query_one(Picker).flow.stage is Stage.PICK
        await press(pilot, "escape")
        assert logs.words == ""


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE, (160, 45)])
async def test_a_search_answers_who_did_what_and_opens_the_pane_that_has_it(
    size: tuple[int, int],
) -> None:
    app, screen = game(roster(AgentRole.OVERSIGHT))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        agent = (screen.session.observation.view.agents or ("",))[0]
        await press(pilot, "slash", *f"who paused {agent}")
        assert "Nothing here matches" in text_of(app)
        await press(pilot, "escape", "slash", *f"pause {agent}", "enter")
        await pilot.pause(SEEN_AFTER + 0.1)
        await press(pilot, "enter")
        await settled(pilot)
        await press(pilot, "slash", *f"who paused {agent}")
        assert "What happened, the newest first" in text_of(app)
        listed = screen.query_one(Picker).query_one(OptionList).options
        assert [one for one in listed if f"Oversight: pause {agent}" in str(one.prompt)]
        await press(pilot, "enter")
        assert screen.query_one(ChannelPane).display
        assert screen.query_one(Picker).flow.stage is Stage.PICK


@pytest.mark.slow
@pytest.mark.parametrize("size", [SMALL, WIDE, (160, 45)])
async def test_a_notice_covers_neither_the_log_nor_the_picker(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size, notifications=True) as pilot:
        await settled(pilot)
        screen.action_fast()
        await settled(pilot)
        (notice,) = screen.query(Toast)
        assert notice.region.height
        for part in (RewardLog, Picker, Board):
            assert not notice.region.overlaps(screen.query_one(part).region), part
