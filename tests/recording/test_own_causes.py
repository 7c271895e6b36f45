"""Recordings of games in which somebody named an author's cause."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, FailureType
from chaosops.errors import RecordingError
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import HumanPart, Seat, SeatKind, Ui, new_footer, new_header
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.verify import verify
from chaosops.scenarios.scenario import Scenario
from tests.cli.helpers import run_here
from tests.own_folder import DEFINED, OWN, drawing, own_cause, write_cause, write_folder
from tests.recording.games import rewrite

SRE = AgentRole.SRE


def record(folder: Path, world: Scenario, *, turns: int | None = None) -> Path:
    """A game in which the SRE names an author's cause first, then a built-in one."""
    seats = dict.fromkeys(TURN_ORDER, Seat(kind=SeatKind.SCRIPTED, policy="noop"))
    most = world.max_steps * len(TURN_ORDER)
    header = new_header(world, seats=seats, ui=Ui(name="test", version="1"), max_turns=most)
    named = iter(("row_lock", OWN))
    stepper = Stepper(ChaosOpsEnvironment(), world)
    folder.mkdir()
    with EventLogWriter.create(folder, header) as log:
        while not stepper.done and (turns is None or len(stepper.steps) < turns):
            action = ChaosOpsAction(stepper.role, ActionType.NOOP)
            if stepper.role is SRE and (cause := next(named, None)) is not None:
                action = ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, {"cause": cause})
            log.turn(stepper.take(action), HumanPart.scripted("noop"))
        if turns is None:
            log.finish(new_footer(stepper.result()))
    return log.path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_folder(tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def game(home: Path, tmp_path: Path) -> Path:
    return record(tmp_path / "games", drawing(home))


def test_it_reads_back_with_members_of_the_taxonomy_as_members(game: Path) -> None:
    recording = read_recording(game)
    made = recording.frames[-1].observation.view.diagnoses
    assert [type(each.cause) for each in made] == [FailureType, str]
    assert [each.cause for each in made] == ["row_lock", OWN]
    assert recording.footer is not None
    assert recording.footer.declared_root_cause == OWN


def test_it_is_proved_where_the_files_are(game: Path, home: Path) -> None:
    verdict = verify(game, [home])
    assert verdict.ok, verdict.message


def test_without_the_causes_it_says_so_and_can_still_be_read(game: Path, home: Path) -> None:
    shutil.rmtree(home / "causes")
    verdict = verify(game, [home])
    assert not verdict.ok
    assert "\n" not in verdict.message
    assert f'no cause "{OWN}"' in verdict.message
    assert read_recording(game).footer is not None


def test_on_another_machine_it_says_what_to_give(game: Path) -> None:
    verdict = verify(game)
    assert not verdict.ok
    assert "own-timeouts" in verdict.message
    assert "--scenarios" in verdict.message


def test_a_cause_that_was_added_since_makes_it_another_version(game: Path, home: Path) -> None:
    write_cause(home, "archive_lock", own_cause("archive_lock"))
    assert not verify(game, [home]).ok


def test_it_is_resumed_with_the_same_list(home: Path, tmp_path: Path) -> None:
    path = record(tmp_path / "games", drawing(home), turns=6)
    resumed = reopen(path, folders=[home])
    view = resumed.stepper.observation.view
    assert view.diagnoses[-1].cause == OWN
    resumed.writer.close()
    with pytest.raises(RecordingError, match="own-timeouts"):
        reopen(path)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    "cause",
    ["x" * 10_000, "\x1b[2J", "", "two words", "Upper", 3, None],
    ids=["long", "escape", "empty", "words", "capital", "number", "null"],
)
def test_what_is_no_name_is_no_diagnosis(cause: object, game: Path) -> None:
    lines = game.read_text("utf-8").splitlines()
    at = next(i for i, line in enumerate(lines) if '"diagnoses":[[' in line)

    def change(event: dict[str, dict[str, dict[str, dict[str, list[list[object]]]]]]) -> None:
        event["frame"]["observation"]["view"]["diagnoses"][0][2] = cause

    rewrite(game, at + 1, change)
    with pytest.raises(RecordingError, match=r"diagnoses\.0\.cause") as caught:
        read_recording(game)
    assert len(str(caught.value)) < 1_000
    assert "\x1b" not in str(caught.value)


def test_exports_and_statistics_take_it(
    game: Path, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    export = ("recordings", "export", str(out), str(game), "--format", "episodes")
    done = run_here(capsys, *export, "--source", "scripted", "--scenarios", str(home))
    assert done.code == 0, done.err
    written = "".join(path.read_text("utf-8") for path in out.rglob("*.jsonl"))
    (row,) = map(json.loads, written.splitlines())
    assert row["diagnosis"] == OWN
    assert run_here(capsys, "recordings", "stats", str(game), "--scenarios", str(home)).code == 0
    assert run_here(capsys, "recordings", "list", str(game.parent)).code == 0


def test_it_is_replayed_with_the_recorded_name(
    game: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", open("/dev/null", encoding="utf-8"))  # noqa: PTH123, SIM115
    done = run_here(capsys, "replay", str(game), "--plain")
    assert "vacuum lock" in done.out + done.err
    assert DEFINED not in done.out
