"""Who decided, where a program plays in lines: what the log says, and what needs consent."""

from __future__ import annotations

from pathlib import Path

from chaosops.datasets.privacy import people_in
from chaosops.env.models import AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.play.replay_model import notes_of
from chaosops.play.session import Session
from chaosops.play.setup import setup_of
from chaosops.recording.events import HumanPart
from chaosops.recording.reader import Recording
from chaosops.recording.turn_sources import Decider
from tests.tui.games import UI, roster, scenario, session
from tests.tui.plain_games import played, recording_of

SRE = AgentRole.SRE
JSON = '{"action_type":"restart","target":"cart"}'


def decided(recording: Recording) -> list[HumanPart]:
    """How the SRE's turns came about."""
    return [turn.human for turn in recording.turns if turn.frame.role is SRE]


def test_an_answer_in_json_is_a_programs_and_the_next_one_in_words_a_persons(
    tmp_path: Path,
) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, JSON, "pass")
    sources = [part.source for part in decided(recording_of(game))]
    assert sources == [Decider.LLM, Decider.HUMAN]


def test_what_comes_through_a_pipe_is_a_programs_even_in_words(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "nonsense", "restart cart", "5", "cart", "", by_person=False)
    first, second = decided(recording_of(game))
    assert (first.source, second.source) == (Decider.LLM, Decider.LLM)
    assert first.invalid_attempts == 1
    assert first.latency_ms is not None


def test_a_proposal_that_a_program_accepts_is_kept_as_accepted_and_as_the_programs(
    tmp_path: Path,
) -> None:
    def restarting(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return ChaosOpsAction(role, "restart", "cart")

    seats = roster(SRE).with_copilot(SRE, restarting, "restarter")
    game = Session(scenario(), seats, recordings=tmp_path, ui=UI)
    played(game, "accept", by_person=False)
    (part,) = decided(recording_of(game))
    assert part.source is Decider.LLM
    assert part.suggestion is not None
    assert part.suggestion.accepted


def test_the_seat_stays_one_behind_which_somebody_may_sit(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "restart cart", "say all hello", by_person=False)
    recording = recording_of(game)
    parts = [(turn.frame.role, turn.human) for turn in recording.turns]
    assert people_in(recording.header, parts) == {SRE}
    assert setup_of(recording.header, recording.turns).seats[SRE].person


def test_in_a_replay_the_turns_of_a_program_in_a_persons_seat_are_the_players(
    tmp_path: Path,
) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "restart cart", by_person=False)
    (part,) = decided(recording_of(game))
    assert notes_of(part).mine
    assert not notes_of(HumanPart.scripted("expert")).mine


def test_a_program_pays_for_a_hint_without_being_asked_and_is_told_the_price() -> None:
    game = session(SRE)
    said = played(game, "hint 1", "pass", by_person=False)
    price = said.index("Hint 1 costs -5.0 points")
    assert price < said.index(game.scenario.incident.hints.nudge)
    assert game.steps[0].breakdown.hint_penalty == -5
