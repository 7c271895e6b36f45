import time

from chaosops.env.models import ActionType
from chaosops.env.world import World
from tests.env.situations import in_flight, scenario, world


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
    in_flight(twin, ActionType.TERMINATE, "db")
    in_flight(twin, ActionType.SCALE, "cart", replicas=8)
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


def test_what_an_agent_does_comes_back_until_it_is_paused() -> None:
    made = scenario("sign-in-errors", "rogue_promotion")
    spec = made.incident.faults[0].clears[0]
    running, held = world(made).world, world(made).world
    held.paused = frozenset({"deploy_bot"})
    for one in (running, held):
        in_flight(one, spec.action, spec.target or "", **spec.arguments())
        one.failing(2)
        assert not one.causes[0].is_live(one.minute)
    running.failing(2)
    held.failing(2)
    assert running.causes[0].is_live(running.minute)
    assert held.is_over


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
        in_flight(one, ActionType.SCALE, target, replicas=6)
        one.failing(8)
    assert running.causes[0].is_live(running.minute)
    assert running.mesh.instances[place].count == 2
    assert held.is_over
    assert held.mesh.instances[place].count == 6


def _ejection(*paused: str) -> World:
    made = world(scenario("search-p99-high", "rogue_ejection")).world
    made.paused = frozenset(paused)
    return made


def test_while_the_health_checker_is_paused_nobody_takes_back_what_it_ejected() -> None:
    made = _ejection("health_checker")
    instances = made.mesh.instances[made.causes[0].cast.place]
    out = [i for i in range(instances.count) if not instances.serves(i, made.minute)]
    assert out
    for _minute in range(30):
        made.advance()
        assert not any(instances.serves(i, made.minute) for i in out)
    assert made.causes[0].is_live(made.minute)


def test_ejected_instances_serve_again_once_they_are_restarted_with_the_checker_paused() -> None:
    made = _ejection("health_checker")
    place = made.causes[0].cast.place
    in_flight(made, ActionType.RESTART, made.mesh.blueprint.services[place].name)
    made.failing(15)
    assert not made.mesh.instances[place].has_ejected(made.minute)
    assert made.is_over
    assert made.failing(5) < 5 * 0.01


def test_while_the_health_checker_runs_its_ejections_do_not_run_out() -> None:
    made = _ejection("autoscaler")
    made.failing(30)
    assert made.causes[0].is_live(made.minute)


def test_what_is_restarted_is_ejected_again_until_the_health_checker_is_paused() -> None:
    running, held = _ejection(), _ejection("health_checker")
    place = running.causes[0].cast.place
    for one in (running, held):
        in_flight(one, ActionType.RESTART, one.mesh.blueprint.services[place].name)
        one.failing(2)
    assert running.causes[0].is_live(running.minute)
    assert running.mesh.instances[place].has_ejected(running.minute)
    assert held.is_over
    assert not held.mesh.instances[place].has_ejected(held.minute)


def test_instances_added_by_hand_help_only_while_the_health_checker_lets_them_serve() -> None:
    made = _ejection()
    place = made.causes[0].cast.place
    in_flight(made, ActionType.SCALE, made.mesh.blueprint.services[place].name, replicas=10)
    made.failing(8)
    assert made.mesh.instances[place].count == 10
    assert made.mesh.nodes[place].instances == 2.0
