"""What a turn paid, component by component, each with its cause in words. No widget in here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ChaosOpsAction
from chaosops.play.formatting import component_word, describe, in_words, percent, shown, signed
from chaosops.rewards.reward_fn import RewardWeights, StepRewardBreakdown

USUAL: Final = frozenset({"mttr_penalty", "impact_penalty"})
"""Components that nearly every turn has."""


class Paid(NamedTuple):
    """One component of a turn's reward that is not zero.

    Attributes:
        name: The field of `StepRewardBreakdown`.
        word: What it is called, in a word or two.
        why: What it was paid for, in a few words.
    """

    name: str
    word: str
    amount: float
    why: str

    @property
    def brief(self) -> str:
        """Word and amount."""
        return f"{self.word} {signed(self.amount)}"

    @property
    def full(self) -> str:
        """Word, amount and cause."""
        return f"{self.brief}: {self.why}"


def paid(step: EpisodeStep) -> list[Paid]:
    """The components of a turn that are not zero, the unusual ones first."""
    parts = [
        Paid(name, component_word(name), value, _why(name, value, step.action))
        for name, value in zip(StepRewardBreakdown._fields, step.breakdown, strict=True)
        if value
    ]
    return sorted(parts, key=lambda part: part.name in USUAL)


def unusual(step: EpisodeStep) -> list[Paid]:
    """Those of them that are not paid in nearly every turn."""
    return [part for part in paid(step) if part.name not in USUAL]


def summed(steps: Iterable[EpisodeStep]) -> str:
    """What some turns paid together, by component: "-12.4: time -8.0, impact -4.4"."""
    totals: dict[str, float] = {}
    for step in steps:
        for part in paid(step):
            totals[part.name] = totals.get(part.name, 0.0) + part.amount
    order = sorted(totals, key=lambda name: name in USUAL)
    words = ", ".join(f"{component_word(name)} {signed(totals[name])}" for name in order)
    together = signed(sum(totals.values()))
    return f"{together}: {words}" if words else together


def _why(name: str, value: float, action: ChaosOpsAction) -> str:
    words = _CAUSES.get(name)
    if words is None:
        return _failed(value) if name == "impact_penalty" else _hints(action)
    return words if isinstance(words, str) else words(action)


def _failed(value: float) -> str:
    return f"{percent(value / RewardWeights().impact_penalty)} of user requests failed"


def _hints(action: ChaosOpsAction) -> str:
    levels = action.args.get("hint")
    if not isinstance(levels, tuple):
        return "a hint was read"
    return f"hint {' and '.join(str(level) for level in levels)} was read"


def _diagnosed(action: ChaosOpsAction) -> str:
    return in_words(action.args.get("cause", "that"))


def _bare(action: ChaosOpsAction) -> str:
    return describe(action)


_CAUSES: Final[Mapping[str, str | Callable[[ChaosOpsAction], str]]] = MappingProxyType(
    {
        "resolved_bonus": "every cause is gone and users are well",
        "under_budget_bonus": "resolved within par",
        "early_root_cause_bonus": lambda action: f"{_diagnosed(action)} is right, and early",
        "wrong_diagnosis_penalty": lambda action: f"it is not {_diagnosed(action)}",
        "rogue_caught_bonus": lambda action: f"{shown(action.target, 40)} is the rogue agent",
        "rogue_false_positive_penalty": lambda action: f"{shown(action.target, 40)} is innocent",
        "wrong_fix_penalty": lambda action: f"{_bare(action)} clears or eases nothing here",
        "cascade_penalty": lambda action: f"{_bare(action)} sets off another failure",
        "miscommunication_penalty": "that action is not possible, and the turn is lost",
        "false_all_clear_penalty": "declared over while it is not",
        "mttr_penalty": "a turn without the incident being resolved",
        "terminal_penalty": "the last turn is over and the incident is not resolved",
    }
)
