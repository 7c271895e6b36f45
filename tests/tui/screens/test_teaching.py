from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest
from textual.widgets import Static

from chaosops.agents.policies import Policy, expert_policy, pass_turn, steady_policy
from chaosops.agents.seats import seat_policies
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Health,
    ServiceKind,
    ServiceNode,
)
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.suggestions import same_act
from chaosops.play.coach import is_coached, is_guided
from chaosops.play.coach.tutorial import tutorial as tutorial_lessons
from chaosops.play.glossary import TERMS
from chaosops.play.seats import Roster
from chaosops.play.service_tree import failing_path, tree
from tests.tui.games import frames, game, press, roster, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.instrument.screen import InstrumentScreen
from tui.widgets.panes.logs import LogsPane
from tui.widgets.rewards.detail import RewardDetail
from tui.widgets.rewards.log import RewardLog
from tui.widgets.status.coach_line import WAITING, CoachLine

FIRST = "first-shift-1-product-pages"


def tutorial(name: str = FIRST, others: Policy | None = None) -> tuple[ChaosOpsApp, IncidentScreen]:
    world = Scenario.load(name, seed=7)
    mates = [role for role in TURN_ORDER if role is not AgentRole.SRE]
    policies = seat_policies(dict.fromkeys(mates, "expert"), world)
    if others is not None:
        policies = dict.fromkeys(mates, others)
    seats = Roster(frozenset({AgentRole.SRE}), policies, dict.fromkeys(mates, "expert"))
    screen = IncidentScreen(world, seats, None)
    return ChaosOpsApp(lambda: screen, pace=0), screen


async def test_whoever_presses_what_the_coach_says_solves_the_first_incident() -> None:
    app, screen = tutorial(others=steady_policy(7))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for _ in range(12):
            if isinstance(app.screen, DebriefScreen):
                break
            if isinstance(app.screen, InstrumentScreen):
                await press(pilot, "escape")
            advice = screen.query_one(CoachLine).advice
            assert advice is not None
            assert "Coach" in text_of(app)
            await press(pilot, *advice.keys)
        assert screen.session.resolved
        verbs = [s.action.action_type for s in screen.session.steps if s.role is AgentRole.SRE]
        assert verbs[:5] == [
            ActionType.INVESTIGATE,
            ActionType.INVESTIGATE,
            ActionType.DIAGNOSE,
            ActionType.COMMUNICATE,
            ActionType.COMMUNICATE,
        ]


async def test_the_keys_that_the_coach_names_stand_together_in_one_line() -> None:
    app, screen = tutorial()
    async with app.run_test(size=(80, 24)) as pilot:
        for width in (80, 81, 100, 120, 200):
            await pilot.resize_terminal(width, 24)
            await settled(pilot)
            line = screen.query_one(CoachLine)
            assert line.advice is not None
            assert line.advice.keys == ("1", "2", "4")
            assert "Press  1   2   4 " in text_of(app), width


@pytest.mark.slow
@pytest.mark.parametrize("lesson", [one.id for one in tutorial_lessons()])
async def test_the_keys_of_the_coach_do_what_its_sentence_says(
    lesson: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it named the keys of every move in each of the incidents."""
    monkeypatch.setattr("tui.screens.incident.coach.is_guided", lambda scenario: True)
    app, screen = tutorial(lesson, others=steady_policy(7))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        while not isinstance(app.screen, DebriefScreen):
            if isinstance(app.screen, InstrumentScreen):
                await press(pilot, "escape")
            advice = screen.query_one(CoachLine).advice
            assert advice is not None
            assert advice.action is not None
            turn = screen.session.turn
            await press(pilot, *advice.keys)
            assert same_act(screen.session.steps[turn].action, worded(advice.action, screen))
        assert screen.session.resolved


def worded(action: ChaosOpsAction, screen: IncidentScreen) -> ChaosOpsAction:
    """The action with the words, and for a proposal the finding, that the form suggests."""
    taken = [step.action for step in screen.session.steps if step.role is AgentRole.SRE][-1]
    named = ("text", "finding") if "proposal" in action.args else ("text",)
    suggested = {name: taken.args[name] for name in named if name in taken.args}
    return replace(action, args={**action.args, **suggested})


async def test_later_tutorials_name_the_move_and_leave_the_keys_to_the_player() -> None:
    app, screen = tutorial("first-shift-3-slow-pages")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        advice = screen.query_one(CoachLine).advice
        assert advice is not None
        assert advice.keys == ()
        assert "Look at the runtime of cache." in advice.text
        await press(pilot, "c")
        assert not screen.query_one(CoachLine).display
        await press(pilot, "c")
        assert screen.query_one(CoachLine).display


async def test_an_incident_above_the_tutorial_has_no_coach() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert not screen.query_one(CoachLine).display
        assert screen.check_action("coach", ()) is False


def test_only_the_first_two_of_the_tutorial_are_guided_key_by_key() -> None:
    assert is_guided(Scenario.load(FIRST))
    assert is_guided(Scenario.load("first-shift-2-carts-fail"))
    third = Scenario.load("first-shift-3-slow-pages")
    assert is_coached(third)
    assert not is_guided(third)


@pytest.mark.slow
async def test_the_coach_says_nothing_of_a_turn_that_is_over() -> None:
    started, on = threading.Event(), threading.Event()

    def slow(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        started.set()
        on.wait(20)
        return pass_turn(observation, role)

    app, screen = tutorial(others=slow)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        line = screen.query_one(CoachLine)
        assert line.advice is not None
        await pilot.press(*line.advice.keys)
        try:
            await asyncio.to_thread(started.wait, 20)
            await pilot.press("escape")
            await pilot.pause()
            assert line.advice.text == WAITING
            assert line.advice.keys == ()
            assert "Look at" not in text_of(app)
        finally:
            on.set()
        await settled(pilot)
        assert "Look at the runtime of db." in line.advice.text


async def test_explain_says_what_the_pane_shows_and_the_terms_in_it() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        screen.query_one("#services").focus()
        await press(pilot, "question_mark")
        assert "golden signals:" in text_of(app)
        await press(pilot, "g", "end")
        assert TERMS["hypothesis"][:30] in "\n".join(
            str(widget.content) for widget in app.screen.query("#help-terms")
        )


@pytest.mark.slow
async def test_logs_are_filtered_by_level_and_searched_by_words() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        logs = screen.query_one(LogsPane)
        logs.focus()
        whole = logs.plain
        assert "INFO" in whole
        await press(pilot, "f")
        assert "INFO" not in logs.plain.splitlines()[1:]
        assert "warnings and errors" in logs.plain
        await press(pilot, "escape")
        assert logs.plain == whole
        await press(pilot, "slash", *"fail")
        found = logs.plain.splitlines()
        assert len(found) > 1
        assert all("fail" in line for line in found[1:])
        await press(pilot, "enter")
        assert logs.has_focus
        await press(pilot, "escape")
        assert logs.plain == whole
        assert screen.session.steps == ()


@pytest.mark.slow
async def test_the_highlighted_turns_reward_is_broken_down() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        log, detail = screen.query_one(RewardLog), screen.query_one(RewardDetail)
        assert str(detail.border_title) == "Turn 4, Manager"
        log.focus()
        await press(pilot, "up", "up")
        assert str(detail.border_title) == "Turn 2, Oversight"
        assert "impact" in detail.plain
        await press(pilot, "enter")
        assert "Points this turn" in text_of(app)
        await press(pilot, "escape", "down", "down", "down")
        assert str(detail.border_title) == "Turn 4, Manager"


@pytest.mark.slow
async def test_what_is_highlighted_says_its_minutes_and_its_audience_before_it_is_chosen() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"failover")
        preview = screen.query_one("#picker-preview", Static)
        assert "lands in 5 min; everyone sees it; costs 25" in str(preview.content)
        await press(pilot, "enter", "down")
        assert "failover" in text_of(app)
        assert screen.session.steps == ()


def test_the_failing_path_leads_from_the_entry_to_the_deepest_unhealthy_service() -> None:
    graph = [
        ServiceNode("edge", ServiceKind.EDGE, ("search", "shop")),
        ServiceNode("search", ServiceKind.APP, ()),
        ServiceNode("shop", ServiceKind.APP, ("db",)),
        ServiceNode("db", ServiceKind.DATABASE, ()),
    ]
    health = dict.fromkeys(("edge", "shop", "db"), Health.DEGRADED) | {"search": Health.HEALTHY}
    branches, on_path = failing_path(tree(graph), frozenset({"db"}), health)
    assert on_path == {"edge", "shop", "db"}
    assert [branch.guides for branch in branches] == ["", "┃╴", "┗ ", "  ┗ "]
    health["shop"] = Health.HEALTHY
    _, below = failing_path(tree(graph), frozenset({"db"}), health)
    assert below == {"db"}


def test_the_failing_path_of_a_game_is_drawn_in_its_tree() -> None:
    view = frames({AgentRole.SRE: expert_policy(1)}, 1)[0].observation.view
    marked = frozenset({view.graph[-1].name})
    branches, on_path = failing_path(tree(view.graph), marked, {})
    assert [branch.name for branch in branches] == [b.name for b in tree(view.graph)]
    assert on_path == marked
