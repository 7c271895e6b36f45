"""A restart or a rollback of one instance: what it does there, and what it leaves alone."""

from __future__ import annotations

import pytest

from chaosops.env.judgement import judge
from chaosops.env.landing_samples import measure_one, measured_on_one
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, PaidFor
from chaosops.env.models.scope import scope_problem
from chaosops.env.physics.certificate import Certificate
from chaosops.env.physics.instances import Instances
from chaosops.env.physics.memory import Memory
from chaosops.env.physics.objects import Objects
from chaosops.env.world import World
from tests.env.situations import in_flight, scenario, world
from tests.worlds import hand_made, play

BAD_RELEASE = ("orders-fail-at-the-last-step", "bad_release")
LEAK = ("slow-then-errors", "memory_leak")
CERTIFICATE = ("visitors-turned-away-at-once", "half_rolled_certificate")


def _fleet(case: tuple[str, str], minutes: int = 8) -> tuple[World, str, dict[str, object]]:
    """A world some minutes after the page, the place of its cause, and the rollback's change."""
    made = scenario(*case)
    at = world(made).world
    at.paused = frozenset(agent.name for agent in made.incident.automation)
    for _minute in range(minutes):
        at.advance()
    cure = next(each for each in made.incident.faults[0].clears if each.action == "rollback")
    return at, cure.target or "", dict(cure.arguments())


def _instances(at: World, target: str) -> Instances:
    return at.mesh.instances[at.mesh.blueprint.index[target]]


def test_a_rollback_of_one_of_two_bad_instances_halves_the_failures() -> None:
    """Two of three instances run the release at minute 8, and each fails the same share."""
    at, target, change = _fleet(BAD_RELEASE)
    assert _instances(at, target).build == (1, 1, 0)
    verdict = judge(at, in_flight(at, ActionType.ROLLBACK, target, **change, instance=1))
    assert not verdict.cleared
    assert not verdict.is_wrong
    assert verdict.with_it == pytest.approx(verdict.without / 2, rel=0.01)


def test_a_rollback_of_the_instance_that_has_the_old_build_is_wrong() -> None:
    at, target, change = _fleet(BAD_RELEASE)
    verdict = judge(at, in_flight(at, ActionType.ROLLBACK, target, **change, instance=3))
    assert verdict.is_wrong
    assert verdict.with_it == pytest.approx(verdict.without, rel=0.01)


def test_a_rollback_of_another_change_does_nothing_for_an_instance() -> None:
    at, target, _change = _fleet(BAD_RELEASE)
    in_flight(at, ActionType.ROLLBACK, target, change="r1", instance=1)
    at.advance()
    assert _instances(at, target).build[0] == 1
    assert not _instances(at, target).spared
    assert at.causes[0].is_live(at.minute)


@pytest.mark.parametrize("case", [BAD_RELEASE, LEAK], ids=["release", "leak"])
def test_one_instance_after_the_other_clears_the_cause_with_the_last_one(
    case: tuple[str, str],
) -> None:
    at, target, change = _fleet(case)
    count = _instances(at, target).count
    for number in range(1, count + 1):
        assert at.causes[0].is_live(at.minute)
        item = in_flight(at, ActionType.ROLLBACK, target, **change, instance=number)
        at.advance()
    assert not at.causes[0].is_live(at.minute)
    assert at.first_cure is item
    assert not _instances(at, target).spared
    at.failing(10)
    assert at.users_ok > 0.999
    assert at.is_over


def test_instances_that_are_restarted_load_the_certificate_of_the_store_one_by_one() -> None:
    """The first of four loaded it when it was renewed, and a third of four is rounded up to two."""
    at, target, _change = _fleet(CERTIFICATE)
    part = at.mesh.part(at.mesh.blueprint.index[target], "certificate")
    assert isinstance(part, Certificate)
    stale = [i for i, served in enumerate(part.served) if served < part.stored]
    assert stale
    for done, i in enumerate(stale, 1):
        assert at.causes[0].is_live(at.minute)
        in_flight(at, ActionType.RESTART, target, instance=i + 1)
        at.advance()
        assert part.served.count(part.stored) == len(part.served) - len(stale) + done
    assert not at.causes[0].is_live(at.minute)
    stored = part.stored
    at.failing(5)
    assert part.stored == stored


def test_a_restart_frees_the_memory_of_that_instance_alone() -> None:
    at, target, _change = _fleet(LEAK)
    part = at.mesh.part(at.mesh.blueprint.index[target], "memory")
    assert isinstance(part, Memory)
    before = part.leaked
    assert all(leaked > 5.0 for leaked in before)
    in_flight(at, ActionType.RESTART, target, instance=2)
    at.advance()
    assert part.leaked[1] < before[1] / 4
    for i in (0, 2, 3):
        assert part.leaked[i] >= before[i]
    assert at.causes[0].is_live(at.minute)


def test_copies_of_objects_are_lost_by_the_share_of_one_instance() -> None:
    at, target, _change = _fleet(LEAK, 0)
    service = at.mesh.blueprint.index[target]
    count = at.mesh.instances[service].count
    objects = Objects(service)
    objects.land_on_one(ActionType.RESTART, 0, at.mesh)
    assert objects.held == pytest.approx(0.25 * (1.0 - 1.0 / count))


def test_what_instances_share_is_untouched() -> None:
    """The rule by which alerts count is no part of an instance."""
    at, target, change = _fleet(("sign-in-form-rejects-some", "tight_threshold"))
    for number in range(1, _instances(at, target).count + 1):
        in_flight(at, ActionType.ROLLBACK, target, **change, instance=number)
        at.advance()
    assert at.causes[0].is_live(at.minute)


def test_an_instance_that_is_gone_when_the_move_lands_is_no_instance() -> None:
    at, target, change = _fleet(BAD_RELEASE)
    in_flight(at, ActionType.ROLLBACK, target, **change, instance=9)
    twin = at.fork()
    twin.in_flight.clear()
    assert at.failing(10) == twin.failing(10)


def test_a_fork_keeps_which_instances_are_spared() -> None:
    at, target, change = _fleet(BAD_RELEASE)
    in_flight(at, ActionType.ROLLBACK, target, **change, instance=1)
    at.advance()
    twin = at.fork()
    assert _instances(twin, target).spared == {0}
    assert at.failing(10) == twin.failing(10)


def test_a_fix_of_all_of_them_forgets_which_were_spared() -> None:
    at, target, change = _fleet(BAD_RELEASE)
    in_flight(at, ActionType.ROLLBACK, target, **change, instance=1)
    at.advance()
    in_flight(at, ActionType.ROLLBACK, target, **change)
    at.advance()
    assert not _instances(at, target).spared
    assert not at.causes[0].is_live(at.minute)


def test_a_landing_tells_the_instance_from_the_rest() -> None:
    at, target, change = _fleet(BAD_RELEASE)
    service = at.mesh.blueprint.index[target]
    before = measure_one(at.mesh, service, 0, at.minute)
    in_flight(at, ActionType.ROLLBACK, target, **change, instance=1)
    at.advance()
    rows = measured_on_one(before, measure_one(at.mesh, service, 0, at.minute))
    assert [row.signal for row in rows[:2]] == ["errors of instance 1", "errors of the rest"]
    own, rest = rows[:2]
    assert own.before > 10.0 > own.after
    assert rest.after == pytest.approx(rest.before, rel=0.2)


def _living() -> LivingWorld:
    return world(scenario(*BAD_RELEASE))


@pytest.mark.parametrize(
    ("target", "instance", "problem"),
    [
        ("payments", 4, "payments has no instance '4' now"),
        ("payments", "payments-zzzz", "take a name from a reading of now, or a number from 1 to 3"),
        ("db", 1, "db has no instances that stand for each other: leave 'instance' out"),
        ("payments", 3, ""),
    ],
)
def test_there_has_to_be_such_an_instance(target: str, instance: object, problem: str) -> None:
    action = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, target, {"instance": instance})
    said = _living().problem_here(action)
    assert problem in said if problem else not said


@pytest.mark.parametrize("value", [0, -1, 100, True, 1.5, "", "  ", "x" * 81, [1], {"a": 1}])
def test_what_names_no_instance_is_malformed(value: object) -> None:
    assert scope_problem(value).startswith("'instance' is")


def test_a_name_as_instruments_show_it_is_as_good_as_a_number() -> None:
    living = _living()
    names = living.scene.instances(living.context.blueprint.index["payments"])
    assert len(set(names)) == 3
    action = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "payments", {"instance": names[1]})
    assert not living.problem_here(action)
    assert living.settled(action).args["instance"] == 2


def test_in_a_game_it_lands_two_minutes_later_and_costs_eight_where_it_is_wrong() -> None:
    """The cause is a lock in db, so that no instance of search has anything to do with it."""
    ordered = {0: ("restart", "search", {"instance": 1})}
    one = play(hand_made(), ordered, turns=8)
    whole = play(hand_made(), {0: ("restart", "search", {})}, turns=8)
    (item,) = [each for each in one.view_of(AgentRole.SRE).landed if each.target == "search"]
    (usual,) = [each for each in whole.view_of(AgentRole.SRE).landed if each.target == "search"]
    assert item.lands == usual.lands + 2
    assert sum(step.breakdown.wrong_fix_penalty for step in one.steps) == -8.0
    assert sum(step.breakdown.wrong_fix_penalty for step in whole.steps) == -25.0
    paid = one.view_of(AgentRole.SRE).paid or ()
    assert [(each.component, each.amount) for each in paid] == [(PaidFor.WRONG_FIX, -8.0)]
    landing = (one.view_of(AgentRole.SRE).landings or ())[-1]
    assert landing.measured[0].signal == "errors of instance 1"


def test_a_malformed_instance_costs_the_turn_and_says_why() -> None:
    for value in (0, 99, "nobody", [2]):
        played = play(hand_made(), {0: ("restart", "search", {"instance": value})}, turns=1)
        step = played.steps[0]
        assert step.breakdown.miscommunication_penalty == -20.0
        assert "instance" in step.message
        assert not played.view_of(AgentRole.SRE).in_flight
    other = play(hand_made(), {0: ("scale", "search", {"replicas": 3, "instance": 1})}, turns=1)
    assert "scale has no argument 'instance'" in other.steps[0].message
