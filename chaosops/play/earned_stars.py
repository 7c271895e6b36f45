"""Which stars people earned in a game, by what they did themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol

from chaosops.agents.reasoning import findings_known
from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    ActionType,
    ChaosOpsObservation,
    Credit,
    PaidFor,
    RoleView,
    Source,
    Stake,
)
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import process_figures
from chaosops.play.formatting import ROLE_NAMES, clock, shown, signed
from chaosops.play.stars import LEAST_BUDGET, Star
from chaosops.play.wording import component_word, describe, without_line
from chaosops.recording.events import HumanPart
from chaosops.recording.parts import StarName
from chaosops.recording.turn_sources import Decider
from chaosops.rewards.reward_fn import RewardWeights

_WRONG: Final = frozenset(
    {
        PaidFor.WRONG_FIX,
        PaidFor.CASCADE,
        PaidFor.APPROVAL,
        PaidFor.GRANT,
        PaidFor.STATUS_UPDATE,
        PaidFor.WRONG_ACCUSATION,
        PaidFor.WRONG_DIAGNOSIS,
    }
)
_JUDGED: Final = frozenset({PaidFor.RIGHT_DIAGNOSIS, PaidFor.WRONG_DIAGNOSIS})

_NAMES: Final[Mapping[Star, StarName]] = MappingProxyType(
    {Star.USERS: "users", Star.CAUSE: "cause", Star.CLEAN: "clean"}
)


def names_of(stars: Collection[Star] | None) -> tuple[StarName, ...] | None:
    """Return stars as recordings have them."""
    return None if stars is None else tuple(_NAMES[star] for star in Star if star in stars)


def stars_of(
    scenario: Scenario, steps: Sequence[EpisodeStep], last: RoleView, own: Collection[int]
) -> frozenset[Star]:
    """Return the stars of a finished game.

    Args:
        steps: Its frames from the first turn on.
        last: What is seen after the last one.
        own: The turns that people took.
    """
    return frozenset(Star).difference(withheld(scenario, steps, last, own))


def withheld(
    scenario: Scenario, steps: Sequence[EpisodeStep], last: RoleView, own: Collection[int]
) -> Mapping[Star, str]:
    """Return the stars that a finished game did not earn, each with what it lacked.

    Args:
        steps: Its frames from the first turn on.
        last: What is seen after the last one.
        own: The turns that people took.
    """
    mine = [step for step in steps if step.turn in own]
    none = _no_star(steps, mine)
    return dict.fromkeys(Star, none) if none else dict(_lacking(scenario, steps, mine, last))


def _no_star(steps: Sequence[EpisodeStep], mine: Sequence[EpisodeStep]) -> str:
    """Return why nothing is earned at all; empty if something may be."""
    if not steps or not steps[-1].breakdown.resolved_bonus:
        return "not resolved"
    if not any(step.action.action_type is not ActionType.NOOP for step in mine):
        return "your seats only passed"
    for step in mine:
        if not _has_evidence(step):
            act = describe(without_line(step.action))
            return f"{act} in turn {step.turn + 1} was ordered without a reading near it"
    return ""


class StarredGame(Protocol):
    """A game as far as its stars depend on it."""

    @property
    def scenario(self) -> Scenario:
        """What was played."""

    @property
    def steps(self) -> tuple[EpisodeStep, ...]:
        """The turns so far."""

    @property
    def humans(self) -> tuple[HumanPart, ...]:
        """How each of them was decided."""

    @property
    def observation(self) -> ChaosOpsObservation:
        """The current observation; after the end, the last one."""


def stars_in(game: StarredGame) -> frozenset[Star] | None:
    """Return the stars that people have earned in a finished game; None if none took a turn."""
    lacking = withheld_in(game)
    return None if lacking is None else frozenset(Star).difference(lacking)


def withheld_in(game: StarredGame) -> Mapping[Star, str] | None:
    """Return the other stars, each with what it lacked; None if no person took a turn."""
    taken = {Decider.HUMAN, Decider.COPILOT}
    own = frozenset(turn for turn, part in enumerate(game.humans) if part.source in taken)
    if not own:
        return None
    return withheld(game.scenario, game.steps, game.observation.view, own)


def _lacking(
    scenario: Scenario,
    steps: Sequence[EpisodeStep],
    mine: Sequence[EpisodeStep],
    last: RoleView,
) -> Iterator[tuple[Star, str]]:
    carried, left = scenario.carryover, last.status.budget
    own = left if carried is None else carried.own_budget(left)
    if own < LEAST_BUDGET:
        yield Star.USERS, f"{own} % of the error budget was left"
    why = _no_cause(scenario, steps, mine, last)
    if why:
        yield Star.CAUSE, why
    why = _not_clean(mine, last)
    if why:
        yield Star.CLEAN, why


def _no_cause(
    scenario: Scenario,
    steps: Sequence[EpisodeStep],
    mine: Sequence[EpisodeStep],
    last: RoleView,
) -> str:
    """Return what the star for the cause lacks; empty if nothing."""
    judged = [credit for credit in last.paid or () if credit.component in _JUDGED]
    whole = [credit for credit in judged if _is_whole(credit, last)]
    if not judged:
        return "no diagnosis was made"
    if any(credit.component is PaidFor.WRONG_DIAGNOSIS for credit in judged):
        return "the diagnosis that stood at the cure was wrong"
    if not whole:
        return "the place was not named right, or only after the cure was ordered"
    if not process_figures(scenario, steps).grounded:
        return "nobody had taken a telling look before the diagnosis"
    if not any(_is_ours(scenario, credit, mine) for credit in whole):
        return "a teammate named it, and you took none of its telling looks before"
    return ""


def _not_clean(mine: Sequence[EpisodeStep], last: RoleView) -> str:
    """Return the first thing that was wrong of people's doing; empty if nothing."""
    roles = {step.role for step in mine}
    for credit in last.paid or ():
        if credit.component in _WRONG and credit.role in roles:
            what = f"{component_word(credit.component.value)} {signed(credit.amount)}"
            target = f", {shown(credit.target, 60)}" if credit.target else ""
            return (
                f"{what}: {ROLE_NAMES[credit.role]}, {clock(last.status, credit.ordered)}{target}"
            )
    for step in mine:
        for name in ("false_all_clear_penalty", "miscommunication_penalty"):
            cost = getattr(step.breakdown, name)
            if cost:
                return f"{component_word(name)} {signed(cost)} in turn {step.turn + 1}"
    return ""


def _has_evidence(step: EpisodeStep) -> bool:
    """Whether a fix was ordered with a reading of its target, or of a service that it talks to."""
    if step.action.action_type not in FIXES:
        return True
    view, target = step.observation.view, step.action.target
    near = {target, *(node.name for node in view.graph if target in node.calls)}
    near.update(*(node.calls for node in view.graph if node.name == target))
    entries = step.action.action_type is ActionType.SHED_LOAD
    found = findings_known(view)
    return any(entries or finding.target in near for finding in found)


def _is_whole(credit: Credit, last: RoleView) -> bool:
    """Whether a diagnosis was paid in full: for the cause and the place, and before the cure."""
    if credit.component is not PaidFor.RIGHT_DIAGNOSIS:
        return False
    weights = RewardWeights()
    whole = {Stake.CERTAIN: weights.certain_bonus, Stake.WORKING: weights.working_bonus}
    return any(
        made.minute == credit.ordered
        and made.role is credit.role
        and made.stake is not None
        and credit.amount == whole[made.stake]
        for made in last.diagnoses
    )


def _is_ours(scenario: Scenario, credit: Credit, mine: Sequence[EpisodeStep]) -> bool:
    """Whether a person made the diagnosis, or took a look before it that shows the cause."""
    incident = scenario.incident
    telling = {(item.source, item.at) for item in incident.evidence}
    telling |= {(Source.AUTOMATION, agent.name) for agent in incident.automation if agent.is_guilty}
    for step in mine:
        minute = step.observation.view.status.minute
        if minute == credit.ordered and step.role is credit.role:
            return True
        look = step.action.action_type is ActionType.INVESTIGATE
        if look and minute < credit.ordered:
            source = step.action.args.get("source")
            if any((source, step.action.target) == each for each in telling):
                return True
    return False
