"""Recordings of incidents of a shift say what these took over, and are simulated with it."""

from __future__ import annotations

import json
from pathlib import Path

from chaosops.env.world_sim import Scenario
from chaosops.play.forks import fork_of
from chaosops.recording.reader import read_recording
from chaosops.recording.resume import reopen
from chaosops.recording.verdict import VerificationStatus
from chaosops.recording.verify import verify
from chaosops.scenarios.carryover import Carryover, Improvement
from tests.recording.games import record, rewrite

CARRIED = Carryover(budget=63, worth=180, improvement=Improvement.HEADROOM)


def played() -> Scenario:
    return Scenario.load("checkout-times-out", 1_000).carrying(CARRIED)


def test_a_recording_of_a_shift_is_proved_with_what_it_took_over(tmp_path: Path) -> None:
    path = record(tmp_path, played=played())
    assert read_recording(path).header.carryover == CARRIED
    verdict = verify(path)
    assert verdict.ok, verdict.message


def test_a_recording_outside_of_a_shift_says_nothing_of_it(tmp_path: Path) -> None:
    header = json.loads(record(tmp_path).read_text("utf-8").splitlines()[0])
    assert "carryover" not in json.dumps(header)


def test_a_header_with_another_budget_is_not_proved(tmp_path: Path) -> None:
    path = record(tmp_path, played=played())

    def richer(event: dict[str, object]) -> None:
        header = event["header"]
        assert isinstance(header, dict)
        header["carryover"]["budget"] = 90

    rewrite(path, 1, richer)
    assert verify(path).status is not VerificationStatus.VERIFIED


def test_a_header_whose_carryover_is_nonsense_is_named(tmp_path: Path) -> None:
    path = record(tmp_path, played=played())
    text = path.read_text("utf-8").replace('"budget":63', '"budget":630', 1)
    path.write_text(text, "utf-8")
    verdict = verify(path)
    assert not verdict.ok
    assert "carryover.budget" in verdict.message


def test_an_unfinished_incident_of_a_shift_is_resumed_with_what_it_took_over(
    tmp_path: Path,
) -> None:
    resumed = reopen(record(tmp_path, played=played(), turns=9))
    resumed.writer.close()
    assert resumed.stepper.scenario == played()


def test_a_fork_takes_over_the_same(tmp_path: Path) -> None:
    path = record(tmp_path, played=played())
    assert fork_of(read_recording(path), 5).scenario == played()
