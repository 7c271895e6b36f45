"""Which recordings a data set takes: those that can be relied on, and each game once."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chaosops.datasets.advice import what_would_help
from chaosops.datasets.episode import RowSelection
from chaosops.datasets.errors import ExportError
from chaosops.datasets.reasons import Reason
from chaosops.datasets.rows import Format
from chaosops.recording.events import ConsentScope, Note
from chaosops.recording.turn_sources import TurnSource
from chaosops.recording.upkeep import add_note
from tests.datasets.games import SRE, export, game, resealed, rows
from tests.recording.games import rewrite

ANYBODY = frozenset(TurnSource)
ACTIONS = (ConsentScope.ACTIONS,)


def in_line(line: int, text: bytes) -> Callable[[Path], object]:
    """Put a text in the place of a line, counted from 1."""

    def change(path: Path) -> None:
        lines = path.read_bytes().splitlines()
        lines[line - 1] = text
        path.write_bytes(b"\n".join(lines) + b"\n")

    return change


def header(**changes: Any) -> Callable[[Path], object]:
    """Write the log as if its header had said something else."""
    return lambda path: resealed(path, 1, lambda event: event["header"].update(changes))


def pays_more(event: dict[str, Any]) -> None:
    event["frame"]["observation"]["message"] += " Well done."


def drifted(path: Path) -> None:
    """As another version might have written it."""
    resealed(path, 1, lambda event: event["header"].update(chaosops="0.0.1"))
    resealed(path, 5, pays_more)


FAULTS = [
    (in_line(1, b"hello"), Reason.CANNOT_READ, "line 1"),
    (in_line(5, b"hello"), Reason.CANNOT_READ, "line 5"),
    (header(schema_version=2), Reason.OTHER_FORMAT, "format is 2"),
    (lambda path: rewrite(path, 5, pays_more), Reason.EDITED, "turn 3: frame"),
    (
        lambda path: rewrite(path, 5, lambda event: event["human"].update(latency_ms=1)),
        Reason.EDITED,
        "turn 3: human",
    ),
    (drifted, Reason.DRIFTED, "turn 3: frame"),
    (header(engine=1), Reason.OTHER_ENGINE, "recorded with engine 1"),
    (header(scenario_sha256="0" * 64), Reason.OTHER_SCENARIO, "another version"),
    (header(scenario="somebody-elses"), Reason.NO_SCENARIO, "somebody-elses"),
]


@pytest.mark.few(1)
@pytest.mark.parametrize(("spoil", "reason", "why"), FAULTS)
def test_what_cannot_be_relied_on_is_left_out_and_the_export_goes_on(
    spoil: Callable[[Path], object], reason: Reason, why: str, tmp_path: Path
) -> None:
    bad, _ = game(tmp_path / "logs", seed=1)
    game(tmp_path / "logs", seed=2)
    spoil(bad)
    report = export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert report.left_out == {reason: 1}
    assert (report.episodes, report.verified) == (1, 1)
    assert {row["seed"] for row in rows(tmp_path / "set", Format.SFT)} == {2}
    path, said = report.unsound[reason]
    assert path == bad
    assert why in said
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert f"left out: {reason.replace('recordings', '1 recording', 1)}\n" in card
    assert "verified: 1 of 1;" in card


def test_what_was_changed_and_sealed_again_is_left_out_unless_nobody_looks(tmp_path: Path) -> None:
    bad, _ = game(tmp_path / "logs", seed=1)
    game(tmp_path / "logs", seed=2)
    resealed(bad, 5, pays_more)
    report = export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert report.left_out == {Reason.EDITED: 1}
    assert "changed by hand and sealed again" in report.unsound[Reason.EDITED][1]
    report = export(tmp_path / "logs", tmp_path / "all", Format.SFT, sources=ANYBODY, verify=False)
    assert report.episodes == 2
    card = (tmp_path / "all" / "README.md").read_text(encoding="utf-8")
    assert "A seal is a checksum, not a signature" in card


UNREADABLE = {Reason.CANNOT_READ, Reason.OTHER_FORMAT, Reason.OTHER_ENGINE, Reason.EDITED}


@pytest.mark.few(1)
@pytest.mark.parametrize(("spoil", "reason", "why"), FAULTS)
def test_without_verification_a_file_must_still_be_whole(
    spoil: Callable[[Path], object], reason: Reason, why: str, tmp_path: Path
) -> None:
    bad, _ = game(tmp_path / "logs", seed=1)
    game(tmp_path / "logs", seed=2)
    spoil(bad)
    report = export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, verify=False)
    assert report.left_out == ({reason: 1} if reason in UNREADABLE else {})
    assert report.episodes == (1 if reason in UNREADABLE else 2)
    assert report.verified == 0
    assert set(report.unsound) == UNREADABLE & {reason}
    card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert f"verified: 0 of {report.episodes};" in card
    assert "were not compared with the simulator" in card


@pytest.mark.few(1)
@pytest.mark.parametrize("verify", [True, False])
def test_a_game_that_was_cut_off_gives_the_turns_that_are_whole(
    verify: bool, tmp_path: Path
) -> None:
    path, steps = game(tmp_path / "logs", turns=6, finish=False)
    path.write_bytes(path.read_bytes()[:-20])
    report = export(path, tmp_path / "set", Format.SFT, sources=ANYBODY, verify=verify)
    assert report.left_out == {}
    assert [row["turn"] for row in rows(tmp_path / "set", Format.SFT)] == list(
        range(len(steps) - 1)
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("verify", [True, False])
def test_copies_of_one_game_are_exported_once(verify: bool, tmp_path: Path) -> None:
    path, steps = game(tmp_path / "logs", seed=1)
    game(tmp_path / "logs", seed=2)
    packed, rated = (tmp_path / "logs" / name for name in ("x.jsonl.gz", "y.jsonl"))
    packed.write_bytes(gzip.compress(path.read_bytes()))
    rated.write_bytes(path.read_bytes())
    add_note(rated, Note(at_ms=1, quality=4))
    report = export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, verify=verify)
    assert report.left_out == {Reason.COPY: 2}
    assert report.unsound == {}
    assert report.episodes == 2
    seeds = [row["seed"] for row in rows(tmp_path / "set", Format.SFT)]
    assert seeds.count(1) == len(steps)


def test_the_same_moves_played_twice_are_two_games(tmp_path: Path) -> None:
    for _ in range(2):
        game(tmp_path / "logs")
    assert export(tmp_path / "logs", tmp_path / "set", Format.EPISODES).episodes == 2


def test_a_discarded_game_is_no_fault_even_where_it_was_edited(tmp_path: Path) -> None:
    game(tmp_path / "logs", seed=1)
    bad, _ = game(tmp_path / "logs", seed=2, submitted=False)
    rewrite(bad, 5, pays_more)
    report = export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert report.left_out == {Reason.DISCARDED: 1}
    assert report.unsound == {}


@pytest.mark.few(1)
@pytest.mark.parametrize(("spoil", "reason", "why"), FAULTS)
def test_where_all_is_left_out_the_error_says_why_and_what_helps(
    spoil: Callable[[Path], object], reason: Reason, why: str, tmp_path: Path
) -> None:
    bad, _ = game(tmp_path / "logs")
    spoil(bad)
    with pytest.raises(ExportError) as caught:
        export(bad, tmp_path / "set", Format.SFT, sources=ANYBODY)
    said = str(caught.value)
    assert f"({reason.replace('recordings', '1 recording', 1)}): " in said
    assert "source" not in said
    assert ("--unverified" in said) is (reason not in UNREADABLE)


@pytest.mark.parametrize(
    ("left_out", "wanted", "formats", "cure"),
    [
        ({}, RowSelection(), [Format.SFT], "filters"),
        ({Reason.NO_TURN: 1}, RowSelection(), [Format.SFT], "--source scripted"),
        ({Reason.NO_TURN: 1}, RowSelection(roles=frozenset({SRE})), [Format.SFT], "--role"),
        ({Reason.NO_TURN: 1}, RowSelection(sources=ANYBODY), [Format.REWARDS], "--source"),
        ({Reason.NO_TURN: 1}, RowSelection(), [Format.PREFERENCE], "add --forks N"),
        ({Reason.NO_TURN: 1}, RowSelection(forks=1), [Format.PREFERENCE], "--min-margin"),
        ({Reason.NO_CONSENT: 2, Reason.NO_TURN: 1}, RowSelection(), [Format.SFT], "consent --give"),
        (
            {Reason.NO_CONSENT: 1, Reason.NO_TURN: 2},
            RowSelection(),
            [Format.SFT],
            "--source scripted",
        ),
        ({Reason.DISCARDED: 1}, RowSelection(), [Format.SFT], "another game"),
    ],
)
def test_the_advice_fits_what_most_recordings_lack(
    left_out: dict[str, int], wanted: RowSelection, formats: list[Format], cure: str
) -> None:
    assert cure in what_would_help(formats, wanted, left_out, {})
