import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole
from chaosops.env.topology_context import TopologyContext
from chaosops.env.world_sim import Scenario
from tests.worlds import built_in, situations


@pytest.mark.slow
def test_an_environment_that_played_others_opens_as_a_fresh_one() -> None:
    scenario = Scenario.of(situations()[-1], 3)
    used = ChaosOpsEnvironment()
    for seed in range(12):
        used.reset(scenario.with_seed(seed))
    assert used.reset(scenario) == ChaosOpsEnvironment().reset(scenario)


def test_a_context_is_kept_for_another_scenario_on_the_same_topology() -> None:
    shop = [source for source in built_in() if source.topology.id == "shop"]
    other = next(source for source in built_in() if source.topology.id != "shop")
    first, second = (Scenario.of(source, 0) for source in (shop[0], shop[-1]))
    context = TopologyContext.of(first, None)
    assert TopologyContext.of(second, context) is context
    (look,) = (
        choice
        for choice in context.actions.allowed(AgentRole.OVERSIGHT, (), ())
        if choice.action_type is ActionType.INVESTIGATE
    )
    assert look.targets == tuple(sorted(agent.name for agent in second.incident.automation))
    assert TopologyContext.of(Scenario.of(other, 0), context) is not context
