"""Those who play without skill: memoriser, thoughtless, shotgun, empty seat, composed, ranking."""

from collections import Counter

import pytest

from chaosops.agents.acting import can
from chaosops.agents.handbook import HANDBOOK
from chaosops.agents.policies import expert_policy, oracle_policy
from chaosops.agents.runner import run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    FailureType,
    Message,
    Proposal,
)
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.composed import (
    Composed,
    FixAndCause,
    alerts_of,
    pair_seats,
    right_pair,
)
from chaosops.evaluation.adversaries.empty_seat import EmptySeat
from chaosops.evaluation.adversaries.memoriser import Memoriser, Recall
from chaosops.evaluation.adversaries.ranking import Ranking
from chaosops.evaluation.adversaries.runbook_bot import RunbookBot
from chaosops.evaluation.adversaries.shotgun import Shotgun, common_fixes, try_the_next
from chaosops.evaluation.adversaries.stands_still import EverybodyPasses, gets_worse, is_worse
from chaosops.evaluation.adversaries.thoughtless import Thoughtless, accept, look_once
from chaosops.evaluation.measurement import ALL_LEVELS, EASY_UP
from chaosops.evaluation.openings import deepest_unhealthy
from chaosops.evaluation.study import Seats, play
from tests.evaluation.adversaries.helpers import study_of
from tests.worlds import hand_made, scenario

KEY = scenario("paying-ends-in-an-error")
"""The key of the payment provider has run out: Dev rotates it."""


def acts(scenario: Scenario, seats: Seats) -> list[ChaosOpsAction]:
    return [step.action for step in run_episode(ChaosOpsEnvironment(), scenario, seats).steps]


@pytest.mark.slow
def test_the_memoriser_wins_where_the_answer_is_always_the_same() -> None:
    """A lesson has one cause at one place, so that another seed of it has the same cure."""
    study = study_of("first-shift-1-product-pages", seeds=(0,), training=1)
    figure = Memoriser().measure(study, ALL_LEVELS)["memoriser"]
    assert (figure.value, figure.n) == (1.0, 1)
    assert figure.base == 1.0


def test_the_memoriser_looks_once_and_knows_nothing_of_the_incident_it_plays() -> None:
    """Played by the line of another incident, it does that one's fix and does not win."""
    other = scenario("errors-across-teams")
    recall = Recall(oracle_policy(other))
    done = acts(KEY, dict.fromkeys(TURN_ORDER, recall))
    looks = [action for action in done if action.action_type is ActionType.INVESTIGATE]
    assert len(looks) == 1
    assert done[0] is looks[0]
    fixes = {action.action_type for action in done if action.action_type in FIXES}
    assert fixes == {ActionType.ROLLBACK}
    assert not play(KEY, dict.fromkeys(TURN_ORDER, recall)).resolved


def test_who_accepts_does_what_is_proposed_however_bad_it_is() -> None:
    observation = ChaosOpsEnvironment().reset(KEY)
    proposal = Proposal(ActionType.FAILOVER, "db")
    said = Message(0, AgentRole.MANAGER, AgentRole.SRE, "please", proposal, None)
    asked = observation._replace(view=observation.view._replace(channel=(said,)))
    action = accept(asked, AgentRole.SRE)
    assert (action.action_type, action.target) == (ActionType.FAILOVER, "db")
    assert accept(observation, AgentRole.SRE).action_type is ActionType.NOOP


@pytest.mark.parametrize(
    ("role", "source"), [(AgentRole.SRE, "runtime"), (AgentRole.DEV, "changes")]
)
def test_who_looks_once_looks_and_shares_before_anything_else(role: AgentRole, source: str) -> None:
    team = dict.fromkeys(TURN_ORDER, expert_policy(0)) | {role: look_once}
    own = [action for action in acts(KEY, team) if action.role is role]
    assert own[0].action_type is ActionType.INVESTIGATE
    assert own[0].args["source"] == source
    assert own[1].action_type is ActionType.COMMUNICATE
    assert own[1].args["finding"] == 0
    assert ActionType.INVESTIGATE not in {action.action_type for action in own[2:]}


@pytest.mark.slow
def test_a_thoughtless_person_is_measured_in_two_seats_with_four_habits() -> None:
    figures = Thoughtless().measure(study_of("paying-ends-in-an-error", seeds=(0,)), ALL_LEVELS)
    assert set(figures) == {
        f"thoughtless {seat}: {habit}"
        for seat in ("sre", "dev")
        for habit in ("passes", "accepts", "listens", "looks once")
    }
    passes = play(KEY, dict.fromkeys(TURN_ORDER[1:], expert_policy(1)))
    assert figures["thoughtless sre: passes"].value == float(passes.resolved)


def test_the_shotgun_never_looks_and_never_tries_the_same_twice() -> None:
    seats = dict.fromkeys(TURN_ORDER, try_the_next)
    steps = run_episode(ChaosOpsEnvironment(), scenario("search-p99-high"), seats).steps
    tried = [(item.action_type, item.target) for item in steps[-1].observation.view.landed]
    assert ActionType.INVESTIGATE not in {step.action.action_type for step in steps}
    assert len(tried) >= 3
    assert len(set(tried)) == len(tried)


def test_the_shotgun_begins_with_what_ends_most_causes() -> None:
    """Of the fixes of SRE in the handbook, it tries the first that the deepest service allows."""
    counted = Counter(
        (cure.verb, tuple(sorted(cure.args.items())))
        for pages in HANDBOOK.values()
        for page in pages
        for cure in page.cures
        if cure.role is AgentRole.SRE
    )
    fixes = common_fixes()[AgentRole.SRE]
    assert counted[fixes[0]] == max(counted.values())
    view = ChaosOpsEnvironment().reset(hand_made()).view
    deepest = deepest_unhealthy(view)
    first = next(fix for fix in fixes if can(view, fix.verb, deepest))
    done = acts(hand_made(), dict.fromkeys(TURN_ORDER, try_the_next))
    assert (done[0].action_type, done[0].target) == (first.verb, deepest)
    assert Shotgun().measure(study_of("paying-ends-in-an-error"), ALL_LEVELS)["shotgun"].n == 2


@pytest.mark.slow
def test_an_empty_seat_costs_what_the_whole_team_earns_more() -> None:
    study = study_of("paying-ends-in-an-error", seeds=(0,))
    figures = EmptySeat().measure(study, EASY_UP)
    team = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), KEY)
    whole = play(KEY, team).reward
    without = play(KEY, {role: team[role] for role in TURN_ORDER if role is not AgentRole.SRE})
    assert figures["empty seat: sre"].value == pytest.approx(whole - without.reward)
    assert len(figures) == 4


def test_levels_below_the_gates_do_not_count_against_an_empty_seat() -> None:
    figures = EmptySeat().measure(study_of("first-shift-1-product-pages", seeds=(0,)), EASY_UP)
    assert figures["empty seat: sre"].value is None


def test_a_pair_is_done_at_once_and_nothing_else_is() -> None:
    lock = hand_made(hold=6)
    pair = right_pair(lock)
    assert pair == FixAndCause(
        ChaosOpsAction(AgentRole.SRE, ActionType.TERMINATE, "db"), FailureType.ROW_LOCK
    )
    done = [a for a in acts(lock, pair_seats(pair)) if a.action_type is not ActionType.NOOP]
    assert [action.action_type for action in done] == [ActionType.TERMINATE, ActionType.DIAGNOSE]


def test_who_calls_it_a_false_alarm_diagnoses_before_the_all_clear() -> None:
    over = ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE)
    seats = pair_seats(FixAndCause(over, FailureType.FALSE_ALARM))
    alarm = scenario("site-errors-above-limit")
    done = [a for a in acts(alarm, seats) if a.action_type is not ActionType.NOOP]
    assert [action.action_type for action in done] == [ActionType.DIAGNOSE, ActionType.RESOLVE]


def test_alerts_of_other_situations_are_never_the_same() -> None:
    names = ("paying-ends-in-an-error", "errors-come-and-go", "figures-hours-old")
    assert len({alerts_of(scenario(name)) for name in names}) == 3


def test_the_bot_resolves_by_what_its_looks_show() -> None:
    bot = RunbookBot()
    steps = run_episode(ChaosOpsEnvironment(), KEY, dict.fromkeys(TURN_ORDER, bot)).steps
    done = [step.action for step in steps]
    assert done[0].action_type is ActionType.INVESTIGATE
    assert done[0].target == deepest_unhealthy(ChaosOpsEnvironment().reset(KEY).view)
    diagnosed = [a.args["cause"] for a in done if a.action_type is ActionType.DIAGNOSE]
    assert diagnosed == [KEY.failure_type]
    assert steps[-1].breakdown.resolved_bonus > 0.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["first-shift-1-product-pages", "dashboards-fall-behind"])
def test_a_shortcut_counts_where_it_earns_what_the_expert_earns(name: str) -> None:
    study = study_of(name, seeds=(0,), training=1)
    figure = Composed().measure(study, ALL_LEVELS)["composed"]
    rows = {row.name: row.figure for row in figure.rows}
    assert figure.value == max(rows.values())
    game = scenario(name)
    bot = play(game, dict.fromkeys(TURN_ORDER, RunbookBot())).reward
    bar = play(game, dict.fromkeys(TURN_ORDER, expert_policy(game.seed))).reward
    assert rows["the runbook bot"] == float(bot >= bar)


def test_the_ranking_compares_neighbours_at_each_level() -> None:
    figures = Ranking().measure(study_of("paying-ends-in-an-error", seeds=(0,)), ALL_LEVELS)
    rows = {row.name: row.figure for row in figures["ranking"].rows}
    assert rows["heuristic to expert, easy"] == pytest.approx(
        rows["expert, easy"] - rows["heuristic, easy"]
    )
    steps = [row.figure for row in figures["ranking"].rows if row.kind == "step"]
    assert figures["ranking"].value == min(steps)
    assert figures["expert resolves"].value == 1.0


@pytest.mark.parametrize(
    ("failed", "worse"),
    [
        ([0.1] * 31, False),
        ([0.1] * 26 + [0.125] * 5, True),
        ([0.1] * 26 + [0.124] * 5, False),
        ([0.0] * 31, False),
        ([0.0] * 26 + [0.01] * 5, True),
        ([0.5] * 5 + [0.1] * 26, False),
    ],
)
def test_it_gets_worse_where_a_quarter_more_fails_in_the_last_five_minutes(
    failed: list[float], worse: bool
) -> None:
    assert is_worse(failed) is worse


def test_an_incident_gets_worse_alone_and_a_false_alarm_is_left_out() -> None:
    names = ("visitors-turned-away-at-once", "site-errors-above-limit")
    assert [gets_worse(scenario(name, 1)) for name in names] == [True, False]
    figure = EverybodyPasses().measure(study_of(*names, seeds=(1,)), EASY_UP)["stands still"]
    assert (figure.value, figure.n) == (1.0, 1)
