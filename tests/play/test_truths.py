"""The causes that were met are those that the seeds of finished games drew."""

from __future__ import annotations

from pathlib import Path

from chaosops.agents.policies import pass_turn
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.play.progress import read_progress
from chaosops.play.session import Session
from chaosops.play.truths import Truths, truths_met
from chaosops.recording.events import Header
from chaosops.scenarios.summaries import scenario_summaries
from tests.tui.games import UI, roster

INCIDENT = "paying-ends-in-an-error"


def drawn(seed: int) -> str:
    return Scenario.load(INCIDENT, seed).incident.drawn.cause.id


def with_seeds(tmp_path: Path, *seeds: int) -> list[Header]:
    """The headers of games on these seeds, each left after a turn."""
    for seed in seeds:
        scenario = Scenario.load(INCIDENT, seed)
        session = Session(scenario, roster(*TURN_ORDER), recordings=tmp_path, ui=UI)
        session.submit(session.turn, pass_turn(session.observation, session.role))
        session.close()
    left = read_progress(tmp_path, scenario_summaries()).unfinished
    return [game.header for game in left if game.header is not None]


def test_seeds_that_draw_the_same_cause_count_once(tmp_path: Path) -> None:
    first = drawn(0)
    same = next(seed for seed in range(1, 60) if drawn(seed) == first)
    other = next(seed for seed in range(1, 60) if drawn(seed) != first)
    headers = with_seeds(tmp_path, 0, same, other)
    possible = len({drawn(seed) for seed in range(60)})
    assert truths_met(headers) == {INCIDENT: Truths(2, possible)}


def test_a_game_of_another_version_of_the_file_or_of_a_file_that_is_gone_is_left_out(
    tmp_path: Path,
) -> None:
    (header,) = with_seeds(tmp_path, 0)
    changed = header.model_copy(update={"scenario_sha256": "0" * 64})
    gone = header.model_copy(update={"scenario": "no-such-incident"})
    assert truths_met([changed, gone]) == {}
    assert truths_met([]) == {}
