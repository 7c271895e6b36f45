"""The points of a turn, component by component, each with its reason. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    ActionType,
    ChaosOpsAction,
    InFlight,
    PaidFor,
    RoleView,
    Stake,
)
from chaosops.env.models.scope import INSTANCE
from chaosops.env.models.verbs import FIXES
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, percent, shown, signed
from chaosops.play.wording import component_word, describe
from chaosops.rewards.components import COMPONENT, COMPONENTS
from chaosops.rewards.reward_fn import RewardWeights

_FIRST_IMPACT: Final = -10.0
"""What a minute without a served request cost in recordings of engine 1."""

USUAL: Final = frozenset(part.name for part in COMPONENTS if part.is_usual)
"""Components that nearly every turn has."""


_OF_FIXES: Final = frozenset({PaidFor.WRONG_FIX.value, PaidFor.CASCADE.value})


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
        weight, acts = RewardWeights().impact_penalty, _landing(step, value) or acts
        cause = _judged(step, value)
        target = ", ".join(_accused(view)) or target
    return COMPONENT[name].why.format(
        action=acts,
        cause=cause,
        target=target,
        failed=percent(value / weight),
        hints=_hints(action),
    )


def is_of_another(part: Paid, step: EpisodeStep) -> bool:
    """Whether a component is paid for fixes that others than the turn's role ordered."""
    due = _due(step.observation.view)
    return part.name in _OF_FIXES and bool(due) and all(item.role is not step.role for item in due)


def _due(view: RoleView) -> list[InFlight]:
    """Return the fixes that land in the minute after a view."""
    due = view.status.minute + 1
    return [item for item in view.in_flight if item.lands <= due and item.action_type in FIXES]


def _landing(step: EpisodeStep, value: float) -> str:
    """Describe the fixes that a turn may pay for, and who ordered them; empty if there is none."""
    due = _due(step.observation.view)
    acts = [ChaosOpsAction(each.role, each.action_type, each.target, each.args) for each in due]
    told = ", ".join(
        describe(act) if act.role is step.role else f"{ROLE_NAMES[act.role]}'s {describe(act)}"
        for act in acts
    )
    is_some = len(acts) > 1 and value > sum(map(_price, acts))
    return f"one of {told}," if is_some else told


def _price(act: ChaosOpsAction) -> float:
    """Return what a fix costs where it is wrong."""
    weights = RewardWeights()
    return weights.wrong_instance_fix_penalty if INSTANCE in act.args else weights.wrong_fix_penalty


def _judged(step: EpisodeStep, value: float) -> str:
    """Name the cause that a turn may pay for, as far as the amount tells which one was judged."""
    made = [(each.cause, each.stake) for each in step.observation.view.diagnoses]
    if step.action.action_type is ActionType.DIAGNOSE:
        args = step.action.args
        sure = args.get("stake") == Stake.CERTAIN
        made.append((args.get("cause", "that"), Stake.CERTAIN if sure else Stake.WORKING))
    weights = RewardWeights()
    excluded = {
        weights.certain_penalty: Stake.WORKING,
        weights.certain_bonus: Stake.WORKING,
        weights.working_penalty: Stake.CERTAIN,
        weights.working_bonus / 2: Stake.CERTAIN,
    }
    known = value in excluded
    causes = {in_words(cause) for cause, stake in made if not (known and stake is excluded[value])}
    return causes.pop() if len(causes) == 1 else "the diagnosis that stood at the cure"


def _accused(view: RoleView) -> list[str]:
    return [item.target for item in view.landed if item.action_type is ActionType.FLAG]


def _hints(action: ChaosOpsAction) -> str:
    levels = action.args.get("hint")
    if not isinstance(levels, tuple):
        return "a hint"
    return f"hint {' and '.join(str(level) for level in levels)}"
