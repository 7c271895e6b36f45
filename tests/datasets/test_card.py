"""What the card of a data set says."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.datasets.card import Tally
from chaosops.datasets.episode import RecordedEpisode
from chaosops.datasets.proof import Proof
from chaosops.datasets.reasons import Reason, counted
from chaosops.datasets.rows import Format
from chaosops.recording.events import ConsentScope, Opinion
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import TurnSource
from tests.datasets.games import SRE, export, game, rows


def test_a_strangers_words_are_no_heading_and_no_html_in_the_card(tmp_path: Path) -> None:
    path, _ = game(tmp_path, turns=4)
    recording = read_recording(path)
    rude = "1.0`\n# Heading\n---\n<img src=x onerror=y>"
    header = recording.header.model_copy(update={"chaosops": rude})
    tally = Tally()
    proof = Proof(4, frozenset(), "", by_simulation=True)
    tally.episode(RecordedEpisode(path, header, recording.footer, Opinion(), proof))
    (line,) = (line for line in tally.lines() if "onerror" in line)
    assert "\n" not in line
    assert "`1.0' # Heading --- <img src=x onerror=y>` 1" in line


def test_rows_are_counted_for_each_configuration_by_itself(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=(ConsentScope.ACTIONS,), turns=8)
    kinds = (Format.SFT, Format.REWARDS)
    export(tmp_path / "logs", tmp_path / "set", *kinds, sources=frozenset({TurnSource.HUMAN}))
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    for kind in kinds:
        assert (
            f"- rows of `{kind.value}` by role: sre {len(rows(tmp_path / 'set', kind))}\n" in text
        )
    assert "- recordings: 1, of 1 player\n" in text


def test_of_whole_episodes_the_turns_are_counted_by_role_and_source(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=(ConsentScope.ACTIONS,), turns=8)
    export(tmp_path / "logs", tmp_path / "set", Format.EPISODES)
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "by role of their turns: dev 2, manager 2, oversight 2, sre 2\n" in text
    assert "by source of their turns: human 2, scripted 6\n" in text
    assert "annotations_creators:\n- expert-generated\n- machine-generated\n" in text


@pytest.mark.parametrize("what", [*Reason, "turns that nobody decided"])
def test_one_of_many_is_said_in_the_singular(what: str) -> None:
    first, rest = what.split(" ", 1)
    assert counted(1, what) == f"1 {first[:-1]} {rest}"
    assert counted(2, what) == f"2 {what}"
