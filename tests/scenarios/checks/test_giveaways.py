"""Nothing that is shown in play, by itself, names the answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from chaosops.env.models import FailureType, LogLevel
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.checks.giveaways import says
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import AgentSpec
from tests.worlds import built_in

SOURCES = built_in()
PER_INCIDENT = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)
SEEDS = range(3)


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
            for text in _shown(scenario):
                assert says(text, cause) == "", text


@pytest.mark.parametrize("cause", FailureType)
def test_every_cause_is_named_by_its_own_name(cause: FailureType) -> None:
    assert says(f"it was a {cause.value.replace('_', ' ').upper()} again", cause)


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
    agents = [
        agent
        for source in SOURCES
        if source.drawing is None  # in a situation the log follows from what an agent does
        for agent in source.render(0).automation
    ]
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
