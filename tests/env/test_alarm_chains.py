"""An alarm without an outage, and the overload that whoever restarts for it sets off."""

from __future__ import annotations

import pytest

from chaosops.agents.policies import expert_policy
from chaosops.env.causes import NEVER
from chaosops.env.judgement import judge
from chaosops.env.models import TURN_ORDER, ActionType, ChaosOpsAction, PaidFor
from chaosops.play.follow_ups import follow_ups
from tests.env.chains import MANAGER, SRE, Play
from tests.env.situations import in_flight, left_alone, scenario, seeds_by_cause, world

V = ActionType
SITUATION, ALARM, HERD = "errors-come-and-go", "broken_probe", "reconnect_herd"
ALARMED = scenario(SITUATION, ALARM)


def restarted() -> Play:
    """A game in which the SRE restarts what the alarm is about in the first turn."""
    game = Play(ALARMED)
    game.act(SRE, V.RESTART, "checkout")
    return game


def test_its_restart_begins_an_outage_two_minutes_later_at_most() -> None:
    game = restarted()
    assert game.world.faults_live == (ALARM,)
    lands = game.world.landed[-1].lands
    (follower,) = ALARMED.incident.followers
    assert 1 <= follower.after <= 2
    game.pass_until(lands + follower.after)
    assert game.world.faults_live == (ALARM, HERD)
    assert game.world.world.causes[1].cast.onset == lands + follower.after


@pytest.mark.few(1)
@pytest.mark.parametrize("verb", [V.RESTART, V.ROLLBACK])
def test_what_is_started_anew_is_wrong_and_users_fare_worse_for_ten_minutes(
    verb: ActionType,
) -> None:
    made = world(ALARMED)
    effect = judge(made.world, in_flight(made.world, verb, "checkout"))
    assert effect.is_wrong
    assert effect.with_it > 1.5 * effect.without


@pytest.mark.few(1)
@pytest.mark.parametrize("verb", [V.ROTATE, V.SCALE])
def test_what_starts_nothing_anew_sets_nothing_off(verb: ActionType) -> None:
    game = Play(ALARMED)
    in_flight(game.world.world, verb, "checkout", replicas=4)
    game.pass_(20)
    assert game.world.world.causes[1].cast.onset == NEVER


def test_one_instance_alone_sets_nothing_off() -> None:
    game = Play(ALARMED)
    game.act(SRE, V.RESTART, "checkout", instance=1)
    game.pass_(20)
    assert game.world.faults_live == (ALARM,)


def test_the_wrong_fix_pays_for_the_outage_as_well() -> None:
    """The weights of `RewardWeights`: -25 for the wrong fix, and -40 for what it set off."""
    game = restarted()
    game.pass_(8)
    paid = game.seen.view.paid or ()
    costs = {credit.component: (credit.amount, credit.role, credit.ordered) for credit in paid}
    assert costs[PaidFor.WRONG_FIX] == (-25.0, SRE, 0)
    assert costs[PaidFor.CASCADE] == (-40.0, SRE, 0)


def test_a_manager_who_calls_it_a_false_alarm_is_wrong_while_the_herd_lives() -> None:
    game = restarted()
    game.pass_(20)
    assert not game.world.is_over
    game.act(MANAGER, V.RESOLVE, None)
    assert not game.seen.done


def test_room_for_the_connections_ends_it_and_then_the_alarm_may_be_called_off() -> None:
    game = restarted()
    game.pass_until(8)
    game.act(SRE, V.RAISE_LIMIT, "checkout", limit="connections")
    game.pass_until(16)
    assert game.world.faults_live == (ALARM,)
    while not game.seen.done and game.seen.view.status.held < ALARMED.hold:
        game.pass_(1)
    game.act(MANAGER, V.RESOLVE, None)
    assert game.env.state.resolved


def test_an_expert_team_ends_it_once_somebody_has_looked_who_fails_the_checks() -> None:
    game = restarted()
    policies = {role: expert_policy(1) for role in TURN_ORDER}
    has_looked = False
    while not game.seen.done:
        role = game.seen.turn_role
        action = policies[role](game.seen, role)
        if role is SRE and not has_looked and game.world.minute >= 20:
            action = ChaosOpsAction(SRE, V.INVESTIGATE, "checkout", {"source": "network"})
            has_looked = True
        game.seen = game.env.step(action)
    assert game.env.state.resolved
    assert game.env.state.wrong_fixes == 1


def test_who_leaves_it_alone_has_no_outage_and_is_told_what_could_have_followed() -> None:
    seen = left_alone(ALARMED)
    (told,) = follow_ups(ALARMED, [one.view for one in seen])
    assert (told.id, told.place, told.minute) == (HERD, "checkout", None)


def test_the_debrief_of_who_restarted_tells_when_it_began_and_why() -> None:
    game = restarted()
    views = []
    while not game.seen.done:
        views.append(game.seen.view)
        game.seen = game.env.step(ChaosOpsAction(game.seen.turn_role, V.NOOP))
    (told,) = follow_ups(ALARMED, [*views, game.seen.view])
    assert told.minute == game.world.world.causes[1].cast.onset
    assert "connect again" in told.link
    assert "restart" in told.lesson
    assert "2010" in told.same_kind


def test_no_other_truth_of_the_page_has_it() -> None:
    for cause, seed in seeds_by_cause(SITUATION).items():
        followers = scenario(SITUATION, cause).incident.followers
        assert (cause == ALARM) is any(
            each.cause.id == HERD and each.place == "checkout" for each in followers
        ), seed
