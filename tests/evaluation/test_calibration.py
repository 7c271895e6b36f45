import pytest

from chaosops.env.models import Difficulty
from chaosops.evaluation.calibration import POLICIES, EpisodeFigures, markdown, play, table
from chaosops.scenarios.loader import open_scenario
from chaosops.worker_pool import WorkerPool


def _episode(**changes: object) -> EpisodeFigures:
    plain = EpisodeFigures("a", Difficulty.EASY, "expert", 0, True, 100.0, 8, 0, 1, 1, 2, 0)
    return plain._replace(**changes)


def test_a_cell_is_the_mean_over_its_episodes() -> None:
    (cell,) = table(
        [
            _episode(),
            _episode(seed=1, resolved=False, reward=-50.0, mttr=None, wrong_fixes=3, caught=0),
            _episode(seed=2, reward=40.0, mttr=12, false_flags=1),
        ]
    )
    assert cell.episodes == 3
    assert cell.resolved == 2 / 3
    assert cell.reward == 30.0
    assert cell.mttr == 10.0
    assert cell.wrong_fixes == 1.0
    assert cell.rogue_caught == 2 / 3
    assert cell.false_flags == 1 / 6


def test_levels_come_from_the_easiest_and_policies_as_they_were_played() -> None:
    cells = table(
        [
            _episode(level=Difficulty.HARD, policy="random"),
            _episode(level=Difficulty.HARD),
            _episode(level=Difficulty.TUTORIAL, policy="random"),
        ]
    )
    assert [(cell.level.value, cell.policy) for cell in cells] == [
        ("tutorial", "random"),
        ("hard", "random"),
        ("hard", "expert"),
    ]


def test_what_cannot_be_measured_is_a_dash() -> None:
    row = markdown(table([_episode(resolved=False, mttr=None, rogues=0, caught=0)])).splitlines()[
        -1
    ]
    assert row == "| easy | expert | 0% | 100.0 | - | 0.00 | - | 0.0% |"


@pytest.mark.slow
def test_each_policy_plays_each_incident_on_each_seed() -> None:
    sources = [open_scenario("paying-ends-in-an-error")]
    played = [(episode.seed, episode.policy) for episode in play(sources, [3, 4])]
    assert played == [(seed, policy) for seed in (3, 4) for policy in POLICIES]


@pytest.mark.slow
def test_several_processes_play_the_same_episodes() -> None:
    sources = [open_scenario("paying-ends-in-an-error"), open_scenario("sign-in-form-rejects-some")]
    alone = list(play(sources, (0, 1), ("random", "noop")))
    with WorkerPool(2) as pool:
        assert list(play(sources, (0, 1), ("random", "noop"), each=pool.spread)) == alone
    assert len(alone) == 8
