import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chaosops.recording.events import ConsentScope, Note
from chaosops.recording.times import now_ms
from chaosops.recording.upkeep import add_note
from tests.cli.helpers import Outcome, is_one_line_with_a_cure, run_here
from tests.datasets.games import SRE, game, resealed
from tests.recording.games import rewrite

Run = pytest.CaptureFixture[str]


def export(capsys: Run, folder: Path, *arguments: str) -> Outcome:
    return run_here(
        capsys, "recordings", "export", *arguments, "--recordings", str(folder / "logs")
    )


def people(folder: Path) -> None:
    game(folder / "logs", people=(SRE,), scopes=(ConsentScope.ACTIONS,), copilot="random")


@pytest.mark.slow
def test_it_says_what_it_wrote_and_what_it_left_out(capsys: Run, tmp_path: Path) -> None:
    people(tmp_path)
    game(tmp_path / "logs", people=(SRE,))
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "sft", "--format", "preference", str(target))
    assert done.code == 0, done.err
    first, *others = done.out.splitlines()
    assert first.startswith(f"{target}: ")
    assert first.endswith(" rows of 1 recording, 1 verified")
    assert [line.split()[0] for line in others[:2]] == ["sft/train.jsonl", "preference/train.jsonl"]
    assert others[2].strip().startswith("left out: 1 recording without consent")
    assert done.err == ""


def test_json_has_the_same_figures(capsys: Run, tmp_path: Path) -> None:
    people(tmp_path)
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "episodes", "--json", str(target))
    assert json.loads(done.out) == {
        "target": str(target),
        "rows": {"episodes/train.jsonl": 1},
        "recordings": 1,
        "verified": 1,
        "left_out": {},
        "left_out_of": {},
    }


def spoilt(folder: Path) -> tuple[Path, Path]:
    """A game that was edited, and one whose incident is not here."""
    edited, _ = game(folder / "logs", seed=1)
    rewrite(edited, 4, lambda event: event["frame"].update(message="fine"))
    strange, _ = game(folder / "logs", seed=2)
    resealed(strange, 1, lambda event: event["header"].update(scenario="somebody-elses"))
    return edited, strange


def test_games_that_do_not_verify_are_named_and_the_code_is_1_with_the_set_there(
    capsys: Run, tmp_path: Path
) -> None:
    game(tmp_path / "logs", seed=0)
    edited, strange = spoilt(tmp_path)
    copied = edited.with_name(f"{edited.name}-2.jsonl")
    copied.write_bytes(edited.read_bytes())
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "episodes", str(target))
    assert done.code == 1
    assert done.out.splitlines()[0].endswith("1 row of 1 recording, 1 verified")
    assert "left out: 2 recordings edited after the game, 1 recording whose incident" in done.out
    first, second = done.err.splitlines()
    assert first.startswith(f"error: left out {edited}, and 1 more: turn 2: frame.message: ")
    assert second.startswith(f"error: left out {strange}: ")
    assert "somebody-elses" in second
    assert (target / "README.md").is_file()


def test_a_file_of_which_nothing_is_known_is_counted_whatever_is_asked_for(
    capsys: Run, tmp_path: Path
) -> None:
    game(tmp_path / "logs")
    (tmp_path / "logs" / "broken.jsonl").write_text("hello\n")
    filters = ("--source", "scripted", "--scenario", "first-shift-1-product-pages")
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "sft", "--json", *filters, str(target))
    assert done.code == 1
    assert json.loads(done.out)["left_out"] == {"recordings that cannot be read": 1}
    assert "broken.jsonl: line 1: " in done.err


def test_unverified_takes_what_is_whole_and_cannot_be_simulated(
    capsys: Run, tmp_path: Path
) -> None:
    spoilt(tmp_path)
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "episodes", "--unverified", str(target))
    assert done.code == 1
    assert done.out.splitlines()[0].endswith("1 row of 1 recording, 0 verified")
    assert len(done.err.splitlines()) == 1


_EXPORT = """
import signal, sys
from chaosops.cli.main import main
from chaosops.datasets import dataset
signal.signal(signal.SIGINT, signal.default_int_handler)
def prove(*_args):
    print("proving", flush=True)
    signal.pause()
dataset.prove = prove
main(["recordings", "export", "--format", "episodes", *sys.argv[1:]])
"""


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 128 + signal.SIGTERM), (signal.SIGINT, 130)]
)
def test_an_export_that_is_told_to_end_leaves_nothing_behind(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    path, _ = game(tmp_path / "logs")
    before = set(tmp_path.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", _EXPORT, str(tmp_path / "set"), str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"proving\n"
        assert set(tmp_path.iterdir()) - before
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert set(tmp_path.iterdir()) == before
    assert (out, err.strip()) == (b"", b"")


def test_an_earlier_stage_of_a_game_beside_it_gives_no_row_twice(
    capsys: Run, tmp_path: Path
) -> None:
    whole, steps = game(tmp_path / "logs")
    stage = whole.with_name(f"a-{whole.name}")
    stage.write_bytes(b"".join(whole.read_bytes().splitlines(keepends=True)[:6]))
    filters = ("--format", "sft", "--source", "scripted", "--json")
    done = export(capsys, tmp_path, *filters, str(tmp_path / "set"))
    report = json.loads(done.out)
    assert sum(report["rows"].values()) == len(steps)
    assert list(report["left_out"].values()) == [1]


@pytest.mark.few(1)
@pytest.mark.parametrize("turns", [5, None])
def test_a_copy_of_a_game_that_was_discarded_is_not_used_either(
    capsys: Run, tmp_path: Path, turns: int | None
) -> None:
    discarded, _ = game(tmp_path / "logs")
    copy = discarded.with_name(f"a-{discarded.name}")
    lines = discarded.read_bytes().splitlines(keepends=True)
    copy.write_bytes(b"".join(lines[: turns and turns + 1]))
    add_note(discarded, Note(at_ms=now_ms(), submitted=False))
    game(tmp_path / "logs", seed=1)
    done = export(capsys, tmp_path, "--format", "episodes", "--json", str(tmp_path / "set"))
    assert json.loads(done.out)["recordings"] == 1
    logs = ("--recordings", str(tmp_path / "logs"))
    figures = json.loads(run_here(capsys, "recordings", "stats", "--json", *logs).out)
    assert (figures["discarded"], figures["copies"]) == (1, 1)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "filters", [("--kept",), ("--min-quality", "3"), ("--outcome", "resolved")]
)
def test_a_filter_that_the_discarded_file_does_not_fit_frees_no_copy_of_it(
    capsys: Run, tmp_path: Path, filters: tuple[str, ...]
) -> None:
    discarded, _ = game(tmp_path / "logs", policy="oracle")
    copy = discarded.with_name(f"a-{discarded.name}")
    copy.write_bytes(discarded.read_bytes())
    add_note(copy, Note(at_ms=now_ms(), quality=5))
    add_note(discarded, Note(at_ms=now_ms(), submitted=False, quality=1))
    wanted = ("--format", "episodes", "--json", *filters)
    done = export(capsys, tmp_path, *wanted, str(tmp_path / "set"))
    assert "there is nothing to export" in done.err
    logs = ("--recordings", str(tmp_path / "logs"))
    figures = json.loads(run_here(capsys, "recordings", "stats", "--json", *filters, *logs).out)
    assert figures["players"] == []


def test_a_link_to_nowhere_and_a_pipe_are_left_out_and_the_rest_is_exported(
    capsys: Run, tmp_path: Path
) -> None:
    game(tmp_path / "logs")
    (tmp_path / "logs" / "gone.jsonl").symlink_to("nowhere")
    os.mkfifo(tmp_path / "logs" / "pipe.jsonl")
    done = export(capsys, tmp_path, "--format", "episodes", "--json", str(tmp_path / "set"))
    assert done.code == 1
    assert json.loads(done.out)["recordings"] == 1
    assert json.loads(done.out)["left_out"] == {"recordings that cannot be read": 2}


def test_a_path_goes_before_the_folder_of_the_recordings(capsys: Run, tmp_path: Path) -> None:
    people(tmp_path)
    one, _ = game(tmp_path / "other", seed=5)
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "episodes", "--json", str(target), str(one))
    assert json.loads(done.out)["recordings"] == 1
    assert '"seed":5' in (target / "episodes" / "train.jsonl").read_text()


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("filters", "seeds"),
    [
        ((), {0, 1, 2}),
        (("--scenario", "checkout-times-out"), {2}),
        (("--source", "human"), set()),
        (("--source", "scripted", "--role", "dev"), {0, 1, 2}),
        (("--outcome", "unfinished"), {1}),
        (("--verified",), {0, 1, 2}),
        (("--min-quality", "4"), {0}),
    ],
)
def test_filters_choose_among_recordings(
    filters: tuple[str, ...], seeds: set[int], capsys: Run, tmp_path: Path
) -> None:
    rated, _ = game(tmp_path / "logs", seed=0)
    game(tmp_path / "logs", seed=1, turns=5, finish=False)
    game(tmp_path / "logs", "checkout-times-out", seed=2, policy="noop")
    assert run_here(capsys, "recordings", "rate", str(rated), "--quality", "5").code == 0
    target = tmp_path / "set"
    done = export(capsys, tmp_path, "--format", "episodes", str(target), *filters)
    if not seeds:
        assert done.code == 1
        return
    assert done.code == 0, done.err
    lines = [line for path in target.rglob("*.jsonl") for line in path.read_text().splitlines()]
    assert {json.loads(line)["seed"] for line in lines} == seeds


def test_forks_are_made_of_the_named_turns(capsys: Run, tmp_path: Path) -> None:
    game(tmp_path / "logs")
    target = tmp_path / "set"
    done = export(
        capsys, tmp_path, "--format", "preference", str(target), "--forks", "3", "--turn", "0"
    )
    assert done.code == 0, done.err
    lines = (target / "preference" / "train.jsonl").read_text().splitlines()
    assert {json.loads(line)["turn"] for line in lines} == {0}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("--format", "sft"), 2, "missing argument 'OUT_DIR'"),
        (("SET",), 2, "missing option '--format'"),
        (("--format", "dpo", "SET"), 2, "'dpo' is not one of"),
        (("--format", "sft", "SET", "--turn", "3"), 2, "add --forks N"),
        (("--format", "sft", "SET", "--min-margin", "3"), 2, "add --forks N"),
        (("--format", "sft", "SET", "--test-share", "2"), 2, "0<=x<=1"),
        (("--format", "sft", "SET", "--license", "my own!"), 2, "not a licence identifier"),
        (("--format", "sft", "SET"), 1, "add --source scripted"),
        (("--format", "sft", "SET", "--since", "2100-01-01"), 1, "use fewer filters"),
        (("--format", "sft", "SET", "--source", "human"), 1, "use fewer filters"),
        (("--format", "preference", "SET"), 1, "add --forks N"),
        (("--format", "sft", "SET", "nowhere"), 1, "no recording or folder 'nowhere'"),
        (("--format", "sft", "LOGS", "--source", "scripted"), 1, "choose a new folder"),
    ],
)
def test_a_mistake_is_one_line_with_the_cure(
    arguments: tuple[str, ...], code: int, why: str, capsys: Run, tmp_path: Path
) -> None:
    game(tmp_path / "logs")
    places = {"SET": str(tmp_path / "set"), "LOGS": str(tmp_path / "logs")}
    done = export(capsys, tmp_path, *(places.get(word, word) for word in arguments))
    assert done.code == code
    assert why in done.err
    assert is_one_line_with_a_cure(done.err)
    assert not (tmp_path / "set").exists()


def test_without_pyarrow_parquet_names_the_extra(
    capsys: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    game(tmp_path / "logs")
    done = export(
        capsys, tmp_path, "--format", "sft", "--source", "scripted", "--parquet",
        str(tmp_path / "set"),
    )  # fmt: skip
    assert done.code == 1
    assert "pip install 'chaosops[parquet]'" in done.err
    assert not (tmp_path / "set").exists()


def test_the_help_has_an_example(capsys: Run) -> None:
    done = run_here(capsys, "recordings", "export", "--help")
    assert done.code == 0
    assert "Example: chaosops recordings export --format sft" in done.out
