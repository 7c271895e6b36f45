from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.widgets import Static

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.env.models import TURN_ORDER, AgentRole, LogLine
from chaosops.play.replay_model import Replay, TurnMark, marked, replay_of, view_of, view_of_all
from chaosops.play.replay_perspective import PERSPECTIVES
from chaosops.play.session import Session, ask
from chaosops.play.setup import Setup, roster_of
from chaosops.recording.reader import Recording, read_recording
from chaosops.recording.script import Script
from tests.tui.games import BY_DEV, UI, frames, press, roster, scenario, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.dialogs.jump import JumpScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.replay.screen import ReplayScreen
from tui.widgets.panes.board import Board
from tui.widgets.panes.tabs import PaneTabs
from tui.widgets.rewards.log import RewardLog
from tui.widgets.rewards.turn import TurnDetail
from tui.widgets.status.header import Seating

SEATING = Seating(dict.fromkeys(TURN_ORDER, "expert"), frozenset())


def replay(turns: int = 8, seed: int = 7) -> tuple[ChaosOpsApp, ReplayScreen]:
    policy = expert_policy(1)
    steps = tuple(frames(dict.fromkeys(TURN_ORDER, policy), turns, seed=seed))
    screen = ReplayScreen(Replay(steps, SEATING, "a title"))
    return ChaosOpsApp(lambda: screen), screen


@pytest.mark.slow
async def test_keys_step_back_and_forth_and_stop_at_the_ends() -> None:
    app, screen = replay()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        at = []
        for key in ("left", "right", "right", "left", "end", "right", "home"):
            await press(pilot, key)
            at.append(screen.playback.at)
        assert at == [0, 1, 2, 1, 7, 7, 0]


async def test_each_turn_shows_what_its_own_role_saw() -> None:
    app, screen = replay()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        first = []
        for _ in range(4):
            first.append(screen.query_one(Board).current)
            await press(pilot, "right")
        assert first == ["logs", "audit", "changes", "channel"]


@pytest.mark.slow
async def test_the_reward_log_runs_up_to_the_turn_that_is_shown() -> None:
    app, screen = replay()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "right", "right")
        rows = screen.query_one(RewardLog).plain.splitlines()
        assert [row[:2] for row in rows] == ["t1", "t2", "t3"]
        assert "Dev" in screen.query_one(TurnDetail).plain


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_turn_the_view_and_what_n_goes_to_are_in_sight(size: tuple[int, int]) -> None:
    app, _ = replay()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(*size)
        await press(pilot, "right", "v", "m")
        text = " ".join(text_of(app).split())
        for words in ("turn 2 of 8", "view: as SRE last saw it, turn 1", "diagnoses"):
            assert words in text


async def test_g_goes_to_a_turn_and_nonsense_goes_nowhere() -> None:
    app, screen = replay()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "g", "6", "enter")
        assert screen.playback.at == 5
        await press(pilot, "g", "9", "9", "9", "enter")
        assert screen.playback.at == 7
        await press(pilot, "g", "enter")
        assert screen.playback.at == 7
        await press(pilot, "g")
        assert isinstance(app.screen, JumpScreen)
        await press(pilot, "escape")
        assert app.screen is screen


async def test_a_recording_is_replayed_from_its_file(tmp_path: Path) -> None:
    game = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI)
    while game.turn < 5:
        if game.waits_for_person:
            game.timing.shown()
            game.submit(game.turn, expert_policy(1)(game.observation, game.role))
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
    game.close()
    assert game.recording is not None
    replay = replay_of(read_recording(game.recording))
    assert replay.steps == game.steps
    screen = ReplayScreen(replay)
    app = ChaosOpsApp(lambda: screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "SRE (human)" in text
        assert "the game was not finished" in text
        await press(pilot, "right")
        assert "Oversight (noop)" in text_of(app)
        await pilot.press("q")
    assert app.return_value == 0


async def test_a_replay_without_turns_says_so() -> None:
    screen = ReplayScreen(Replay((), SEATING, "nothing"))
    app = ChaosOpsApp(lambda: screen)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "right", "end", "home")
        assert "This game has no turns" in text_of(app)


async def test_space_plays_on_to_the_end_and_stops_there() -> None:
    app, screen = replay(4)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "space")
        assert screen.playback.playing
        await press(pilot, "plus", "plus", "plus")
        for _ in range(300):
            if not screen.playback.playing:
                break
            await pilot.pause(0.01)
        assert screen.playback.at == 3
        await press(pilot, *["minus"] * 4, "space")
        assert screen.playback.playing
        await press(pilot, "left")
        assert not screen.playback.playing


@pytest.mark.few(1)
@pytest.mark.parametrize("keys", [("g", "escape"), ("question_mark", "escape"), ("b",)])
async def test_a_replay_that_was_stopped_by_a_question_does_not_say_that_it_plays(
    keys: tuple[str, ...],
) -> None:
    app, screen = replay(4)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "minus", "space")
        assert "▶" in text_of(app)
        await press(pilot, *keys)
        assert app.screen is screen
        assert not screen.playback.playing
        assert "▶" not in text_of(app)


@pytest.mark.slow
async def test_n_goes_to_the_next_turn_of_the_chosen_kind() -> None:
    app, screen = replay(12, BY_DEV)
    diagnoses = marked(screen._replay, TurnMark.DIAGNOSES)
    fixes = marked(screen._replay, TurnMark.FIXES)
    assert diagnoses
    assert fixes
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "m", "n")
        assert screen.playback.at == diagnoses[0]
        await press(pilot, "home", "m", "n")
        assert screen.playback.at == fixes[0]
        await press(pilot, "end", "b")
        assert screen.playback.at == max(turn for turn in fixes if turn < 11)
        await press(pilot, "home", "b")
        assert screen.playback.at == 0


@pytest.mark.slow
async def test_any_roles_view_can_be_looked_at_and_all_of_them_at_once() -> None:
    app, screen = replay(8)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "end", "v")
        board = screen.query_one(Board)
        assert "logs" in board.open_panes()
        await press(pilot, "v")
        assert "audit" in board.open_panes()
        await press(pilot, "v", "v")
        assert "view: Manager" in screen.query_one(TurnDetail).plain
        await press(pilot, "left", "left")
        assert "view: as Manager last saw it, turn 4" in screen.query_one(TurnDetail).plain
        await press(pilot, "v", "end")
        names = {tab.name for tab in screen.query(PaneTabs).last().tabs}
        assert {"logs", "changes", "audit"} <= names
        assert "all roles" in screen.query_one(TurnDetail).plain


def test_a_role_that_has_seen_nothing_yet_shows_nothing() -> None:
    steps = frames(turns=5)
    assert view_of(steps, 0, AgentRole.MANAGER) is None
    assert view_of(steps, 4, AgentRole.SRE) is steps[4].observation.view
    both = view_of_all(steps, 4)
    assert both.audit == steps[1].observation.view.audit
    assert both.services == steps[4].observation.view.services
    assert both.impact == steps[3].observation.view.impact


@pytest.mark.slow
async def test_on_a_small_screen_all_tabs_are_reached_and_those_out_of_sight_are_counted() -> None:
    app, screen = replay(8)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "end", "v", "v", "v", "v", "v")
        strip = screen.query_one("#tabs-first", PaneTabs)
        seen = [strip.current]
        for _ in strip.tabs:
            line = strip.render().plain
            there = [tab.name for tab in strip.tabs if f" {tab.label} " in line]
            more = sum(int(count) for count in re.findall(r"(?<=‹)\d|\d(?=›)", line))
            assert len(there) + more == len(strip.tabs)
            assert len(line) <= strip.size.width
            assert strip.current in there
            await press(pilot, "right_square_bracket")
            seen.append(strip.current)
        assert set(seen) == {tab.name for tab in strip.tabs}


@pytest.mark.slow
async def test_a_click_on_the_count_of_more_tabs_goes_to_the_next_of_them() -> None:
    app, screen = replay(8)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "end", "v", "v", "v", "v", "v")
        strip = screen.query_one("#tabs-first", PaneTabs)
        line = strip.render().plain
        there = [tab.name for tab in strip.tabs if f" {tab.label} " in line]
        assert line.endswith("›")
        await pilot.click("#tabs-first", offset=(len(line), 0))
        await settled(pilot)
        assert strip.current not in there
        line = strip.render().plain
        there = [tab.name for tab in strip.tabs if f" {tab.label} " in line]
        assert line.startswith("‹")
        await pilot.click("#tabs-first", offset=(1, 0))
        await settled(pilot)
        assert strip.current not in there


def kept(folder: Path, rounds: int = 3) -> Recording:
    """The recording of a game that the SRE passed through."""
    played = scenario(rounds=rounds)
    game = Session(played, roster_of(Setup.of((AgentRole.SRE,)), played), recordings=folder, ui=UI)
    while not game.done:
        if game.waits_for_person:
            game.submit(game.turn, pass_turn(game.observation, game.role))
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
    game.close()
    assert game.recording is not None
    return read_recording(game.recording)


@pytest.mark.slow
async def test_k_plays_on_from_the_turn_that_is_shown_in_a_recording_of_its_own(
    tmp_path: Path,
) -> None:
    recording = kept(tmp_path)
    before = recording.path.read_bytes()
    screen = ReplayScreen(replay_of(recording), recordings=tmp_path / "forks")
    app = ChaosOpsApp(lambda: screen, pace=0)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, *["right"] * 4, "k")
        fork = app.screen
        assert isinstance(fork, IncidentScreen)
        assert fork.session.turn == 4
        assert fork.session.steps == recording.frames[:4]
        assert fork.session.waits_for_person
        assert fork.session.recording is not None
        assert fork.session.recording.parent == tmp_path / "forks"
        assert fork.session.roster.words()[AgentRole.OVERSIGHT] == "steady"
    assert recording.path.read_bytes() == before


def edited(log: bytes) -> bytes:
    return log.replace(b'"action_type":"noop"', b'"action_type":"flag"', 1)


def of_another_scenario(log: bytes) -> bytes:
    header = json.loads(log.splitlines()[0])["header"] | {"scenario_sha256": "0" * 64}
    body = json.dumps({"kind": "header", "header": header}, separators=(",", ":"))
    return Script().chain.line(body.encode("ascii"))


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("change", "why"),
    [(of_another_scenario, "another version of the scenario"), (edited, "edited")],
)
async def test_a_recording_that_is_not_what_is_played_here_cannot_be_played_on_and_it_says_why(
    tmp_path: Path, change: Callable[[bytes], bytes], why: str
) -> None:
    recording = kept(tmp_path)
    recording.path.write_bytes(change(recording.path.read_bytes()))
    screen = ReplayScreen(replay_of(recording), recordings=tmp_path / "forks")
    app = ChaosOpsApp(lambda: screen, pace=0)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert why in text_of(app)
        await press(pilot, "k")
        assert "Can't play on from here" in text_of(app)
        text = str(app.screen.query_one(Static).content)
        assert "cannot be played on:" in text
        assert why in text
        await press(pilot, "enter")
        assert app.screen is screen
    assert not (tmp_path / "forks").exists()


async def test_from_a_replay_that_is_no_whole_game_nothing_is_played_on() -> None:
    app, screen = replay()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "k")
        assert app.screen is screen
        assert "Fork" not in {command.title for command in app.get_system_commands(screen)}


async def test_a_recording_is_checked_while_it_is_shown(tmp_path: Path) -> None:
    game = Session(scenario(), roster(), recordings=tmp_path, ui=UI)
    while not game.done:
        game.take_answer(game.turn, ask(expert_policy(1), game.observation, game.role))
    assert game.recording is not None
    kept = read_recording(game.recording)
    changes = {"chaosops": "0.0.1", "engine": None}
    other = replace(kept, header=kept.header.model_copy(update=changes))
    screen = ReplayScreen(replay_of(other))
    app = ChaosOpsApp(lambda: screen)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "recorded with engine 1 of chaosops 0.0.1" in text_of(app)
        assert "✔ verified" in str(screen.query_one(TurnDetail).border_title)


def test_all_roles_see_each_service_as_whoever_saw_it_last() -> None:
    steps = frames(turns=4)
    sre, dev = steps[0].observation.view, steps[2].observation.view
    both = view_of_all(steps, 3)
    seen = {row.service: row for row in both.services or ()}
    assert list(seen) == [row.service for row in sre.services or ()]
    by_dev = {row.service: row for row in dev.services or ()}
    assert {name: seen[name] for name in by_dev} == by_dev
    for row in sre.services or ():
        if row.service not in by_dev:
            assert seen[row.service] == row
    past = {
        name: [row for minute in both.history or () for row in minute if row.service == name]
        for name in ("checkout", "db")
    }
    assert [past["checkout"][-1], past["db"][-1]] == [seen["checkout"], seen["db"]]
    assert past["checkout"][-3] in (sre.services or ())


def test_all_roles_read_the_logs_of_both_who_do_and_no_line_twice() -> None:
    steps = frames(turns=8)
    for at in range(len(steps)):
        logs = view_of_all(steps, at).logs or ()
        assert [line.minute for line in logs] == sorted(line.minute for line in logs)
        theirs = [view_of(steps, at, role) for role in (AgentRole.SRE, AgentRole.DEV)]
        most = Counter[LogLine]()
        for view in theirs:
            most |= Counter(view.logs if view and view.logs else ())
        assert set(logs) <= set(most)
        assert not Counter(logs) - most
        newest = max((line.minute for line in most), default=0)
        assert [line for line in logs if line.minute == newest]


def test_the_view_of_all_says_from_which_turns_it_is() -> None:
    steps, everyone = frames(turns=8), PERSPECTIVES[-1]
    assert everyone.said(steps, 0) == "all roles"
    assert everyone.said(steps, 1) == "all roles, as SRE saw it in turn 1"
    words = "all roles, as SRE saw it in turn 5, Oversight in 6, Dev in 7"
    assert everyone.said(steps, 7) == words
