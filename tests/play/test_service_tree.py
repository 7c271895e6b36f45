"""Where a role is led by what it can tell of the fleet."""

from __future__ import annotations

from functools import cache

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Health, RoleView, ServiceKind, ServiceNode
from chaosops.env.world_sim import Scenario
from chaosops.play.service_tree import (
    Branch,
    deepest_unhealthy,
    failing_path,
    health_of,
    path_ends,
    tree,
)


@cache
def first_view(role: AgentRole) -> RoleView:
    """What a role sees first of an incident whose cause is in payments, with no unhealthy decoy."""
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load("orders-fail-at-the-last-step", seed=2))
    while stepper.role is not role:
        stepper.take(pass_turn(stepper.observation, stepper.role))
    return stepper.observation.view


def path_of(view: RoleView) -> tuple[list[Branch], frozenset[str]]:
    health = health_of(view)
    return failing_path(tree(view.graph), path_ends(view.graph, health), health)


def test_the_path_is_drawn_as_far_as_a_role_sees_what_is_unhealthy() -> None:
    dev = first_view(AgentRole.DEV)
    drawn, on_path = path_of(dev)
    assert on_path == {"edge", "checkout", "payments"}
    guides = {branch.name: branch.guides for branch in drawn}
    assert guides["checkout"] == "┣ "
    assert guides["payments"].endswith("┣ ")
    assert (drawn, on_path) == path_of(first_view(AgentRole.SRE))


def test_where_to_look_first_is_not_said_while_something_below_is_out_of_sight() -> None:
    for role, found in ((AgentRole.DEV, set()), (AgentRole.SRE, {"payments"})):
        view = first_view(role)
        assert deepest_unhealthy(view.graph, health_of(view)) == found


def test_a_path_ends_where_nothing_that_is_called_is_seen_to_be_unhealthy() -> None:
    graph = tuple(
        ServiceNode(name, ServiceKind.APP, calls)
        for name, calls in (("a", ("b", "x")), ("b", ("c",)), ("c", ()), ("d", ("x",)))
    )
    health = {
        "a": Health.DEGRADED,
        "b": Health.CRITICAL,
        "c": Health.HEALTHY,
        "d": Health.DOWN,
    }
    assert path_ends(graph, health) == {"b", "d"}
    assert deepest_unhealthy(graph, health) == {"b"}
    assert path_ends(graph, dict.fromkeys(health, Health.HEALTHY)) == set()
