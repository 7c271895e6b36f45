from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import EpisodeStep
from chaosops.env.actions import HINT
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.errors import RecordingError
from chaosops.play.forks import fork_of
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.session import PolicyAnswer, Session, StaleTurn, ask
from chaosops.recording.events import MAX_NOTES, Footer, Header, HumanPart, Note
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.turn_sources import Decider
from chaosops.recording.verify import verify
from tests.tui.games import UI, roster, scenario, session

PASS = ChaosOpsAction(AgentRole.SRE, ActionType.NOOP)


def round_of_teammates(game: Session) -> None:
    while not game.done and not game.waits_for_person:
        answer = ask(game.policy(), game.observation, game.role)
        game.take_answer(game.turn, answer)


def resumed(path: Path) -> Session:
    taken_up = reopen(path)
    roster_now = roster(AgentRole.SRE)
    return Session(
        taken_up.stepper.scenario, roster_now, recordings=path.parent, ui=UI, resumed=taken_up
    )


def test_each_turn_is_on_disk_before_the_next_is_asked_for(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path)
    assert game.recording is not None
    while not game.done:
        if game.waits_for_person:
            game.submit(game.turn, PASS)
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
        assert read_recording(game.recording).frames == game.steps
    assert read_recording(game.recording).footer is not None


def test_a_game_that_was_left_has_no_footer(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path)
    game.submit(0, PASS)
    game.close()
    assert game.recording is not None
    assert read_recording(game.recording).footer is None


def test_an_answer_to_a_turn_that_was_taken_is_refused() -> None:
    game = session(AgentRole.SRE)
    game.submit(0, PASS)
    with pytest.raises(StaleTurn, match="turn 1 has already been taken"):
        game.submit(0, PASS)
    assert len(game.steps) == 1


def test_a_person_cannot_take_a_teammates_turn_nor_the_reverse() -> None:
    game = session(AgentRole.SRE)
    with pytest.raises(StaleTurn):
        game.take_answer(0, PolicyAnswer(PASS))
    game.submit(0, PASS)
    with pytest.raises(StaleTurn):
        game.submit(1, PASS)


def test_a_policy_that_raises_passes_and_is_named() -> None:
    def broken(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        raise KeyError("oops")

    game = Session(scenario(), roster(AgentRole.SRE, others=broken), recordings=None, ui=UI)
    game.submit(0, PASS)
    step = game.take_answer(1, ask(game.policy(), game.observation, game.role))
    assert step.action.action_type is ActionType.NOOP
    assert "Oversight's policy raised KeyError" in game.trouble
    assert "turn 2" in game.trouble


class Asking:
    """Asks a program in its second turn, and raises in its third."""

    answered_by_program = False

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        self.answered_by_program = observation.step == 5
        if observation.step == 9:
            raise KeyError("oops")
        return PASS


def test_the_log_says_who_answered_in_a_policys_seat(tmp_path: Path) -> None:
    seats = roster(AgentRole.SRE).with_policy(AgentRole.OVERSIGHT, Asking(), "asker")
    game = Session(scenario(), seats, recordings=tmp_path, ui=UI)
    while game.turn < 12:
        if game.waits_for_person:
            game.submit(game.turn, PASS)
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
    game.close()
    (path,) = tmp_path.iterdir()
    parts = [h for frame, h in read_recording(path).turns if frame.role is AgentRole.OVERSIGHT]
    assert [(part.source, part.policy) for part in parts] == [
        (Decider.SCRIPTED, "asker"),
        (Decider.LLM, "asker"),
        (Decider.SCRIPTED, "nobody"),
    ]


def test_a_policy_that_returns_rubbish_costs_its_turn() -> None:
    def rubbish(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return ChaosOpsAction(AgentRole.SRE, "dance")

    game = Session(scenario(), roster(AgentRole.SRE, others=rubbish), recordings=None, ui=UI)
    game.submit(0, PASS)
    step = game.take_answer(1, ask(game.policy(), game.observation, game.role))
    assert step.role is AgentRole.OVERSIGHT
    assert step.breakdown.miscommunication_penalty < 0


def test_a_seat_that_nobody_took_passes() -> None:
    game = Session(scenario(), roster(AgentRole.SRE), recordings=None, ui=UI)
    policy: Policy = game.roster.teammates[AgentRole.DEV]
    assert policy is pass_turn


def test_a_hint_is_paid_once_with_the_action_that_follows() -> None:
    game = session(AgentRole.SRE)
    assert game.hints.costs() == {1: -5.0, 2: -10.0, 3: -20.0}
    assert game.hints.read(1) == game.scenario.incident.hints.nudge
    game.hints.read(2)
    first = game.submit(0, PASS)
    assert first.action.args[HINT] == (1, 2)
    assert first.breakdown.hint_penalty == -15.0
    round_of_teammates(game)
    game.hints.read(1)
    later = game.submit(game.turn, PASS)
    assert HINT not in later.action.args
    assert later.breakdown.hint_penalty == 0.0


def test_a_hint_that_was_read_and_not_paid_is_due_when_the_game_goes_on(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path)
    text = game.hints.read(2)
    game.close()
    path = game.recording
    assert path is not None
    game = resumed(path)
    assert game.hints.taken == {2}
    assert game.hints.read(2) == text
    game.close()
    assert len(read_recording(path).notes) == 1
    game = resumed(path)
    step = game.submit(0, PASS)
    assert (step.action.args[HINT], step.breakdown.hint_penalty) == ((2,), -10.0)
    assert game.humans[0].hints == (2,)
    game.close()
    game = resumed(path)
    assert game.hints.taken == {2}
    round_of_teammates(game)
    assert game.submit(game.turn, PASS).breakdown.hint_penalty == 0.0
    game.close()
    assert verify(path).ok


def test_a_fork_has_the_hints_that_were_read_before_its_turn(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path)
    game.hints.read(1)
    game.submit(0, PASS)
    round_of_teammates(game)
    game.hints.read(3)
    game.seats.hand_back(AgentRole.SRE, "heuristic")
    game.take_answer(4, ask(game.policy(), game.observation, game.role))
    game.seats.take_over(AgentRole.OVERSIGHT)
    forks = [game.fork(turn) for turn in (0, 4, 5)]
    assert [fork.hints.taken for fork in forks] == [set(), {1}, {1, 3}]
    paid = forks[-1].submit(5, ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.NOOP))
    assert paid.breakdown.hint_penalty == -20.0
    game.close()
    assert game.recording is not None
    fork = fork_of(read_recording(game.recording), 5)
    again = Session(
        fork.scenario,
        fork.roster,
        recordings=tmp_path,
        ui=UI,
        replayed=fork.replayed,
        notes=fork.notes,
    )
    assert again.hints.taken == {1, 3}
    again.close()
    assert again.recording is not None
    assert [(note.turn, note.hint) for note in read_recording(again.recording).notes] == [
        (0, 1),
        (4, 3),
    ]
    assert verify(again.recording).ok


def test_a_disk_that_is_full_when_a_hint_is_read_is_said(tmp_path: Path) -> None:
    logs: list[FullDisk] = []

    def begin(folder: Path, header: Header) -> FullDisk:
        logs.append(FullDisk(folder, header))
        return logs[0]

    game = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI, begin_log=begin)
    logs[0].room = False
    assert game.hints.read(1)
    assert "Not recorded from turn 1 on" in game.trouble


def test_a_seat_that_changes_hands_all_day_leaves_room_for_afterthoughts(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path, rounds=1)
    for _ in range(MAX_NOTES):
        game.seats.take_over(AgentRole.DEV)
    game.hints.read(1)
    game.close()
    assert game.recording is not None
    notes = read_recording(game.recording).notes
    assert len(notes) == MAX_NOTES // 2 + 1
    assert notes[-1].hint == 1


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_log_says_how_long_a_person_took(tmp_path: Path) -> None:
    clock = Clock()
    game = Session(
        scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI, monotonic=clock, wall=clock
    )
    game.timing.shown()
    game.timing.panes_opened(["services", "logs"])
    clock.now += 2.5
    game.timing.touched()
    clock.now += 1.0
    game.timing.touched()
    game.timing.refused()
    game.timing.help_opened()
    game.submit(0, PASS)
    game.take_answer(1, PolicyAnswer(PASS))
    game.close()
    assert game.recording is not None
    mine, theirs = (turn.human for turn in read_recording(game.recording).turns)
    assert mine.source is Decider.HUMAN
    assert (mine.shown_at_ms, mine.first_input_at_ms, mine.submitted_at_ms) == (
        100_000,
        102_500,
        103_500,
    )
    assert mine.latency_ms == 3_500
    assert (mine.invalid_attempts, mine.help_opened) == (1, 1)
    assert mine.panes == ("services", "logs")
    assert theirs.source is Decider.SCRIPTED
    assert theirs.policy == "noop"
    assert theirs.latency_ms is None


def test_the_log_says_why_and_how_sure_where_a_person_said_so(tmp_path: Path) -> None:
    game = session(AgentRole.SRE, folder=tmp_path)
    game.submit(0, PASS, Thought("nothing burns", 0))
    round_of_teammates(game)
    game.submit(game.turn, PASS)
    game.close()
    assert game.recording is not None
    parts = [turn.human for turn in read_recording(game.recording).turns]
    mine = [part for part in parts if part.source is Decider.HUMAN]
    assert [Thought.kept_in(part) for part in mine] == [Thought("nothing burns", 0), UNSAID]


class FullDisk:
    """A log that takes some turns, and then fails until there is room again."""

    def __init__(self, folder: Path, header: Header) -> None:
        self.path = folder / "log.jsonl"
        self.room = True
        self.turns: list[EpisodeStep] = []

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        if not self.room:
            raise RecordingError("cannot write: No space left on device; make room there")
        self.turns.append(frame)

    def note(self, note: Note) -> None:
        if not self.room:
            raise RecordingError("cannot write: No space left on device; make room there")

    def finish(self, footer: Footer) -> None:
        self.turn(self.turns[-1], HumanPart.scripted("footer"))

    def keep(self) -> bool:
        return False

    def close(self) -> None:
        self.path = self.path.with_suffix(".closed")


def test_play_goes_on_when_the_disk_is_full_and_says_so(tmp_path: Path) -> None:
    logs: list[FullDisk] = []

    def begin(folder: Path, header: Header) -> FullDisk:
        logs.append(FullDisk(folder, header))
        return logs[0]

    game = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path, ui=UI, begin_log=begin)
    game.submit(0, PASS)
    logs[0].room = False
    game.take_answer(1, PolicyAnswer(PASS))
    assert "Not recorded from turn 2 on" in game.trouble
    assert "No space left" in game.trouble
    assert len(game.steps) == 2
    game.take_answer(2, PolicyAnswer(PASS))
    assert "Not recorded from turn 2 on" in game.trouble
    logs[0].room = True
    game.take_answer(3, PolicyAnswer(PASS))
    assert game.trouble == ""
    logs[0].room = False
    game.submit(4, PASS)
    assert "Not recorded from turn 5 on" in game.trouble


def test_a_folder_that_cannot_be_written_does_not_stop_the_game(tmp_path: Path) -> None:
    game = Session(scenario(), roster(AgentRole.SRE), recordings=tmp_path / "missing" / "x", ui=UI)
    assert game.trouble.startswith("This game is not recorded")
    assert game.submit(0, PASS).turn == 0
