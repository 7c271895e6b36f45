from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.helpers import is_one_line_with_a_cure, run_here
from tests.recording.games import damaged, record

Capture = pytest.CaptureFixture[str]


def test_without_a_file_it_goes_to_standard_output_without_charts(
    capsys: Capture, tmp_path: Path
) -> None:
    done = run_here(capsys, "recordings", "postmortem", str(record(tmp_path, policy="expert")))
    assert done.code == 0
    assert done.out.startswith("# Post-mortem: ")
    assert "![" not in done.out
    assert not done.err


def test_with_a_file_the_charts_are_beside_it(capsys: Capture, tmp_path: Path) -> None:
    game, out = record(tmp_path, policy="expert"), tmp_path / "it.md"
    done = run_here(capsys, "recordings", "postmortem", str(game), "--out", str(out))
    assert done.code == 0
    assert len(done.out.splitlines()) == 3
    assert "![Availability over time](<it-availability.svg>)" in out.read_text("utf-8")
    again = run_here(capsys, "recordings", "postmortem", str(game), "--out", str(out))
    assert again.code == 1
    assert is_one_line_with_a_cure(again.err)
    assert "--force" in again.err
    force = run_here(capsys, "recordings", "postmortem", str(game), "--out", str(out), "--force")
    assert force.code == 0


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (("--force",), "name it with --out FILE.md"),
        (("--out", "it.html"), "does not end with .md: add it"),
    ],
)
def test_a_wrong_option_is_an_error_with_a_cure(
    arguments: tuple[str, ...], cure: str, capsys: Capture, tmp_path: Path
) -> None:
    game = record(tmp_path, policy="expert")
    done = run_here(capsys, "recordings", "postmortem", str(game), *arguments)
    assert done.code == 2
    assert cure in done.err


def test_a_broken_file_is_named_with_its_place_and_a_cure(capsys: Capture, tmp_path: Path) -> None:
    bad = damaged(tmp_path)
    done = run_here(capsys, "recordings", "postmortem", str(bad), "--out", str(tmp_path / "x.md"))
    assert done.code == 1
    assert is_one_line_with_a_cure(done.err)
    assert f"{bad}, line 1" in done.err
    assert not (tmp_path / "x.md").exists()


def test_a_folder_that_cannot_be_written_to_is_named(capsys: Capture, tmp_path: Path) -> None:
    game = record(tmp_path, policy="expert")
    out = tmp_path / "none" / "x.md"
    done = run_here(capsys, "recordings", "postmortem", str(game), "--out", str(out))
    assert done.code == 1
    assert "name another file" in done.err
    long = tmp_path / f"{'x' * 245}.md"
    done = run_here(capsys, "recordings", "postmortem", str(game), "--out", str(long))
    assert done.code == 1
    assert "File name too long; name another file" in done.err
    assert [path.name for path in tmp_path.iterdir()] == [game.name]
