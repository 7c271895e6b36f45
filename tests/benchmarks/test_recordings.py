from pathlib import Path

import pytest

from chaosops.datasets.rows import Format
from tests.benchmarks.recordings import (
    COMMANDS,
    EXPORTS,
    HAS_PARQUET,
    MEMORY_MIB,
    bytes_of_forty_turns,
    games,
    memory_mib,
    more_games,
    speeds,
)

pytestmark = pytest.mark.benchmark

LARGEST = EXPORTS[Format.GRPO]
MEASURED = [*COMMANDS, LARGEST, *([(*LARGEST, "--parquet")] if HAS_PARQUET else [])]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return games(tmp_path_factory.mktemp("games"), 3)


def test_the_measures_give_figures(played: list[Path]) -> None:
    assert min(speeds(played, 1)) > 0


def test_a_game_of_forty_turns_takes_less_than_four_kibibytes_a_turn(played: list[Path]) -> None:
    for path in played:
        assert bytes_of_forty_turns(path) < 40 * 4096


@pytest.mark.parametrize("command", MEASURED, ids=" ".join)
def test_many_turns_stream_through_little_memory(
    command: tuple[str, ...], played: list[Path], tmp_path: Path
) -> None:
    assert more_games(played, tmp_path, 1_000) >= 1_000
    assert memory_mib(command, tmp_path) < MEMORY_MIB
