from pathlib import Path

import pytest

from tests.benchmarks.hour import MEBIBYTES, hour

pytestmark = pytest.mark.benchmark


def test_some_minutes_of_play_are_played_to_their_debrief_within_the_budget_of_an_hour(
    tmp_path: Path,
) -> None:
    played = hour(tmp_path, turns=5)
    assert played.turns >= 5
    assert played.incidents == played.debriefs >= 1
    assert len(list(tmp_path.glob("*.jsonl"))) == played.incidents
    assert 20.0 < played.mebibytes < MEBIBYTES
