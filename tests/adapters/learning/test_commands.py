from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chaosops.adapters.learning.__main__ import INCIDENTS, main
from chaosops.adapters.learning.comparing import Estimate, SeatPlayed, estimate, lead
from chaosops.adapters.learning.learned import load
from chaosops.cli.errors import execute
from tests.cli.helpers import is_one_line_with_a_cure

ALONE = ("--others", "noop")
Captured = pytest.CaptureFixture[str]


def run(*arguments: str) -> int:
    return execute(main, arguments, "learning")


@pytest.mark.slow
def test_a_policy_is_trained_written_and_compared(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a.json"
    assert run("train", "dev", "--out", str(path), "--episodes", "4", "--seeds", "0:3", *ALONE) == 0
    assert f"wrote {path}" in capsys.readouterr().out
    learned = load(path)
    assert learned.plan.incidents == INCIDENTS
    assert learned.plan.seeds == (0, 1, 2)
    assert learned.plan.episodes == 4
    assert run("compare", str(path), "--seeds", "9", "--others", "noop") == 0
    out = capsys.readouterr().out
    for player in ("noop", "hurried", "expert", "learned", "learned minus hurried"):
        assert f"| {player} |" in out
    assert "in the seat dev, the others noop; trained on 4 episodes" in " ".join(out.split())


def test_a_file_is_only_replaced_on_request(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a.json"
    path.write_text("mine")
    assert run("train", "sre", "--out", str(path), "--episodes", "1", *ALONE) == 1
    assert is_one_line_with_a_cure(capsys.readouterr().err)
    assert path.read_text() == "mine"
    assert run("train", "sre", "--out", str(path), "--episodes", "1", "--force", *ALONE) == 0
    assert load(path).plan.episodes == 1


def test_what_is_interrupted_keeps_what_was_learned(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chaosops.adapters.learning import training

    play = training.play
    games: list[int] = []

    def interrupted(*arguments: Any) -> object:
        if len(games) == 2:
            raise KeyboardInterrupt
        games.append(1)
        return play(*arguments)

    monkeypatch.setattr(training, "play", interrupted)
    path = tmp_path / "a.json"
    assert run("train", "sre", "--out", str(path), "--episodes", "9", *ALONE) == 130
    assert "stopped after 2 episodes" in capsys.readouterr().err
    assert load(path).plan.episodes == 2


def test_seeds_of_the_training_are_no_test(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "a.json"
    run("train", "sre", "--out", str(path), "--episodes", "1", "--seeds", "0:5", *ALONE)
    capsys.readouterr()
    assert run("compare", str(path), "--seeds", "9,3") == 1
    assert "trained on seed 3: choose other --seeds" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("train", "chef"), "no role 'chef'"),
        (("train", "sre", "--others", "stedy"), "stedy"),
        (("train", "sre", "--episodes", "0"), "0 is not in the range"),
        (("compare", "missing.json"), "missing.json can't be read"),
    ],
)
def test_what_cannot_be_meant_is_told(
    arguments: tuple[str, ...],
    said: str,
    capsys: Captured,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) in (1, 2)
    assert said in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def game(player: str, incident: str, seat: float) -> SeatPlayed:
    return SeatPlayed(player, incident, 0, seat, 0.0, True)


def test_an_interval_is_over_the_seeds_of_each_incident_alone() -> None:
    assert estimate({"a": [1.0, 3.0], "b": [10.0, 14.0]}) == (7.0, pytest.approx(2.1914, abs=1e-3))
    assert estimate({"a": [5.0, 5.0]}) == (5.0, 0.0)
    assert str(Estimate(1.25, 0.34)) == "1.2 ± 0.3"


def test_a_lead_is_taken_game_by_game() -> None:
    played = [game("x", "a", 10.0), game("y", "a", 4.0), game("x", "a", 90.0), game("y", "a", 84.0)]
    assert lead(played, "x", "y", lambda each: each.seat) == (6.0, 0.0)
