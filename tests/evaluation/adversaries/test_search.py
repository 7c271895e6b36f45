import pytest

from chaosops.agents.policies import oracle_policy, pass_turn
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole
from chaosops.evaluation.adversaries.search import MOVES, Search, candidates, search
from chaosops.evaluation.measurement import ALL_LEVELS
from chaosops.evaluation.study import play
from chaosops.rewards.reward_fn import RewardWeights
from chaosops.scenarios.rendering import ScenarioSource
from tests.evaluation.adversaries.helpers import study_of
from tests.sampling import chosen_evenly
from tests.worlds import DEPLOY_BOT, INNOCENT, ROGUE_PROMOTION, hand_made, situations

SHORT = hand_made()
_SITUATIONS = 4


def _some_situations() -> list[ScenarioSource]:
    known = situations()
    return [known[k] for k in sorted(chosen_evenly(len(known), _SITUATIONS))]


def test_a_search_begins_at_the_oracles_line_and_never_ends_below_it() -> None:
    found = search(SHORT, passes=1, moves=4)
    line = play(SHORT, dict.fromkeys(TURN_ORDER, oracle_policy(SHORT)))
    assert found.start == line.reward
    assert found.best >= found.start


def test_it_finds_what_a_line_lacks_and_the_oracle_does() -> None:
    """An empty line is improved by the one move that ends the lock."""
    found = search(SHORT, passes=1, start=pass_turn)
    assert found.start == play(SHORT, {}).reward
    assert (ActionType.TERMINATE, "db") in {
        (move.action_type, move.target) for move in found.changes.values()
    }
    assert found.best > found.start + RewardWeights().resolved_bonus


@pytest.mark.proof
@pytest.mark.parametrize("source", _some_situations(), ids=lambda source: source.id)
def test_it_finds_nothing_better_than_the_oracle_for_any_truth_of_a_situation(
    source: ScenarioSource,
) -> None:
    """A sample; `chaosops evaluate --adversary search` tries all of them."""
    gain = Search().measure(study_of(source.id, seeds=tuple(range(40))), ALL_LEVELS)["search"]
    assert source.drawing is not None
    assert gain.n >= len(source.drawing.situation.casts)
    assert gain.value is not None
    assert gain.value <= 2.0


def test_no_role_has_more_moves_than_are_to_be_tried_and_one_is_to_pass() -> None:
    for role, moves in candidates(SHORT, MOVES).items():
        assert 1 <= len(moves) <= MOVES
        assert moves[0].action_type is ActionType.NOOP
        assert {move.role for move in moves} == {role}
        assert len(set(moves)) == len(moves)


def test_what_clears_the_fault_is_tried_before_what_only_acts_where_it_hurts() -> None:
    clears = [move for fault in SHORT.incident.faults for move in fault.clears]
    _passing, *moves = candidates(SHORT, MOVES)[AgentRole.SRE]
    ends = [
        any(c.matches(ActionType(m.action_type), m.target, m.args) for c in clears) for m in moves
    ]
    assert True in ends
    assert ends == sorted(ends, reverse=True)


def test_no_wrong_diagnosis_and_no_innocent_agent_is_tried() -> None:
    guilty = hand_made(casts=[ROGUE_PROMOTION], automation=[INNOCENT, DEPLOY_BOT])
    tried = [move for moves in candidates(guilty, 200).values() for move in moves]
    causes = {m.args["cause"] for m in tried if m.action_type is ActionType.DIAGNOSE}
    flagged = {m.target for m in tried if m.action_type is ActionType.FLAG}
    assert causes == {"rogue_deploy_bot"}
    assert flagged == {"deploy_bot"}


@pytest.mark.slow
def test_each_truth_of_an_incident_is_searched_once() -> None:
    """A lesson has the same truth on every seed."""
    study = study_of("first-shift-1-product-pages", seeds=(0, 1, 2))
    assert Search().measure(study, ALL_LEVELS)["search"].n == 1
