from pathlib import Path

import pytest

from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.datasets.stats import PEOPLE, PROGRAMS, gather
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.evaluation.process_figures import process_of
from chaosops.recording.events import Note
from chaosops.recording.library import find, games
from chaosops.recording.turn_sources import Decider
from chaosops.recording.upkeep import add_note
from tests.datasets.games import game, resealed
from tests.recording.games import outcome, record, scenario


@pytest.mark.slow
def test_people_stand_beside_policies_in_their_seats_on_the_same_incidents(
    tmp_path: Path,
) -> None:
    record(tmp_path, seed=1, policy="random")
    record(tmp_path, seed=2, policy="random")
    stats = gather(games(find([tmp_path])), policies=("noop", "expert"))
    assert set(stats.players) == {PEOPLE, "policy: noop", "policy: expert"}
    ours = [outcome(seed, "random") for seed in (1, 2)]
    people = stats.players[PEOPLE].figures()
    assert people["episodes"] == 2
    assert people["mean_reward"] == pytest.approx(
        sum(result.cumulative_reward for result in ours) / 2, abs=1e-3
    )
    env = ChaosOpsEnvironment()
    total = 0.0
    for seed in (1, 2):
        names = dict.fromkeys(TURN_ORDER, "random") | {AgentRole.SRE: "expert"}
        played = scenario(seed)
        total += run_episode(env, played, seat_policies(names, played)).cumulative_reward
    expert = stats.players["policy: expert"].figures()
    assert expert["mean_reward"] == pytest.approx(total / 2, abs=1e-3)
    assert stats.scenarios[scenario().id, PEOPLE] == stats.players[PEOPLE]
    process = {row.pop("player"): row for row in stats.figures()["process"]}
    assert set(process) == set(stats.players)
    looks = [process_of(result).looks for result in ours]
    assert process[PEOPLE]["looks"] == sum(looks) / 2


def test_a_game_on_another_version_of_its_incident_has_no_process_figures(tmp_path: Path) -> None:
    path = record(tmp_path, policy="oracle", people=())
    resealed(path, 1, lambda event: event["header"].update(scenario_sha256="0" * 64))
    figures = gather(games(find([tmp_path]))).figures()
    assert len(figures["players"]) == 1
    assert figures["process"] == []


def test_recorded_policies_are_players_of_their_own(tmp_path: Path) -> None:
    record(tmp_path, policy="oracle", people=())
    figures = gather(games(find([tmp_path])), policies=("noop",)).figures()
    (row,) = figures["players"]
    result = outcome(policy="oracle")
    assert row == {
        "player": "oracle",
        "episodes": 1,
        "resolved_share": float(result.resolved),
        "mean_reward": pytest.approx(result.cumulative_reward, abs=1e-3),
        "mttr": result.mttr_steps if result.resolved else None,
    }
    assert figures["decisions"] == []


def test_latencies_are_by_role_and_by_verb_of_people_alone(tmp_path: Path) -> None:
    path = record(tmp_path, turns=9)
    for line, latency in ((2, 1_000), (6, 3_000), (10, 8_000)):
        resealed(path, line, lambda event, ms=latency: event["human"].update(latency_ms=ms))
    stats = gather(games(find([path])))
    assert stats.unfinished == 1
    assert stats.players == {}
    sre = stats.roles["sre", "human"].figures()
    assert (sre["turns"], sre["refused"]) == (3, 3)
    assert (sre["median_latency_ms"], sre["p90_latency_ms"]) == (3_000, 8_000)
    dev = stats.roles["dev", "scripted"].figures()
    assert (dev["turns"], dev["median_latency_ms"]) == (2, None)
    assert sum(turns.count for turns in stats.decisions.values()) == 3


def test_files_that_cannot_be_read_are_left_out_as_a_whole(tmp_path: Path) -> None:
    path = resealed(record(tmp_path), 9, lambda event: event["human"].update(latency_ms="?"))
    stats = gather(games(find([path])))
    assert stats.roles == {}
    ((left, why),) = stats.left_out
    assert left == path
    assert "line 9: human.latency_ms" in why


def test_discarded_games_count_only_where_they_are_asked_for(tmp_path: Path) -> None:
    path, other = record(tmp_path, seed=1), record(tmp_path, seed=2)
    add_note(other, Note(at_ms=1, submitted=False))
    stats = gather(games(find([path, other])))
    assert (stats.discarded, stats.players[PEOPLE].count) == (1, 1)
    assert stats.roles == gather(games(find([path]))).roles
    both = gather(games(find([path, other])), discarded=True)
    assert (both.discarded, both.players[PEOPLE].count) == (0, 2)


def test_copies_of_one_game_count_once_whatever_was_said_of_them_afterwards(
    tmp_path: Path,
) -> None:
    path, other = record(tmp_path, seed=1), record(tmp_path, seed=2)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(path.read_bytes())
    add_note(copy, Note(at_ms=1, quality=4))
    stats = gather(games(find([path, copy, other])))
    assert (stats.copies, stats.players[PEOPLE].count) == (1, 2)
    assert stats.roles == gather(games(find([path, other]))).roles


def test_people_on_another_version_of_a_scenario_count_without_a_policy_beside_them(
    tmp_path: Path,
) -> None:
    path = resealed(
        record(tmp_path), 1, lambda event: event["header"].update(scenario_sha256="0" * 64)
    )
    stats = gather(games(find([path])), policies=("noop",))
    assert set(stats.players) == {PEOPLE}
    assert "another version" in stats.not_compared[0][1]


def test_an_unknown_teammate_is_no_reason_to_stop(tmp_path: Path) -> None:
    path = resealed(
        record(tmp_path),
        1,
        lambda event: event["header"]["seats"]["dev"].update(policy="llama"),
    )
    stats = gather(games(find([path])), policies=("noop",))
    assert "'llama'" in stats.not_compared[0][1]


def test_no_recordings_give_no_figures() -> None:
    assert gather(games(find([])), policies=("noop",)).figures() == {
        "players": [], "scenarios": [], "process": [], "roles": [], "decisions": [],
        "unfinished": 0, "discarded": 0, "copies": 0, "left_out": [], "not_compared": [],
    }  # fmt: skip


def test_an_edited_copy_counts_for_nothing_and_displaces_nothing(tmp_path: Path) -> None:
    path = record(tmp_path, seed=1)
    edited = path.with_name(f"a-{path.name}")
    edited.write_bytes(path.read_bytes().replace(b'"latency_ms":', b'"latency_ms":9', 1))
    assert edited.read_bytes() != path.read_bytes()
    stats = gather(games(find([edited, path])))
    assert [left for left, _why in stats.left_out] == [edited]
    assert stats.copies == 0
    assert stats.players == gather(games(find([path]))).players


def test_games_that_programs_answered_are_not_peoples(tmp_path: Path) -> None:
    game(tmp_path, people=(AgentRole.SRE,), decider=Decider.LLM)
    stats = gather(find([tmp_path]))
    assert set(stats.players) == {PROGRAMS}
    assert not stats.decisions
