from pathlib import Path

import pytest

from chaosops.play.progress import read_progress
from chaosops.recording.library import Filter, find
from chaosops.recording.reader import read_recording
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import verify
from chaosops.scenarios.renamed_ids import renamed_ids
from chaosops.scenarios.summaries import scenario_summaries
from tests.recording.games import record, scenario

NOW = scenario().id
FORMER = next(former for former, current in renamed_ids().items() if current == NOW)


@pytest.fixture
def old_game(tmp_path: Path) -> Path:
    """A game of the incident from before it was renamed."""
    hashes = dict.fromkeys(("incident_sha256", "scenario_sha256"), "0" * 64)
    return record(tmp_path, header_says={"scenario": FORMER, **hashes})


@pytest.mark.parametrize("name", [FORMER, NOW])
def test_a_game_from_before_the_renaming_is_found_by_either_id(old_game: Path, name: str) -> None:
    found = list(find([old_game.parent], Filter(scenarios=(name,))))
    assert [entry.path for entry in found] == [old_game]
    assert not list(find([old_game.parent], Filter(scenarios=("errors-come-and-go",))))


def test_it_can_still_be_replayed(old_game: Path) -> None:
    recording = read_recording(old_game)
    assert recording.header.scenario == FORMER
    assert recording.header.current_scenario == NOW
    assert recording.turns


def test_verification_compares_it_with_the_renamed_incident(old_game: Path) -> None:
    verdict = verify(old_game)
    assert verdict.status is VerificationStatus.OTHER_VERSION
    assert f"the scenario {FORMER}, now {NOW} (recorded 000000000000, " in verdict.message


def test_it_counts_as_played(old_game: Path) -> None:
    progress = read_progress(old_game.parent, scenario_summaries())
    assert (NOW, scenario().seed) in progress.played
    assert NOW in progress.best
