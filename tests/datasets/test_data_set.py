import errno
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chaosops.datasets import build, files
from chaosops.datasets.dataset import Request, write_data_set
from chaosops.datasets.episode import RowSelection
from chaosops.datasets.errors import ExportError
from chaosops.datasets.files import JsonLines
from chaosops.datasets.rows import ROW_OF, ExportRow, Format
from chaosops.datasets.splits import Split, split_of
from chaosops.errors import RecordingError
from chaosops.recording.events import ConsentScope
from chaosops.recording.library import RecordingSummary, look
from chaosops.recording.turn_sources import TurnSource
from chaosops.text import parse_action, render_observation
from tests.datasets.games import SRE, export, game, resealed, rows
from tests.worlds import all_ids

ANYBODY = frozenset(TurnSource)
ALL = tuple(Format)
ACTIONS = (ConsentScope.ACTIONS,)


def left_over(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.proof
@pytest.mark.parametrize("policy", ["random", "heuristic", "expert", "oracle", "noop"])
def test_every_incident_goes_from_play_to_every_format(policy: str, tmp_path: Path) -> None:
    steps = {}
    for name in all_ids():
        path, steps[name] = game(tmp_path / "logs", name, policy=policy, turns=8, max_turns=8)
    report = export(path.parent, tmp_path / "set", Format.SFT, Format.EPISODES, sources=ANYBODY)
    assert report.episodes == len(all_ids())
    made = iter(
        sorted(rows(tmp_path / "set", Format.SFT), key=lambda r: (r["scenario"], r["turn"]))
    )
    for name in sorted(steps):
        for step in steps[name]:
            row = next(made)
            assert row["prompt"][1]["content"] == render_observation(step.observation)
            answer = row["completion"][0]["content"]
            assert parse_action(answer, step.observation.view) == step.action
    assert next(made, None) is None


def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    target = tmp_path / "set"
    target.mkdir()
    (target / "notes.txt").write_text("mine")
    with pytest.raises(ExportError, match="not empty: choose a new folder"):
        export(tmp_path / "logs", target, Format.SFT, sources=ANYBODY)
    with pytest.raises(ExportError, match="not empty"):
        export(tmp_path / "logs", target / "notes.txt", Format.SFT, sources=ANYBODY)
    assert (target / "notes.txt").read_text() == "mine"
    assert left_over(tmp_path) == {"logs", "set"}


def test_an_empty_folder_is_filled_and_parents_are_made(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    for target in (tmp_path / "empty", tmp_path / "a" / "b" / "c"):
        if target.name == "empty":
            target.mkdir()
        export(tmp_path / "logs", target, Format.SFT, sources=ANYBODY)
        assert left_over(target) == {"README.md", "sft"}
    assert left_over(tmp_path) == {"logs", "empty", "a"}


def test_nothing_to_export_says_why(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    with pytest.raises(ExportError, match="no recordings"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT)
    game(tmp_path / "logs")
    with pytest.raises(ExportError, match="add --source scripted"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT)
    assert left_over(tmp_path) == {"logs"}


class BrokenDisk(JsonLines):
    """Takes some rows, and then there is no room."""

    left = 5

    def write(self, row: ExportRow) -> None:
        """Append a row, for a while."""
        if not self.left:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.left -= 1
        super().write(row)


def test_a_disk_that_fills_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game(tmp_path / "logs")
    monkeypatch.setattr(files, "JsonLines", BrokenDisk)
    with pytest.raises(ExportError, match="No space left on device; nothing was left there"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert left_over(tmp_path) == {"logs"}


_WITH_LITTLE_ROOM = """
import resource, signal, sys
from pathlib import Path
from chaosops.recording.turn_sources import TurnSource
from tests.datasets.games import Format, export
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
logs, target = map(Path, sys.argv[1:])
try:
    export(logs, target, Format.SFT, sources=frozenset(TurnSource))
except Exception as error:
    print(type(error).__name__, error)
"""


def test_a_system_that_takes_no_more_leaves_nothing(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 20_000
    done = subprocess.run(
        [sys.executable, "-c", _WITH_LITTLE_ROOM, str(tmp_path / "logs"), str(tmp_path / "set")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("ExportError cannot write the data set"), done.stderr
    assert left_over(tmp_path) == {"logs"}


def test_a_row_that_breaks_the_schema_stops_the_export_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game(tmp_path / "logs")
    wrong = [{"role": "user", "content": "x"}]
    monkeypatch.setattr(build.RedactedEpisode, "answer", lambda *_, **__: wrong)
    with pytest.raises(RecordingError, match=r"turn 0: completion: .*one assistant message"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert left_over(tmp_path) == {"logs"}


def test_a_file_that_is_not_what_was_written_stops_the_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game(tmp_path / "logs")
    whole = JsonLines.close

    def lossy(self: JsonLines) -> None:
        self._file.truncate(self._file.tell() // 2)
        whole(self)

    monkeypatch.setattr(JsonLines, "close", lossy)
    with pytest.raises(ExportError, match=r"sft/train.jsonl does not match what was written"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert left_over(tmp_path) == {"logs"}


@pytest.mark.slow
def test_an_incident_is_in_one_split_alone(tmp_path: Path) -> None:
    chosen = [next(n for n in all_ids() if split_of(n, 0.3) is split) for split in Split]
    for name in chosen:
        for seed in (0, 1):
            game(tmp_path / "logs", name, seed=seed, turns=4)
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, test_share=0.3)
    for split, name in zip(Split, chosen, strict=True):
        made = rows(tmp_path / "set", Format.SFT, split.value)
        assert {row["scenario"] for row in made} == {name}
        assert {row["seed"] for row in made} == {0, 1}


def test_a_data_set_that_would_be_all_test_is_all_train(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, test_share=1.0)
    assert left_over(tmp_path / "set" / "sft") == {"train.jsonl"}
    assert card(tmp_path / "set")["configs"][0]["data_files"] == [
        {"split": "train", "path": "sft/train.jsonl"}
    ]


@given(name=st.text(min_size=1), small=st.floats(0, 1), large=st.floats(0, 1))
def test_what_is_for_testing_stays_so_at_a_larger_share(
    name: str, small: float, large: float
) -> None:
    small, large = sorted((small, large))
    assert split_of(name, 0.0) is Split.TRAIN
    assert split_of(name, 1.0) is Split.TEST
    if split_of(name, small) is Split.TEST:
        assert split_of(name, large) is Split.TEST


def test_about_the_asked_share_is_for_testing() -> None:
    share = Counter(split_of(f"incident-{i}", 0.2) for i in range(2_000))
    assert 340 <= share[Split.TEST] <= 460


def card(target: Path) -> dict[str, Any]:
    _, front, _ = (target / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    data = yaml.safe_load(front)
    assert isinstance(data, dict)
    return data


@pytest.mark.slow
def test_the_card_tells_loaders_and_people_what_is_in_it(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random")
    game(tmp_path / "logs", "checkout-times-out", policy="heuristic")
    game(tmp_path / "logs", people=(SRE,))
    export(
        tmp_path / "logs", tmp_path / "set", *ALL, sources=ANYBODY, licence="cc-by-4.0", history=5
    )
    front = card(tmp_path / "set")
    assert front["license"] == "cc-by-4.0"
    assert [config["config_name"] for config in front["configs"]] == [kind.value for kind in ALL]
    for config in front["configs"]:
        for file in config["data_files"]:
            assert (tmp_path / "set" / file["path"]).is_file()
    assert front["size_categories"] == ["n<1K"]
    assert front["annotations_creators"] == ["expert-generated", "machine-generated"]
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    for fact in (
        "recordings: 2, of 1 player\n",
        "verified: 2 of 2;",
        "by incident: checkout-times-out",
        "scripted heuristic",
        "version 1 of the text, for actions",
        "none needed, policies only",
        "left out: 1 recording without consent",
        "at most 5 minutes of earlier signals",
        "Licence: cc-by-4.0.",
    ):
        assert fact in text


def test_a_card_without_a_licence_says_so(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert card(tmp_path / "set")["license"] == "unknown"
    assert "No licence was given" in (tmp_path / "set" / "README.md").read_text(encoding="utf-8")


def test_a_file_holds_nothing_of_this_machine(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    export(
        tmp_path / "logs", tmp_path / "set", *ALL, sources=ANYBODY, forks=0, turns=frozenset({0})
    )
    for path in (tmp_path / "set").rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert str(tmp_path) not in text
        assert str(Path.home()) not in text or str(Path.home()) == "/"


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        return [found for key, inner in value.items() for found in leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [found for i, inner in enumerate(value) for found in leaves(inner, (*path, i))]
    return [path]


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", ALL)
def test_a_row_takes_no_null_no_other_type_and_no_other_key(kind: Format, tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random", max_turns=8)
    export(tmp_path / "logs", tmp_path / "set", kind)
    row = rows(tmp_path / "set", kind)[0]
    model = ROW_OF[kind]
    model.model_validate(row)
    for path in leaves(row):
        for wrong in (None, {"a": 1}, [[]], "\x1b[31m"):
            with pytest.raises(ValidationError):
                model.model_validate(put(row, path, wrong))
    for broken in ({**row, "more": 1}, {key: row[key] for key in list(row)[1:]}):
        with pytest.raises(ValidationError):
            model.model_validate(broken)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (Format.SFT, {"prompt": []}),
        (Format.SFT, {"prompt": [{"role": "user", "content": "x"}]}),
        (Format.SFT, {"completion": [{"role": "assistant", "content": "restart db"}]}),
        (Format.SFT, {"completion": [{"role": "assistant", "content": '{"action_type":"noop"}'}]}),
        (Format.REWARDS, {"reward": 99.0}),
        (Format.REWARDS, {"done": True, "return_to_go": 99.0}),
        (Format.GRPO, {"replay": "[{}]"}),
        (Format.PREFERENCE, {"margin": 0.5}),
        (Format.EPISODES, {"turns": 3}),
        (Format.EPISODES, {"cumulative_reward": 0.5}),
    ],
)
def test_a_row_that_contradicts_itself_is_refused(
    kind: Format, changes: dict[str, Any], tmp_path: Path
) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random", max_turns=8)
    export(tmp_path / "logs", tmp_path / "set", kind)
    with pytest.raises(ValidationError):
        ROW_OF[kind].model_validate(rows(tmp_path / "set", kind)[0] | changes)


def test_a_pair_of_equal_answers_is_refused(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random", max_turns=8)
    export(tmp_path / "logs", tmp_path / "set", Format.PREFERENCE)
    row = rows(tmp_path / "set", Format.PREFERENCE)[0]
    with pytest.raises(ValidationError, match="the same"):
        ROW_OF[Format.PREFERENCE].model_validate(row | {"rejected": row["chosen"]})


def test_a_format_without_a_row_is_named_and_has_no_file(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    report = export(
        tmp_path / "logs", tmp_path / "set", Format.SFT, Format.PREFERENCE, sources=ANYBODY
    )
    assert report.rows["preference"] == 0
    assert report.rows["sft/train.jsonl"] > 0
    assert left_over(tmp_path / "set") == {"README.md", "sft"}


@pytest.mark.slow
def test_the_same_recordings_give_the_same_files(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random")
    for name in ("first", "second"):
        export(tmp_path / "logs", tmp_path / name, *ALL, sources=ANYBODY)
    first, second = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in files_in(tmp_path / name)}
        for name in ("first", "second")
    )
    assert first == second


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs")

    def entries() -> Iterator[RecordingSummary]:
        yield look(path)
        raise KeyboardInterrupt

    wanted = RowSelection(sources=ANYBODY)
    with pytest.raises(KeyboardInterrupt):
        write_data_set(entries(), Request(tmp_path / "set", (Format.SFT,), wanted))
    assert left_over(tmp_path) == {"logs"}


def test_an_incident_that_is_not_here_makes_no_pairs(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random")
    resealed(path, 1, lambda event: event["header"].update(scenario="somebody-elses"))
    report = export(path, tmp_path / "set", Format.SFT, Format.PREFERENCE, verify=False)
    assert report.left_out_of == {"preference": {"episodes whose incident was not found": 1}}
    assert report.rows["preference"] == 0


def test_no_configuration_trains_on_what_another_one_tests(tmp_path: Path) -> None:
    tested, trained = (
        next(n for n in all_ids() if split_of(n, 0.3) is s) for s in (Split.TEST, Split.TRAIN)
    )
    game(tmp_path / "logs", tested, people=(SRE,), scopes=ACTIONS, copilot="random", turns=8)
    game(tmp_path / "logs", trained, people=(SRE,), scopes=ACTIONS, turns=8)
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, Format.PREFERENCE, test_share=0.3)
    assert {row["scenario"] for row in rows(tmp_path / "set", Format.SFT)} == {trained}
    assert left_over(tmp_path / "set" / "preference") == {"test.jsonl"}


@pytest.mark.few(1)
@pytest.mark.parametrize("lost", [1, 2])
def test_rows_that_are_not_on_the_disk_are_missed(
    lost: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game(tmp_path / "logs", policy="noop", max_turns=8)
    close = JsonLines.close

    def cut_off(self: JsonLines) -> None:
        close(self)
        (path,) = tmp_path.glob(".set.*.partial/sft/*.jsonl")
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-lost]))

    monkeypatch.setattr(JsonLines, "close", cut_off)
    words = f"sft/train.jsonl has {8 - lost} rows, and 8 were written"
    with pytest.raises(ExportError, match=words):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert left_over(tmp_path) == {"logs"}
