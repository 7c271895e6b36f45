"""The facts for the debrief of a finished episode. Needs no screen.

They contain the scenario's truth, so the episode must be over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsObservation,
    Finding,
    RoleView,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.world_sim import Scenario
from chaosops.play.dailies import PlayedDaily
from chaosops.play.follow_ups import follow_ups
from chaosops.play.formatting import ROLE_NAMES, in_words, signed, timed
from chaosops.play.outcome import Outcome
from chaosops.play.stars import Star, shape_of
from chaosops.play.wording import describe_in, verb_word
from chaosops.recording.events import HumanPart
from chaosops.recording.turn_sources import PEOPLE
from chaosops.scenarios.schema import Evidence

USUAL_COURSE: Final = "How it usually goes"
"""The heading of a cause's own text, which says what such a cause does in any game."""


def turns_of_people(humans: Iterable[HumanPart]) -> tuple[int, ...]:
    """Return the turns that people took or let pass."""
    return tuple(turn for turn, part in enumerate(humans) if part.source in PEOPLE)


class TimelineEntry(NamedTuple):
    """A line of the timeline.

    Attributes:
        minute: From the page.
        kind: "fault", "alert", "landed", "users", "automation", or "turn".
        role: Who acted, for a turn; otherwise None.
        mine: Whether a person acted.
        turn: The number of a turn; otherwise None.
        reward: The reward of a turn; otherwise 0.
    """

    minute: int
    kind: str
    text: str
    role: AgentRole | None = None
    mine: bool = False
    turn: int | None = None
    reward: float = 0.0


class LedgerFact(NamedTuple):
    """A line of the evidence ledger.

    Attributes:
        where: What had to be investigated, such as "runtime of catalog".
        roles: Who could have investigated it.
        knowable: The first minute at which it could be seen.
        looked: The minute in which it was first seen, and by whom; None if nobody saw it.
        supports: Causes that it supports.
    """

    where: str
    text: str
    roles: tuple[AgentRole, ...]
    knowable: int
    looked: tuple[int, AgentRole] | None
    supports: tuple[str, ...]


def timeline(
    scenario: Scenario | None,
    steps: Sequence[EpisodeStep],
    last: ChaosOpsObservation,
    people: frozenset[AgentRole],
    late: frozenset[int] = frozenset(),
) -> tuple[TimelineEntry, ...]:
    """Return everything that happened on one timeline: first the world's events, then turns.

    Turns in which a teammate passed are left out.

    Args:
        scenario: None leaves out when faults began.
        late: Turns that passed because time ran out.
    """
    views = [*(step.observation.view for step in steps), last.view]
    entries = [
        *(() if scenario is None else _faults(scenario, views)),
        *_alerts(views),
        *_users(views),
        *_landings(views),
        *_automation(views),
    ]
    for step in steps:
        minute = step.observation.view.status.minute
        text = timed(
            describe_in(step.observation.view, step.action),
            is_late=step.turn in late,
        )
        mine = step.role in people or step.turn in late
        if step.action.action_type is ActionType.NOOP and not mine:
            continue
        entries.append(TimelineEntry(minute, "turn", text, step.role, mine, step.turn, step.reward))
    entries.sort(key=lambda entry: entry.minute)
    return tuple(entries)


def _faults(scenario: Scenario, views: Sequence[RoleView]) -> Iterable[TimelineEntry]:
    followed = {each.id: each.minute for each in follow_ups(scenario, views)}
    for fault in scenario.incident.faults:
        starts = followed.get(fault.id, fault.starts)
        if starts is not None:
            another = "another" if fault.id in followed else "a"
            yield TimelineEntry(starts, "fault", f"{another} fault starts at {fault.place}")


def _alerts(views: Sequence[RoleView]) -> Iterable[TimelineEntry]:
    """Summarize the alerts that began in a minute by the first one."""
    began: dict[int, dict[str, None]] = {}
    for view in views:
        for alert in view.alerts:
            began.setdefault(alert.minute, {})[f"{alert.text} ({alert.service})"] = None
    for minute, texts in began.items():
        more = f", and {len(texts) - 1} more" if len(texts) > 1 else ""
        yield TimelineEntry(minute, "alert", f"alert: {next(iter(texts))}{more}")


def _users(views: Sequence[RoleView]) -> Iterable[TimelineEntry]:
    for before, after in pairwise(view.status for view in views):
        was, now = before.users_ok >= before.slo, after.users_ok >= after.slo
        if was is not now:
            word = "availability recovers" if now else "availability falls below the objective"
            yield TimelineEntry(after.minute, "users", word)


def _landings(views: Sequence[RoleView]) -> Iterable[TimelineEntry]:
    told: set[tuple[object, ...]] = set()
    for view in views:
        for item in view.landed:
            key = (item.role, item.action_type, item.target, item.taken)
            if key not in told and item.lands > item.taken:
                told.add(key)
                what = f"{verb_word(item.action_type)} {item.target}"
                yield TimelineEntry(
                    item.lands, "landed", f"landed: {what} ({ROLE_NAMES[item.role]})"
                )


def _automation(views: Sequence[RoleView]) -> Iterable[TimelineEntry]:
    told: set[object] = set()
    for view in views:
        for event in view.audit or ():
            if event.minute >= -60 and event not in told:
                told.add(event)
                text = f"{event.agent}: {event.act} {event.target}"
                yield TimelineEntry(event.minute, "automation", text)


def ledger(
    scenario: Scenario, steps: Sequence[EpisodeStep], last: ChaosOpsObservation
) -> tuple[LedgerFact, ...]:
    """Return each fact of the scenario: when and by whom it could be found, and when it was."""
    views = [*(step.observation.view for step in steps), last.view]
    seen = _findings(views)
    starts = {fault.id: fault.starts or 0 for fault in scenario.incident.faults}
    followed = {each.id: each.minute for each in follow_ups(scenario, views)}
    starts |= {name: minute for name, minute in followed.items() if minute is not None}
    facts = []
    for item in scenario.incident.evidence:
        if followed.get(item.while_live, 0) is None:
            continue
        roles = tuple(role for role in TURN_ORDER if item.source in ROLES[role].sources)
        begins = max(0, starts.get(item.while_live, 0))
        facts.append(
            LedgerFact(
                f"{item.source.value} of {item.at}",
                item.text,
                roles,
                begins,
                _looked(item, begins, seen),
                tuple(in_words(cause) for cause in item.supports),
            )
        )
    facts.sort(key=lambda fact: (not fact.supports, fact.knowable))
    return tuple(facts)


def _findings(views: Sequence[RoleView]) -> list[Finding]:
    newest: dict[AgentRole, tuple[Finding, ...]] = {}
    for view in views:
        newest[view.role] = view.findings
    return sorted((f for found in newest.values() for f in found), key=lambda f: f.minute)


def _looked(item: Evidence, begins: int, seen: Sequence[Finding]) -> tuple[int, AgentRole] | None:
    """Return when the evidence was first investigated, and by whom."""
    for found in seen:
        if (found.source, found.target) == (item.source, item.at) and begins <= found.minute:
            return found.minute, found.role
    return None


def share_line(
    scenario: Scenario,
    result: Outcome,
    people: Iterable[AgentRole],
    expert: float | None = None,
    today: PlayedDaily | None = None,
) -> str:
    """Summarize the result in one line without spoilers; see `share_parts`."""
    return " · ".join(share_parts(scenario, result, people, expert, today))


def share_parts(
    scenario: Scenario,
    result: Outcome,
    people: Iterable[AgentRole],
    expert: float | None = None,
    today: PlayedDaily | None = None,
) -> tuple[str, ...]:
    """Summarize the result in parts of a line, without spoilers.

    Args:
        expert: The expert's score.
        today: The day whose incident it was, and what counts of it; None if it was of no day.
    """
    won = () if result.stars is None else (shape_of(result.stars),)
    what = f"resolved in {result.turns} min" if result.resolved else "not resolved"
    roles = "+".join(ROLE_NAMES[role] for role in TURN_ORDER if role in set(people)) or "watched"
    beside = "" if expert is None else f" (expert {signed(expert)})"
    score = f"score {signed(result.score)}{beside}"
    if today is None:
        return f"ChaosOps {scenario.label}", roles, what, *won, score
    counted = today.result
    stars = shape_of([star for star in Star if star.value in counted.stars])
    solved = "resolved" if counted.resolved else "not resolved"
    return (
        f"ChaosOps daily {today.day.isoformat()}",
        scenario.label,
        roles,
        counted.glyphs,
        f"{solved} {stars}",
        f"budget {counted.budget} %",
        f"streak {today.streak}",
        *((score,) if today.is_first else ()),
    )
