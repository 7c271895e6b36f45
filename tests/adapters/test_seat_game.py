from __future__ import annotations

import copy
import pickle

import pytest

from chaosops.adapters.seat_game import SeatGame, seat_share
from chaosops.agents.policies import Policy, expert_policy, pass_turn, random_policy
from chaosops.agents.runner import PolicyError, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
)
from chaosops.errors import ChaosOpsError, EpisodeOver
from chaosops.text import parse_action
from tests.agents.own_policies import HERE, broken
from tests.worlds import DEV, SRE, all_ids, hand_made, scenario

MANAGER, OVERSIGHT = AgentRole.MANAGER, AgentRole.OVERSIGHT
SITUATION = "checkout-times-out"


def play(game: SeatGame, policy: Policy) -> list[float]:
    paid = []
    while not game.done:
        assert game.observation.turn_role is game.role
        paid.append(game.take(policy(game.observation, game.role)))
    return paid


@pytest.mark.few(1)
@pytest.mark.parametrize("role", TURN_ORDER)
@pytest.mark.parametrize("name", [*all_ids()[::6], SITUATION])
def test_what_is_paid_adds_up_to_the_seats_share_of_the_episode_played_by_the_loop(
    name: str, role: AgentRole
) -> None:
    played = scenario(name, 3)
    names = dict.fromkeys(TURN_ORDER, "expert")
    own = random_policy(5)
    game = SeatGame(played, role)
    paid = play(game, own)
    seats: dict[AgentRole, Policy] = {**seat_policies(names, played), role: own}
    result = run_episode(ChaosOpsEnvironment(), played, seats)
    assert game.steps == result.steps
    assert game.result == result
    share = sum(seat_share(step.breakdown, role) for step in result.steps)
    deeds = game.observation.view.paid or ()
    others = sum(each.amount for each in deeds if each.role not in (role, OVERSIGHT))
    if role is not OVERSIGHT:
        assert share == sum(step.breakdown.team_reward for step in result.steps)
        share -= others
    assert sum(paid) == share == game.score
    assert len(paid) == sum(step.role is role for step in result.steps)


def test_a_seat_pays_for_its_own_deeds_and_not_for_those_of_others() -> None:
    played = scenario(SITUATION, 2)

    def restarts(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return ChaosOpsAction(role, ActionType.RESTART, "catalog")

    theirs = SeatGame(played, DEV, {SRE: restarts})
    play(theirs, pass_turn)
    mine = SeatGame(played, SRE, {})
    play(mine, restarts)
    assert theirs.steps == mine.steps
    paid = mine.observation.view.paid or ()
    cost = sum(credit.amount for credit in paid if credit.role is SRE)
    others = sum(credit.amount for credit in paid if credit.role is not SRE)
    assert cost <= -25.0
    assert others < 0.0
    assert mine.score == mine.result.cumulative_reward - others
    assert theirs.score == mine.score - cost


def test_a_payment_is_for_everything_up_to_the_seats_next_turn() -> None:
    game = SeatGame(hand_made(), DEV, "noop")
    before = len(game.steps)
    assert [step.role for step in game.steps] == [SRE, OVERSIGHT]
    first = game.take(pass_turn(game.observation, DEV))
    assert [step.role for step in game.steps[before:]] == [DEV, MANAGER, SRE, OVERSIGHT]
    # The turns before the seat's first one are in its first payment.
    assert first == sum(step.breakdown.team_reward for step in game.steps)
    known = len(game.steps)
    second = game.take(pass_turn(game.observation, DEV))
    assert second == sum(step.breakdown.team_reward for step in game.steps[known:])


def test_the_others_are_policies_names_or_empty_seats() -> None:
    asked = []

    def own(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        asked.append(role)
        return pass_turn(observation, role)

    mixed = SeatGame(
        hand_made(), "dev", {SRE: own, MANAGER: f"{HERE}:agent", OVERSIGHT: None, DEV: "oracle"}
    )
    play(mixed, pass_turn)
    assert set(asked) == {SRE}
    left_out = SeatGame(hand_made(), DEV, {})
    play(left_out, pass_turn)
    assert mixed.steps == left_out.steps


def test_the_same_game_is_the_same_every_time_and_a_copy_goes_on_alike() -> None:
    games = [SeatGame(scenario(SITUATION, 2), SRE) for _ in range(2)]
    own = random_policy(1)
    for game in games:
        for _turn in range(3):
            game.take(own(game.observation, SRE))
    assert games[0].steps == games[1].steps
    copies = [
        copy.copy(games[0]),
        copy.deepcopy(games[0]),
        pickle.loads(pickle.dumps(games[0])),
    ]
    rest = play(games[1], own)
    assert games[0].steps != games[1].steps
    for game in copies:
        assert play(game, own) == rest
        assert game.steps == games[1].steps
        assert game.score == games[1].score


def test_the_schema_and_the_tools_are_those_of_the_turn() -> None:
    game = SeatGame(scenario(SITUATION, 2), OVERSIGHT, "noop")
    view = game.observation.view
    names = [tool["function"]["name"] for tool in game.tools()]
    assert names == [choice.action_type.value for choice in view.allowed]
    assert "resume" not in names
    agent = view.agents[0] if view.agents else ""
    game.take(parse_action(f'{{"action_type":"pause","target":"{agent}"}}', view))
    assert "resume" in [tool["function"]["name"] for tool in game.tools()]
    assert "resume" in str(game.schema())


def test_at_the_end_the_seat_sees_its_own_view_and_the_game_is_over() -> None:
    game = SeatGame(hand_made(), MANAGER, {SRE: "oracle", DEV: "oracle", OVERSIGHT: "oracle"})
    play(game, expert_policy(0))
    assert game.done
    assert game.result.resolved
    assert game.observation.done
    assert game.observation.view == game.view_of(MANAGER)
    assert game.observation.view.role is MANAGER
    with pytest.raises(EpisodeOver, match="make another SeatGame"):
        game.take(pass_turn(game.observation, MANAGER))


def test_an_episode_that_is_cut_off_is_truncated_and_pays_what_was_played() -> None:
    game = SeatGame(hand_made(), DEV, "noop", max_turns=4)
    paid = play(game, pass_turn)
    assert game.truncated
    assert sum(paid) == game.score == sum(step.reward for step in game.steps)
    early = SeatGame(hand_made(), MANAGER, "noop", max_turns=2)
    assert early.done
    assert early.score == sum(step.reward for step in early.steps)


def test_what_is_no_action_costs_the_turn() -> None:
    game = SeatGame(hand_made(), DEV, "noop")
    paid = game.take("restart db")
    (mine,) = [step for step in game.steps if step.role is DEV]
    assert mine.breakdown.miscommunication_penalty == -20.0
    assert paid < -20.0


def test_one_of_the_others_that_raises_is_named_and_ends_the_game() -> None:
    with pytest.raises(PolicyError, match=r"policy of sre raised in turn 0 .*KeyError: 'oops'"):
        SeatGame(hand_made(), DEV, {SRE: broken})
    game = SeatGame(hand_made(), DEV, {MANAGER: broken})
    with pytest.raises(PolicyError) as caught:
        game.take(pass_turn(game.observation, DEV))
    assert len(caught.value.result.steps) == 3
    with pytest.raises(EpisodeOver, match="one of the others raised"):
        game.take(pass_turn(game.observation, DEV))


@pytest.mark.parametrize(
    ("role", "others", "why"),
    [
        ("boss", "expert", "there is no role 'boss': choose from sre"),
        ("dev", "wizard", "there is no policy 'wizard'"),
        ("dev", "no_such:agent", "no module 'no_such'"),
    ],
)
def test_a_role_or_a_policy_that_is_not_there_is_an_error(role: str, others: str, why: str) -> None:
    with pytest.raises(ChaosOpsError, match=why):
        SeatGame(hand_made(), role, others)
