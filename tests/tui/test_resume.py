"""A game that was left goes on, in the app as from the command line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chaosops.agents.policies import oracle_policy, pass_turn
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.errors import ChaosOpsError
from chaosops.play.game_requests import old_game, resumed_roster
from chaosops.play.session import PolicyAnswer, Session, ask
from chaosops.play.setup import SeatChoice, Setup, default_setup, roster_of, setup_of
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import Resumed, reopen
from chaosops.recording.turn_sources import Decider
from chaosops.recording.verify import verify
from tests.agents import own_policies
from tests.tui.games import UI, press, scenario, text_of
from tui.app import ChaosOpsApp
from tui.fixtures import settled
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.incident.start import StartScreen
from tui.widgets import key_guard


def left(folder: Path, turns: int, setup: Setup | None = None) -> Path:
    """The recording of a game that was left after some turns."""
    played = scenario()
    session = Session(
        played, roster_of(setup or Setup.of(TURN_ORDER), played), recordings=folder, ui=UI
    )
    while session.turn < turns:
        assert session.waits_for_person
        session.submit(session.turn, pass_turn(session.observation, session.role))
    session.close()
    assert session.recording is not None
    return session.recording


def resuming(take_up: Callable[[], Resumed], folder: Path) -> ChaosOpsApp:
    return ChaosOpsApp(
        lambda: StartScreen(old_game("The game", take_up, folder)),
        home=lambda: HomeScreen((), folder),
        pace=0,
        recordings=folder,
    )


def game_of(app: ChaosOpsApp) -> IncidentScreen:
    (game,) = (screen for screen in app.screen_stack if isinstance(screen, IncidentScreen))
    return game


@pytest.mark.slow
async def test_it_goes_on_at_its_turn_in_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_guard, "SEEN_AFTER", 0.0)
    path = left(tmp_path, 6)
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert game_of(app).session.turn == 6
        await press(pilot, "enter", "0", "enter")
        assert game_of(app).session.turn == 7
    assert list(tmp_path.glob("*.jsonl")) == [path]
    assert len(read_recording(path).turns) == 7
    assert verify(path).ok


async def test_the_seats_are_as_they_were(tmp_path: Path) -> None:
    seats = {
        **default_setup().seats,
        AgentRole.SRE: SeatChoice.of("you + heuristic"),
        AgentRole.DEV: SeatChoice.of("random"),
        AgentRole.MANAGER: SeatChoice.of("nobody"),
    }
    path = left(tmp_path, 0, Setup(seats))
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert game_of(app).session.roster.words() == {
            AgentRole.SRE: "you + heuristic",
            AgentRole.OVERSIGHT: "steady",
            AgentRole.DEV: "random",
            AgentRole.MANAGER: "nobody",
        }


def test_seats_that_changed_hands_are_as_they_were_last(tmp_path: Path) -> None:
    played = scenario()
    seats = roster_of(Setup.of((AgentRole.SRE, AgentRole.MANAGER)), played)
    session = Session(played, seats, recordings=tmp_path, ui=UI)
    session.seats.take_over(AgentRole.DEV)
    session.seats.hand_back(AgentRole.MANAGER, "heuristic")
    while session.turn < len(TURN_ORDER):
        if session.waits_for_person:
            session.submit(session.turn, pass_turn(session.observation, session.role))
        else:
            answer = PolicyAnswer(session.policy()(session.observation, session.role))
            session.take_answer(session.turn, answer)
    session.close()
    assert session.recording is not None
    recording = read_recording(session.recording)
    now = setup_of(recording.header, recording.turns).seats
    words = {role: seat.word for role, seat in now.items()}
    assert words == {
        AgentRole.SRE: "you",
        AgentRole.OVERSIGHT: "steady",
        AgentRole.DEV: "you",
        AgentRole.MANAGER: "heuristic",
    }
    before = setup_of(recording.header, recording.turns[:2]).seats
    assert before[AgentRole.DEV].word == "steady"


@pytest.mark.slow
async def test_a_seat_that_was_taken_and_not_played_yet_is_as_it_was_left(tmp_path: Path) -> None:
    played = scenario()
    session = Session(played, roster_of(default_setup(), played), recordings=tmp_path, ui=UI)
    session.seats.take_over(AgentRole.DEV)
    session.seats.take_over(AgentRole.OVERSIGHT)
    session.seats.hand_back(AgentRole.OVERSIGHT, "heuristic")
    session.submit(0, pass_turn(session.observation, session.role))
    session.seats.set_copilot(AgentRole.MANAGER, "random")
    session.close()
    path = session.recording
    assert path is not None
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert game_of(app).session.roster.words() == {
            AgentRole.SRE: "you",
            AgentRole.OVERSIGHT: "heuristic",
            AgentRole.DEV: "you",
            AgentRole.MANAGER: "you + random",
        }


@pytest.mark.slow
async def test_a_hint_that_was_read_is_shown_again_and_paid_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_guard, "SEEN_AFTER", 0.0)
    played = scenario()
    session = Session(played, roster_of(default_setup(), played), recordings=tmp_path, ui=UI)
    words = session.hints.read(1).split()
    session.close()
    path = session.recording
    assert path is not None
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "h")
        assert "taken" in text_of(app)
        assert " ".join(words[:4]) in text_of(app)
        await press(pilot, "escape", "0", "enter")
        assert game_of(app).session.steps[0].breakdown.hint_penalty == -5.0


async def test_the_shot_clock_is_as_it_was(tmp_path: Path) -> None:
    path = left(tmp_path, 0, Setup.of((AgentRole.SRE,), shot_clock=90))
    assert {seat.shot_clock for seat in read_recording(path).header.seats.values()} == {90}
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for _ in range(500):
            # However long the machine took to draw it.
            if re.search(r"\b[01]:[0-5]\d\b", text_of(app)):
                break
            await pilot.pause(0.02)
        else:
            pytest.fail("the clock is not shown")


def test_a_game_without_a_shot_clock_is_recorded_and_resumed_without_one(tmp_path: Path) -> None:
    path = left(tmp_path, 0)
    assert b"shot_clock" not in path.read_bytes()
    assert setup_of(read_recording(path).header).shot_clock == 0


async def test_a_torn_last_line_is_repaired_and_said(tmp_path: Path) -> None:
    path = left(tmp_path, 6)
    path.write_bytes(path.read_bytes()[:-100])
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        assert game_of(app).session.turn == 5
        assert any("epaired" in str(notice.message) for notice in app._notifications)
    assert verify(path).ok


@pytest.mark.slow
async def test_a_game_that_lacked_only_its_end_shows_the_debrief(tmp_path: Path) -> None:
    played = scenario()
    session = Session(played, roster_of(Setup.of(TURN_ORDER), played), recordings=tmp_path, ui=UI)
    policy = oracle_policy(played)
    while not session.done:
        session.submit(session.turn, policy(session.observation, session.role))
    session.close()
    path = session.recording
    assert path is not None
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "Resolved in" in text_of(app)
        assert read_recording(path).footer is not None


@pytest.mark.few(1)
@pytest.mark.parametrize("fault", ["edited", "gone", "held"])
async def test_what_cannot_go_on_is_one_reason_for_the_one_who_started_it(
    tmp_path: Path, fault: str
) -> None:
    path = left(tmp_path, 6)
    held: list[Resumed] = []
    if fault == "edited":
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    elif fault == "gone":
        path.unlink()
    else:
        held.append(reopen(path))
    app = resuming(lambda: reopen(path), tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
    assert app.return_code == 1
    assert str(path) in app.failure
    assert "\n" not in app.failure
    for resumed in held:
        resumed.writer.close()


def left_with(folder: Path, dev: str) -> Path:
    """Leave a game in which the seat of Dev had a policy of this name."""
    played = scenario()
    roster = roster_of(default_setup(), played).with_policy(AgentRole.DEV, pass_turn, dev)
    session = Session(played, roster, recordings=folder, ui=UI)
    session.submit(0, pass_turn(session.observation, session.role))
    session.close()
    assert session.recording is not None
    return session.recording


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["policy", "gone", "no_such:agent", "steadyy"])
def test_a_seat_whose_policy_is_gone_gets_no_other_and_the_game_is_untouched(
    tmp_path: Path, name: str
) -> None:
    path = left_with(tmp_path, name)
    before = path.read_bytes()
    with pytest.raises(ChaosOpsError, match=rf"'{name}'.*resume {path} --policy ROLE=POLICY"):
        resumed_roster(reopen(path))
    assert path.read_bytes() == before
    # Nothing holds the file: it can be taken up at once.
    reopen(path).writer.close()


def test_another_policy_that_is_named_takes_the_seat_and_the_change_is_noted(
    tmp_path: Path,
) -> None:
    path = left_with(tmp_path, "gone")
    taken_up = reopen(path)
    changed = {AgentRole.DEV: SeatChoice(False, f"{own_policies.HERE}:agent")}
    played = taken_up.stepper.scenario
    roster = resumed_roster(taken_up, None, changed)
    session = Session(played, roster, recordings=tmp_path, ui=UI, resumed=taken_up)
    while not session.waits_for_person:
        session.take_answer(session.turn, ask(session.policy(), session.observation, session.role))
    session.close()
    recording = read_recording(path)
    assert [(note.role, note.turn) for note in recording.notes] == [(AgentRole.DEV, 1)]
    assert recording.turns[2].human.policy == f"{own_policies.HERE}:agent"
    assert verify(path).ok
    # From now on the game has its new seat.
    again = resumed_roster(taken := reopen(path))
    taken.writer.close()
    assert again.policy_name(AgentRole.DEV) == f"{own_policies.HERE}:agent"


def test_a_program_in_its_own_seat_is_no_person(tmp_path: Path) -> None:
    name = f"{own_policies.HERE}:Fallback"
    played = scenario()
    setup = Setup({**default_setup().seats, AgentRole.DEV: SeatChoice(False, name)})
    session = Session(played, roster_of(setup, played), recordings=tmp_path, ui=UI)
    while session.turn < 12:
        if session.waits_for_person:
            session.submit(session.turn, pass_turn(session.observation, session.role))
        else:
            asked = ask(session.policy(), session.observation, session.role)
            session.take_answer(session.turn, replace(asked, by_program=True))
    session.close()
    assert session.recording is not None
    kept = read_recording(session.recording)
    assert kept.turns[2].human.source is Decider.LLM
    assert setup_of(kept.header, kept.turns, kept.notes).seats == setup.seats
