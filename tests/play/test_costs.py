"""Every cost and gain of a turn is told with its cause, wherever turns are read."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import EpisodeStep, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    ActionType,
    AgentDeed,
    AgentRequest,
    AgentRole,
    ChaosOpsAction,
    Claim,
    FrozenMap,
)
from chaosops.play.costs import paid, summed, unusual
from chaosops.play.formatting import signed
from chaosops.play.turn_digest import told_steps
from chaosops.play.wording import describe_in
from chaosops.recording.reader import read_recording
from chaosops.rewards.reward_fn import RewardWeights, StepRewardBreakdown
from tests.recording.test_first_edition import FOLDER
from tests.tui.games import frames
from tests.worlds import SRE, Move, hand_made, move, play, scenario
from tui.plain.score import score_lines
from tui.widgets.rewards.detail import breakdown_text
from tui.widgets.rewards.log import reward_rows

COMPONENTS = StepRewardBreakdown._fields


def _step(**components: float) -> EpisodeStep:
    action = ChaosOpsAction(SRE, ActionType.RESTART, "payments", {"hint": [1]})
    breakdown = StepRewardBreakdown(**components)
    return frames(turns=1)[0]._replace(action=action, breakdown=breakdown, reward=breakdown.total)


@pytest.mark.few(3)
@pytest.mark.parametrize("component", COMPONENTS)
def test_each_component_has_a_word_and_a_cause(component: str) -> None:
    (part,) = paid(_step(**{component: -4.0}))
    assert part.amount == -4.0
    assert part.word
    assert "_" not in part.word
    assert len(part.why.split()) >= 2
    assert part.full == f"{part.word} -4.0: {part.why}"


@pytest.mark.slow
@pytest.mark.parametrize("width", [58, 78, 82, 116])
@given(
    components=st.dictionaries(
        st.sampled_from(COMPONENTS), st.integers(-100, 100).map(float), max_size=6
    )
)
def test_the_reward_log_names_each_component_with_its_amount_at_any_width(
    width: int, components: dict[str, float]
) -> None:
    step = _step(**components)
    rows = reward_rows(step, step.reward, width)
    told = " ".join(" ".join(row.plain.split()) for row in rows)
    assert all(row.cell_length <= width for row in rows)
    for part in paid(step):
        assert part.brief in told
    for part in unusual(step):
        assert part.full in told


def test_a_folded_reward_log_shows_turns_and_not_the_rest_of_what_each_turn_pays() -> None:
    step = _step(mttr_penalty=-2.0, impact_penalty=-1.3)
    (row,) = reward_rows(step, step.reward, 58, is_low=True)
    assert "-3.3" in row.plain
    step = _step(mttr_penalty=-2.0, impact_penalty=-1.3, hint_penalty=-5.0)
    rows = reward_rows(step, step.reward, 58, is_low=True)
    assert [part.full for part in unusual(step)] == [row.plain.strip() for row in rows[1:]]


def test_a_wrong_fix_is_explained_in_every_place_where_turns_are_read() -> None:
    stepper = play(hand_made(), {0: move("restart", "cart")}, turns=4)
    step = stepper.steps[0]
    assert step.breakdown.wrong_fix_penalty == RewardWeights().wrong_fix_penalty
    told = "wrong fix -25.0: restart cart did not help here"
    for width in (78, 82):
        assert told in [row.plain.strip() for row in reward_rows(step, step.reward, width)]
    assert any(told in line for line in told_steps(stepper.steps))
    for text in (breakdown_text(step, SRE), "\n".join(score_lines(stepper.steps, SRE, 4))):
        assert "restart cart did not help here" in text
        assert "of user requests failed" in text


def test_the_components_of_some_turns_add_up_to_what_they_paid_together() -> None:
    policies = {role: random_policy(3) for role in TURN_ORDER}
    steps = run_episode(ChaosOpsEnvironment(), scenario("slow-then-errors", 1), policies).steps
    together, _, words = summed(steps).partition(": ")
    assert together == signed(sum(step.reward for step in steps))
    named = [float(word.rsplit(" ", 1)[1]) for word in words.split(", ")]
    assert sum(named) == pytest.approx(float(together), abs=0.1 * len(named))


def test_the_share_that_failed_is_that_of_the_minute_that_was_paid_for() -> None:
    stepper = play(scenario("slow-then-errors", 1), turns=1)
    (impact,) = [part for part in paid(stepper.steps[0]) if part.name == "impact_penalty"]
    failed = 1.0 - stepper.observation.view.status.users_ok
    assert impact.why == f"{failed * 100:.1f} % of user requests failed"


def test_the_share_that_failed_is_told_by_what_it_cost_when_a_recording_was_made() -> None:
    frames = read_recording(FOLDER / "first-shift-1-shelves-missing.jsonl").frames
    told = 0
    for step, later in pairwise(frames):
        failed = 1.0 - later.observation.view.status.users_ok
        for part in paid(step):
            if part.name == "impact_penalty":
                assert part.why == f"{failed * 100:.1f} % of user requests failed"
                told += 1
    assert told


def test_a_hint_is_named_by_its_level() -> None:
    (part,) = paid(_step(hint_penalty=-5.0))
    assert part.why == "hint 1 was read"
    bare = _step(hint_penalty=-5.0)
    unnamed = bare._replace(action=ChaosOpsAction(SRE, ActionType.NOOP, None, FrozenMap()))
    assert paid(unnamed)[0].why == "a hint was read"


def test_the_diagnosis_that_a_turn_pays_for_is_named_only_if_the_amount_tells_which() -> None:
    first = move("diagnose", None, cause="pool_exhausted", place="cart", stake="certain")
    second = move("diagnose", None, cause="row_lock", place="db", stake="certain")
    cure = move("terminate", "db")
    look = move("investigate", "db", source="runtime")

    def judged(moves: dict[int, Move]) -> list[str]:
        end = play(hand_made(max_steps=12), moves).steps[-1]
        return [part.full for part in paid(end) if "diagnosis" in part.word]

    assert judged({0: look, 4: second, 8: cure}) == ["right diagnosis +30.0: row lock is right"]
    assert judged({0: look, 4: first, 8: cure}) == [
        "wrong diagnosis -30.0: pool exhausted is wrong"
    ]
    assert judged({0: look, 4: first, 8: cure, 10: second}) == [
        "wrong diagnosis -30.0: the diagnosis that stood at the cure is wrong"
    ]


def test_what_each_turn_pays_stands_in_columns_whichever_of_it_a_turn_has() -> None:
    turns = [
        _step(mttr_penalty=-2.0, impact_penalty=-10.0),
        _step(mttr_penalty=-2.0),
        _step(mttr_penalty=-2.0, impact_penalty=-0.5),
    ]
    rows = [reward_rows(step, step.reward, 90)[0].plain for step in turns]
    assert len({row.index("time -2.0") for row in rows}) == 1
    assert "impact -10.0" in rows[0]
    assert rows[2].index("impact") == rows[0].index("impact")


def test_the_answer_to_a_request_names_what_was_asked_for() -> None:
    step = _step(mttr_penalty=-2.0)
    claim = Claim("canary", "edge", 4, "min")
    asked = AgentRequest(
        2, "deploy_bot", AgentDeed.PROMOTE, "edge", EMPTY, "promote r7", claim, None, "", 30, 3, 11
    )
    view = step.observation.view.model_copy(update={"agent_requests": (asked,)})
    deny = ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.DENY, None, {"request": 2})
    assert describe_in(view, deny) == "deny 2 (deploy_bot: promote r7 at edge)"
    other = ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.DENY, None, {"request": 3})
    assert describe_in(view, other) == "deny 3"
