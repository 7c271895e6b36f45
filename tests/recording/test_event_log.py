import errno
import json
import os
import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings

from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import MAX_TEXT, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import HumanPart
from chaosops.recording.lines import MAX_LINE, MAX_VALUES
from chaosops.recording.reader import read_recording
from chaosops.recording.script import Script
from chaosops.recording.suggestions import Suggestion
from chaosops.recording.turn_sources import Decider
from tests.recording.games import record
from tests.recording.samples import HUMAN, footer, frames, header, write_log
from tests.strategies import HOSTILE, episodes


@contextmanager
def files_no_longer_than(size: int) -> Iterator[None]:
    """A disk that is full after `size` bytes of a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.slow
@settings(max_examples=15)
@given(played=episodes(max_turns=5))
def test_a_log_reads_back_as_it_was_written(
    played: tuple[EpisodeStep, ...], tmp_path_factory: pytest.TempPathFactory
) -> None:
    recording = read_recording(write_log(tmp_path_factory.mktemp("log"), played))
    assert recording.frames == played
    assert recording.header == header()
    assert recording.footer == footer(played)
    assert {turn.human for turn in recording.turns} == {HUMAN}
    assert recording.warnings == ()


def test_each_turn_is_on_disk_when_the_call_returns(tmp_path: Path) -> None:
    with EventLogWriter.create(tmp_path, header()) as log:
        for count, frame in enumerate(frames(), start=1):
            log.turn(frame, HUMAN)
            assert read_recording(log.path).frames == frames()[:count]


def test_each_event_is_synced_before_the_call_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    sync = os.fsync

    def counting(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            synced.append(os.fstat(descriptor).st_size)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", counting)
    with EventLogWriter.create(tmp_path, header()) as log:
        assert synced[-1] == log.path.stat().st_size > 0
        for frame in frames():
            log.turn(frame, HUMAN)
            assert synced[-1] == log.path.stat().st_size
    assert len(synced) == 1 + len(frames())


def test_a_log_is_plain_ascii_lines_that_only_its_owner_reads(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    lines = path.read_bytes().decode("ascii").splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["header", *["turn"] * 6, "footer"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.name == "first-outage-7-0f0f0f0f0f0f.jsonl"


def test_a_log_never_overwrites_another(tmp_path: Path) -> None:
    path = write_log(tmp_path)
    before = path.read_bytes()
    with pytest.raises(RecordingError, match="exists"):
        EventLogWriter.create(tmp_path, header())
    assert path.read_bytes() == before


def test_a_scenario_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    with EventLogWriter.create(tmp_path, header(scenario="../../x\n")) as log:
        assert log.path.resolve().parent == tmp_path.resolve()


def test_without_a_folder_nothing_is_written_and_the_cure_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="--recordings DIR"):
        EventLogWriter.create(tmp_path / "gone", header())
    assert list(tmp_path.iterdir()) == []


def test_a_header_that_does_not_fit_on_the_disk_leaves_no_file_behind(tmp_path: Path) -> None:
    with files_no_longer_than(100), pytest.raises(RecordingError, match="free disk space"):
        EventLogWriter.create(tmp_path, header())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_keeps_what_was_written_and_later_gets_what_was_missed(tmp_path: Path) -> None:
    played = frames()
    log = EventLogWriter.create(tmp_path, header())
    log.turn(played[0], HUMAN)
    size = log.path.stat().st_size
    with files_no_longer_than(size + 50):
        for frame in played[1:3]:
            with pytest.raises(RecordingError, match="free disk space"):
                log.turn(frame, HUMAN)
            assert read_recording(log.path).frames == played[:1]
            assert read_recording(log.path).warnings == ()
    log.turn(played[3], HUMAN)
    log.close()
    assert read_recording(log.path).frames == played[:4]


def test_a_disk_that_cannot_sync_is_reported_and_the_turn_is_written_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    played = frames()
    log = EventLogWriter.create(tmp_path, header())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", broken)
        with pytest.raises(RecordingError, match="Input/output error"):
            log.turn(played[0], HUMAN)
    log.turn(played[1], HUMAN)
    log.close()
    assert read_recording(log.path).frames == played[:2]


def test_a_closed_log_takes_no_more_turns(tmp_path: Path) -> None:
    log = EventLogWriter.create(tmp_path, header())
    log.close()
    log.close()
    with pytest.raises(RecordingError, match="closed"):
        log.turn(frames()[0], HUMAN)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_player_wrote_is_made_safe_before_it_is_kept(text: str, tmp_path: Path) -> None:
    part = HumanPart(
        source=Decider.COPILOT,
        policy=text,
        rationale=text,
        panes=(text,),
        suggestion=Suggestion(policy=text, action_type=text, reason=text, accepted=True),
    )
    with EventLogWriter.create(tmp_path, header()) as log:
        log.turn(frames()[0], part)
    assert read_recording(log.path).turns[0].human == part
    assert part.rationale is not None
    assert not set(part.rationale) & set("\x00\x1b\x9b\u202e\r\u2028")


def test_no_turn_of_a_game_is_longer_than_half_of_what_is_read(tmp_path: Path) -> None:
    words = "\N{FIRE}" * MAX_TEXT
    played = record(tmp_path, turns=0)
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load("pages-stall-now-and-then"))
    script = Script()
    script.header(read_recording(played).header)
    longest = 0
    for verb in ("communicate", "communicate", "communicate", "communicate", "sing") * 4:
        args = {"text": words} if verb == "communicate" else {"a": [words] * 3, "b": words[:1_900]}
        frame = stepper.take(ChaosOpsAction(stepper.role, verb, None, args))
        human = HumanPart(
            source=Decider.HUMAN,
            rationale=words,
            suggestion=Suggestion(
                policy="expert",
                action_type=verb,
                args=dict(frame.action.args),  # type: ignore[arg-type]
                reason=words,
                accepted=True,
            ),
        )
        line = script.turn(frame, human)
        assert line.count(b",") < MAX_VALUES / 2
        longest = max(longest, len(line))
    assert MAX_LINE / 5 < longest < MAX_LINE / 2
