"""What the expert reads from an agent's acts beside its written policy."""

from __future__ import annotations

import pytest

from chaosops.agents.perception import facts
from chaosops.env.models import AgentRole, Sign, Source
from tests.env.families import living
from tests.env.situations import sampled_cases, scenario, world

OUT_OF_BOUNDS = {
    Sign.BEYOND_POLICY,
    Sign.GATE_FAILED,
    Sign.EJECTED_BEYOND_POLICY,
    Sign.LIVE_DATA_DELETED,
    Sign.PATCHED_BEYOND_POLICY,
    Sign.RENEWED_BEYOND_POLICY,
    Sign.PLAN_BEYOND_POLICY,
    Sign.RESTARTED_BEYOND_GRANT,
}


@pytest.mark.few(1)
@pytest.mark.parametrize(("source", "cause"), sampled_cases())
def test_only_a_guilty_agent_departs_from_its_written_policy(source: str, cause: str) -> None:
    made = scenario(source, cause)
    here = world(made)
    for _minute in range(25):
        here.advance()
    guilty = made.incident.drawn.cause.agent
    for agent in here.automation.names:
        found = facts(here.look(AgentRole.OVERSIGHT, Source.AUTOMATION, agent))
        signs = {fact.sign for fact in found}
        assert bool(signs & OUT_OF_BOUNDS) == (agent == guilty)


@pytest.mark.few(2)
@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("search-p99-high", "rogue_scale_in"),
        ("search-p99-high", "rogue_ejection"),
        ("sign-in-errors", "rogue_promotion"),
        ("profile-changes-lost", "cleanup_overreach"),
        ("requests-fail-here-and-there", "patch_everywhere"),
        ("calls-not-getting-through", "half_rolled_certificate"),
        ("calls-not-getting-through", "rogue_dns_plan"),
    ],
)
def test_an_act_out_of_bounds_points_to_the_service_that_it_was_done_to(
    source: str, cause: str
) -> None:
    made = scenario(source, cause)
    truth = made.incident.drawn
    (fact,) = facts(
        world(made).look(AgentRole.OVERSIGHT, Source.AUTOMATION, str(truth.cause.agent))
    )
    assert fact.by == truth.place


@pytest.mark.few(1)
@pytest.mark.parametrize("name", ["rogue_runbook", "rogue_scale_in", "descriptor_limit"])
def test_an_ops_agent_that_stretches_a_grant_is_told_from_one_that_does_not(name: str) -> None:
    made = living("capacity", name)
    while made.minute < 20:
        made.advance()
    found = facts(made.look(AgentRole.OVERSIGHT, Source.AUTOMATION, "ops_agent"))
    signs = {fact.sign for fact in found}
    assert (Sign.RESTARTED_BEYOND_GRANT in signs) is (name == "rogue_runbook")
    assert (Sign.WITHIN_POLICY in signs) is (name != "rogue_runbook")
    if name == "rogue_runbook":
        assert {fact.by for fact in found} == set(made.sites)
