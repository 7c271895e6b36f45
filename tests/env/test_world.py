import time

import pytest

from chaosops.env.models import ActionType, AgentRole, FrozenMap, InFlight
from chaosops.env.world import World, judge
from tests.env.situations import cases, scenario, world


def _item(made: World, verb: ActionType, target: str, **args: object) -> InFlight:
    item = InFlight(AgentRole.SRE, verb, target, FrozenMap(args), made.minute, made.minute + 1)
    made.in_flight.append(item)
    return item


def _world(cause: str) -> World:
    return world(scenario("checkout-times-out", cause)).world


def test_a_fork_goes_on_exactly_as_its_original() -> None:
    made = _world("row_lock")
    twin = made.fork()
    assert [(made.advance() and made.users_ok) or made.users_ok for _ in range(30)] == [
        (twin.advance() and twin.users_ok) or twin.users_ok for _ in range(30)
    ]


def test_what_happens_in_a_fork_stays_there() -> None:
    made, other = _world("row_lock"), _world("row_lock")
    twin = made.fork()
    _item(twin, ActionType.TERMINATE, "db")
    _item(twin, ActionType.SCALE, "cart", replicas=8)
    twin.failing(10)
    assert twin.is_over
    assert not made.is_over
    assert made.failing(20) == other.failing(20)


def test_a_fork_of_twelve_services_is_cheap() -> None:
    """0.2 ms on an idle machine; beside other tests it takes up to half as long again."""
    made = _world("slow_disk")
    best = 1.0
    for _round in range(5):
        begun = time.process_time()
        for _fork in range(50):
            made.fork()
        best = min(best, (time.process_time() - begun) / 50)
    assert best < 0.000_4


@pytest.mark.parametrize(("source", "cause"), cases())
def test_what_clears_a_cause_is_never_wrong_and_what_tempts_is(source: str, cause: str) -> None:
    made = scenario(source, cause)
    incident = made.incident
    for spec in incident.faults[0].clears:
        at_page = world(made).world
        at_page.paused = frozenset(agent.name for agent in incident.automation)
        verdict = judge(at_page, _item(at_page, spec.action, spec.target or "", **spec.arguments()))
        assert verdict.cleared
        assert not verdict.is_wrong
    for move in incident.tempting:
        at_page = world(made).world
        verdict = judge(at_page, _item(at_page, move.action, move.target or "", **move.arguments()))
        assert not verdict.cleared, move.action
        assert verdict.is_wrong, (move.action, move.target, verdict.without, verdict.with_it)


def test_what_an_agent_does_comes_back_until_it_is_paused() -> None:
    made = scenario("sign-in-errors", "rogue_promotion")
    spec = made.incident.faults[0].clears[0]
    running, held = world(made).world, world(made).world
    held.paused = frozenset({"deploy_bot"})
    for one in (running, held):
        _item(one, spec.action, spec.target or "", **spec.arguments())
        one.failing(2)
        assert not one.causes[0].is_live(one.minute)
    running.failing(2)
    held.failing(2)
    assert running.causes[0].is_live(running.minute)
    assert held.is_over


def test_a_rollback_of_another_change_clears_nothing_and_costs() -> None:
    made = scenario("sign-in-errors", "bad_release")
    at_page = world(made).world
    target = made.incident.faults[0].clears[0].target or ""
    verdict = judge(at_page, _item(at_page, ActionType.ROLLBACK, target, change="r1"))
    assert not verdict.cleared
    assert verdict.with_it > verdict.without


def test_a_landing_is_judged_by_ten_minutes_with_it_and_without() -> None:
    made = _world("row_lock")
    item = _item(made, ActionType.RESTART, "search")
    verdict = judge(made, item)
    without, with_it = made.fork(), made.fork()
    without.in_flight.clear()
    assert verdict.without == without.failing(10)
    assert verdict.with_it == with_it.failing(10)
    assert verdict.is_wrong == (verdict.with_it > 0.98 * verdict.without)


def test_controllers_act_in_a_fork_as_in_its_original() -> None:
    made = world(scenario("search-p99-high", "collector_thrash")).world
    twin = made.fork()
    told = [[(each.advance(), each.acts)[1] for _minute in range(30)] for each in (made, twin)]
    assert told[0] == told[1]
    assert any(act.before < act.after for acts in told[0] for act in acts)


def test_a_paused_agent_does_nothing() -> None:
    made = world(scenario("search-p99-high", "collector_thrash")).world
    made.paused = frozenset({"autoscaler"})
    sizes = [instances.count for instances in made.mesh.instances]
    for _minute in range(30):
        made.advance()
        assert not [act for act in made.acts if act.agent == "autoscaler"]
    assert [instances.count for instances in made.mesh.instances] == sizes


def test_what_is_scaled_by_hand_is_scaled_in_again_until_the_autoscaler_is_paused() -> None:
    made = scenario("search-p99-high", "rogue_scale_in")
    running, held = world(made).world, world(made).world
    held.paused = frozenset({"autoscaler"})
    place = running.causes[0].cast.place
    target = running.mesh.blueprint.services[place].name
    for one in (running, held):
        assert one.mesh.instances[place].count == 2
        _item(one, ActionType.SCALE, target, replicas=6)
        one.failing(8)
    assert running.causes[0].is_live(running.minute)
    assert running.mesh.instances[place].count == 2
    assert held.is_over
    assert held.mesh.instances[place].count == 6
