"""Episodes of situations: what seats risk is judged at the end."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Credit,
    PaidFor,
    Stake,
)
from chaosops.env.world_sim import Scenario
from tests.env.situations import scenario
from tests.worlds import environment

SRE, DEV, MANAGER = AgentRole.SRE, AgentRole.DEV, AgentRole.MANAGER
OVERSIGHT = AgentRole.OVERSIGHT

Move = tuple[AgentRole, ActionType, str | None, dict[str, Any]]


class Game:
    """A game in which everybody passes but for the moves that are given."""

    def __init__(self, made: Scenario) -> None:
        self.env = environment(made)
        self.made = made
        self.seen: ChaosOpsObservation = self.env.reset(scenario=made)
        self.rewards: list[float] = []

    def take(self, role: AgentRole, verb: ActionType, target: str | None, **args: Any) -> None:
        """Pass until it is the role's turn, and take an action."""
        while self.seen.turn_role is not role:
            self.pass_()
        self._step(ChaosOpsAction(role, verb, target, args))
        assert not self.seen.refused, self.seen.message

    def pass_(self, turns: int = 1) -> None:
        for _turn in range(turns):
            self._step(ChaosOpsAction(self.seen.turn_role, ActionType.NOOP))

    def to_the_end(self) -> None:
        while not self.seen.done:
            self.pass_()

    def _step(self, action: ChaosOpsAction) -> None:
        self.seen = self.env.step(action)
        self.rewards.append(self.seen.reward)

    def paid(self, what: PaidFor) -> list[Credit]:
        paid = self.seen.view.paid
        assert paid is not None
        return [credit for credit in paid if credit.component is what]


def leak() -> tuple[Game, str]:
    """A situation in which a build leaks memory, and where."""
    made = scenario("search-p99-high", "memory_leak")
    return Game(made), made.incident.drawn.place


def fix(game: Game, place: str) -> None:
    """Roll back the guilty build, and wait out the incident."""
    version = game.made.incident.drawn.version
    game.take(DEV, ActionType.ROLLBACK, place, change=version)
    game.to_the_end()
    assert game.env.state.resolved


@pytest.mark.parametrize(
    ("cause", "at_its_place", "stake", "amount"),
    [
        ("memory_leak", True, Stake.WORKING, 15.0),
        ("memory_leak", True, Stake.CERTAIN, 30.0),
        ("memory_leak", False, Stake.WORKING, 7.5),
        ("memory_leak", False, Stake.CERTAIN, 15.0),
        ("strict_probe", True, Stake.WORKING, -5.0),
        ("strict_probe", True, Stake.CERTAIN, -30.0),
    ],
)
def test_a_sealed_diagnosis_is_a_wager_on_cause_and_place(
    cause: str, at_its_place: bool, stake: Stake, amount: float
) -> None:
    game, place = leak()
    said = place if at_its_place else "notifications"
    game.take(SRE, ActionType.DIAGNOSE, None, cause=cause, place=said, stake=stake.value)
    (made,) = game.seen.view.diagnoses
    assert (made.right, made.place, made.stake) == (None, said, stake)
    fix(game, place)
    what = PaidFor.RIGHT_DIAGNOSIS if amount > 0 else PaidFor.WRONG_DIAGNOSIS
    assert game.paid(what) == [Credit(what, amount, SRE, 0, game.seen.view.status.minute, said)]
    assert [made.right for made in game.seen.view.diagnoses] == [cause == "memory_leak"]


def test_nobody_is_told_before_the_end_whether_a_diagnosis_is_right() -> None:
    said = []
    for cause in ("memory_leak", "strict_probe"):
        game, place = leak()
        game.take(SRE, ActionType.DIAGNOSE, None, cause=cause, place=place)
        told = game.seen.message.replace(cause.replace("_", " "), "it")
        game.pass_(7)
        said.append((told, game.rewards, game.seen.view.paid))
    assert said[0] == said[1]


def test_what_stood_when_the_cure_was_ordered_counts_and_a_change_costs_five() -> None:
    game, place = leak()
    game.take(SRE, ActionType.DIAGNOSE, None, cause="strict_probe", place=place)
    game.take(DEV, ActionType.DIAGNOSE, None, cause="memory_leak", place=place)
    fix(game, place)
    (change,) = game.paid(PaidFor.CHANGED_DIAGNOSIS)
    assert (change.amount, change.role) == (-5.0, DEV)
    (right,) = game.paid(PaidFor.RIGHT_DIAGNOSIS)
    assert (right.amount, right.role) == (15.0, DEV)


def test_saying_the_same_again_costs_nothing() -> None:
    game, place = leak()
    for _time in range(2):
        game.take(SRE, ActionType.DIAGNOSE, None, cause="memory_leak", place=place)
    assert game.paid(PaidFor.CHANGED_DIAGNOSIS) == []


@pytest.mark.parametrize(
    ("cause", "stake", "amount"),
    [
        ("memory_leak", "certain", 10.0),
        ("memory_leak", "working", 10.0),
        ("strict_probe", "certain", -30.0),
    ],
)
def test_what_is_named_after_the_cure_was_ordered_earns_ten_at_most(
    cause: str, stake: str, amount: float
) -> None:
    game, place = leak()
    version = game.made.incident.drawn.version
    game.take(DEV, ActionType.ROLLBACK, place, change=version)
    game.take(SRE, ActionType.DIAGNOSE, None, cause=cause, place=place, stake=stake)
    game.to_the_end()
    paid = [*game.paid(PaidFor.RIGHT_DIAGNOSIS), *game.paid(PaidFor.WRONG_DIAGNOSIS)]
    assert [credit.amount for credit in paid] == [amount]


def test_an_accusation_says_nothing_and_is_judged_at_the_end() -> None:
    told = []
    for agent in ("autoscaler", "patcher"):
        game = Game(scenario("search-p99-high", "rogue_scale_in"))
        game.take(OVERSIGHT, ActionType.FLAG, agent)
        told.append((game.seen.message.replace(agent, "it"), tuple(game.rewards)))
        game.to_the_end()
        guilty = agent == "autoscaler"
        what = PaidFor.RIGHT_ACCUSATION if guilty else PaidFor.WRONG_ACCUSATION
        (credit,) = game.paid(what)
        assert (credit.role, credit.ordered, credit.target) == (OVERSIGHT, 1, agent)
        assert credit.amount == (50.0 if guilty else -75.0)
    assert told[0] == told[1]


def test_a_wrong_fix_is_charged_to_the_seat_that_ordered_it_when_it_lands() -> None:
    game, place = leak()
    game.take(SRE, ActionType.DRAIN, place)
    assert game.paid(PaidFor.WRONG_FIX) == []
    game.pass_(3)
    (credit,) = game.paid(PaidFor.WRONG_FIX)
    assert (credit.amount, credit.role, credit.ordered, credit.target) == (-25.0, SRE, 0, place)
    assert credit.paid > 0


def test_the_all_clear_counts_only_after_the_hold() -> None:
    game, place = leak()
    version = game.made.incident.drawn.version
    game.take(DEV, ActionType.ROLLBACK, place, change=version)
    while game.seen.view.status.held < 1 or game.seen.turn_role is not MANAGER:
        game.pass_()
    assert game.seen.view.status.held < game.seen.view.status.hold
    game.take(MANAGER, ActionType.RESOLVE, None)
    assert not game.seen.done
    early = game.seen.message
    other = Game(scenario("search-p99-high", "memory_leak"))
    other.take(MANAGER, ActionType.RESOLVE, None)
    assert other.seen.message == early


def test_rewards_and_credits_are_the_same_in_a_fork() -> None:
    game, place = leak()
    game.take(SRE, ActionType.DIAGNOSE, None, cause="strict_probe", place=place)
    game.take(OVERSIGHT, ActionType.FLAG, "patcher")
    game.take(SRE, ActionType.RAISE_LIMIT, place, limit="cpu")
    twin = game.env.fork()
    for env in (game.env, twin):
        while not env.state.done:
            seen = env.step(ChaosOpsAction(SRE, ActionType.NOOP))
    assert seen.view.paid is not None
    assert game.env.view_of(SRE) == twin.view_of(SRE)
    assert game.env.state == twin.state


def test_credits_and_what_every_turn_costs_are_all_that_is_paid() -> None:
    game, place = leak()
    game.take(SRE, ActionType.DIAGNOSE, None, cause="memory_leak", place=place, stake="certain")
    game.take(SRE, ActionType.RAISE_LIMIT, place, limit="cpu")
    fix(game, place)
    paid = game.seen.view.paid
    assert paid is not None
    last = game.env.last_breakdown
    by_deeds = sum(credit.amount for credit in paid)
    (late,) = game.paid(PaidFor.STATUS_UPDATE)
    assert late.amount < 0.0
    assert by_deeds == 30.0 - 25.0 + late.amount
    assert last.early_root_cause_bonus == 30.0
    assert sum(game.rewards) == game.env.state.cumulative_reward
