"""Games of a failure type, which the seed alone would not draw."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chaosops.env.models import FailureType
from chaosops.env.world_sim import Scenario
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import verify
from tests.recording.games import record, rewrite

KIND = FailureType.DB_DEADLOCK


@pytest.fixture(scope="module")
def played() -> Scenario:
    """An incident of the type, for a seed that draws another one by itself."""
    every = (Scenario.from_type(KIND, seed=seed, max_steps=2) for seed in range(100))
    return next(one for one in every if Scenario.load(one.id, one.seed).failure_type is not KIND)


def test_such_a_game_verifies_as_any_other(tmp_path: Path, played: Scenario) -> None:
    path = record(tmp_path, played=played)
    assert read_recording(path).header.failure_type is KIND
    assert verify(path).status is VerificationStatus.VERIFIED


def test_such_a_game_is_resumed_where_it_was_left(tmp_path: Path, played: Scenario) -> None:
    resumed = reopen(record(tmp_path, played=played, turns=3))
    with resumed.writer:
        assert resumed.stepper.scenario == played
        assert resumed.stepper.scenario.incident == played.incident
        assert len(resumed.stepper.steps) == 3


def test_a_game_whose_seed_draws_any_cause_says_nothing_of_a_type(tmp_path: Path) -> None:
    first = record(tmp_path, turns=1).read_text("utf-8").splitlines()[0]
    assert "failure_type" not in json.loads(first)["header"]


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", [FailureType.SLOW_DISK, None])
def test_a_game_with_another_type_written_in_it_does_not_verify(
    tmp_path: Path, played: Scenario, kind: FailureType | None
) -> None:
    path = record(tmp_path, played=played)

    def change(event: dict[str, Any]) -> None:
        event["header"]["failure_type"] = kind

    assert verify(rewrite(path, 1, change)).status is VerificationStatus.EDITED
    says = {"failure_type": kind}
    other = verify(record(tmp_path, played=played, header_says=says))
    assert other.status is VerificationStatus.EDITED


def test_a_type_that_the_incident_never_has_is_told(tmp_path: Path, played: Scenario) -> None:
    says = {"failure_type": FailureType.POISON_MESSAGE}
    verdict = verify(record(tmp_path, played=played, header_says=says))
    assert verdict.status is VerificationStatus.NO_SCENARIO
    assert verdict.message == f"poison_message is never behind {played.id}"
