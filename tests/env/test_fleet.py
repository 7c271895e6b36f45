from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole
from chaosops.env.world_sim import Fleet, Scenario
from tests.worlds import built_in


def test_an_environment_that_played_forty_others_opens_as_a_fresh_one() -> None:
    scenario = Scenario.of(built_in()[-1], 3)
    used = ChaosOpsEnvironment()
    for seed in range(40):
        used.reset(scenario.with_seed(seed))
    assert used.reset(scenario) == ChaosOpsEnvironment().reset(scenario)


def test_a_fleet_is_kept_for_another_scenario_on_the_same_topology() -> None:
    first, second = (Scenario.of(source, 0) for source in built_in()[:2])
    fleet = Fleet.of(first)
    assert Fleet.of(second, fleet) is fleet
    (look,) = (
        choice
        for choice in fleet.actions.allowed(AgentRole.OVERSIGHT, (), ())
        if choice.action_type is ActionType.INVESTIGATE
    )
    assert look.targets == tuple(sorted(agent.name for agent in second.incident.automation))
