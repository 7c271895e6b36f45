import json
from pathlib import Path

import pytest

from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import (
    EndReason,
    HumanPart,
    Seat,
    SeatKind,
    Ui,
    new_footer,
    new_header,
)
from chaosops.recording.reader import read_recording
from tests.worlds import built_in


def play(name: str, policy: str) -> EpisodeResult:
    scenario = Scenario.load(name, 7)
    seats = seat_policies(dict.fromkeys(TURN_ORDER, policy), scenario)
    return run_episode(ChaosOpsEnvironment(), scenario, seats)


def record(folder: Path, result: EpisodeResult, policy: str) -> Path:
    header = new_header(
        result.scenario,
        seats={role: Seat(kind=SeatKind.SCRIPTED, policy=policy) for role in TURN_ORDER},
        ui=Ui(name="test", version="1"),
        max_turns=result.scenario.max_steps * len(TURN_ORDER),
    )
    with EventLogWriter.create(folder, header) as log:
        for frame in result.steps:
            log.turn(frame, HumanPart.scripted(policy))
        log.finish(new_footer(result))
    return log.path


@pytest.mark.few(1)
@pytest.mark.parametrize("policy", ["expert", "random", "noop"])
def test_a_played_episode_reads_back_frame_by_frame(
    policy: str, easiest: str, tmp_path: Path
) -> None:
    result = play(easiest, policy)
    recording = read_recording(record(tmp_path, result, policy))
    assert recording.frames == result.steps
    assert recording.header.scenario_sha256 == result.scenario.content_hash
    assert recording.footer is not None
    assert recording.footer.cumulative_reward == result.cumulative_reward
    assert recording.footer.reason is (
        EndReason.RESOLVED if result.resolved else EndReason.OUT_OF_TURNS
    )


@pytest.mark.proof
def test_every_built_in_incident_can_be_recorded_and_read(tmp_path: Path) -> None:
    for source in built_in():
        result = play(source.id, "heuristic")
        assert read_recording(record(tmp_path, result, "heuristic")).frames == result.steps


def test_the_frame_part_of_a_log_is_the_same_each_time(easiest: str, tmp_path: Path) -> None:
    def frames_of(path: Path) -> list[object]:
        return [json.loads(line).get("frame") for line in path.read_text().splitlines()]

    first = record(tmp_path, play(easiest, "expert"), "expert")
    second = record(tmp_path, play(easiest, "expert"), "expert")
    assert first != second
    assert frames_of(first) == frames_of(second)


def test_a_log_says_nothing_about_the_machine_or_the_account(easiest: str, tmp_path: Path) -> None:
    first_line = record(tmp_path, play(easiest, "noop"), "noop").read_text().splitlines()[0]
    assert str(Path.home()) not in first_line
    assert str(tmp_path) not in first_line
    assert set(json.loads(first_line)["header"]) == {
        "schema_version", "episode_id", "scenario", "seed", "difficulty", "max_turns", "columns",
        "scenario_sha256", "incident_sha256", "topology_sha256", "chaosops", "engine", "python",
        "ui", "seats", "pseudonym", "consent", "started_at_ms",
    }  # fmt: skip


def test_a_later_turn_costs_a_fraction_of_a_whole_view(easiest: str, tmp_path: Path) -> None:
    path = record(tmp_path, play(easiest, "noop"), "noop")
    _header, *turns, _footer = path.read_bytes().splitlines()
    roles = len(TURN_ORDER)
    whole = sum(map(len, turns[:roles]))
    later = sum(map(len, turns[roles : 2 * roles]))
    assert later < whole / 3
