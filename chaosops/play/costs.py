"""The points of a turn, component by component, each with its reason. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, ChaosOpsAction, RoleView
from chaosops.env.models.verbs import FIXES
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, percent, shown, signed
from chaosops.play.wording import component_word, describe
from chaosops.rewards.components import COMPONENT, COMPONENTS
from chaosops.rewards.reward_fn import RewardWeights

_FIRST_IMPACT: Final = -10.0
"""What a minute without a served request cost in recordings of engine 1."""

USUAL: Final = frozenset(part.name for part in COMPONENTS if part.is_usual)
"""Components that nearly every turn has."""


class Paid(NamedTuple):
    """One component of a turn's reward that is not zero.

    Attributes:
        name: The field of `StepRewardBreakdown`.
        word: Its name, in a word or two.
        why: The reason for it, in a few words.
    """

    name: str
    word: str
    amount: float
    why: str

    @property
    def brief(self) -> str:
        """The word and the amount."""
        return f"{self.word} {signed(self.amount)}"

    @property
    def full(self) -> str:
        """The word, the amount and the reason."""
        return f"{self.brief}: {self.why}"


def ordered(name: str, before: RoleView, after: RoleView | None) -> str:
    """Tell who ordered what a component pays for, and when: "SRE, 04:10"; empty if unknown.

    Args:
        name: The component.
        before: What was seen in the turn that pays it.
        after: What was seen after that turn.
    """
    if after is None:
        return ""
    known = len(before.paid or ())
    return "; ".join(
        f"{ROLE_NAMES[credit.role]}, {clock(after.status, credit.ordered)}"
        for credit in (after.paid or ())[known:]
        if credit.component == name
    )


def paid(step: EpisodeStep) -> list[Paid]:
    """Return the components of a turn that are not zero, the unusual ones first."""
    parts = [
        Paid(part.name, part.word, value, _why(part.name, value, step))
        for part in COMPONENTS
        if (value := getattr(step.breakdown, part.name))
    ]
    return sorted(parts, key=lambda part: part.name in USUAL)


def unusual(step: EpisodeStep) -> list[Paid]:
    """Return those that are not part of nearly every turn."""
    return [part for part in paid(step) if part.name not in USUAL]


def summed(steps: Iterable[EpisodeStep]) -> str:
    """Add up the points of several turns by component: "-12.4: time -8.0, impact -4.4"."""
    totals: dict[str, float] = {}
    for step in steps:
        for part in paid(step):
            totals[part.name] = totals.get(part.name, 0.0) + part.amount
    order = sorted(totals, key=lambda name: name in USUAL)
    words = ", ".join(f"{component_word(name)} {signed(totals[name])}" for name in order)
    together = signed(sum(totals.values()))
    return f"{together}: {words}" if words else together


def _why(name: str, value: float, step: EpisodeStep) -> str:
    view, action = step.observation.view, step.action
    weight, acts = _FIRST_IMPACT, describe(action)
    cause, target = in_words(action.args.get("cause", "that")), shown(action.target, 40)
    if view.paid is not None:
        # What a turn pays here was ordered before it, and is judged when it lands or at the end.
        weight, acts = RewardWeights().impact_penalty, _landing(view) or acts
        if view.diagnoses and action.action_type is not ActionType.DIAGNOSE:
            cause = in_words(view.diagnoses[-1].cause)
        target = ", ".join(_accused(view)) or target
    return COMPONENT[name].why.format(
        action=acts,
        cause=cause,
        target=target,
        failed=percent(value / weight),
        hints=_hints(action),
    )


def _landing(view: RoleView) -> str:
    """Describe the fixes that landed in the minute after a view; empty if there is none."""
    due = [
        describe(ChaosOpsAction(item.role, item.action_type, item.target, item.args))
        for item in view.in_flight
        if item.lands <= view.status.minute + 1 and item.action_type in FIXES
    ]
    return ", ".join(due)


def _accused(view: RoleView) -> list[str]:
    return [item.target for item in view.landed if item.action_type is ActionType.FLAG]


def _hints(action: ChaosOpsAction) -> str:
    levels = action.args.get("hint")
    if not isinstance(levels, tuple):
        return "a hint"
    return f"hint {' and '.join(str(level) for level in levels)}"
