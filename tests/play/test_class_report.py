"""The report on a class: games of one incident and seed side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.errors import RecordingError
from chaosops.play.case_board import CaseMark
from chaosops.play.class_report import class_report
from chaosops.play.policy_answers import ask
from chaosops.play.session import Roster, Session
from tests.tui.games import UI
from tests.worlds import scenario

SRE = AgentRole.SRE
LESSON = "first-shift-1-product-pages"


def played(folder: Path, *, looks: tuple[tuple[str, str], ...] = (), seed: int = 1) -> Path:
    """A game in which a person is the SRE: takes these looks, and then plays as the expert."""
    folder.mkdir(exist_ok=True)
    mates = {role: expert_policy(7) for role in TURN_ORDER if role is not SRE}
    roster = Roster(frozenset((SRE,)), mates, dict.fromkeys(mates, "expert"))
    session = Session(scenario(LESSON, seed), roster, recordings=folder, ui=UI)
    expert, left = expert_policy(7), list(looks)
    while not session.done:
        if not session.waits_for_person:
            session.take_answer(
                session.turn, ask(session.policy(), session.observation, session.role)
            )
        elif left:
            source, target = left.pop(0)
            look = ChaosOpsAction(SRE, ActionType.INVESTIGATE, target, {"source": source})
            session.submit(session.turn, look)
        else:
            session.submit(session.turn, expert(session.observation, SRE))
    session.close()
    assert session.recording is not None
    return session.recording


def test_games_of_one_seed_are_columns_with_the_first_turn_that_differs(tmp_path: Path) -> None:
    played(tmp_path / "one", looks=(("runtime", "db"), ("metrics", "cart")))
    played(tmp_path / "two", looks=(("runtime", "db"), ("metrics", "edge")))
    report = class_report(tmp_path)
    assert report.games == 2
    assert report.text.count("\n## ") == 1
    looks = report.text[report.text.index("### Looks") : report.text.index("### Theory")]
    assert looks.index("runtime of db") < looks.index("metrics of cart")
    assert "metrics of edge" in looks
    assert "|  | one | two |" in looks
    diverged = report.text[report.text.index("### First divergence") :]
    assert "Turn 5" in diverged
    assert "metrics" in diverged


def test_a_game_alone_and_games_of_other_seeds_are_groups_of_their_own(tmp_path: Path) -> None:
    played(tmp_path, seed=1)
    played(tmp_path, seed=2)
    report = class_report(tmp_path)
    assert report.text.count("\n## ") == 2
    assert report.text.count("Only one game was played on this seed.") == 2


def test_equal_games_are_said_to_be_alike_and_each_column_has_a_name_of_its_own(
    tmp_path: Path,
) -> None:
    for _game in range(2):
        played(tmp_path / "one")
    text = class_report(tmp_path).text
    assert "None: the games are alike." in text
    (heads,) = [line for line in text.splitlines()[3:6] if line.startswith("|  |")]
    assert heads == "|  | one (1) | one (2) |"


def test_what_was_marked_and_diagnosed_is_told_in_the_order_of_minutes(tmp_path: Path) -> None:
    mates = {role: pass_turn for role in TURN_ORDER if role is not SRE}
    roster = Roster(frozenset((SRE,)), mates, dict.fromkeys(mates, "noop"))
    session = Session(scenario(LESSON, 1), roster, recordings=tmp_path, ui=UI)
    session.board.mark(SRE, "db", "row_lock", CaseMark.AGAINST)
    named = {"cause": "disk_full", "place": "db", "stake": "working"}
    session.submit(0, ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, named))
    session.close()
    text = class_report(tmp_path).text
    theory = text[text.index("### Theory") : text.index("### Orders")]
    assert "disk full at db, a working theory" in theory
    assert "board: row lock at db, speaks against it" in theory


def test_a_folder_without_games_and_a_broken_file_are_told(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no game to report on"):
        class_report(tmp_path)
    (tmp_path / "broken.jsonl").write_text("{\n", encoding="utf-8")
    with pytest.raises(RecordingError, match=r"broken\.jsonl"):
        class_report(tmp_path)
    played(tmp_path / "games")
    report = class_report(tmp_path)
    assert report.games == 1
    assert "broken.jsonl" in report.text
