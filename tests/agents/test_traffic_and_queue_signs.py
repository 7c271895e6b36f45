"""What an experienced person sees in the inside of overloaded applications and of queues."""

from __future__ import annotations

import pytest

from chaosops.agents.handbook import pages_of
from chaosops.agents.perception import facts
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Sign, Source
from tests.env.families import living

TOLD = {
    # cause: (where to look, what is seen there, the service behind it)
    ("overload", "retry_storm"): ("", Sign.RETRIES_HIGH, "edge"),
    ("overload", "reconnect_herd"): ("", Sign.NEW_CONNECTIONS_SURGE, ""),
    ("overload", "hostile_traffic"): ("", Sign.FEW_NETWORKS, ""),
    ("overload", "genuine_surge"): ("", Sign.MORE_PEOPLE, ""),
    ("overload", "hot_path"): ("", Sign.ONE_RULE_HOT, ""),
    ("overload", "noisy_neighbour"): ("", Sign.ONE_NOISY_CALLER, ""),
    ("database_waits", "cascade"): ("", Sign.CLIENTS_GONE, ""),
    ("overload", "cold_cache"): ("cache", Sign.CACHE_NODES_REPLACED, ""),
    ("queues", "poison_message"): ("", Sign.SAME_MESSAGE_FAILS, ""),
    ("queues", "hot_partition"): ("", Sign.PARTITION_SKEW, "gateway"),
    ("queues", "rebalance_loop"): ("", Sign.GROUP_REBALANCES, "enrich"),
    ("queues", "slow_consumer"): ("", Sign.MESSAGES_SLOW, "enrich"),
}

SIGNS = {sign for _where, sign, _by in TOLD.values()}


def moment(family: str, cause: str, minutes: int) -> LivingWorld:
    made = living(family, cause)
    for _minute in range(minutes):
        made.advance()
    return made


@pytest.mark.few(1)
@pytest.mark.parametrize("minutes", [2, 10])
@pytest.mark.parametrize(("family", "cause"), TOLD)
def test_its_reading_shows_a_cause_and_none_of_its_twins(
    family: str, cause: str, minutes: int
) -> None:
    made = moment(family, cause, minutes)
    cast = made.truth.casts[0]
    where, sign, by = TOLD[family, cause]
    place = where or made.world.mesh.blueprint.services[cast.place].name
    seen = facts(made.look(AgentRole.SRE, Source.RUNTIME, place))
    # A partition that stands still has most of the messages as well.
    extra = {Sign.PARTITION_SKEW} if cause == "poison_message" else set()
    assert {fact.sign for fact in seen} & SIGNS - extra == {sign}
    (fact,) = [fact for fact in seen if fact.sign is sign]
    assert not by or fact.by == by
    pages = pages_of(cast.cause.failure_type)
    assert {sign} in [page.settled_by for page in pages]


@pytest.mark.parametrize("place", ["catalog", "checkout", "notifications", "edge", "cache"])
def test_services_that_are_well_show_none_of_these(place: str) -> None:
    made = moment("overload", "noisy_neighbour", 2)
    if place != made.world.mesh.blueprint.services[made.truth.casts[0].place].name:
        seen = facts(made.look(AgentRole.SRE, Source.RUNTIME, place))
        assert not {fact.sign for fact in seen} & SIGNS
