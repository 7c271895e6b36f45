"""What a role knows, and how likely that makes each cause.

Everything is computed from one view: the role's own findings, findings that others shared, and what
is visible without an investigation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, fsum
from typing import Final, NamedTuple

from chaosops.agents.handbook import HANDBOOK, Page, Where
from chaosops.agents.perception import Fact, facts
from chaosops.env.models import (
    AgentRole,
    FailureType,
    Finding,
    Health,
    LogLevel,
    RoleView,
    ServiceKind,
    ServiceSignals,
    Sign,
    Source,
)
from chaosops.env.models.readings import LogEvent

_SETTLING: Final = 6.0
_MISSED: Final = 1.5
_AGAIN: Final = 0.2
_EXPLAINED: Final = 2.0
_LOOK_AGAIN: Final = 10
_BACKLOG: Final = 1_000
_COLDER: Final = 8
_FAILING: Final = 1.0
_WELL_FOR: Final = 3
_ALARM_IF_WELL: Final = 5.0
_ALARM_IF_HURT: Final = -1.5
_SHOWN: Final = 0.02


class CauseBelief(NamedTuple):
    """How likely a cause is.

    Attributes:
        share: Probability, 0 to 1.
        place: The service where the decisive sign was seen; empty if nothing points to one.
        by: The service that seems to be behind it; empty if nothing tells.
        settled: Whether there is evidence close to proof.
        detail: What identifies the change behind it; empty if nothing does.
        page: The page of the handbook by which it is judged.
    """

    cause: FailureType
    share: float
    place: str
    by: str
    settled: bool
    detail: str
    page: Page

    def at(self, where: Where) -> str:
        """Return the service where a cure is applied."""
        return self.place if where is Where.PLACE else self.by

    @property
    def named_place(self) -> str:
        """The service that a diagnosis names: where the first cure is applied, if that is known."""
        return self.at(self.page.cures[0].at) or self.place


def findings_known(view: RoleView) -> tuple[Finding, ...]:
    """Return the role's own findings and those shared with it, oldest first."""
    shared = [
        message.finding
        for message in (*view.channel, *view.inbox)
        if message.finding is not None and message.sender is not view.role
    ]
    return tuple(sorted((*view.findings, *shared), key=lambda finding: finding.minute))


def cured_at(view: RoleView) -> int | None:
    """Return the minute in which the newest action landed that ended errors at its target."""
    for landing in reversed(view.landings or ()):
        for row in landing.measured:
            if row.signal == "errors" and row.before >= _FAILING > row.after:
                return landing.minute
    return None


def relapsed_since(view: RoleView) -> int | None:
    """Return the minute of that action if users are hurt again by now; otherwise None.

    What was seen before is of a problem that is over: something else has come, or the same again.
    """
    minute = cured_at(view)
    if minute is None or view.status.users_ok >= view.status.slo:
        return None
    return minute if view.status.minute >= minute + _WELL_FOR else None


def _findings_now(view: RoleView) -> tuple[Finding, ...]:
    """Return the findings that are about the problem that there is now."""
    since = relapsed_since(view)
    found = findings_known(view)
    if since is None:
        return found
    return tuple([f for f in found if f.minute >= since or f.source is Source.AUTOMATION])


def known(view: RoleView) -> tuple[Fact, ...]:
    """Return every fact that the role knows; for one sign at one place, the newest."""
    return _newest(findings_known(view))


def _newest(findings: tuple[Finding, ...]) -> tuple[Fact, ...]:
    newest: dict[tuple[str, str], Fact] = {}
    looks: dict[tuple[Source, str], Finding] = {}
    for finding in findings:
        looks[finding.source, finding.target] = finding
    for finding in looks.values():
        for fact in facts(finding):
            before = newest.get((fact.sign, fact.place))
            by = fact.by or (before.by if before is not None else "")
            detail = fact.detail or (before.detail if before is not None else "")
            newest[fact.sign, fact.place] = fact._replace(by=by, detail=detail)
    return tuple(newest.values())


def beliefs(view: RoleView) -> tuple[CauseBelief, ...]:
    """Return every cause, the likeliest first."""
    findings = _findings_now(view)
    seen = (*_newest(findings), *symptoms(view))
    kinds = {node.name: node.kind for node in view.graph}
    left = _not_looked_into(view, findings)
    looked = [
        (finding.source, kinds.get(finding.target))
        for finding in {(f.source, f.target): f for f in findings}.values()
        if kinds.get(finding.target) not in left
    ]
    prior = {FailureType.FALSE_ALARM: _alarm(view)}
    scored = [
        (_score(page, seen, kinds, looked, left, prior.get(cause, 0.0)), cause, page)
        for cause, pages in HANDBOOK.items()
        for page in pages
    ]
    top = max(score for (score, _at, _by, _settled), _cause, _page in scored)
    total = fsum(exp(score - top) for (score, *_rest), _cause, _page in scored)
    made = [
        CauseBelief(cause, exp(score - top) / total, place, by, settled, _detail(page, seen), page)
        for (score, place, by, settled), cause, page in scored
    ]
    return tuple(sorted(made, key=lambda belief: (-belief.share, belief.cause.value)))


def _alarm(view: RoleView) -> float:
    """Return the log odds of an alarm without an outage by how users fare, before anything landed.

    Services that are still unhealthy while users have been well for minutes do not hurt anybody.
    """
    if view.landings:
        return 0.0
    if view.status.held >= _WELL_FOR:
        return _ALARM_IF_WELL
    return _ALARM_IF_HURT if view.status.users_ok < view.status.slo else 0.0


def _detail(page: Page, seen: tuple[Fact, ...]) -> str:
    """Return what identifies the change behind a cause, from its signs or from a failing build."""
    details = [fact.detail for fact in seen if fact.sign in page.settled_by and fact.detail]
    details += [fact.detail for fact in seen if fact.sign is Sign.NEW_BUILD_FAILS]
    return details[0] if details else ""


def _score(
    page: Page,
    seen: tuple[Fact, ...],
    services: Mapping[str, ServiceKind],
    looked: list[tuple[Source, ServiceKind | None]],
    left: frozenset[ServiceKind],
    prior: float,
) -> tuple[float, str, str, bool]:
    """Score a cause; return the score, the service where it shows most, and the one behind it.

    An investigation that should have shown it and didn't is evidence against it, at the kinds of
    services where its page says to look. Once it is seen somewhere, what others show is none.

    Args:
        left: Kinds of which a suspect is left to look into; those that are well tell nothing of it.
        prior: Its log odds before any evidence, relative to other causes.
    """
    score = prior
    best, place = 0.0, ""
    best_by, by = 0.0, ""
    proven = {fact.place for fact in seen if fact.sign in page.settled_by}
    settled = bool(proven)
    where = {kind for check in page.checks for kind in check.kinds}
    for fact in seen:
        weight = page.weights.get(fact.sign, 0.0)
        if fact.sign in page.settled_by:
            weight += _SETTLING
        elif weight < 0.0:
            kind = services.get(fact.place)
            if (settled and fact.place not in proven) or (kind and kind not in where):
                continue
            if kind in left:
                continue
        score += weight
        if weight > best and fact.place in services:
            best, place = weight, fact.place
        if fact.by and weight > best_by:
            best_by, by = weight, fact.by
    if not settled:
        for position, check in enumerate(page.checks):
            for source, kind in looked:
                at_agents = kind is None and not check.kinds
                if source is check.source and (kind in check.kinds or at_agents):
                    score -= _MISSED / (1.0 + position)
    return score, place, by, settled


def _not_looked_into(view: RoleView, findings: tuple[Finding, ...]) -> frozenset[ServiceKind]:
    """Return `DATABASE` if one of several suspected databases has not been looked into yet."""
    databases = {node.name for node in view.graph if node.kind is ServiceKind.DATABASE}
    inside = {f.target for f in findings if f.source is Source.RUNTIME}
    suspected = databases.intersection(suspects(view))
    if len(suspected) < 2 or suspected <= inside:
        return frozenset()
    return frozenset({ServiceKind.DATABASE})


class RankedLook(NamedTuple):
    """A possible investigation, and how much it would tell."""

    worth: float
    source: Source
    target: str


def looks(
    view: RoleView, held: tuple[CauseBelief, ...], role: AgentRole | None = None
) -> list[RankedLook]:
    """Return every useful investigation, the most informative first.

    Its worth is the share of belief that it could settle: more if it comes first
    among a cause's checks, less if the service is far from the unhealthy ones, and nothing if
    someone has just investigated there.

    Args:
        role: Who would investigate; by default the role of the view.
    """
    looking = role or view.role
    if view.agents is not None:
        return _agent_looks(view, held)
    kinds = {node.name: node.kind for node in view.graph}
    since = view.status.minute - _LOOK_AGAIN
    findings = _findings_now(view)
    done = {(f.source, f.target) for f in findings if f.minute >= since}
    before = {(f.source, f.target) for f in findings}
    near = suspects(view)
    if _alarm(view) > 0.0:
        near = _failing_first(view, near)
    probed = tuple(dict.fromkeys((*unreached(view), *near)))
    found: dict[tuple[Source, str], float] = {}
    for belief in held:
        for position, check in enumerate(belief.page.checks):
            if check.role is not looking:
                continue
            for rank, target in enumerate(probed if check.source is Source.NETWORK else near):
                if kinds[target] not in check.kinds or (check.source, target) in done:
                    continue
                worth = belief.share / (1.0 + position) / (1.0 + 0.6 * rank)
                key = check.source, target
                if key in before:
                    worth *= _AGAIN
                found[key] = found.get(key, 0.0) + worth
    made = [
        RankedLook(round(worth, 6), source, target) for (source, target), worth in found.items()
    ]
    return sorted(made, key=lambda look: (-look.worth, look.source.value, look.target))


def _failing_first(view: RoleView, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return services that show errors before those that do not: an alarm is about errors."""
    shown = {now.service for now in view.services or () if now.errors > _SHOWN}
    return tuple(sorted(names, key=lambda name: name not in shown))


def _agent_looks(view: RoleView, held: tuple[CauseBelief, ...]) -> list[RankedLook]:
    """Return agents by how well they explain what is known, then by their acts.

    Acts count that took too few gates, that were on unhealthy services, and that are new.
    """
    looked = {finding.target for finding in findings_known(view)}
    sick = unhealthy(view)
    found = []
    for name in view.agents or ():
        if name in looked:
            continue
        worth = 0.1
        for event in view.audit or ():
            if event.agent == name:
                near = 1.0 / (1.0 + abs(view.status.minute - event.minute) / 20.0)
                failed = event.gates is not None and event.gates.passed < event.gates.asked
                worth = max(worth, near + (event.target in sick) + failed)
        worth += _EXPLAINED * fsum(one.share for one in held if one.page.agent == name)
        found.append(RankedLook(round(worth, 6), Source.AUTOMATION, name))
    return sorted(found, key=lambda look: (-look.worth, look.target))


_RANK: Final = {Health.HEALTHY: 0, Health.DEGRADED: 1, Health.CRITICAL: 2, Health.DOWN: 3}


def suspects(view: RoleView) -> tuple[str, ...]:
    """Return the unhealthy services, the deepest ones first, then the stores that they call.

    The caches that they call come last. A queue in which messages pile up and a cache that finds
    less than before come first, since what they do to others shows elsewhere. Whoever reads from
    such a queue is a suspect as well, even if it is well.
    """
    sick = unhealthy(view)
    calls = {node.name: node.calls for node in view.graph}
    kinds = {node.name: node.kind for node in view.graph}
    deepest = _deepest(sick, calls)
    rest = sorted((name for name in sick if name not in deepest), key=lambda n: (-sick[n], n))
    # A third party that is slow says nothing about the stores that its callers need as well.
    own = {name: sick[name] for name in sick if kinds[name] is not ServiceKind.EXTERNAL}
    callers = tuple(dict.fromkeys((*deepest, *_deepest(own, calls))))
    stores, caches = (
        [other for name in callers for other in calls.get(name, ()) if kinds[other] is kind]
        for kind in (ServiceKind.DATABASE, ServiceKind.CACHE)
    )
    strained = _strained(view)
    readers = [
        other
        for name in strained
        for other in calls.get(name, ())
        if kinds[name] is ServiceKind.QUEUE
    ]
    found = (*strained, *deepest[:1], *readers, *stores, *deepest, *rest, *caches)
    return tuple(dict.fromkeys(found))


def _deepest(sick: Mapping[str, float], calls: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the unhealthy services that call no other unhealthy one, the worst first."""
    found = [name for name in sick if not any(other in sick for other in calls.get(name, ()))]
    return sorted(found, key=lambda name: (-sick[name], name))


def _strained(view: RoleView) -> list[str]:
    """Return caches that are cold, and queues with a backlog that they did not have before."""
    return [
        *_cold_caches(view),
        *(
            now.service
            for start, now in _then_and_now(view)
            if (now.backlog or 0) > _BACKLOG + (start.backlog or 0)
        ),
    ]


def _cold_caches(view: RoleView) -> list[str]:
    """Return the caches that find less than before."""
    return [
        now.service
        for start, now in _then_and_now(view)
        if now.hit is not None and start.hit is not None and now.hit < start.hit - _COLDER
    ]


def _then_and_now(view: RoleView) -> Iterator[tuple[ServiceSignals, ServiceSignals]]:
    """Yield the signals of each service some minutes ago and now."""
    if view.history:
        yield from zip(view.history[0], view.history[-1], strict=True)


def unreached(view: RoleView) -> tuple[str, ...]:
    """Return applications that do well and to which calls fail, as the newest logs say."""
    sick = unhealthy(view)
    kinds = {node.name: node.kind for node in view.graph}
    failing = Counter(
        line.callee
        for line in view.logs or ()
        if line.event is LogEvent.CALLS_FAIL and line.level is LogLevel.ERROR
    )
    found = [name for name in failing if name not in sick and kinds[name] is ServiceKind.APP]
    return tuple(sorted(found, key=lambda name: (-failing[name], name)))


def symptoms(view: RoleView) -> tuple[Fact, ...]:
    """Return what shows without an investigation: whether failing calls arrive, and cold caches."""
    minute = view.status.minute
    cold = tuple(Fact(Sign.HIT_RATE_LOW, name, name, minute) for name in _cold_caches(view))
    if not view.logs:
        return cold
    away = unreached(view)
    sign = Sign.CALLS_DO_NOT_ARRIVE if away else Sign.CALLS_ARRIVE
    return (*cold, Fact(sign, next(iter(away), ""), "", minute))


def unhealthy(view: RoleView) -> dict[str, float]:
    """Return the unhealthy services with the severity of each."""
    if view.services is not None:
        return {
            now.service: _RANK[now.health] + now.errors
            for now in view.services
            if now.health is not Health.HEALTHY
        }
    if view.health is not None:
        return {
            name: float(_RANK[health])
            for name, health in view.health
            if health is not Health.HEALTHY
        }
    return {alert.service: 1.0 for alert in view.alerts[1:]}
