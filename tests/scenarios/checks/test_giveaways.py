"""Nothing that is shown in play, by itself, names the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chaosops.env.models import FailureType
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.checks.giveaways import says
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.rendering import ScenarioSource
from tests.scenarios.files import INCIDENT, assert_named, edited, write
from tests.worlds import built_in

PER_INCIDENT = pytest.mark.parametrize("source", built_in(), ids=lambda source: source.id)
SEEDS = range(3)

SHOWN_IN_PLAY = {
    # what an author wrote: (old, new, field, part of the message)
    "a title": (
        "title: Customers cannot sign in",
        "title: The HEAP of sign-in is full",
        "title",
        '"HEAP" gives the answer away, memory_leak; describe the symptom, and leave the cause',
    ),
    "a ticket": (
        "I am asked for my password",
        "You throttle me",
        "tickets.0.text",
        '"throttl" gives the answer away, cpu_throttling',
    ),
    "the duty of an agent": (
        "duty: Merges small files",
        "duty: Merges files while the zone is down",
        "automation.2.duty",
        '"zone is down" gives the answer away, zone_outage',
    ),
    "the policy of an agent": (
        "policy: One bucket at a time",
        "policy: Never holds a lock",
        "automation.2.policy",
        '"holds a lock" gives the answer away, row_lock',
    ),
    "what an agent does": (
        "        act: compact\n",
        "        act: cost cut\n",
        "automation.2.events.0.act",
        '"cost cut" gives the answer away, autoscaler_cost_cut',
    ),
    "why an agent does it": (
        "reason: 4100 small files",
        "reason: everyone will reconnect",
        "automation.2.events.0.reason",
        '"reconnect" gives the answer away, reconnect_herd',
    ),
    "how it was approved": (
        "        approval: standing policy\n",
        "        approval: memory leak policy\n",
        "automation.2.events.0.approval",
        '"memory leak" gives the answer away, memory_leak',
    ),
}


@pytest.mark.parametrize("what", SHOWN_IN_PLAY)
def test_a_text_that_names_a_cause_that_may_be_drawn_is_named_with_its_line(
    what: str, tmp_path: Path
) -> None:
    old, new, field, message = SHOWN_IN_PLAY[what]
    assert_named(tmp_path, old, new, new.strip(), field, message)


def test_an_id_that_names_a_cause_is_a_problem_as_well(tmp_path: Path) -> None:
    text = edited(INCIDENT, "id: slow-sign-in", "id: the-memory-leak")
    (problem,) = check_file(write(tmp_path, text, "the-memory-leak"))
    assert problem.field == "id"
    assert '"memory-leak" gives the answer away' in problem.message


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: Customers cannot sign in", "title: Customers see a deadlock"),
        ("nudge: Compare the services", "nudge: Look for a leak. Compare the services"),
        ("misleading: The database", "misleading: There was a leak before. The database"),
        ("text: Search rebuilt its index", "text: Search was throttled"),
    ],
    ids=["a cause that is not cast", "a hint", "the debrief", "a decoy, for the debrief"],
)
def test_what_gives_nothing_away_is_fine(old: str, new: str, tmp_path: Path) -> None:
    assert check_file(write(tmp_path, edited(INCIDENT, old, new))) == []


def _shown(scenario: Scenario) -> Iterator[str]:
    told = scenario.incident
    yield from (told.id, told.title, scenario.page)
    yield from (rule.text for rule in scenario.topology.alerts)
    yield from (ticket.text for ticket in told.tickets)
    for agent in told.automation:
        yield from (agent.duty, agent.policy)
        for event in agent.events:
            yield from (event.act, event.reason, event.approval)


@PER_INCIDENT
def test_nothing_in_play_names_the_answer(source: ScenarioSource) -> None:
    for seed in SEEDS:
        scenario = Scenario.of(source, seed)
        cause = FailureType(scenario.failure_type)
        for text in _shown(scenario):
            assert says(text, cause) == "", text


@pytest.mark.parametrize("cause", FailureType)
def test_every_cause_is_named_by_its_own_name(cause: FailureType) -> None:
    assert says(f"it was a {cause.value.replace('_', ' ').upper()} again", cause)


def test_words_inside_of_other_words_give_nothing_away() -> None:
    assert says("build image of spending-insights", FailureType.BLOCKED_CAPACITY) == ""
    assert says("3 instances pending", FailureType.BLOCKED_CAPACITY) == "pending"
    assert says("a throttled client", FailureType.CPU_THROTTLING) == "throttl"
