"""What a comparison with the expert comes to, in sentences that hold."""

from __future__ import annotations

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, Credit, PaidFor, Source
from chaosops.env.world_sim import Scenario
from chaosops.play.advice import is_advice, telling_looks
from chaosops.play.counterfactuals import Cost, Gap, Hindsight, PolicyGame
from chaosops.play.hindsight_words import cost_words, gap_words, without_cost_words
from chaosops.play.outcome import outcome
from tests.worlds import SRE, hand_made, move, play

LOOK = ChaosOpsAction(SRE, ActionType.INVESTIGATE, "cart", {"source": "metrics"})
CURE = ChaosOpsAction(SRE, ActionType.TERMINATE, "db")
NOTHING = outcome((), resolved=False, diagnoses=())


NO_GAP = Gap(0.0, 0.0, 0.0)


def seen(*costs: Cost, gap: Gap = NO_GAP) -> Hindsight:
    return Hindsight(PolicyGame((), True, 0.0, ()), costs, gap)


def cost(lost: float, *, ended: bool = False, advised: bool = True) -> Cost:
    return Cost(8, SRE, LOOK, CURE, "It looks so.", lost, ended, advised)


def test_what_ended_the_incident_is_no_mistake() -> None:
    words = cost_words(cost(15.5, ended=True))
    assert words == (
        "turn 9, SRE: investigate metrics of cart ended the incident; "
        "from before that turn experts could have made 15.5 more."
    )
    assert seen(cost(15.5, ended=True), cost(2.0)).costliest == cost(2.0)


def test_a_move_that_the_truth_contradicts_is_not_called_better() -> None:
    assert cost_words(cost(13.2)).endswith("cost 13.2. Better: terminate db. It looks so.")
    assert cost_words(cost(13.2, advised=False)) == (
        "turn 9, SRE: investigate metrics of cart: "
        "experts made 13.2 more from before it than from after it."
    )
    found = seen(cost(13.2, advised=False), gap=Gap(13.2, 0.0, 0.0))
    assert found.costliest is None
    assert without_cost_words(found) == (
        "None of your turns is a mistake as far as the truth and the record tell."
    )


def test_the_points_between_are_told_by_whom() -> None:
    assert next(gap_words(seen(gap=Gap(0.0, 102.4, 0.0)), NOTHING)) == (
        "102.4 below the expert: your turns 0.0, other turns -102.4."
    )
    assert next(gap_words(seen(gap=Gap(2.0, 0.0, 5.0)), NOTHING)) == (
        "3.0 above the expert: your turns -2.0, other turns 0.0, "
        "a better line than the expert's +5.0."
    )
    assert list(gap_words(seen(), NOTHING)) == ["Your score is the expert's."]


def test_the_points_between_are_told_by_component() -> None:
    short = play(hand_made(max_steps=12), {4: move("terminate", "db")})
    long = play(hand_made(max_steps=12), {8: move("terminate", "db")})
    scores = [sum(step.reward for step in game.steps) for game in (short, long)]
    expert = PolicyGame(short.steps, True, scores[0], ())
    found = Hindsight(expert, (), Gap(scores[0] - scores[1], 0.0, 0.0))
    result = outcome(long.steps, resolved=True, diagnoses=())
    _, told = gap_words(found, result)
    later = len(long.steps) - len(short.steps)
    assert later >= 4
    assert f"time {-2.0 * later:+.1f}" in told
    assert "impact -" in told


def test_only_looks_that_show_the_cause_are_advice_instead_of_another_look() -> None:
    incident = hand_made()
    telling = telling_looks(incident)
    assert (Source.RUNTIME, "db") in telling
    shows = ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"})
    assert is_advice(shows, LOOK, incident, telling, (), 0)
    assert not is_advice(LOOK, shows, incident, telling, (), 0)
    assert is_advice(LOOK, CURE, incident, telling, (), 0)


def test_a_wrong_cause_and_what_was_charged_as_wrong_are_never_advice() -> None:
    incident = hand_made()
    telling = telling_looks(incident)
    right, wrong = (
        ChaosOpsAction(SRE, ActionType.DIAGNOSE, None, {"cause": name, "place": "db"})
        for name in ("row_lock", "db_deadlock")
    )
    assert is_advice(right, LOOK, incident, telling, (), 0)
    assert not is_advice(wrong, LOOK, incident, telling, (), 0)
    charged = Credit(PaidFor.WRONG_FIX, -25.0, AgentRole.SRE, 4, 6, "db")
    assert not is_advice(CURE, LOOK, incident, telling, (charged,), 4)
    assert is_advice(CURE, LOOK, incident, telling, (charged,), 5)


def test_a_turn_that_answered_a_request_says_whose_it_was() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load("checkout-times-out", seed=3))
    while stepper.role is not AgentRole.OVERSIGHT or not stepper.observation.view.agent_requests:
        stepper.take(pass_turn(stepper.observation, stepper.role))
    view = stepper.observation.view
    (asked,) = view.agent_requests or ()
    number = {"request": asked.number}
    grant = ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.GRANT, None, number)
    deny = ChaosOpsAction(AgentRole.OVERSIGHT, ActionType.DENY, None, number)
    words = cost_words(Cost(8, AgentRole.OVERSIGHT, grant, deny, "", 4.0, view=view))
    whose = f"({asked.agent}: {asked.command} at {asked.target})"
    assert f"grant {asked.number} {whose} cost 4.0. Better: deny {asked.number} {whose}." in words
