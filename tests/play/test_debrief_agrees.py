"""No statement of a debrief contradicts another, or what happened in the game.

The games are random mixes of careless, hasty and expert turns in a person's seat. What is checked
is read from the words that both debriefs print, with the frames and the truth beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import expert_policy, pass_turn, random_policy, steady_policy
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, PaidFor, RoleView
from chaosops.env.models.failures import cause_named
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import process_figures
from chaosops.play.counterfactuals import Hindsight, hindsight
from chaosops.play.debrief import ledger
from chaosops.play.deeds import deed_words
from chaosops.play.earned_stars import stars_of, withheld
from chaosops.play.ending import ending_order, is_among
from chaosops.play.formatting import in_words
from chaosops.play.hindsight_words import cost_words, gap_words, without_cost_words
from chaosops.play.outcome import Outcome, outcome
from chaosops.play.process_words import process_words
from chaosops.play.reveal import revealed, twins_told
from chaosops.play.stars import Star
from tests.worlds import built_in, scenario

_ROUNDING = 0.06
_INCIDENTS = [
    *(source.id for source in built_in() if source.id.startswith("first-shift")),
    "checkout-times-out",
    "slow-then-errors",
    "errors-across-teams",
]
_NUMBER = re.compile(r"[+-]\d+\.\d")


class Played(NamedTuple):
    """A finished game, and what its debrief is made of."""

    scenario: Scenario
    steps: tuple[EpisodeStep, ...]
    last: RoleView
    own: frozenset[int]
    seen: Hindsight
    result: Outcome


def played(name: str, seed: int, role: AgentRole, hands: str) -> Played:
    """Play a game in which a person follows the hands, a letter a turn, beside steady teammates.

    Args:
        hands: e the expert's move, r a random one, p a pass, c a certain diagnosis of another
            cause, f a fix of the first target that there is, x an action that makes no sense.
    """
    game = scenario(name, seed)
    stepper = Stepper(ChaosOpsEnvironment(), game)
    policies = {
        "e": expert_policy(seed),
        "r": random_policy(seed),
        "p": pass_turn,
        "c": _wrong_diagnosis,
        "f": _blind_fix,
        "x": _nonsense,
    }
    mate, own, left = steady_policy(seed), set(), list(hands)
    while not stepper.done:
        policy = mate
        if stepper.role is role:
            own.add(len(stepper.steps))
            policy = policies[left.pop(0) if left else hands[-1]]
        stepper.take(policy(stepper.observation, stepper.role))
    last, steps = stepper.observation.view, stepper.steps
    seen = hindsight(game, steps, sorted(own), lambda done: True)
    assert seen is not None
    result = outcome(
        steps,
        resolved=stepper.result().resolved,
        diagnoses=last.diagnoses,
        stars=stars_of(game, steps, last, own),
    )
    return Played(game, steps, last, frozenset(own), seen, result)


def _wrong_diagnosis(observation: object, role: AgentRole) -> ChaosOpsAction:
    args = {"cause": "cpu_throttling", "stake": "certain", "place": "catalog"}
    return ChaosOpsAction(role, ActionType.DIAGNOSE, None, args)


def _nonsense(observation: object, role: AgentRole) -> ChaosOpsAction:
    proposal = {"action_type": "fly", "target": 7, "args": None}
    return ChaosOpsAction(role, "sing", "nowhere", {"proposal": proposal, "say": {"x": 1}})


def _blind_fix(observation: object, role: AgentRole) -> ChaosOpsAction:
    view: RoleView = observation.view  # type: ignore[attr-defined]
    for choice in view.allowed:
        if choice.action_type in FIXES and choice.targets and not choice.arguments:
            return ChaosOpsAction(role, choice.action_type, choice.targets[0])
    return ChaosOpsAction(role, ActionType.NOOP)


def contradictions(game: Played) -> Iterator[str]:
    """Yield what the debrief says and the game, or another sentence of it, contradicts."""
    yield from _sums(game)
    yield from _costs(game)
    yield from _stars(game)
    yield from _deeds(game)
    yield from _reveal(game)
    words = " ".join(process_words(process_figures(game.scenario, game.steps)))
    if "Grounded diagnosis" in words and not game.last.diagnoses:
        yield "a grounded diagnosis, and none was made"


def _sums(game: Played) -> Iterator[str]:
    seen, result = game.seen, game.result
    if sum(value for _word, value in result.sums) != result.score:
        yield "components that do not add up to the score"
    if seen.gap.total != seen.expert.score - result.score:
        yield "a gap that is not the difference of the scores"
    first, *rest = gap_words(seen, result)
    if not rest:
        return
    for line in (first, rest[0]):
        parts = [float(number) for number in _NUMBER.findall(line.partition(":")[2])]
        told = result.score - seen.expert.score
        if abs(sum(parts) - told) > _ROUNDING * len(parts) + 0.05 * len(result.sums):
            yield f"parts that do not add up to {told:.1f}: {line}"


def _costs(game: Played) -> Iterator[str]:
    seen, score = game.seen, game.result.score
    best = seen.expert.score + seen.gap.found
    order = ending_order(game.steps)
    for cost in seen.costs:
        words = cost_words(cost)
        if cost.lost > best - score:
            yield f"a turn that cost more than the game lies below the best line: {words}"
        if is_among(game.steps[cost.turn], order) and "Better" in words:
            yield f"a mistake that ended the incident: {words}"
        if "Better: diagnose" in words:
            named = cause_named(str(cost.better.args.get("cause")))
            if named != game.scenario.failure_type:
                yield f"advice to name a wrong cause: {words}"
    costliest = seen.costliest
    if costliest is not None and costliest.ended:
        yield "the order that ended the incident is the costliest turn"
    if costliest is not None and "Better" not in cost_words(costliest):
        yield "a costliest turn without anything better"
    if "None of your turns lost" in without_cost_words(seen) and seen.gap.own >= 0.05:
        yield "that no turn lost points, and some did"
    if seen.gap.own + seen.gap.others < 0.05 and score < seen.expert.score - 0.05:
        yield "a game below the expert's in which no turn cost anything"


def _stars(game: Played) -> Iterator[str]:
    lacking = withheld(game.scenario, game.steps, game.last, game.own)
    earned = game.result.stars or frozenset()
    if frozenset(lacking) | earned != frozenset(Star) or frozenset(lacking) & earned:
        yield "a star that is both earned and withheld, or neither"
    if not all(lacking.values()):
        yield "a star that is withheld without a reason"
    if game.result.resolved and "not resolved" in lacking.values():
        yield "that it was not resolved, and it was"
    why = lacking.get(Star.CAUSE, "")
    if "wrong" in why and all(made.right for made in game.last.diagnoses):
        yield "a wrong diagnosis, and all are right"
    if why == "no diagnosis was made" and game.last.diagnoses:
        yield "no diagnosis, and there is one"
    whose = {game.steps[turn].role for turn in game.own}
    if Star.CLEAN in earned and any(
        each.component is PaidFor.WRONG_FIX and each.role in whose for each in game.last.paid or ()
    ):
        yield "a clean game with a wrong fix"


def _reveal(game: Played) -> Iterator[str]:
    facts = ledger(game.scenario, game.steps, game.steps[-1].observation)
    told = dict(revealed(game.scenario, game.last, facts))
    if game.last.diagnoses:
        newest = game.last.diagnoses[-1]
        named = told["The team said"].startswith(in_words(newest.cause))
        if not named or (": right" in told["The team said"]) is not newest.right:
            yield "another diagnosis than the last one, or another verdict"
    elif "no diagnosis was made" not in told["The team said"]:
        yield "a diagnosis, and there is none"
    looks = {
        str(step.action.args.get("source"))
        for step in game.steps
        if step.action.action_type is ActionType.INVESTIGATE
    }
    for heading, text in twins_told(game.scenario, game.steps):
        source = text.partition(" would have told")[0]
        if ("Nobody took a look" in text) is (source in looks):
            yield f"a look that was taken, or none that was missing: {heading}"
        if heading == f"Its twin {in_words(game.scenario.failure_type)}":
            yield "the cause itself as its twin"


def _deeds(game: Played) -> Iterator[str]:
    words = list(deed_words(game.steps, game.last))
    if len(words) != len(game.last.paid or ()):
        yield "deeds that are paid for and not told"
    told: Mapping[str, float] = dict(game.result.sums)
    for word in told:
        mine = [float(_NUMBER.search(line)[0]) for line in words if line.startswith(f"{word} ")]  # type: ignore[index]
        if mine and abs(sum(mine) - told[word]) > _ROUNDING * len(mine):
            yield f"deeds of {word} that do not add up to {told[word]:+.1f}"
    for line in words:
        if line.startswith("wrong diagnosis") and str(game.scenario.failure_type) in line.replace(
            " ", "_"
        ).split("_at_")[0].split(","):
            yield f"a right cause called wrong: {line}"


@pytest.mark.slow
@pytest.mark.parametrize("name", _INCIDENTS)
@settings(max_examples=3)
@given(
    seed=st.integers(0, 1_000),
    role=st.sampled_from(TURN_ORDER),
    hands=st.text("erpcfx", min_size=1, max_size=8),
)
def test_a_debrief_says_nothing_that_the_game_or_another_sentence_contradicts(
    name: str, seed: int, role: AgentRole, hands: str
) -> None:
    assert list(contradictions(played(name, seed, role, hands))) == []


def test_a_turn_that_the_game_recovered_from_cost_no_more_than_the_game_lost() -> None:
    game = played("first-shift-1-product-pages", 0, AgentRole.SRE, "ece")
    assert game.result.resolved
    lost = game.seen.expert.score - game.result.score
    (wrong,) = (cost for cost in game.seen.costs if cost.turn == 4)
    assert 0.0 < wrong.lost <= lost + game.seen.gap.found
    assert list(contradictions(game)) == []


def test_an_action_that_makes_no_sense_is_debriefed_too() -> None:
    assert list(contradictions(played("first-shift-1-product-pages", 1, AgentRole.SRE, "xe"))) == []


def test_points_that_teammates_lost_are_not_called_the_players() -> None:
    game = played("first-shift-6-images-missing", 0, AgentRole.SRE, "e")
    assert game.seen.gap.others > 0.05
    first = next(iter(gap_words(game.seen, game.result)))
    assert f"other turns {-game.seen.gap.others:+.1f}" in first
