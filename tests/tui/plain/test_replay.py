"""Stepping through a recording in lines."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.play.session import Session
from chaosops.recording.reader import Recording
from tests.tui.games import UI, roster, scenario, session
from tests.tui.plain_games import console, played, recording_of
from tui.plain.replay import PlainReplay

SRE, DEV = AgentRole.SRE, AgentRole.DEV


def replayed(recording: Recording, *lines: str) -> tuple[str, int | None]:
    """What is said, and the turn to play on from."""
    out = io.StringIO()
    turn = PlainReplay(recording, console(lines, out)).tell()
    return out.getvalue(), turn


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    """Sixteen turns: the SRE restarts cart, says hello, diagnoses, and looks; the others pass."""
    game = session(SRE, folder=tmp_path)
    played(game, "restart cart", "say all hello", "diagnose memory leak", "look runtime db")
    return recording_of(game)


def test_a_replay_tells_every_turn_where_nothing_can_be_typed(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "restart cart", "pass")
    out = io.StringIO()
    PlainReplay(recording_of(game), console([], out)).tell()
    said = out.getvalue()
    assert [f"Turn {n}, " in said for n in range(1, 9)] == [True] * 8
    assert "The game was not finished." in said


def test_a_replay_goes_where_it_is_told(tmp_path: Path) -> None:
    game = session(SRE, folder=tmp_path)
    played(game, "restart db", "pass")
    out = io.StringIO()
    lines = ["", "back", "7", "99", "alerts", "what", "quit"]
    PlainReplay(recording_of(game), console(lines, out)).tell()
    said = out.getvalue()
    assert said.count("Turn 1, ") == 2
    assert "Turn 7, " in said
    assert "There are turns 1 to 8." in said
    assert "Alerts:" in said
    assert "Turn 8, " not in said


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("lines", "turn"),
    [
        (("next messages",), 5),
        (("next mess",), 5),
        (("next diagnoses",), 9),
        (("next diagnose",), 9),
        (("next diagnose", "next yours"), 13),
        (("next your turns", "next your turns"), 9),
        (("16", "back fixes"), 1),
        (("16", "back restart"), 1),
        (("16", "back yours"), 13),
        (("next investigate",), 13),
        (("next landed",), 2),
        (("2", "next pass"), 3),
    ],
)
def test_it_goes_to_the_next_turn_of_a_kind_or_the_one_before(
    lines: tuple[str, ...], turn: int, recording: Recording
) -> None:
    said, _ = replayed(recording, *lines, "quit")
    assert said.splitlines()[-1].startswith(f"Turn {turn} of 16>")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("next flag", "No 'flag' after this turn."),
        ("back fixes", "No 'fixes' before this turn."),
        ("next dance", "'dance' is not a kind of turn: use one of your turns, diagnoses, fixes"),
        ("view boss", "No view 'boss': choose from turn, sre, oversight, dev, manager"),
        ("17", "There are turns 1 to 16."),
        ("fork 17", "There are turns 1 to 16."),
        ("fork x", "There are turns 1 to 16."),
        ("back", "There are turns 1 to 16."),
        ("what", "fork 5: from turn 5"),
    ],
)
def test_what_cannot_be_gone_to_is_said_and_the_turn_stays(
    line: str, words: str, recording: Recording
) -> None:
    said, turn = replayed(recording, line, "quit")
    assert words in said
    assert said.splitlines()[-1].startswith("Turn 1 of 16>")
    assert turn is None


def test_it_looks_with_the_eyes_of_any_role_or_of_all(recording: Recording) -> None:
    said, _ = replayed(recording, "4", "changes", "view dev", "changes", "6", "view all", "impact")
    assert "Manager can't see the changes." in said
    dev = recording.frames[2].observation.view
    assert dev.changes is not None
    assert f"{dev.changes[0].text}" in said.partition("view dev")[2]
    assert "As Dev last saw it, turn 3:" in said
    everyone = said.partition("view all")[2]
    assert "All roles, as Dev saw it in turn 3, Manager in 4, SRE in 5:" in everyone
    assert "of user requests failed this minute" in everyone


def test_the_eyes_of_a_role_are_as_old_as_its_last_turn(recording: Recording) -> None:
    said, _ = replayed(recording, "view dev", "alerts", "6", "alerts", "view turn", "alerts")
    assert "Dev, who hasn't seen anything yet." in said
    assert said.count("As Dev last saw it, turn 3:") == 1
    assert said.count("Alerts:") == 2


def test_a_fork_is_from_the_turn_that_is_named_or_the_one_that_is_told(
    recording: Recording,
) -> None:
    assert replayed(recording, "3", "fork")[1] == 2
    assert replayed(recording, "3", "fork 9")[1] == 8
    assert replayed(recording, "fork 1")[1] == 0


def test_after_a_fork_that_failed_it_goes_on_where_it_was(recording: Recording) -> None:
    out = io.StringIO()
    steps = PlainReplay(recording, console(["6", "fork", "", "quit"], out))
    assert steps.tell() == 5
    assert steps.ask() is None
    assert out.getvalue().count("Recording of") == 1
    assert out.getvalue().splitlines()[-1].startswith("Turn 7 of 16>")


def test_what_a_copilot_proposed_is_told_with_all_it_said(tmp_path: Path) -> None:
    def looking(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return ChaosOpsAction(role, ActionType.INVESTIGATE, "db", {"source": "runtime"})

    seats = roster(SRE).with_copilot(SRE, looking, "looker")
    game = Session(scenario(), seats, recordings=tmp_path, ui=UI)
    played(game, "accept", "pass")
    said, _ = replayed(recording_of(game), "5", "quit")
    assert "- the copilot looker proposed investigate runtime of db: done" in said
    assert "- the copilot looker proposed investigate runtime of db: not done" in said
    assert "SRE (human, as looker proposed in " in said


def test_the_score_is_told_up_to_the_turn(recording: Recording) -> None:
    said, _ = replayed(recording, "2", "score", "quit")
    rows = [line for line in said.splitlines() if line.startswith("- turn ")]
    assert [row.split(",")[0] for row in rows] == ["- turn 1", "- turn 2"]


def test_a_word_is_looked_up_in_a_replay_and_the_turn_stays(recording: Recording) -> None:
    said, _ = replayed(recording, "glossary restart", "quit")
    assert "restart (Actions: fix): " in said
    assert "Turn 2, " not in said
