"""What went well and what went badly, by what the engine paid and what the frames show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chaosops.env.models import ActionType
from chaosops.env.models.duties import PaidFor
from chaosops.evaluation.process_figures import ProcessFigures, process_figures
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown
from chaosops.play.postmortem.effects import Judgement, Order, orders
from chaosops.play.postmortem.impact import impact_of
from chaosops.play.postmortem.knowledge import Known, known, telling_places
from chaosops.play.postmortem.played import PlayedIncident

_SOON = 10
"""Minutes within which a right diagnosis, or a first relief, counts as quick."""


class Assessment(NamedTuple):
    """What went well and badly, a sentence each."""

    well: tuple[str, ...]
    badly: tuple[str, ...]


class _Facts(NamedTuple):
    played: PlayedIncident
    figures: ProcessFigures | None
    looks: tuple[Known, ...]
    orders: tuple[Order, ...]

    def at(self, minute: int) -> str:
        return clock(self.played.status, minute)


def assess(played: PlayedIncident) -> Assessment:
    """Judge how the incident was handled."""
    figures = None
    if played.scenario is not None:
        figures = process_figures(played.scenario, played.steps)
    facts = _Facts(played, figures, known(played), orders(played))
    return Assessment(tuple(_well(facts)), tuple(_badly(facts)))


def _well(facts: _Facts) -> Iterator[str]:
    played, figures = facts.played, facts.figures
    turns = len(played.steps)
    if played.resolved and played.scenario is not None and turns <= played.scenario.par:
        yield f"Resolved in {turns} min, within the par of {played.scenario.par}."
    right = [made for made in played.views[-1].diagnoses if made.right]
    cure = _first(facts, Judgement.FIXED)
    if right and cure is not None and right[0].minute < cure.ordered:
        yield (
            f"{ROLE_NAMES[right[0].role]} named the cause at {facts.at(right[0].minute)}, before "
            "the fix was ordered."
        )
    if right and figures is not None and figures.grounded:
        yield "The diagnosis rested on a reading that supports it."
    if figures is not None and figures.time_to_ease is not None and figures.time_to_ease <= _SOON:
        yield f"Users had relief {figures.time_to_ease} min after the page."
    if facts.orders and not _wrong(facts):
        yield "No change made things worse or did nothing."
    for paid in played.views[-1].paid or ():
        if paid.component is PaidFor.RIGHT_ACCUSATION:
            yield (
                f"{ROLE_NAMES[paid.role]} flagged {shown(paid.target, 80)}, the automation agent "
                "behind it."
            )
    told = [look for look in facts.looks if look.tells and look.shared is not None]
    if told:
        wait = (told[0].shared or 0) - told[0].minute
        yield (
            f"{ROLE_NAMES[told[0].role]} shared the reading that points to the cause {wait} min "
            "after taking it."
        )
    if facts.looks and figures is not None and not figures.redundant_looks:
        yield "Nobody repeated a look while nothing had changed."
    if played.views[-1].updates and not _unpaid(played, PaidFor.STATUS_UPDATE):
        yield "Status updates went out on time, and were true."


def _badly(facts: _Facts) -> Iterator[str]:
    played, figures = facts.played, facts.figures
    if played.finished and not played.resolved:
        yield "The incident was not resolved in the time there was."
    if played.resolved and played.scenario is not None:
        over = len(played.steps) - played.scenario.par
        if over > 0:
            yield f"It took {over} min more than the par of {played.scenario.par}."
    yield from _hard_step(facts)
    for order in _wrong(facts):
        because = f" {order.why}" if order.why else ""
        yield (
            f"{ROLE_NAMES[order.role]} ordered {order.words} at {facts.at(order.ordered)}, which "
            f"neither removed nor eased the cause.{because}"
        )
    yield from _wrong_claims(facts)
    if figures is not None and figures.grounded is False:
        yield "The last diagnosis was a guess: none of its telling looks had been taken before it."
    if played.finished and not played.views[-1].diagnoses:
        yield "Nobody named a cause."
    yield from _unseen(facts)
    if figures is not None and figures.redundant_looks:
        yield f"Looks that only repeated an earlier one: {figures.redundant_looks}."
    yield from _lost_turns(facts)
    late = _unpaid(played, PaidFor.STATUS_UPDATE)
    if late:
        yield f"Status updates that came late, or points in them that were not true: {late}."
    misjudged = _unpaid(played, PaidFor.APPROVAL)
    if misjudged:
        yield f"Requests for risky moves that were answered wrongly: {misjudged}."
    granted = _unpaid(played, PaidFor.GRANT)
    if granted:
        yield f"Requests of the automation that were answered wrongly: {granted}."
    if impact_of(played).budget[1] <= 0:
        yield "The error budget is spent."


def _hard_step(facts: _Facts) -> Iterator[str]:
    scenario = facts.played.scenario
    if scenario is None:
        return
    drawn = scenario.incident.drawn
    cure = _first(facts, Judgement.FIXED)
    stopped = None if cure is None else cure.lands
    reached = facts.played.status.minute >= drawn.hard_at
    if drawn.cause.course.hard is not None and reached and (stopped or 999) >= drawn.hard_at:
        yield (
            f"Nobody stopped it before the step that is hard to reverse, due at "
            f"{facts.at(drawn.hard_at)}."
        )


def _wrong_claims(facts: _Facts) -> Iterator[str]:
    played = facts.played
    for made in played.views[-1].diagnoses:
        if made.right is False:
            yield (
                f"{ROLE_NAMES[made.role]} diagnosed {in_words(made.cause)} at "
                f"{facts.at(made.minute)}, which was wrong."
            )
    for paid in played.views[-1].paid or ():
        if paid.component is PaidFor.WRONG_ACCUSATION:
            yield (
                f"{ROLE_NAMES[paid.role]} accused {shown(paid.target, 80)} at "
                f"{facts.at(paid.ordered)}, which is innocent."
            )
        elif paid.component is PaidFor.CHANGED_DIAGNOSIS:
            yield f"{ROLE_NAMES[paid.role]} changed a diagnosis at {facts.at(paid.ordered)}."
    for step in played.steps:
        minute = step.observation.view.status.minute
        if step.breakdown.false_all_clear_penalty:
            yield f"The all-clear at {facts.at(minute)} came too early."
        is_flag = step.action.action_type is ActionType.FLAG
        if (
            played.views[-1].paid is None
            and is_flag
            and step.breakdown.rogue_false_positive_penalty
        ):
            yield (
                f"{ROLE_NAMES[step.role]} accused {shown(step.action.target, 80)} at "
                f"{facts.at(minute)}, which is innocent."
            )


def _unseen(facts: _Facts) -> Iterator[str]:
    """Tell where nobody looked although the cause could be told there, and what was kept."""
    taken = {(look.source, look.target) for look in facts.looks}
    missed = [
        f"{source.value} of {shown(at, 80)}"
        for source, at in telling_places(facts.played)
        if (source, at) not in taken
    ]
    if missed:
        yield f"Nobody took a reading that points to the cause: {', '.join(missed)}."
    kept = [look for look in facts.looks if look.tells and look.shared is None]
    if kept and not any(look.tells and look.shared is not None for look in facts.looks):
        yield (
            f"{ROLE_NAMES[kept[0].role]} saw a reading that points to the cause at "
            f"{facts.at(kept[0].minute)} and did not share it."
        )


def _lost_turns(facts: _Facts) -> Iterator[str]:
    played = facts.played
    refused = sum(played.was_refused(number) for number in range(len(played.steps)))
    if refused:
        yield f"Turns lost to an action that was not possible: {refused}."
    if played.late:
        yield f"Turns that passed because time ran out: {len(played.late)}."
    if played.hints:
        yield f"Hints that were read: {played.hints}."


def _first(facts: _Facts, judgement: Judgement) -> Order | None:
    found = (order for order in facts.orders if order.judgement is judgement)
    return next(found, None)


def _wrong(facts: _Facts) -> list[Order]:
    return [order for order in facts.orders if order.judgement is Judgement.WRONG]


def _unpaid(played: PlayedIncident, component: PaidFor) -> int:
    """Count what a component cost."""
    paid = played.views[-1].paid or ()
    return sum(each.component is component and each.amount < 0 for each in paid)
