"""Causes that follow another one: when each begins, what ends the incident, what is judged."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from chaosops.agents.policies import expert_policy, oracle_policy
from chaosops.agents.runner import run_episode
from chaosops.env.causes import NEVER
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.judgement import judge
from chaosops.env.models import TURN_ORDER, ActionType, ChaosOpsAction, PaidFor, Source
from chaosops.env.models.readings import LogView
from chaosops.env.physics.zones import Zones
from tests.env.chains import (
    DEV,
    HERD,
    MANAGER,
    OVERSIGHT,
    SRE,
    Play,
    at_page,
    incident,
    revival,
    scenario,
    situation,
)
from tests.env.situations import in_flight, left_alone
from tests.worlds import move, play

V = ActionType
_LOGS = Source.LOGS
_WAGER = (PaidFor.RIGHT_DIAGNOSIS, PaidFor.WRONG_DIAGNOSIS)
OUTAGE = {"cause": "zone_outage", "places": ["catalog"]}
BROWNOUT = {"cause": "zone_brownout", "places": ["catalog"]}
LOCK = {"cause": "row_lock", "callers": ["cart"]}
PROBE = {"cause": "broken_probe", "places": ["edge"]}
SURGE: dict[str, Any] = {
    "cause": "genuine_surge",
    "places": ["auth"],
    "link": "People come back.",
    "after": [1, 1],
}


def test_a_follower_begins_the_drawn_minutes_after_the_first_cause_was_cleared() -> None:
    made = at_page(revival())
    item = in_flight(made.world, V.ESCALATE, "catalog", lands_in=3)
    while made.minute < item.lands:
        made.advance()
    assert made.faults_live == ()
    made.advance()
    assert made.faults_live == ()
    made.advance()
    assert made.faults_live == ("reconnect_herd",)  # type: ignore[comparison-overlap]
    assert made.world.causes[1].cast.onset == item.lands + 2


def test_a_follower_never_begins_while_the_first_cause_lives() -> None:
    made = revival()
    env = ChaosOpsEnvironment()
    left_alone(made, env)
    assert env.state.faults_live == ("zone_outage",)


def test_it_is_as_strong_as_the_first_cause_counted_from_its_own_beginning() -> None:
    alone, chained = at_page(scenario(situation(OUTAGE))), at_page(revival())
    item = in_flight(chained.world, V.ESCALATE, "catalog")
    first = [1.0 - alone.world.users_ok]
    while alone.minute < 20:
        alone.advance()
        first.append(1.0 - alone.world.users_ok)
    later = []
    while chained.minute < item.lands + 2 + 8 + 20:
        chained.advance()
        if chained.minute >= item.lands + 2 + 8:
            later.append(1.0 - chained.world.users_ok)
    for minute in (0, 10, 20):
        assert later[minute] == pytest.approx(first[minute], rel=0.35), minute


def test_the_incident_goes_on_between_two_causes_and_ends_once_both_are_gone() -> None:
    game = Play(revival(after=[4, 4]))
    game.act(MANAGER, V.ESCALATE, "catalog")
    game.pass_(6)
    assert game.world.faults_live == ()
    assert not game.world.causes_gone
    game.pass_until(game.world.world.causes[1].cast.onset + 9)
    assert not game.seen.done
    assert game.seen.view.status.users_ok < game.seen.view.status.slo
    game.act(SRE, V.RAISE_LIMIT, "catalog", limit="connections")
    game.pass_(12)
    assert game.seen.done
    assert game.env.state.resolved


def test_an_all_clear_between_two_causes_is_a_false_one() -> None:
    game = Play(scenario(situation(PROBE, {**SURGE, "after": [9, 9]}, hold=2)))
    game.act(DEV, V.ROTATE, "edge")
    while game.seen.turn_role is not MANAGER or game.seen.view.status.held < 2:
        game.pass_(1)
    assert game.world.faults_live == ()
    game.act(MANAGER, V.RESOLVE, None)
    assert not game.seen.done


def test_a_cure_that_sets_off_the_next_problem_is_not_wrong() -> None:
    first = {**BROWNOUT}
    herd = {**HERD, "by": ["drain"], "after": [0, 0]}
    made = at_page(scenario(situation(first, herd)))
    effect = judge(made.world, in_flight(made.world, V.DRAIN, "catalog", unit="zone"))
    assert effect.cleared
    assert not effect.is_wrong


def test_a_landing_sets_off_a_follower_and_is_wrong_unless_it_helps() -> None:
    herd = {**HERD, "when": "landed", "by": ["restart"], "after": [1, 1]}
    made = at_page(scenario(situation(OUTAGE, herd)))
    item = in_flight(made.world, V.RESTART, "catalog")
    assert judge(made.world, item).is_wrong
    for _minute in range(3):
        made.advance()
    assert made.faults_live == ("zone_outage", "reconnect_herd")


@pytest.mark.parametrize(("unit", "begins"), [("instance", False), ("zone", True)])
def test_a_landing_needs_the_arguments_that_the_file_asks_for(unit: str, begins: bool) -> None:
    herd = {**HERD, "when": "landed", "by": ["drain"], "args": {"unit": "zone"}, "after": [1, 1]}
    made = at_page(scenario(situation(OUTAGE, herd)))
    in_flight(made.world, V.DRAIN, "catalog", unit=unit)
    for _minute in range(4):
        made.advance()
    assert ("reconnect_herd" in made.faults_live) is begins


def test_a_landing_elsewhere_sets_nothing_off() -> None:
    herd = {**HERD, "when": "landed", "by": ["restart"], "after": [1, 1]}
    made = at_page(scenario(situation(OUTAGE, herd)))
    in_flight(made.world, V.RESTART, "cart")
    for _minute in range(4):
        made.advance()
    assert made.faults_live == ("zone_outage",)


def test_a_cure_that_lasts_prevents_a_follower_if_it_lands_before() -> None:
    made = at_page(revival())
    ahead = in_flight(made.world, V.RAISE_LIMIT, "catalog", limit="connections")
    effect = judge(made.world, ahead)
    assert effect.cleared
    assert not effect.is_wrong
    in_flight(made.world, V.ESCALATE, "catalog", lands_in=3)
    for _minute in range(20):
        made.advance()
    assert made.faults_live == ()
    assert made.causes_gone


def test_what_prevents_a_follower_tempts_nobody() -> None:
    """More compute does nothing for a zone that is down, and keeps its load from the next limit."""
    alone, quota = situation(BROWNOUT), {**HERD, "cause": "cpu_quota"}
    raised = [move for move in incident(scenario(alone)).tempting if move.action is V.RAISE_LIMIT]
    assert [dict(move.args) for move in raised] == [{"limit": "cpu"}]
    made = incident(scenario(situation(BROWNOUT, quota)))
    assert len(made.tempting) == len(incident(scenario(alone)).tempting) - 1
    assert all(move.action is not V.RAISE_LIMIT for move in made.tempting)


def test_a_cure_that_does_not_last_prevents_nothing() -> None:
    neighbour = {
        "cause": "noisy_neighbour",
        "at": "place",
        "after": [2, 2],
        "link": "A job starts.",
    }
    made = at_page(scenario(situation(OUTAGE, neighbour)))
    in_flight(made.world, V.TERMINATE, "catalog")
    in_flight(made.world, V.ESCALATE, "catalog", lands_in=2)
    for _minute in range(6):
        made.advance()
    assert made.faults_live == ("noisy_neighbour",)


def test_only_the_actions_that_the_file_names_set_a_follower_off() -> None:
    leak = {"cause": "memory_leak", "places": ["catalog"]}
    made = at_page(scenario(situation(leak, {**HERD, "by": ["rollback"]})))
    in_flight(made.world, V.ROLLBACK, "catalog")
    for _minute in range(3):
        made.advance()
    onset = made.world.causes[1].cast.onset
    assert onset < NEVER

    quota = {"cause": "cpu_quota", "places": ["catalog"]}
    other = {**HERD, "when": "landed", "by": ["restart"], "after": [0, 0]}
    made = at_page(scenario(situation(quota, other)))
    in_flight(made.world, V.RAISE_LIMIT, "catalog", limit="cpu")
    for _minute in range(8):
        made.advance()
    assert made.world.causes[1].cast.onset == NEVER
    assert made.causes_gone


@pytest.mark.parametrize(("when", "begins"), [("onset", True), ("uncleared", False)])
def test_time_sets_off_a_follower_whatever_is_done_or_only_while_the_first_lives(
    when: str, begins: bool
) -> None:
    made = at_page(scenario(situation(OUTAGE, {**HERD, "when": when, "after": [20, 20]})))
    onset = made.truth.casts[1].onset
    assert onset == made.truth.casts[0].onset + 20
    in_flight(made.world, V.ESCALATE, "catalog")
    while made.minute < onset - 1:
        made.advance()
        assert made.causes_gone is (made.minute >= 1 and not begins)
    made.advance()
    assert made.faults_live == (("reconnect_herd",) if begins else ())


def test_two_causes_live_at_once_and_each_of_their_cures_is_right() -> None:
    made = at_page(scenario(situation(LOCK, {**SURGE, "when": "onset", "after": [10, 10]})))
    while made.minute < 12:
        made.advance()
    assert made.faults_live == ("row_lock", "genuine_surge")
    for verb, target, args in (
        (V.TERMINATE, "db", {}),
        (V.SCALE, "auth", {"replicas": 8}),
        (V.SCALE, "auth", {"replicas": 6}),
    ):
        fork = made.world.fork()
        assert not judge(fork, in_flight(fork, verb, target, **args)).is_wrong, verb
    fork = made.world.fork()
    assert judge(fork, in_flight(fork, V.RESTART, "auth")).is_wrong


def test_an_incident_of_two_causes_has_a_budget_for_both() -> None:
    alone = at_page(scenario(situation(LOCK)))
    both = at_page(scenario(situation(LOCK, {**SURGE, "when": "onset", "after": [10, 10]})))
    triggered = at_page(scenario(situation(LOCK, SURGE)))
    assert both.truth.budget_minutes > 1.2 * alone.truth.budget_minutes
    assert triggered.truth.budget_minutes == alone.truth.budget_minutes


def test_a_chain_of_three_goes_on_link_by_link() -> None:
    third = {**SURGE, "of": "reconnect_herd", "by": ["raise_limit"]}
    made = at_page(scenario(situation(OUTAGE, third, HERD)))
    in_flight(made.world, V.ESCALATE, "catalog")
    for _minute in range(6):
        made.advance()
    assert made.faults_live == ("reconnect_herd",)
    in_flight(made.world, V.RAISE_LIMIT, "catalog", limit="connections")
    for _minute in range(3):
        made.advance()
    assert made.faults_live == ("genuine_surge",)


def test_what_follows_shifts_nothing_that_was_drawn_before() -> None:
    for seed in range(20):
        alone = incident(scenario(situation(OUTAGE), seed)).drawn
        chained = incident(scenario(situation(OUTAGE, HERD), seed)).drawn
        assert chained == alone


def test_a_follower_with_a_chance_comes_in_that_share_of_the_seeds() -> None:
    made = situation(OUTAGE, {**HERD, "chance": 0.3})
    count = sum(len(incident(scenario(made, seed)).followers) for seed in range(300))
    assert 60 <= count <= 120


def test_the_texts_of_a_follower_name_its_own_place() -> None:
    storm = {"cause": "retry_storm", "places": ["cart"], "after": [1, 1], "link": "Retries."}
    made = at_page(scenario(situation(OUTAGE, storm)))
    version = made.truth.casts[1].version
    change = next(one for one in made.truth.changes if one.version == version)
    assert change.service == "edge"
    assert "cart" in change.text
    assert "+  most_tries: 4" in change.lines
    in_flight(made.world, V.ESCALATE, "catalog")
    for _minute in range(12):
        made.advance()
    (log,) = made._parts(_LOGS, "edge")
    assert isinstance(log, LogView)
    assert any("request to cart failed" in entry.text for entry in log.entries)
    assert not any("{" in entry.text for entry in log.entries)
    in_flight(made.world, V.ROLLBACK, "edge", change=version)
    made.advance()
    assert made.faults_live == ()


def test_a_fork_and_a_pickle_go_on_with_the_chain_as_their_original() -> None:
    game = Play(revival())
    game.act(MANAGER, V.ESCALATE, "catalog")
    game.pass_(4)
    copies = [game.env.fork(), pickle.loads(pickle.dumps(game.env))]
    while not game.seen.done:
        role = game.seen.turn_role
        verb, target, args = V.NOOP, None, {}
        if role is SRE and game.world.minute == 24:
            verb, target, args = V.RAISE_LIMIT, "catalog", {"limit": "connections"}
        action = ChaosOpsAction(role, verb, target, args)
        game.seen = game.env.step(action)
        for copy in copies:
            assert copy.step(action).model_dump_json() == game.seen.model_dump_json()
    assert game.env.state.resolved


def test_the_same_actions_make_the_same_frames() -> None:
    def frames() -> list[str]:
        env = ChaosOpsEnvironment()
        policy = {role: expert_policy(3) for role in TURN_ORDER}
        return [step.model_dump_json() for step in run_episode(env, revival(), policy).steps]

    assert frames() == frames()


@pytest.mark.parametrize(
    ("cause", "place", "amount"),
    [("zone_outage", "catalog", 30.0), ("reconnect_herd", "catalog", -30.0)],
)
def test_the_wager_is_about_the_first_cause(cause: str, place: str, amount: float) -> None:
    game = Play(revival())
    game.act(SRE, V.DIAGNOSE, None, cause=cause, place=place, stake="certain")
    game.act(MANAGER, V.ESCALATE, "catalog")
    game.pass_until(24)
    game.act(SRE, V.RAISE_LIMIT, "catalog", limit="connections")
    game.pass_(10)
    assert game.env.state.resolved
    paid = [credit.amount for credit in game.seen.view.paid or () if credit.component in _WAGER]
    assert paid == [amount]


def test_curing_the_follower_first_leaves_time_to_name_the_first_cause() -> None:
    game = Play(scenario(situation(LOCK, {**SURGE, "when": "onset", "after": [9, 9]})))
    game.pass_until(4)
    game.act(SRE, V.SCALE, "auth", replicas=8)
    game.pass_(4)
    game.act(SRE, V.DIAGNOSE, None, cause="row_lock", place="db", stake="certain")
    game.act(SRE, V.TERMINATE, "db")
    game.pass_(20)
    assert game.env.state.resolved
    paid = [credit.amount for credit in game.seen.view.paid or () if credit.component in _WAGER]
    assert paid == [30.0]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("first", "follower"),
    [
        (OUTAGE, HERD),
        (BROWNOUT, {**HERD, "cause": "cpu_quota"}),
        (PROBE, SURGE),
        (LOCK, {**SURGE, "when": "onset", "after": [9, 9]}),
    ],
)
def test_the_oracle_and_the_expert_resolve_a_chain(
    first: dict[str, Any], follower: dict[str, Any]
) -> None:
    made = scenario(situation(first, follower))
    for policy in (oracle_policy(made), expert_policy(1)):
        result = run_episode(ChaosOpsEnvironment(), made, dict.fromkeys(TURN_ORDER, policy))
        assert result.resolved
        assert result.wrong_fixes == 0


def test_the_expert_names_the_first_cause_once_and_cures_the_next_one_unnamed() -> None:
    made = revival()
    policy = {role: expert_policy(1) for role in TURN_ORDER}
    steps = run_episode(ChaosOpsEnvironment(), made, policy).steps
    named = [step.action for step in steps if step.action.action_type is V.DIAGNOSE]
    assert [action.args["cause"] for action in named] == ["zone_outage"]
    assert any(step.action.action_type is V.RAISE_LIMIT for step in steps)


def test_the_next_zone_is_one_in_which_there_are_instances() -> None:
    lossy = {**HERD, "cause": "lossy_link", "next_zone": True, "after": [1, 1]}
    for seed in range(3):
        made = at_page(scenario(situation(BROWNOUT, lossy), seed))
        zones = made.world.mesh.part(made.truth.casts[0].place, "zones")
        assert isinstance(zones, Zones)
        left = zones.hot
        in_flight(made.world, V.DRAIN, "catalog", unit="zone")
        for _minute in range(14):
            made.advance()
        assert made.faults_live == ("lossy_link",)
        zones = made.world.mesh.part(made.truth.casts[0].place, "zones")
        assert isinstance(zones, Zones)
        assert zones.hot != left
        assert zones.share == pytest.approx(0.5)
        assert made.users_ok < 0.99
        in_flight(made.world, V.DRAIN, "catalog", unit="zone")
        made.advance()
        assert made.causes_gone


def test_what_an_agent_keeps_up_sets_nothing_off_before_it_is_paused() -> None:
    patched = {"cause": "patch_everywhere", "places": ["catalog"]}
    patcher = {
        "name": "patcher",
        "duty": "keeps packages up to date",
        "policy": "one zone at a time",
        "standing": {"kind": "patcher"},
    }
    game = Play(scenario(situation(patched, HERD, automation=[patcher])))
    game.act(SRE, V.RESTART, "catalog")
    game.pass_(2)
    assert game.world.world.causes[1].cast.onset == NEVER
    game.act(OVERSIGHT, V.PAUSE, "patcher")
    paused = game.world.minute
    game.act(SRE, V.RESTART, "catalog")
    game.pass_(4)
    onset = game.world.world.causes[1].cast.onset
    assert paused <= onset < NEVER
    (begun,) = incident(scenario(situation(patched, HERD, automation=[patcher]))).beginnings(
        game.seen.view.landed
    )
    assert begun == onset


def test_users_may_be_told_of_each_cause_that_has_begun() -> None:
    made = at_page(scenario(situation(OUTAGE, {**HERD, "at": None, "places": ["auth"]})))
    assert made.places_of_causes == {"catalog"}
    in_flight(made.world, V.ESCALATE, "catalog")
    for _minute in range(5):
        made.advance()
    # The herd can also be ended where users come in.
    assert made.places_of_causes == {"catalog", "auth", "edge"}
    assert made.sites == {"catalog"}


@pytest.mark.slow
def test_what_landed_tells_when_a_follower_began() -> None:
    for seed in range(6):
        made = scenario(situation(OUTAGE, HERD), seed)
        env = ChaosOpsEnvironment()
        result = run_episode(env, made, {role: expert_policy(seed) for role in TURN_ORDER})
        views = [step.observation.view for step in result.steps]
        landed = dict.fromkeys(item for view in views for item in view.landed)
        episode = env._episode
        assert episode is not None
        live = episode._world.world.causes[1]  # type: ignore[attr-defined]
        (begun,) = incident(made).beginnings(landed)
        assert begun == live.cast.onset, seed


def test_a_wrong_landing_that_sets_off_another_cause_costs_the_cascade_as_well() -> None:
    """The weights of `RewardWeights`: -25 for the wrong fix, and -40 for what it set off."""
    herd = {**HERD, "when": "landed", "by": ["restart"], "after": [1, 1]}
    game = play(scenario(situation(OUTAGE, herd)), {0: move("restart", "catalog")}, turns=8)
    paid = game.observation.view.paid or ()
    costs = {credit.component: (credit.amount, credit.role, credit.ordered) for credit in paid}
    assert costs == {
        PaidFor.WRONG_FIX: (-25.0, SRE, 0),
        PaidFor.CASCADE: (-40.0, SRE, 0),
    }
