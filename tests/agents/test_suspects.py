"""Whom the expert suspects, and what it reads where few sessions fit into a pool."""

from __future__ import annotations

from itertools import count

from chaosops.agents.perception import facts
from chaosops.agents.reasoning import suspects
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Sign, Source
from chaosops.scenarios.scenario import Scenario
from tests.env.situations import world


def seed_of(situation: str, cause: str, *, place: str = "", decoy_at: str | None) -> Scenario:
    """The first seed with a cause, perhaps at a place, and a decoy at a place or none."""
    for seed in count():
        made = Scenario.load(situation, seed)
        truth = made.incident.drawn
        at = next((decoy.at for decoy in truth.decoys), None)
        if truth.cause.id == cause and place in ("", truth.place) and at == decoy_at:
            return made
    raise AssertionError


def suspected(made: Scenario) -> tuple[str, ...]:
    return suspects(ChaosOpsEnvironment().reset(made).view)


def test_a_slow_third_party_does_not_take_the_suspicion_off_the_stores_beside_it() -> None:
    alone = suspected(seed_of("dashboards-time-out", "slow_disk", decoy_at=None))
    assert alone[:2] == ("queries", "warehouse")
    both = suspected(seed_of("dashboards-time-out", "slow_disk", decoy_at="archive"))
    assert both[0] == "archive"
    assert both.index("warehouse") < both.index("queries")


def test_who_reads_from_a_queue_that_grows_is_a_suspect_though_it_is_well() -> None:
    made = seed_of("figures-hours-old", "slow_consumer", decoy_at=None)
    view = ChaosOpsEnvironment().reset(made).view
    assert {now.service: now.health.value for now in view.services or ()}["enrich"] == "healthy"
    assert suspects(view)[0] == "broker"
    assert "enrich" in suspects(view)[:3]


def test_few_sessions_wait_where_pools_are_small_and_one_old_transaction_is_enough() -> None:
    made = seed_of("dashboards-time-out", "row_lock", place="store", decoy_at=None)
    seen = {fact.sign for fact in facts(world(made).look(AgentRole.SRE, Source.RUNTIME, "store"))}
    assert {Sign.LOCK_WAIT, Sign.LOCK_HOLDER_IDLE} <= seen
    assert Sign.NOBODY_WAITS not in seen


def test_sessions_that_hold_no_lock_for_long_say_that_nobody_waits() -> None:
    made = seed_of("dashboards-time-out", "slow_disk", decoy_at=None)
    seen = {
        fact.sign for fact in facts(world(made).look(AgentRole.SRE, Source.RUNTIME, "warehouse"))
    }
    assert Sign.NOBODY_WAITS in seen
    assert Sign.LOCK_HOLDER_IDLE not in seen
