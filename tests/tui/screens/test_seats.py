from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count, repeat
from pathlib import Path

import pytest

from chaosops.agents.policies import Policy, expert_policy, pass_turn
from chaosops.agents.registry import Policies
from chaosops.agents.seats import seat_policies
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.play.action_form.prefill import draft_of, keys_for, offered
from chaosops.play.action_form.state import Stage
from chaosops.play.action_form.suggestions import Offer, offers_of, same_act
from chaosops.play.seats import Roster
from chaosops.play.session import PolicyAnswer, Session, ask
from chaosops.recording.events import REPLAYED, SeatKind
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider
from tests.agents import own_policies
from tests.tui.games import UI, complete, game, press, roster, scenario, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.incident import teammates as incident_teammates
from tui.screens.incident.pause import PauseScreen
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.panes.board import Board
from tui.widgets.picker.picker import Picker
from tui.widgets.rewards.log import RewardLog

SMALL = (80, 24)
WIDE = (120, 40)
RESTART = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")


def restarts(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    return ChaosOpsAction(role, ActionType.RESTART, "db")


def with_copilot(policy: Policy = restarts) -> Roster:
    seats = roster(AgentRole.SRE)
    return Roster(
        seats.people,
        seats.teammates,
        {**seats.names, AgentRole.SRE: "helper"},
        {AgentRole.SRE: policy},
    )


def test_a_roster_knows_who_sits_where_after_every_change() -> None:
    seats = roster(AgentRole.SRE).with_policy(AgentRole.SRE, restarts, "restarter")
    assert seats.people == frozenset()
    assert seats.seat(AgentRole.SRE).kind is SeatKind.SCRIPTED
    assert seats.word(AgentRole.SRE) == "restarter"
    seats = seats.with_copilot(AgentRole.SRE, restarts, "restarter")
    assert seats.seat(AgentRole.SRE).kind is SeatKind.COPILOT
    assert seats.word(AgentRole.SRE) == "you + restarter"
    seats = seats.with_person(AgentRole.SRE)
    assert seats.seat(AgentRole.SRE).kind is SeatKind.HUMAN
    assert seats.policy(AgentRole.SRE) is pass_turn


@pytest.mark.parametrize(
    ("done", "source", "accepted"),
    [
        (RESTART, Decider.COPILOT, True),
        (ChaosOpsAction(AgentRole.SRE, ActionType.NOOP), Decider.HUMAN, False),
    ],
)
def test_what_was_proposed_and_what_was_done_are_both_kept(
    tmp_path: Path, done: ChaosOpsAction, source: Decider, accepted: bool
) -> None:
    play = Session(scenario(), with_copilot(), recordings=tmp_path, ui=UI)
    play.copilot.suggest(0, PolicyAnswer(RESTART, reason="it is slow"))
    play.submit(0, done)
    play.close()
    assert play.recording is not None
    kept = read_recording(play.recording)
    assert kept.header.seats[AgentRole.SRE].kind is SeatKind.COPILOT
    part = kept.turns[0].human
    assert (part.source, part.policy) == (source, "helper")
    assert part.suggestion is not None
    assert (part.suggestion.action_type, part.suggestion.target) == ("restart", "db")
    assert (part.suggestion.reason, part.suggestion.accepted) == ("it is slow", accepted)


def test_a_hint_does_not_make_an_accepted_proposal_another_action() -> None:
    play = Session(scenario(), with_copilot(), recordings=None, ui=UI)
    play.copilot.suggest(0, PolicyAnswer(RESTART))
    play.hints.read(1)
    play.submit(0, RESTART)
    assert play.humans[0].source is Decider.COPILOT


def test_a_proposal_for_another_turn_is_dropped() -> None:
    play = Session(scenario(), with_copilot(), recordings=None, ui=UI)
    assert play.copilot.suggest(3, PolicyAnswer(RESTART)) == ()
    assert play.copilot.offers == ()


def test_a_turn_out_of_time_passes_and_says_so(tmp_path: Path) -> None:
    play = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI)
    play.timing.shown()
    step = play.time_out(0)
    assert step.action.action_type is ActionType.NOOP
    play.close()
    assert play.recording is not None
    assert read_recording(play.recording).turns[0].human.source is Decider.TIMEOUT


def test_pauses_do_not_count() -> None:
    now = [100.0]
    play = Session(
        scenario(),
        roster(AgentRole.SRE),
        recordings=None,
        ui=UI,
        monotonic=lambda: now[0],
        wall=lambda: now[0],
    )
    play.timing.shown()
    now[0] += 2
    play.timing.pause()
    now[0] += 50
    assert play.timing.seconds == 2
    play.timing.go_on()
    now[0] += 1
    play.submit(0, RESTART)
    assert play.humans[0].latency_ms == 3_000


def test_a_seat_is_handed_to_a_policy_and_taken_back(tmp_path: Path) -> None:
    play = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI)
    play.seats.hand_back(AgentRole.SRE, "expert")
    assert not play.waits_for_person
    play.take_answer(0, ask(play.policy(), play.observation, play.role))
    play.seats.take_over(AgentRole.OVERSIGHT)
    assert play.waits_for_person
    play.submit(1, ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.NOOP))
    with pytest.raises(ChaosOpsError, match="no policy 'nonsense'"):
        play.seats.hand_back(AgentRole.DEV, "nonsense")
    assert [part.source for part in play.humans] == [Decider.SCRIPTED, Decider.HUMAN]
    assert play.humans[0].policy == "expert"


@pytest.mark.parametrize("name", ["nobody", "noop"])
def test_a_seat_that_is_handed_to_nobody_passes_and_is_called_that(name: str) -> None:
    play = Session(scenario(), roster(AgentRole.SRE), recordings=None, ui=UI)
    play.seats.hand_back(AgentRole.DEV, name)
    assert play.roster.word(AgentRole.DEV) == "nobody"
    answer = ask(play.roster.policy(AgentRole.DEV), play.observation, AgentRole.DEV)
    assert answer.action.action_type is ActionType.NOOP


def test_a_fork_takes_the_turns_before_it_again_and_goes_on(tmp_path: Path) -> None:
    play = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI)
    play.submit(0, RESTART)
    for turn in (1, 2, 3):
        play.take_answer(turn, ask(play.policy(), play.observation, play.role))
    play.close()
    fork = play.fork(3)
    assert fork.steps == play.steps[:3]
    assert (fork.turn, fork.began_at) == (3, 3)
    assert fork.recording != play.recording
    fork.close()
    assert fork.recording is not None
    assert {turn.human.policy for turn in read_recording(fork.recording).turns} == {REPLAYED}


@pytest.mark.slow
async def test_a_key_does_what_the_copilot_proposes() -> None:
    app, screen = game(with_copilot())
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        assert "copilot helper proposes" in text_of(app)
        await press(pilot, "y")
        assert screen.session.steps[0].action == RESTART
        assert screen.session.humans[0].source is Decider.COPILOT


class Three:
    """A policy that offers three actions."""

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return RESTART

    def candidates(
        self, observation: ChaosOpsObservation, role: AgentRole
    ) -> list[tuple[ChaosOpsAction, str]]:
        drain = ChaosOpsAction(role, ActionType.DRAIN, "payments")
        look = ChaosOpsAction(role, ActionType.INVESTIGATE, "db", {"source": "logs"})
        return [(RESTART, "It hangs."), (drain, "It is far gone."), (look, "Who knows.")]


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
@pytest.mark.parametrize(("key", "place"), [("y", 1), ("u", 2), ("i", 3)])
async def test_each_candidate_of_a_copilot_is_in_view_and_has_a_key(
    size: tuple[int, int], key: str, place: int
) -> None:
    app, screen = game(with_copilot(Three()))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        said = " ".join(text_of(app).split())
        for words in ("y copilot helper proposes", "u or drain", "i or investigate", "It hangs."):
            assert words in said
        await press(pilot, key)
        action = screen.session.steps[0].action
        offered = Three().candidates(screen.session.steps[0].observation, AgentRole.SRE)
        assert action == offered[place - 1][0]
        kept = screen.session.humans[0].suggestion
        assert kept is not None
        assert kept.taken == place


async def test_requests_of_teammates_keep_keys_behind_three_candidates() -> None:
    def asks(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        proposal = {"action_type": "scale", "target": "payments", "args": {"replicas": 6}}
        args = {"to": "sre", "text": "please", "proposal": proposal}
        verb = ActionType.COMMUNICATE if role is AgentRole.DEV else ActionType.NOOP
        return ChaosOpsAction(role, verb, None, args if role is AgentRole.DEV else {})

    seats = roster(AgentRole.SRE, others=asks).with_copilot(AgentRole.SRE, Three(), "helper")
    app, screen = game(seats)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert "Y Dev proposes scale payments" in " ".join(text_of(app).split())
        await press(pilot, "Y")
        assert screen.session.steps[4].action.action_type is ActionType.SCALE


@pytest.mark.slow
async def test_a_proposal_is_looked_at_and_changed_step_by_step() -> None:
    app, screen = game(with_copilot())
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        await press(pilot, "down", "enter")
        assert picker.flow.stage is Stage.CONFIRM
        assert "restart db" in text_of(app)
        await press(pilot, "escape")
        assert picker.flow.stage is Stage.CHOOSE
        await press(pilot, "1", "enter")
        done = screen.session.steps[0].action
        assert (done.action_type, done.target) == (ActionType.RESTART, "edge")
        said = screen.session.humans[0].suggestion
        assert said is not None
        assert (said.target, said.accepted) == ("db", False)


async def test_a_copilot_that_raises_or_hangs_leaves_the_turn_to_the_person() -> None:
    release = threading.Event()

    def stuck(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        release.wait(30)
        raise RuntimeError("[/] late")

    app, screen = game(with_copilot(stuck))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert "copilot helper is thinking" in text_of(app)
        await pilot.press("0", "enter")
        while not screen.session.steps:
            await pilot.pause()
        assert screen.session.steps[0].action.action_type is ActionType.NOOP
        assert screen.session.humans[0].suggestion is None
        release.set()


@pytest.mark.slow
async def test_what_a_teammate_asks_for_is_done_by_a_key() -> None:
    def asks(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        proposal = {"action_type": "scale", "target": "payments", "args": {"replicas": 6}}
        args = {"to": "sre", "text": "[/] please scale it", "proposal": proposal}
        verb = ActionType.COMMUNICATE if role is AgentRole.DEV else ActionType.NOOP
        return ChaosOpsAction(role, verb, None, args if role is AgentRole.DEV else {})

    app, screen = game(roster(AgentRole.SRE, others=asks))
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert "Dev proposes scale payments to 6" in text_of(app)
        assert "[/] please scale it" in text_of(app)
        await press(pilot, "y")
        mine = screen.session.steps[4].action
        assert (mine.action_type, mine.target) == (ActionType.SCALE, "payments")
        assert mine.args["replicas"] == 6


@pytest.mark.slow
async def test_a_seat_changes_hands_in_mid_episode() -> None:
    app, screen = game(roster(AgentRole.SRE, others=expert_policy(1)))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "t", "3", "1")
        assert AgentRole.DEV in screen.session.roster.people
        await press(pilot, "0", "enter", "enter")
        assert screen.session.role is AgentRole.DEV
        assert screen.session.waits_for_person
        await press(pilot, "t", "3", "4")
        assert screen.session.turn == 4
        assert screen.session.steps[2].role is AgentRole.DEV
        assert screen.session.humans[2].policy == "expert"


async def test_a_hanging_policys_seat_can_be_taken_over() -> None:
    release = threading.Event()

    def stuck(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        release.wait(30)
        return ChaosOpsAction(role, ActionType.NOOP)

    app, screen = game(roster(AgentRole.SRE, others=stuck))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await pilot.press("0", "enter")
        await pilot.pause()
        await pilot.press("t", "2", "1")
        for _ in range(200):
            if screen.session.waits_for_person:
                break
            await pilot.pause(0.01)
        assert screen.session.role is AgentRole.OVERSIGHT
        assert screen.session.turn == 1
        release.set()


@pytest.mark.slow
async def test_a_hanging_policy_is_said_with_the_keys_that_are_set_for_a_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(incident_teammates, "_SLOW_AFTER", 0.01)
    release = threading.Event()

    def stuck(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        release.wait(30)
        return ChaosOpsAction(role, ActionType.NOOP)

    app, _ = game(roster(AgentRole.SRE, others=stuck))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        app.use_keys({"incident.pass_for": "f6", "incident.seats": "f7"})
        await pilot.press("0", "enter")
        for _ in range(300):
            if "f6 passes for them, f7 takes the seat" in text_of(app):
                break
            await pilot.pause(0.01)
        else:
            pytest.fail(text_of(app))
        release.set()


async def test_with_nobody_at_the_keyboard_the_game_is_watched_to_its_end() -> None:
    seats = roster(AgentRole.SRE, others=pass_turn)
    app, screen = game(seats, rounds=1)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "t", "1", "7")
        assert screen.session.done
        assert len(screen.session.steps) == 4


def timed(
    seconds: int, monotonic: Callable[[], float] = time.monotonic
) -> tuple[ChaosOpsApp, IncidentScreen]:
    seats = replace(roster(AgentRole.SRE), shot_clock=seconds)
    screen = IncidentScreen(
        scenario(),
        seats,
        None,
        begin=lambda: Session(scenario(), seats, recordings=None, ui=UI, monotonic=monotonic),
    )
    return ChaosOpsApp(lambda: screen, pace=0), screen


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_the_shot_clock_passes_for_whoever_is_too_slow(size: tuple[int, int]) -> None:
    app, screen = timed(60, count(0, 40).__next__)
    async with app.run_test(size=size) as pilot:
        for _ in range(300):
            if screen.query(RewardLog) and "out of time" in screen.query_one(RewardLog).plain:
                break
            await pilot.pause(0.01)
        else:
            pytest.fail("it is not said that the turn timed out")
        assert screen.session.humans[0].source is Decider.TIMEOUT
        assert screen.session.steps[0].action.action_type is ActionType.NOOP


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [SMALL, WIDE])
async def test_what_is_left_of_a_turn_is_in_view_at_any_size(size: tuple[int, int]) -> None:
    app, _ = timed(90, repeat(0.0).__next__)
    async with app.run_test(size=size) as pilot:
        for _ in range(300):
            if "1:30" in text_of(app):
                break
            await pilot.pause(0.01)
        else:
            pytest.fail("the time that is left is not in view")


async def test_a_pause_hides_the_board_and_stops_the_shot_clock() -> None:
    app, screen = timed(90)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "p")
        assert isinstance(app.screen, PauseScreen)
        assert "edge" not in text_of(app)
        before = screen.session.timing.seconds
        await asyncio.to_thread(threading.Event().wait, 0.05)
        assert screen.session.timing.seconds == before
        assert not screen.session.timing.on_view
        await press(pilot, "enter")
        assert screen.session.timing.on_view
        assert "edge" in text_of(app)


async def test_a_pause_among_teammates_lets_none_of_them_act() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        screen.action_pause()
        await pilot.pause()
        screen.session.submit(0, ChaosOpsAction(AgentRole.SRE, ActionType.NOOP))
        screen.flow.advance()
        await pilot.pause()
        await pilot.pause()
        assert screen.session.turn == 1
        await pilot.press("enter")
        await settled(pilot)
        assert screen.session.turn == 4


@pytest.mark.parametrize("name", ["errors-come-and-go", "first-shift-6-images-missing"])
def test_every_act_of_the_expert_can_be_built_from_the_pickers_questions(name: str) -> None:
    world = Scenario.load(name, seed=3)
    offers = offers_of(world)
    play = Session(world, roster(), recordings=None, ui=UI)
    experts = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), world)
    while not play.done:
        view = play.observation.view
        action = experts[play.role](play.observation, play.role)
        pick = offered(view, [Offer(action, "copilot", "")])[0]
        draft = draft_of(pick, view, offers)
        assert draft is not None, action
        assert same_act(draft.action(), action)
        assert keys_for(action, view, offers)
        play.take_answer(play.turn, PolicyAnswer(action))
    assert len(play.steps) >= 8


async def test_five_fast_acceptances_are_one_action() -> None:
    app, screen = game(with_copilot())
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        picker = screen.query_one(Picker)
        assert [picker.flow.press("y") for _ in range(5)] == [True, False, False, False, False]
        await settled(pilot)
        mine = [step for step in screen.session.steps if step.role is AgentRole.SRE]
        assert [step.action for step in mine] == [RESTART]
        await complete(pilot, screen.query_one(Picker))
        assert screen.query_one(Board).open_panes()


async def test_places_are_changed_before_anything_is_shown_in_the_first_turn_too() -> None:
    app, _ = game(roster(AgentRole.SRE, AgentRole.DEV))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "Nothing is shown until then. Swap seats first." in text
        assert "last view" not in text


async def test_a_policy_that_was_named_can_take_a_seat_from_the_menu() -> None:
    name = f"{own_policies.HERE}:agent"
    seats = replace(roster(AgentRole.SRE), policies=Policies(named=[name, "expert"]))
    app, incident = game(seats)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await press(pilot, "t", "3")
        assert name in text_of(app)
        await press(pilot, "0")
        assert incident.session.roster.policy_name(AgentRole.DEV) == name
