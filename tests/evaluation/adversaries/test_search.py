import pytest

from chaosops.agents.oracle import EndingLine
from chaosops.agents.policies import oracle_policy
from chaosops.env.models import TURN_ORDER, ActionType
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.search import MOVES, Search, candidates, search
from chaosops.evaluation.measurement import ALL_LEVELS
from chaosops.evaluation.study import play
from chaosops.scenarios.rendering import ScenarioSource
from tests.evaluation.adversaries.helpers import study_of
from tests.worlds import situations

SHORT = Scenario.load("paying-ends-in-an-error")


def test_a_search_begins_at_the_oracles_line_and_never_ends_below_it() -> None:
    found = search(SHORT, passes=1, moves=4)
    line = play(SHORT, dict.fromkeys(TURN_ORDER, oracle_policy(SHORT)))
    assert found.start == line.reward
    assert found.best >= found.start


def test_it_finds_the_mitigation_that_a_line_lacks_and_the_oracle_takes() -> None:
    """Played by hand: 118.9 becomes 123.6 with the noisy caller's feature off for a while.

    The day's traffic moves both by about a point.
    """
    scenario = Scenario.load("figures-hours-old")
    found = search(scenario, passes=1, start=EndingLine(scenario))
    assert found.start == pytest.approx(118.9, abs=1.5)
    assert found.best - found.start == pytest.approx(4.7, abs=1.0)
    (change,) = found.changes.values()
    assert change.action_type is ActionType.DISABLE_FEATURE
    assert search(scenario, passes=1).start == found.best


@pytest.mark.proof
@pytest.mark.parametrize("source", situations(), ids=lambda source: source.id)
def test_it_finds_nothing_better_than_the_oracle_for_any_truth_of_a_situation(
    source: ScenarioSource,
) -> None:
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
    _passing, *moves = candidates(SHORT, MOVES)[TURN_ORDER[0]]
    ends = [any(c.matches(m.action_type, m.target, m.args) for c in clears) for m in moves]
    assert True in ends
    assert ends == sorted(ends, reverse=True)


def test_no_wrong_diagnosis_and_no_innocent_agent_is_tried() -> None:
    scenario = Scenario.load("errors-across-teams")
    tried = [move for moves in candidates(scenario, 200).values() for move in moves]
    causes = {m.args["cause"] for m in tried if m.action_type is ActionType.DIAGNOSE}
    flagged = {m.target for m in tried if m.action_type is ActionType.FLAG}
    assert causes == {"rogue_deploy_bot"}
    assert flagged == {"deploy_bot"}


def test_each_truth_of_an_incident_is_searched_once() -> None:
    figure = Search().measure(study_of("paying-ends-in-an-error", seeds=(0, 1, 2)), ALL_LEVELS)[
        "search"
    ]
    assert figure.n == 1
