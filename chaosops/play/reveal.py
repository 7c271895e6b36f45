"""What a debrief reveals first: what was said, what it was, what decides, and the twins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, RoleView, Status
from chaosops.env.world_sim import Scenario
from chaosops.play.debrief import LedgerFact
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown
from chaosops.play.reference.causes import twins_of
from chaosops.play.verdicts import told_verdict
from chaosops.presenter.parts import STAKES

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
    yield "The team said", _said(last, scenario)
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


def _said(last: RoleView, scenario: Scenario) -> str:
    if not last.diagnoses:
        return "nothing: no diagnosis was made."
    made = last.diagnoses[-1]
    where = f" at {shown(made.place)}" if made.place else ""
    stake = f", {STAKES[made.stake]}" if made.stake is not None else ""
    who = f"{ROLE_NAMES[made.role]}, {clock(last.status, made.minute)}"
    return f"{in_words(made.cause)}{where}{stake} ({who}): {told_verdict(made, scenario)}."


def _decides(fact: LedgerFact, status: Status) -> str:
    told = f"{fact.where}: {shown(fact.text, 600).rstrip('.')}."
    if fact.looked is None:
        return f"{told} Nobody looked there."
    minute, role = fact.looked
    return f"{told} {ROLE_NAMES[role]} looked there at {clock(status, minute)}."
