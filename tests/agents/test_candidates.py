from __future__ import annotations

from copy import copy
from itertools import count

import pytest

from chaosops.agents.candidates import Candidate, read_candidates
from chaosops.agents.expert import Expert
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.play.action_form.suggestions import same_act
from tests.worlds import scenario

RESTART = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "db")
SCALE = ChaosOpsAction(AgentRole.SRE, ActionType.SCALE, "db", {"replicas": 3})


def test_actions_and_pairs_with_a_reason_are_candidates() -> None:
    found, problem = read_candidates([RESTART, (SCALE, "it is slow"), Candidate(RESTART)])
    assert found == (Candidate(RESTART), Candidate(SCALE, "it is slow"), Candidate(RESTART))
    assert not problem


def test_no_more_than_three_are_taken_of_what_never_ends() -> None:
    found, _ = read_candidates((SCALE, str(number)) for number in count())
    assert [reason for _action, reason in found] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (RESTART, "offered a ChaosOpsAction instead of a list of candidates"),
        ("restart db", "offered a str instead of a list of candidates"),
        (None, "offered a NoneType instead of a list of candidates"),
        ([RESTART, "no"], "offered a str as candidate 2"),
        ([(RESTART, None)], "offered a tuple as candidate 1, and not an action, or a pair"),
        ([("restart", "why")], "offered a tuple as candidate 1"),
        ({"action": RESTART}, "offered a str as candidate 1"),
    ],
)
def test_what_is_no_candidate_is_named(given: object, problem: str) -> None:
    found, said = read_candidates(given)
    assert found == ()
    assert said.startswith(problem)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("name", "seed"),
    [("paying-ends-in-an-error", 1), ("errors-across-teams", 2), ("checkout-times-out", 3)],
)
def test_the_expert_offers_what_it_would_do_first_and_then_other_moves(
    name: str, seed: int
) -> None:
    expert = Expert(seed)
    stepper = Stepper(ChaosOpsEnvironment(), scenario(name, seed))
    lengths = set()
    while not stepper.done:
        seen, role = stepper.observation, stepper.role
        offered = expert.candidates(seen, role)
        action = expert(seen, role)
        assert offered[0] == (action, expert.explain(seen, role))
        actions = [each.action for each in offered]
        assert not any(same_act(a, b) for i, a in enumerate(actions) for b in actions[:i])
        assert ActionType.NOOP not in [each.action_type for each in actions[1:]]
        lengths.add(len(offered))
        for each in offered:
            assert each.reason.endswith(".")
            assert len(each.reason) < 200
        stepper.take(action)
    assert 3 in lengths
    assert max(lengths) == 3


def test_each_candidate_of_the_expert_is_an_action_that_the_role_may_take() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), scenario("paying-ends-in-an-error", 4))
    expert = Expert(0)
    while not stepper.done:
        seen, role = stepper.observation, stepper.role
        for each in expert.candidates(seen, role):
            step = copy(stepper).take(each.action)
            assert not step.breakdown.miscommunication_penalty
        stepper.take(expert(seen, role))


def test_looks_come_in_the_order_of_what_they_tell() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), scenario("paying-ends-in-an-error", 7))
    offered = Expert(0).candidates(stepper.observation, AgentRole.SRE)
    assert [each.action.action_type for each in offered] == [ActionType.INVESTIGATE] * 3
    assert offered[0].reason.endswith("tells the most.")
    told = [int(each.reason.split()[2]) for each in offered[1:]]
    assert 100 >= told[0] >= told[1] > 0
