from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.counterfactuals import hindsight, played_on
from chaosops.play.dailies import read_dailies
from chaosops.play.daily import daily, today_in_utc
from chaosops.play.debrief import ledger, share_line, timeline
from chaosops.play.formatting import in_words
from chaosops.play.outcome import outcome
from chaosops.play.rating import SCALES
from chaosops.play.session import Session, ask
from chaosops.play.stars import Star
from chaosops.play.wording import describe
from chaosops.recording.reader import read_recording
from chaosops.scenarios.summaries import scenario_summaries
from tests.tui.games import UI, press, roster, scenario, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.debrief.rate import RateScreen
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.dialogs.jump import JumpScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.replay.screen import ReplayScreen
from tui.widgets.debrief.panes import DebriefPane, beside_rows


def played(folder: Path | None = None, *, well: bool = True) -> Session:
    """An episode in which the SRE is a person: by the expert's hand, or one where all pass."""
    world = scenario() if well else Scenario.load("checkout-times-out", seed=8).lasting(16)
    game = Session(world, roster(AgentRole.SRE), recordings=folder, ui=UI)
    policy = expert_policy(1) if well else pass_turn
    while not game.done:
        if game.waits_for_person:
            game.timing.shown()
            game.submit(game.turn, policy(game.observation, game.role))
        else:
            game.take_answer(game.turn, ask(policy, game.observation, game.role))
    return game


@cache
def idle() -> Session:
    return played(well=False)


def debrief(
    game: Session, today: Callable[[], date] = today_in_utc
) -> tuple[ChaosOpsApp, DebriefScreen]:
    screen = DebriefScreen(game, today=today)
    return ChaosOpsApp(lambda: screen, pace=0), screen


def test_the_timeline_has_your_turns_and_the_worlds_events_in_order() -> None:
    game = played()
    entries = timeline(game.scenario, game.steps, game.observation, game.roster.people)
    minutes = [entry.minute for entry in entries]
    assert minutes == sorted(minutes)
    assert {"fault", "alert", "landed", "users", "automation", "turn"} <= {e.kind for e in entries}
    mine = [entry.turn for entry in entries if entry.mine]
    assert mine == [step.turn for step in game.steps if step.role is AgentRole.SRE]


def test_the_timeline_says_where_a_fault_begins_and_not_what_its_file_calls_it() -> None:
    scenario = Scenario.load("errors-across-teams", seed=5)
    begins = [fault for fault in scenario.incident.faults if fault.starts is not None]
    assert begins
    entries = timeline(scenario, (), idle().observation, frozenset())
    said = [entry.text for entry in entries if entry.kind == "fault"]
    assert f"a fault starts at {begins[0].place}" in said
    for fault in begins:
        assert not any(in_words(fault.id) in text for text in said)


async def test_the_timeline_says_which_turns_passed_because_nobody_took_them_in_time() -> None:
    game = Session(scenario(rounds=2), roster(AgentRole.SRE), recordings=None, ui=UI)
    game.time_out(0)
    while not game.done:
        if game.waits_for_person:
            game.submit(game.turn, pass_turn(game.observation, game.role))
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
    app, _ = debrief(game)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "▸ t1 SRE pass, out of time" in text
        assert "▸ t5 SRE pass " in text


def test_the_ledger_says_when_each_fact_could_be_known_and_when_it_was_looked_at() -> None:
    game = played()
    facts = ledger(game.scenario, game.steps, game.observation)
    assert len(facts) == len(game.scenario.incident.evidence)
    seen = [fact for fact in facts if fact.looked is not None]
    assert seen
    for fact in seen:
        assert fact.looked is not None
        minute, role = fact.looked
        assert minute >= fact.knowable
        assert role in fact.roles
    nothing = ledger(idle().scenario, idle().steps[:0], idle().observation)
    assert all(fact.looked is None or fact.looked[0] >= 0 for fact in nothing)


def test_the_experts_line_is_the_episode_with_experts_in_every_seat() -> None:
    game = idle()
    line = played_on(game.scenario, ())
    assert line.score == sum(step.reward for step in line.steps)
    assert played_on(game.scenario, [step.action for step in game.steps]).steps == game.steps


@pytest.mark.slow
def test_a_turn_costs_at_most_what_experts_make_before_it_and_neither_they_nor_the_game_after() -> (
    None
):
    game = idle()
    people = [step.turn for step in game.steps if step.role is AgentRole.SRE]
    told: list[float] = []

    def tick(done: float) -> bool:
        told.append(done)
        return True

    seen = hindsight(game.scenario, game.steps, people, tick)
    assert seen is not None
    assert told == sorted(told)
    assert told[-1] == 1.0
    actions = [step.action for step in game.steps]
    score = sum(step.reward for step in game.steps)
    for cost in seen.costs:
        before = played_on(game.scenario, actions[: cost.turn]).score
        after = played_on(game.scenario, actions[: cost.turn + 1]).score
        assert cost.lost <= max(0.0, before - max(after, score))
        assert cost.better.action_type is not ActionType.NOOP
    assert [c.lost for c in seen.costs] == sorted((c.lost for c in seen.costs), reverse=True)
    assert seen.expert.score - seen.gap.own - seen.gap.others + seen.gap.found == score


def test_the_comparison_stops_when_nobody_waits_for_it() -> None:
    assert hindsight(idle().scenario, idle().steps, [0], lambda done: False) is None


def test_the_share_line_is_one_line_and_names_no_cause() -> None:
    game = played()
    result = outcome(game.steps, resolved=True, diagnoses=game.observation.view.diagnoses)
    line = share_line(game.scenario, result, game.roster.people, 120.0)
    assert "\n" not in line
    assert "SRE" in line
    assert "☆" not in line
    some = share_line(game.scenario, result._replace(stars=frozenset({Star.USERS})), (), 120.0)
    assert "★☆☆" in some
    assert game.scenario.failure_type.value not in line


def test_the_expert_is_set_beside_what_was_played_with_nothing_cut_off() -> None:
    game = idle()
    seen = hindsight(game.scenario, game.steps, [0], lambda done: True)
    assert seen is not None
    for width in (40, 78):
        rows = [row.content for row in beside_rows(game.steps, seen, game.roster.people, width)]
        turns = [row.plain for row in rows if "│" in row.plain]
        assert all(len(line) <= width for line in turns)
        right = " ".join(line.partition("│")[2].strip() for line in turns)
        assert describe(seen.expert.steps[0].action) in right
    passed = [both for both in zip(game.steps, seen.expert.steps, strict=False) if same(*both)]
    assert sum(line.endswith("│ the same") for line in turns) == len(passed) > 0


def same(one: EpisodeStep, other: EpisodeStep) -> bool:
    return describe(one.action) == describe(other.action)


@pytest.mark.slow
async def test_the_debrief_shows_everything_behind_tabs_on_a_small_screen() -> None:
    app, screen = debrief(idle())
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        shown = {}
        for _ in range(5):
            shown[screen._current] = text_of(app)
            await press(pilot, "right_square_bracket")
        assert set(shown) == {"sums", "lesson", "timeline", "evidence", "expert"}
        assert "Not resolved after 16 min" in shown["sums"]
        assert "Costliest" in shown["sums"]
        assert "What decides" in shown["lesson"]
        assert "▸ t1 SRE pass" in shown["timeline"]
        assert "not investigated" in shown["evidence"]
        assert "Expert  resolved in" in shown["expert"]


@pytest.mark.slow
async def test_a_wide_debrief_has_the_score_the_lesson_and_the_timeline_at_once() -> None:
    app, _ = debrief(idle())
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert all(part in text for part in ("─ Lesson ─", "unresolved", "▸ t1 SRE pass"))
        for size in ((1, 1), (80, 24), (200, 60)):
            await pilot.resize_terminal(*size)
            await settled(pilot)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(160, 45), (200, 60), (250, 70)])
async def test_from_160_columns_on_a_debrief_has_every_pane_and_no_tabs(
    size: tuple[int, int],
) -> None:
    app, screen = debrief(idle())
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await app.workers.wait_for_complete()
        await settled(pilot)
        text = text_of(app)
        for title in ("Score", "Lesson", "Timeline", "Evidence", "Expert"):
            assert f"╭─ {title} ─" in text
        assert "│ Evidence │" not in text
        assert "▸ t1 SRE pass" in text
        assert "Right: the expert" in screen.query_one("#expert", DebriefPane).plain
        seen = [app.focused.id if app.focused else ""]
        for _ in range(4):
            await press(pilot, "right_square_bracket")
            seen.append(app.focused.id if app.focused else "")
        assert {*seen} == {"sums", "lesson", "timeline", "evidence", "expert"}
        for other in ((80, 24), (120, 40)):
            await pilot.resize_terminal(*other)
            await settled(pilot)
            assert "│ Evidence │" in text_of(app)


@pytest.mark.slow
async def test_the_debrief_reveals_what_was_said_what_it_was_and_the_twins() -> None:
    app, screen = debrief(played())
    async with app.run_test(size=(120, 60)) as pilot:
        await settled(pilot)
        told = screen.query_one("#lesson", DebriefPane).plain
        truth = in_words(screen._session.scenario.failure_type)
        assert told.startswith(f"The team said  {truth} at ")
        assert f"It was  {truth}." in told
        assert "What decides  " in told
        assert told.index("What decides") < told.index("Its twin ") < told.index("The lesson")


@pytest.mark.few(1)
@pytest.mark.parametrize("before", [(120, 40), (80, 24), (1, 1), (200, 60), (120, 20)])
async def test_the_score_is_never_collapsed_whatever_the_size_was_before(
    before: tuple[int, int],
) -> None:
    app, screen = debrief(idle())
    async with app.run_test(size=before) as pilot:
        await settled(pilot)
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        score = screen.query_one("#sums", DebriefPane)
        column = screen.query_one("#end-left").size.height
        whole = score.virtual_size.height + score.gutter.height
        assert score.outer_size.height == min(whole, column * 65 // 100)
        text = text_of(app)
        assert all(word in text for word in ("unresolved", "Costliest"))


async def test_a_result_is_copied_in_one_line() -> None:
    app, _ = debrief(idle())
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "s")
        assert app.clipboard.startswith("ChaosOps ")
        assert not app._notifications
        text = text_of(app)
        assert all(part in text for part in ("Copied", app.clipboard[-20:], "It was"))
        await press(pilot, "s")
        assert "Copied" not in text_of(app)


@pytest.mark.slow
async def test_an_episode_is_rated_and_commented_on(tmp_path: Path) -> None:
    game = played(tmp_path, well=False)
    app, _ = debrief(game)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "v", "right", "right")
        for _ in range(6):
            await press(pilot, "down", "right")
        await press(pilot, "down", *"hm", "enter")
    assert game.recording is not None
    opinion = read_recording(game.recording).opinion
    assert (opinion.quality, opinion.comment) == (4, "hm")
    assert opinion.workload is not None
    assert opinion.workload.mental == 50


async def test_half_a_workload_is_refused_with_what_is_open(tmp_path: Path) -> None:
    game = played(tmp_path, well=False)
    app, _ = debrief(game)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "v", "down", "right", "enter")
        assert isinstance(app.screen, RateScreen)
        assert "5 left" in text_of(app)
        await press(pilot, "backspace", "enter")
        assert not isinstance(app.screen, RateScreen)
    assert game.recording is not None
    assert read_recording(game.recording).notes == ()


@pytest.mark.slow
async def test_from_the_replay_of_the_debrief_one_plays_on_in_place_of_both() -> None:
    app, _ = debrief(idle())
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "r")
        assert isinstance(app.screen, ReplayScreen)
        await press(pilot, "right", "right", "k")
        other = app.screen
        assert isinstance(other, IncidentScreen)
        assert other.session.turn == 4
        assert not [s for s in app.screen_stack if isinstance(s, ReplayScreen | DebriefScreen)]


@pytest.mark.slow
async def test_from_the_debrief_one_forks_at_a_turn_that_is_asked_for() -> None:
    app, _ = debrief(idle())
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "k")
        assert isinstance(app.screen, JumpScreen)
        await press(pilot, "backspace", "backspace", "5", "enter")
        fork = app.screen
        assert isinstance(fork, IncidentScreen)
        assert fork.session.steps[:4] == idle().steps[:4]
        assert fork.session.turn == 4
        assert fork.session.waits_for_person


@pytest.mark.slow
async def test_the_same_seed_is_tried_again_from_the_page() -> None:
    app, _ = debrief(idle())
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "a")
        again = app.screen
        assert isinstance(again, IncidentScreen)
        assert again.session.steps == ()
        assert again.session.observation == idle().steps[0].observation


def test_a_watched_episode_can_be_debriefed_too() -> None:
    game = Session(scenario(), roster(), recordings=None, ui=UI)
    policies = dict.fromkeys(TURN_ORDER, expert_policy(1))
    while not game.done:
        game.take_answer(game.turn, ask(policies[game.role], game.observation, game.role))
    assert DebriefScreen(game)._people == ()


@pytest.mark.slow
async def test_every_arrow_of_the_rating_does_what_its_border_says(tmp_path: Path) -> None:
    app, _screen = debrief(played(tmp_path, well=False))
    async with app.run_test(size=(100, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "v")
        assert "← → change, ↑ ↓ move, Enter keeps, Escape leaves" in text_of(app)
        lines = ["rate-quality", *(f"rate-{name}" for name in SCALES), "rate-comment"]
        for way, order in (("down", [*lines[1:], lines[0]]), ("up", lines[::-1])):
            for name in order:
                await press(pilot, way)
                assert app.focused is not None
                assert app.focused.id == name
            await press(pilot, "down" if way == "up" else way)
            app.screen.query_one("#rate-quality").focus()
            await settled(pilot)


@pytest.mark.slow
async def test_the_rating_says_before_and_after_that_the_six_scales_go_together(
    tmp_path: Path,
) -> None:
    app, _screen = debrief(played(tmp_path, well=False))
    async with app.run_test(size=(100, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "v")
        assert "Workload (optional; answer all six or none" in text_of(app)
        for _scale in range(5):
            await press(pilot, "down", "right")
        await press(pilot, "enter")
        assert "Answer all six or none: 1 left" in text_of(app)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_key_that_shares_is_in_the_line_of_keys(
    size: tuple[int, int], tmp_path: Path
) -> None:
    app, _screen = debrief(played(tmp_path, well=False))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert "s Share" in text_of(app).splitlines()[-1]


@pytest.mark.slow
async def test_the_line_to_share_of_a_daily_has_its_day_a_glyph_a_turn_and_the_streak(
    tmp_path: Path,
) -> None:
    day = date(2026, 3, 2)
    today = daily(scenario_summaries(), day)
    assert today is not None
    scenario = Scenario.load(today.incident.id, today.seed)
    game = Session(scenario, roster(AgentRole.SRE), recordings=tmp_path, ui=UI)
    while not game.done:
        if game.waits_for_person:
            game.submit(game.turn, pass_turn(game.observation, game.role))
        else:
            game.take_answer(game.turn, ask(pass_turn, game.observation, game.role))
    game.close()
    own = sum(step.role is AgentRole.SRE for step in game.steps)
    app, _screen = debrief(game, today=lambda: day)
    async with app.run_test(size=(200, 50)) as pilot:
        await settled(pilot)
        await press(pilot, "s")
        line = app.clipboard
        assert line.startswith(
            f"ChaosOps daily 2026-03-02 · {scenario.label} · SRE · {'·' * own} ·"
        )
        assert re.search(r"not resolved ☆☆☆ · budget \d+ % · streak 1 · score ", line)
    assert set(read_dailies(tmp_path).days) == {day}


async def test_a_key_writes_the_post_mortem_beside_the_recording(tmp_path: Path) -> None:
    game = played(tmp_path)
    app, _screen = debrief(game)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "p")
        written = sorted(path.name for path in tmp_path.glob("*-postmortem*"))
        assert len(written) == 3
        assert "The post-mortem is" in " ".join(note.message for note in app._notifications)
        await press(pilot, "p")
    assert len(list(tmp_path.glob("*-postmortem*.md"))) == 2


async def test_without_a_recording_there_is_no_post_mortem(tmp_path: Path) -> None:
    app, screen = debrief(idle())
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert screen.check_action("postmortem", ()) is False
        await press(pilot, "p")
        assert not list(Path().glob("*-postmortem*"))


async def test_a_post_mortem_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    game = played(tmp_path / "games")
    app, _screen = debrief(game)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        (tmp_path / "games").rename(tmp_path / "gone")
        await press(pilot, "p")
        assert "No post-mortem: cannot write" in " ".join(n.message for n in app._notifications)
