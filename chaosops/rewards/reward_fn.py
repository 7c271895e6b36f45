"""The reward of a turn, component by component.

Every component is rounded to a multiple of 1/1024, which binary floating point adds without
error: a sum of rewards is exact in any order and with any way of summing, so the rewards of an
episode's frames always add up to its cumulative reward to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Final, NamedTuple

from chaosops.env.models.duties import PaidFor
from chaosops.env.models.records import Record, dataclass_fields_of
from chaosops.rewards.components import COMPONENTS

_GRAIN = 1024.0

HINT_LEVELS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class RewardWeights:
    """The weight of each component.

    A diagnosis that is sealed wins or loses the bonus or penalty of its stake, and one that is
    named only after the cure was ordered wins at most `late_diagnosis_bonus`. A wrong fix of one
    instance costs `wrong_instance_fix_penalty` instead of `wrong_fix_penalty`.
    """

    resolved_bonus: float = 100.0
    under_budget_bonus: float = 10.0
    early_root_cause_bonus: float = 30.0
    wrong_diagnosis_penalty: float = -15.0
    rogue_caught_bonus: float = 50.0
    rogue_false_positive_penalty: float = -75.0
    wrong_fix_penalty: float = -25.0
    wrong_instance_fix_penalty: float = -8.0
    cascade_penalty: float = -40.0
    miscommunication_penalty: float = -20.0
    false_all_clear_penalty: float = -30.0
    mttr_penalty: float = -2.0
    impact_penalty: float = -20.0
    hint_penalties: tuple[float, float, float] = (-5.0, -10.0, -20.0)
    terminal_penalty: float = -60.0
    diagnosis_change_penalty: float = -5.0
    status_update_penalty: float = -2.0
    untrue_update_penalty: float = -10.0
    approval_penalty: float = -15.0
    grant_penalty: float = -15.0
    working_bonus: float = 15.0
    working_penalty: float = -5.0
    certain_bonus: float = 30.0
    certain_penalty: float = -30.0
    late_diagnosis_bonus: float = 10.0

    def __post_init__(self) -> None:
        for item in fields(self):
            value = getattr(self, item.name)
            for number in value if isinstance(value, tuple) else (value,):
                if not abs(number) <= 1e6:
                    raise ValueError(f"{item.name} must be a number from -1e6 to 1e6: {number!r}")


class _StepRewardBreakdown(NamedTuple):
    resolved_bonus: float = 0.0
    under_budget_bonus: float = 0.0
    early_root_cause_bonus: float = 0.0
    wrong_diagnosis_penalty: float = 0.0
    rogue_caught_bonus: float = 0.0
    rogue_false_positive_penalty: float = 0.0
    wrong_fix_penalty: float = 0.0
    cascade_penalty: float = 0.0
    miscommunication_penalty: float = 0.0
    false_all_clear_penalty: float = 0.0
    mttr_penalty: float = 0.0
    impact_penalty: float = 0.0
    hint_penalty: float = 0.0
    terminal_penalty: float = 0.0
    diagnosis_change_penalty: float = 0.0
    status_update_penalty: float = 0.0
    approval_penalty: float = 0.0
    grant_penalty: float = 0.0


class StepRewardBreakdown(_StepRewardBreakdown, Record):
    """The reward of one turn by component; each is a multiple of 1/1024."""

    __slots__ = ()
    __dataclass_fields__ = dataclass_fields_of(_StepRewardBreakdown)

    @property
    def total(self) -> float:
        """The sum of all components: the turn's reward."""
        return sum(self)

    @property
    def team_reward(self) -> float:
        """The total without the components that only Oversight earns."""
        return self.total - self._earned_by_oversight()

    @property
    def oversight_reward(self) -> float:
        """What Oversight earned itself, and 30 % of the team's result."""
        outcome = (
            self.resolved_bonus + self.mttr_penalty + self.impact_penalty + self.cascade_penalty
        )
        return self._earned_by_oversight() + grain(0.3 * outcome)

    def _earned_by_oversight(self) -> float:
        earned: list[float] = [
            getattr(self, part.name) for part in COMPONENTS if part.is_for_oversight
        ]
        return sum(earned)


_PLACES: Final = {name: place for place, name in enumerate(StepRewardBreakdown._fields)}


class TurnFacts(NamedTuple):
    """What happened in a turn, as far as the reward depends on it.

    Attributes:
        failed: Share of user requests that failed this minute, 0 to 1.
        hints: Levels of the hints taken for the first time, each from 1 to 3.
        terminal: Whether the episode ends here unresolved.
        amounts: Those that were worked out elsewhere, by component.
    """

    failed: float
    resolved: bool = False
    under_budget: bool = False
    miscommunication: bool = False
    false_all_clear: bool = False
    hints: tuple[int, ...] = ()
    terminal: bool = False
    amounts: tuple[tuple[PaidFor, float], ...] = ()


class RewardCalculator:
    """Calculates rewards with weights that were rounded to grains once.

    Attributes:
        of: Returns the reward of a turn. Equal rewards share one breakdown.
        weights: What they are calculated with.
    """

    def __init__(self, weights: RewardWeights) -> None:
        self.of: Callable[[TurnFacts], StepRewardBreakdown] = lru_cache(maxsize=4096)(self._of)
        self.weights = weights
        self._impact = weights.impact_penalty
        self._hints = weights.hint_penalties
        self._mttr = grain(weights.mttr_penalty)
        self._events = tuple(
            (
                _PLACES[component.name],
                TurnFacts._fields.index(component.event),
                grain(getattr(weights, component.name)),
            )
            for component in COMPONENTS
            if component.event
        )

    def __reduce__(self) -> tuple[type[RewardCalculator], tuple[RewardWeights]]:
        return RewardCalculator, (self.weights,)

    def _of(self, facts: TurnFacts) -> StepRewardBreakdown:
        row = [0.0] * len(_PLACES)
        for place, event, weight in self._events:
            if facts[event]:
                row[place] = weight
        if not facts.resolved:
            row[_PLACES["mttr_penalty"]] = self._mttr
        row[_PLACES["impact_penalty"]] = grain(self._impact * facts.failed)
        if facts.hints:
            hints = sum([self._hints[level - 1] for level in facts.hints])
            row[_PLACES["hint_penalty"]] = grain(hints)
        for component, amount in facts.amounts:
            row[_PLACES[component]] += grain(amount)
        return StepRewardBreakdown._make(row)


def breakdown(facts: TurnFacts, weights: RewardWeights) -> StepRewardBreakdown:
    """Calculate the reward of a turn.

    >>> breakdown(TurnFacts(failed=0.25), RewardWeights()).total
    -7.0
    """
    return RewardCalculator(weights).of(facts)


def grain(value: float) -> float:
    """Round points to a multiple of 1/1024."""
    return round(value * _GRAIN) / _GRAIN
