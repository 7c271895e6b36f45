"""What a debrief reveals first, and what would have told the twins."""

from __future__ import annotations

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import ledger
from chaosops.play.formatting import in_words
from chaosops.play.reveal import revealed, twins_told

WORLD = Scenario.load("checkout-times-out", seed=7)


def _end(result: EpisodeResult) -> tuple[dict[str, str], dict[str, str]]:
    last = result.steps[-1].observation
    facts = ledger(WORLD, result.steps, last)
    told = revealed(WORLD, last.view.diagnoses, facts, last.view.status)
    return dict(told), dict(twins_told(WORLD, result.steps))


def test_who_named_nothing_and_looked_nowhere_is_told_so() -> None:
    result = run_episode(ChaosOpsEnvironment(), WORLD, dict.fromkeys(TURN_ORDER, pass_turn))
    told, twins = _end(result)
    assert told["The team said"] == "nothing: no diagnosis was made."
    assert told["It was"] == "row lock."
    assert told["What decides"].startswith("runtime of db: ")
    assert told["What decides"].endswith("Nobody looked there.")
    assert {*twins} == {
        "Its twin deadlock",
        "Its twin DDL lock",
        "Its twin pool leak",
        "Its twin plan flip",
        "Its twin slow disk",
    }
    assert all(text.endswith("Nobody took a look at runtime.") for text in twins.values())


def test_a_right_diagnosis_is_told_with_its_place_and_stake_and_who_looked_when() -> None:
    expert = expert_policy(1)
    result = run_episode(ChaosOpsEnvironment(), WORLD, dict.fromkeys(TURN_ORDER, expert))
    told, twins = _end(result)
    assert told["The team said"].startswith("row lock at db, ")
    assert in_words(WORLD.failure_type) in told["It was"]
    assert " looked there at " in told["What decides"]
    assert not [text for text in twins.values() if "Nobody took a look" in text]
