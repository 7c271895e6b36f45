"""Nothing that is shown in play, by itself, names the answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

import pytest

from chaosops.env.models import FailureType, LogLevel
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.loader import ScenarioSource, find_scenarios
from chaosops.scenarios.schema import AgentSpec

SOURCES = find_scenarios()
PER_INCIDENT = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)
SEEDS = range(3)

_F = FailureType
SAYS_IT: Final[Mapping[FailureType, str]] = MappingProxyType(
    {
        _F.BAD_CONFIG_PUSH: r"broken (config|setting)|invalid (config|setting)",
        _F.LATENT_BUG: r"\bbug\b|null pointer|\bpanic",
        _F.DEAD_CODE_FLAG: r"dead code|old code",
        _F.MIGRATION_LOCK: r"exclusive lock|alter table",
        _F.HOT_CODE_PATH: r"regex|backtrack|\bhot\b",
        _F.MEMORY_LEAK: r"\bleak|out of memory|\bheap\b",
        _F.CPU_THROTTLING: r"throttl",
        _F.THREAD_LIMIT: r"thread limit|too many threads",
        _F.DISK_FULL: r"enospc|no space|disk is full|volume is full",
        _F.POOL_EXHAUSTED: r"pool (is )?(exhausted|empty)",
        _F.QUOTA_THROTTLING: r"\b429\b|quota|rate limit",
        _F.DB_DEADLOCK: r"deadlock|lock cycle",
        _F.ID_EXHAUSTION: r"out of range|overflow|2147483647",
        _F.REPLICA_LAG: r"replication lag|split brain",
        _F.HOT_SHARD: r"\bshard",
        _F.COLD_CACHE: r"cold cache|cache (is )?(cold|empty)",
        _F.POISON_MESSAGE: r"poison|cannot be parsed",
        _F.BLOCKED_CAPACITY: r"quota|pending",
        _F.RETRY_STORM: r"storm|retry budget",
        _F.RECONNECT_HERD: r"\bherd\b|reconnect",
        _F.CASCADE: r"cascad|retry storm|second failure",
        _F.DNS_OUTAGE: r"\bdns\b|servfail|nxdomain",
        _F.PACKET_LOSS: r"packet loss|packets lost|retransmi",
        _F.EXPIRED_CERTIFICATE: r"expired|notafter",
        _F.CLOCK_ERROR: r"\bclock\b|\bntp\b|skew",
        _F.ZONE_OUTAGE: r"zone (is )?(down|gone|out)\b|power",
        _F.AUTOSCALER_COST_CUT: r"cost cut|saving",
        _F.MISROUTED_TRAFFIC: r"misrout",
        _F.ROGUE_DEPLOY_BOT: r"rogue|gate failed|canary=fail",
        _F.UNFINISHED_RENEWAL: r"not reloaded|old certificate",
        _F.CLEANUP_OVERREACH: r"live (files|data)|still in use",
        _F.UNAPPROVED_AI_CHANGE: r"unapproved|not approved|nobody approved",
        _F.STALE_DNS_PLAN: r"stale|empty record|record is empty",
        _F.PATCH_EVERYWHERE: r"all hosts|everywhere at once",
        _F.FALSE_ALARM: r"false alarm|monitor is wrong",
    }
)
"""What would say it plainly, beside the cause's own name."""


def _shown(scenario: Scenario) -> Iterator[str]:
    told = scenario.incident
    yield from (told.id, told.title, scenario.page)
    yield from (rule.text for rule in scenario.topology.alerts)
    yield from (log.text for log in told.logs)
    yield from (ticket.text for ticket in told.tickets)
    yield from (change.text for change in told.changes)
    for agent in told.automation:
        yield from (agent.duty, agent.policy)
        for event in (*agent.events, *((agent.rogue,) if agent.rogue else ())):
            yield from (event.act, event.reason, event.approval)


@PER_INCIDENT
def test_nothing_in_play_names_the_answer(source: ScenarioSource) -> None:
    for seed in SEEDS:
        scenario = Scenario.of(source, seed)
        for cause in (scenario.failure_type, *scenario.incident.also_right):
            name = cause.value.replace("_", "[ _-]")
            for text in _shown(scenario):
                said = re.search(f"{name}|{SAYS_IT[cause]}", text, re.IGNORECASE)
                assert said is None, text


def test_the_words_that_say_it_are_listed_for_every_cause() -> None:
    assert set(SAYS_IT) == set(FailureType)


@pytest.mark.parametrize(
    "source", [s for s in SOURCES if s.render(0).faults], ids=lambda source: source.id
)
def test_errors_in_the_logs_end_with_the_fault(source: ScenarioSource) -> None:
    errors = [log for log in source.render(0).logs if log.level is LogLevel.ERROR]
    assert [log.text for log in errors if log.while_live is None] == []


def _approvals(agent: AgentSpec) -> set[str]:
    """How they are worded, whichever team they name."""
    events = (*agent.events, *((agent.rogue,) if agent.rogue else ()))
    return {re.sub(r"\w+ team", "TEAM", event.approval) for event in events}


def test_no_approval_is_worded_as_only_the_guilty_word_it() -> None:
    agents = [agent for source in SOURCES for agent in source.render(0).automation]
    guilty = Counter(a for agent in agents if agent.rogue for a in _approvals(agent))
    innocent = Counter(a for agent in agents if not agent.rogue for a in _approvals(agent))
    assert {approval for approval in guilty if innocent[approval] <= guilty[approval]} == set()


@PER_INCIDENT
def test_no_customer_tells_of_a_recovery_that_only_a_mended_fault_would_bring(
    source: ScenarioSource,
) -> None:
    for ticket in source.render(0).tickets:
        recovered = r"was back for|worked for (a|one) minute|got better for"
        assert re.search(recovered, ticket.text, re.IGNORECASE) is None, ticket.text
