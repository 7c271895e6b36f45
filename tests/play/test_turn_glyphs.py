"""A game as glyphs: one for each turn of a person, and nothing of the cause."""

from __future__ import annotations

from collections.abc import Callable

from chaosops.agents.policies import expert_policy
from chaosops.agents.runner import EpisodeResult, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.play.turn_glyphs import GLYPHS, TurnGlyph, glyphs_of

SCENARIO = Scenario.load("checkout-times-out", 1_000)


def glyphs(choose: Callable[[int], ChaosOpsAction | None], turns: int = 44) -> str:
    """The glyphs of an SRE beside experts, who takes what is chosen by round, or passes."""
    expert = expert_policy(SCENARIO.seed)
    stepper = Stepper(ChaosOpsEnvironment(), SCENARIO)
    while not stepper.done and len(stepper.steps) < turns:
        if stepper.role is AgentRole.SRE:
            action = choose(len(stepper.steps) // len(TURN_ORDER))
            stepper.take(action or ChaosOpsAction(AgentRole.SRE, ActionType.NOOP))
        else:
            stepper.take(expert(stepper.observation, stepper.role))
    return _drawn(stepper)


def _drawn(stepper: Stepper) -> str:
    result: EpisodeResult = stepper.result()
    own = {step.turn for step in result.steps if step.role is AgentRole.SRE}
    return glyphs_of(result.steps, stepper.observation.view, own)


def act(verb: ActionType, target: str | None = None, **args: object) -> ChaosOpsAction:
    return ChaosOpsAction(AgentRole.SRE, verb, target, args)


def test_each_turn_of_a_person_has_a_glyph_and_no_other() -> None:
    assert glyphs(lambda number: None, turns=12) == TurnGlyph.WAITED * 3


def test_looks_orders_and_diagnoses_differ() -> None:
    deeds = (
        act(ActionType.INVESTIGATE, "db", source="metrics"),
        act(ActionType.DIAGNOSE, None, cause="db_deadlock", place="db", stake="working"),
        act(ActionType.SCALE, "search", replicas=4),
    )
    found = glyphs(lambda number: deeds[number] if number < 3 else None, turns=12)
    assert found[:2] == TurnGlyph.LOOKED + TurnGlyph.NAMED
    assert found[2] in (TurnGlyph.ACTED, TurnGlyph.WRONG)


def test_an_order_that_did_harm_and_a_lost_turn_are_marked() -> None:
    tempting = next(move for move in SCENARIO.incident.tempting if move.action == "restart")
    deeds = (
        ChaosOpsAction(AgentRole.SRE, tempting.action, tempting.target, tempting.arguments()),
        act(ActionType.RESTART, "no-such-service"),
    )
    found = glyphs(lambda number: deeds[number] if number < 2 else None)
    assert found[:2] == TurnGlyph.WRONG * 2


def test_every_glyph_is_explained_and_one_cell_wide() -> None:
    assert set(GLYPHS) == set(TurnGlyph)
    assert all(len(glyph) == 1 for glyph in TurnGlyph)
