from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from textual.widgets import OptionList

from chaosops.env.models import TURN_ORDER, FailureType
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.proven_seeds import shipped_seeds
from chaosops.play.daily import daily
from chaosops.play.formatting import signed
from chaosops.play.lessons.path import lessons
from chaosops.play.progress import read_progress
from chaosops.play.session import Session
from chaosops.scenarios.summaries import scenario_summaries
from tests.tui.games import UI, press, roster, settled, text_of
from tests.worlds import built_in
from tui.app import ChaosOpsApp
from tui.screens.briefing.screen import BriefingScreen
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.recordings.screen import RecordingsScreen
from tui.screens.replay.screen import ReplayScreen

FIRST = "first-shift-1-product-pages"
DAY = date(2026, 1, 31)


def home(tmp_path: Path, folders: tuple[Path, ...] = ()) -> ChaosOpsApp:
    def first() -> HomeScreen:
        return HomeScreen(folders, tmp_path, today=lambda: DAY)

    return ChaosOpsApp(first, home=first, pace=0, recordings=tmp_path)


def play(tmp_path: Path, name: str, seed: int, turns: int | None = None) -> Session:
    """A game in which everybody passes; all of it, or some turns."""
    scenario = Scenario.load(name, seed)
    session = Session(scenario, roster(*TURN_ORDER), recordings=tmp_path, ui=UI)
    from chaosops.agents.policies import pass_turn

    while not session.done and (turns is None or session.turn < turns):
        session.submit(session.turn, pass_turn(session.observation, session.role))
    session.close()
    return session


async def test_the_list_names_incidents_and_gives_nothing_away(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(200, 80)) as pilot:
        await settled(pilot)
        text = text_of(app)
    for source in built_in():
        assert source.id in text
        assert source.title[:40] in text
    for failure in FailureType:
        assert failure.value not in text


async def test_who_has_no_result_yet_has_no_columns_for_results_and_is_told_where_they_count(
    tmp_path: Path,
) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
    titles = [source.title for source in built_in()[:20]]
    assert all(f"│  {title}" in text for title in titles)
    assert "met" not in text.split("\n")[2]
    assert "new" not in text.split("Tutorial")[1].split("Easy")[0].split("\n")[1]
    beside = " ".join(" ".join(line[83:] for line in text.split("\n")).split())
    assert "games in another folder (--recordings) count there." in beside


async def test_without_a_past_enter_opens_the_tutorials_first_incident(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(app.screen, BriefingScreen)
        assert "Product pages fail" in text_of(app)


async def test_a_game_that_was_left_is_offered_first_and_goes_on(tmp_path: Path) -> None:
    play(tmp_path, FIRST, 3, turns=5)
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "Resume" in text_of(app)
        assert "seed 3, turn 6 of 40" in text_of(app)
        await press(pilot, "enter")
        await settled(pilot)
        games = [screen for screen in app.screen_stack if isinstance(screen, IncidentScreen)]
        assert games[0].session.turn == 5
        assert games[0].session.scenario.seed == 3
        assert games[0].session.roster.people == frozenset(TURN_ORDER)
    assert len(list(tmp_path.iterdir())) == 1


async def test_a_game_that_cannot_go_on_says_why_and_the_list_is_there(tmp_path: Path) -> None:
    path = play(tmp_path, FIRST, 3, turns=5).recording
    assert path is not None
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "r")
        await settled(pilot)
        assert "Can't resume" in text_of(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, HomeScreen)


@pytest.mark.slow
async def test_the_best_result_of_each_incident_is_shown(tmp_path: Path) -> None:
    session = play(tmp_path, FIRST, 0)
    assert not session.resolved
    app = home(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
        score = sum(step.reward for step in session.steps)
        assert f"☆☆☆{'1/1':>7}  Product pages fail" in text
        assert f"{signed(score)}  not resolved" in text
        assert "Tutorial  0 of 7 resolved, 6 new" in text
        assert "▸ Next     Carts fail to open" in text
        assert "0 of 36 resolved" in text
        await press(pilot, "down", "down", "down")
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, BriefingScreen)
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
        assert app.screen.session.scenario.seed == 1


def test_a_resolved_game_is_better_than_one_that_is_not(tmp_path: Path) -> None:
    play(tmp_path, FIRST, 0)
    from chaosops.agents.policies import expert_policy

    scenario = Scenario.load(FIRST, 1)
    session = Session(scenario, roster(*TURN_ORDER), recordings=tmp_path, ui=UI)
    policy = expert_policy(scenario.seed)
    while not session.done:
        session.submit(session.turn, policy(session.observation, session.role))
    session.close()
    best = read_progress(tmp_path, scenario_summaries()).best[FIRST]
    assert best.resolved
    assert best.games == 2
    assert best.stars
    assert best.score == pytest.approx(sum(step.reward for step in session.steps))


@pytest.mark.slow
async def test_causes_that_were_met_are_counted_and_never_named(tmp_path: Path) -> None:
    play(tmp_path, "paying-ends-in-an-error", 3)
    scenario = Scenario.load("paying-ends-in-an-error", 3)
    app = home(tmp_path)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
        listing = app.screen.query_one(OptionList)
        listing.highlighted = listing.get_option_index("play:paying-ends-in-an-error")
        await settled(pilot)
        text = text_of(app)
        assert "Causes met: 1 of the 3 that can be behind it." in text
        assert "☆ Users: resolved with at least 50 %" in text
        assert "Your last games" in text
    drawn = scenario.incident.drawn
    assert drawn.cause.id not in text
    assert drawn.cause.glossary not in text


async def test_a_headless_run_is_nobodys_result(tmp_path: Path) -> None:
    scenario = Scenario.load(FIRST, 0, folders=())
    session = Session(scenario, roster(), recordings=tmp_path, ui=UI)
    session.close()
    progress = read_progress(tmp_path, scenario_summaries())
    assert progress.unfinished == ()
    assert progress.games == 1


def test_the_daily_incident_is_the_same_for_everybody_and_never_the_tutorials() -> None:
    known = scenario_summaries()
    days = [date(2026, 1, 1) + timedelta(days=k) for k in range(400)]
    chosen = [daily(known, day) for day in days]
    assert chosen == [daily(list(reversed(known)), day) for day in days]
    proven = shipped_seeds().situations
    assert all(item is not None and item.seed in proven[item.incident.id].seeds for item in chosen)
    names = {item.incident.id for item in chosen if item is not None}
    assert names == {seen.id for seen in known if seen.level.value != "tutorial"}
    assert daily([], DAY) is None


def test_there_is_no_daily_incident_without_seeds_of_this_engine() -> None:
    stale = shipped_seeds()._replace(engine=1)
    assert daily(scenario_summaries(), DAY, stale) is None


@pytest.mark.slow
async def test_the_daily_incident_has_a_proven_seed(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "31 Jan" in text_of(app)
        await press(pilot, "d")
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
        today = daily(scenario_summaries(), DAY)
        assert today is not None
        assert app.screen.session.scenario.label == f"{today.incident.id} (seed {today.seed})"


async def test_the_line_of_the_daily_incident_counts_the_streak(tmp_path: Path) -> None:
    days = {
        (DAY - timedelta(days=back)).isoformat(): {
            "resolved": True,
            "stars": ["users"],
            "budget": 70,
            "glyphs": "○●",
        }
        for back in (1, 2, 4)
    }
    (tmp_path / "dailies.json").write_text(json.dumps({"format": 1, "days": days}), "utf-8")
    app = home(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        line = next(line for line in text_of(app).splitlines() if "31 Jan" in line)
        assert "streak 2" in line


async def test_a_streak_file_that_was_edited_by_hand_is_told_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "dailies.json"
    path.write_text('{"format": 1,\n "days": {"yesterday": 3}}', "utf-8")
    before = path.read_bytes()
    app = home(tmp_path)
    async with app.run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        text = " ".join(text_of(app).split())
        assert "dailies.json: days.yesterday" in text
        assert "begin another streak" in text
    assert path.read_bytes() == before


async def test_by_default_the_day_is_that_of_utc(tmp_path: Path) -> None:
    app = ChaosOpsApp(lambda: HomeScreen((), tmp_path), pace=0)
    before = datetime.now(UTC)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        text = text_of(app)
    after = datetime.now(UTC)
    assert any(f"▸ {moment.day} {moment:%b}" in text for moment in (before, after))


async def test_a_broken_file_is_named_and_the_others_can_be_played(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "broken.yaml").write_text("id: [/]\n", encoding="utf-8")
    app = home(tmp_path, (tmp_path / "mine",))
    async with app.run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "broken.yaml" in text
        assert FIRST in text


@pytest.mark.slow
async def test_an_own_incident_is_listed_however_its_file_is_laid_out(tmp_path: Path) -> None:
    path = next(seen.path for seen in scenario_summaries() if seen.id == "paying-ends-in-an-error")
    (tmp_path / "mine").mkdir()
    text = path.read_text(encoding="utf-8").replace(
        "id: paying-ends-in-an-error", "id: mine-stalls", 1
    )
    comment = "# a long comment\n" * 400
    (tmp_path / "mine" / "mine-stalls.yaml").write_text(comment + text, encoding="utf-8")
    app = home(tmp_path, (tmp_path / "mine",))
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        assert "mine-stalls" in text_of(app)


async def test_recordings_that_cannot_be_read_are_said_and_do_not_stand_in_the_way(
    tmp_path: Path,
) -> None:
    app = home(tmp_path / "gone")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "no recording or folder" in text_of(app)
        assert FIRST[:16] in text_of(app)


@pytest.mark.slow
async def test_recordings_are_replayed_filtered_resumed_and_removed(tmp_path: Path) -> None:
    left = play(tmp_path, FIRST, 3, turns=5).recording
    play(tmp_path, FIRST, 4)
    (tmp_path / "torn.jsonl").write_text("[/]\x1b[2J\n", encoding="utf-8")
    app = home(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "l")
        await settled(pilot)
        assert "all: 3 in" in text_of(app)
        assert "! damaged" in text_of(app)
        await press(pilot, "f")
        assert "finished: 2 in" in text_of(app)
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, ReplayScreen)
        await press(pilot, "escape", "f")
        assert "unfinished: 1 in" in text_of(app)
        await press(pilot, "x", "n")
        assert left is not None
        assert left.exists()
        await press(pilot, "r")
        await settled(pilot)
        assert any(isinstance(screen, IncidentScreen) for screen in app.screen_stack)
        app.router.go_home()
        while not isinstance(app.screen, HomeScreen) or len(app.workers):
            await settled(pilot)
        while not isinstance(app.screen, RecordingsScreen):
            await press(pilot, "l")
        await press(pilot, "f", "f", "x", "y")
        await settled(pilot)
        assert isinstance(app.screen, RecordingsScreen)
        assert not left.exists()


async def test_a_damaged_recording_says_why_it_cannot_be_replayed(tmp_path: Path) -> None:
    (tmp_path / "torn.jsonl").write_text("no json\n", encoding="utf-8")
    app = home(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "l", "enter")
        await settled(pilot)
        assert "Can't read the recording" in text_of(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, RecordingsScreen)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(1, 1), (20, 5), (80, 24), (200, 60)])
async def test_home_takes_any_size(tmp_path: Path, size: tuple[int, int]) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(*size)
        await settled(pilot)
        await press(pilot, "down", "up")
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert "Product pages fail" in text_of(app)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (250, 70)])
async def test_a_lesson_is_at_the_end_of_the_list_and_begins_with_its_seat_and_seed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    lesson = lessons()[-1]
    app = home(tmp_path)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await app.workers.wait_for_complete()
        usual = app.preferences.settings.setup
        await press(pilot, "end")
        text = text_of(app)
        assert f"Lesson {len(lessons())} of {len(lessons())}: {lesson.title}" in text
        assert "○ " + lesson.title in text
        assert lesson.goal[:40] in text
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, BriefingScreen)
        await press(pilot, "enter")
        await settled(pilot)
        games = [screen for screen in app.screen_stack if isinstance(screen, IncidentScreen)]
        played = games[0].session
        assert (played.scenario.incident.id, played.scenario.seed) == (lesson.scenario, lesson.seed)
        assert played.roster.people == frozenset({lesson.role})
        assert app.preferences.settings.setup == usual


async def test_a_lesson_that_was_played_and_not_resolved_is_marked(tmp_path: Path) -> None:
    lesson = lessons()[-1]
    play(tmp_path, lesson.scenario, lesson.seed)
    app = home(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await app.workers.wait_for_complete()
        await press(pilot, "end")
        assert f"◐ {lesson.title}" in text_of(app)
        assert f"○ {lessons()[-2].title}" in text_of(app)
