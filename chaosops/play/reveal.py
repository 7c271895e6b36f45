"""What a debrief reveals first: what was said, what it was, what decides, and the twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, Diagnosis, PaidFor, RoleView, Stake, Status
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import LedgerFact
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown
from chaosops.play.reference.causes import twins_of
from chaosops.presenter.parts import STAKES, verdict
from chaosops.rewards.reward_fn import RewardWeights

Paragraph = tuple[str, str]
"""A heading and a text."""


def revealed(
    scenario: Scenario, last: RoleView, facts: Sequence[LedgerFact]
) -> Iterator[Paragraph]:
    """Yield what was said last, what it was, and the reading that decides.

    Args:
        last: What a role sees at the end.
        facts: What there was to find.
    """
    truth = in_words(scenario.failure_type)
    yield "The team said", _said(last)
    yield "It was", f"{truth}."
    decisive = next((fact for fact in facts if truth in fact.supports), None)
    if decisive is not None:
        yield "What decides", _decides(decisive, last.status)


def twins_told(scenario: Scenario, steps: Sequence[EpisodeStep]) -> Iterator[Paragraph]:
    """Yield each twin of the cause with the reading that would have told it."""
    looked = {
        str(step.action.args.get("source"))
        for step in steps
        if step.action.action_type is ActionType.INVESTIGATE
    }
    for twin in twins_of(scenario.incident.drawn.cause):
        source = twin.source.value
        not_read = "" if source in looked else f" Nobody took a look at {source}."
        yield f"Its twin {twin.name}", f"{source} would have told: {twin.says}.{not_read}"


def _said(last: RoleView) -> str:
    if not last.diagnoses:
        return "nothing: no diagnosis was made."
    made = last.diagnoses[-1]
    where = f" at {shown(made.place)}" if made.place else ""
    stake = f", {STAKES[made.stake]}" if made.stake is not None else ""
    who = f"{ROLE_NAMES[made.role]}, {clock(last.status, made.minute)}"
    what = f"{verdict(made)}, but it was elsewhere" if _is_elsewhere(made, last) else verdict(made)
    return f"{in_words(made.cause)}{where}{stake} ({who}): {what}."


def _is_elsewhere(made: Diagnosis, last: RoleView) -> bool:
    """Whether a right cause was paid by half, since the place was another one."""
    weights = RewardWeights()
    whole = {Stake.CERTAIN: weights.certain_bonus, Stake.WORKING: weights.working_bonus}
    return any(
        credit.component is PaidFor.RIGHT_DIAGNOSIS
        and (credit.role, credit.ordered) == (made.role, made.minute)
        and made.stake is not None
        and credit.amount == whole[made.stake] / 2.0
        for credit in last.paid or ()
    )


def _decides(fact: LedgerFact, status: Status) -> str:
    told = f"{fact.where}: {shown(fact.text, 600).rstrip('.')}."
    if fact.looked is None:
        return f"{told} Nobody looked there."
    minute, role = fact.looked
    return f"{told} {ROLE_NAMES[role]} looked there at {clock(status, minute)}."
