import gzip
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from chaosops.agents.seats import seat_policies
from chaosops.env.models import TURN_ORDER
from chaosops.errors import RecordingError
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import EndReason, HumanPart, new_footer
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import Resumed, reopen
from chaosops.recording.verify import verify
from tests.recording.games import outcome, record, rewrite
from tests.recording.samples import HUMAN, frames, header

# Plays a game in a child of its own for each folder that is named on a line, and reports a turn
# by its number only when the call that wrote it has returned.
_NURSERY = """
import os, sys
from pathlib import Path
from tests.recording import games

games.record(Path(sys.argv[1]), policy="junior")
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        turn = games.EventLogWriter.turn
        def reported(log, frame, human):
            turn(log, frame, human)
            os.write(1, b"turn %d\\n" % frame.turn)
        games.EventLogWriter.turn = reported
        games.record(Path(line.strip()), policy="junior")
        os._exit(0)
    os.write(1, b"child %d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"over\\n")
"""


def finish(resumed: Resumed, policy: str = "heuristic") -> None:
    """Play on to the end."""
    policies = seat_policies(dict.fromkeys(TURN_ORDER, policy), resumed.stepper.scenario)
    stepper = resumed.stepper
    while not stepper.done:
        frame = stepper.take(policies[stepper.role](stepper.observation, stepper.role))
        resumed.writer.turn(frame, HumanPart.scripted(policy))
    resumed.writer.finish(new_footer(stepper.result()))


@pytest.mark.few(1)
@pytest.mark.parametrize("turns", [0, 1, 5, 8])
def test_a_game_that_is_taken_up_ends_as_one_that_was_never_left(
    turns: int, tmp_path: Path
) -> None:
    path = record(tmp_path, policy="heuristic", turns=turns)
    resumed = reopen(path)
    assert resumed.repaired == ""
    assert len(resumed.stepper.steps) == len(resumed.recording.turns) == turns
    finish(resumed)
    assert verify(path).ok
    assert read_recording(path).frames == outcome(policy="heuristic").steps


def test_a_torn_last_line_is_cut_off_and_reported(tmp_path: Path) -> None:
    path = record(tmp_path, policy="heuristic", turns=9)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    resumed = reopen(path)
    assert resumed.repaired == "line 10 is incomplete and was left out"
    assert path.read_bytes() == b"".join(whole.splitlines(keepends=True)[:-1])
    finish(resumed)
    assert verify(path).ok


def test_a_game_that_lacks_only_its_footer_gets_it(tmp_path: Path) -> None:
    path = record(tmp_path, policy="heuristic")
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(whole[:-1]))
    resumed = reopen(path)
    assert resumed.stepper.done
    assert resumed.recording.footer is not None
    assert verify(path).finished


def test_a_finished_game_is_not_resumed(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="is finished: step through it"):
        reopen(record(tmp_path))


def test_an_edited_game_is_not_resumed_and_not_touched(tmp_path: Path) -> None:
    path = rewrite(
        record(tmp_path, turns=9), 6, lambda event: event["frame"].update(message="all is well")
    )
    before = path.read_bytes()
    with pytest.raises(RecordingError, match=r"in turn 4: frame\.message"):
        reopen(path)
    assert path.read_bytes() == before


def test_what_cannot_be_resumed_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        reopen(tmp_path / "gone.jsonl")
    with pytest.raises(RecordingError, match="it is a folder"):
        reopen(tmp_path)
    with EventLogWriter.create(tmp_path, header()) as log:
        log.turn(frames()[0], HUMAN)
    with pytest.raises(RecordingError, match="no scenario"):
        reopen(log.path)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(record(tmp_path, turns=3).read_bytes()))
    with pytest.raises(RecordingError, match="gunzip"):
        reopen(packed)


def test_a_game_that_is_being_played_is_nobody_elses(tmp_path: Path) -> None:
    path = record(tmp_path, turns=3)
    with reopen(path).writer:
        with pytest.raises(RecordingError, match="is being played"):
            reopen(path)
        assert read_recording(path).footer is None
    reopen(path).writer.close()


def test_an_abandoned_game_verifies(tmp_path: Path) -> None:
    resumed = reopen(record(tmp_path, turns=3))
    resumed.writer.finish(new_footer(resumed.stepper.result(), reason=EndReason.ABANDONED))
    assert verify(resumed.recording.path).ok


@contextmanager
def nursery(folder: Path) -> Iterator[subprocess.Popen[str]]:
    folder.mkdir()
    with subprocess.Popen(
        [sys.executable, "-c", _NURSERY, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kills", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_a_game_that_is_killed_at_any_moment_has_every_finished_turn_and_goes_on(
    tmp_path: Path, kills: int
) -> None:
    moments = random.Random(7)
    reference = outcome(policy="junior").steps
    longest = len(reference)
    seen = set()
    with nursery(tmp_path / "first") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(kills):
            folder = tmp_path / str(number)
            folder.mkdir()
            stop = moments.randrange(longest)
            print(folder, file=process.stdin, flush=True)
            finished, child = -1, 0
            while (line := process.stdout.readline()) != "over\n":
                word, value = line.split()
                child = int(value) if word == "child" else child
                finished = int(value) if word == "turn" else finished
                if child and finished >= stop:
                    # It may have reached the end, and be gone, before its line was read here.
                    with suppress(ProcessLookupError):
                        os.kill(child, signal.SIGKILL)
                    child = 0
            (path,) = folder.iterdir()
            kept = read_recording(path)
            assert len(kept.turns) > finished
            assert kept.frames == reference[: len(kept.turns)]
            seen.add(len(kept.turns))
            if kept.footer is None:
                resumed = reopen(path)
                if not resumed.stepper.done:
                    finish(resumed, "junior")
            verdict = verify(path)
            assert verdict.ok, verdict.message
            assert verdict.turns == longest
    assert len(seen) > kills // 5
