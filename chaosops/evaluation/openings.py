"""The opening of an incident: what every role sees in its first turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from chaosops.agents.perception import facts
from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Finding,
    Health,
    RoleView,
    Severity,
    Source,
)
from chaosops.env.world_sim import Scenario

_RANK: Final = {health: rank for rank, health in enumerate(Health)}
_WORD: Final = re.compile(r"[a-z_]+")


class Opening(NamedTuple):
    """The first turn of each role if nobody changes anything.

    Attributes:
        look: SRE's finding, if it investigated.
    """

    sre: RoleView
    oversight: RoleView
    dev: RoleView
    manager: RoleView
    look: Finding | None

    @property
    def views(self) -> tuple[RoleView, ...]:
        """The views of all roles, in turn order."""
        return self.sre, self.oversight, self.dev, self.manager


def opening_of(scenario: Scenario, *, look: Source | None = None) -> Opening:
    """Open an incident.

    Args:
        look: The source that SRE investigates in its first turn at the deepest unhealthy service.
    """
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    views: dict[AgentRole, RoleView] = {}
    for role in TURN_ORDER:
        view = views[role] = stepper.observation.view
        action = pass_turn(stepper.observation, role)
        if role is AgentRole.SRE and look is not None:
            target = deepest_unhealthy(view)
            action = ChaosOpsAction(role, ActionType.INVESTIGATE, target, {"source": look.value})
        stepper.take(action)
    findings = stepper.observation.view.findings if look is not None else ()
    return Opening(
        views[AgentRole.SRE],
        views[AgentRole.OVERSIGHT],
        views[AgentRole.DEV],
        views[AgentRole.MANAGER],
        findings[0] if findings else None,
    )


def unhealthy(view: RoleView) -> tuple[str, ...]:
    """Return the services that look unhealthy to the role, the worst first."""
    if view.services is None:
        return ()
    sick = [now for now in view.services if now.health is not Health.HEALTHY]
    sick.sort(key=lambda now: (_RANK[now.health], now.errors, now.p95_ms), reverse=True)
    return tuple(now.service for now in sick)


def worst_service(view: RoleView) -> str:
    """Return the service that looks worst to the role, unhealthy or not."""
    assert view.services
    worst = max(view.services, key=lambda now: (_RANK[now.health], now.errors, now.p95_ms))
    return worst.service


def deepest_unhealthy(view: RoleView) -> str:
    """Return the worst unhealthy service whose own dependencies are healthy.

    If none is unhealthy, it is the one that looks worst.
    """
    sick = unhealthy(view)
    calls = {node.name: node.calls for node in view.graph}
    roots = [name for name in sick if not any(callee in sick for callee in calls[name])]
    return next(iter((*roots, *sick)), "") or worst_service(view)


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text, without numbers."""
    return iter(_WORD.findall(text.lower()))


def text_parts(opening: Opening) -> dict[str, tuple[str, ...]]:
    """Return every text that is visible without an investigation, by its place."""
    audit = opening.oversight.audit or ()
    impact = opening.manager.impact
    return {
        "page": (opening.sre.status.title,),
        "alerts": tuple(f"{alert.service} {alert.text}" for alert in opening.manager.alerts),
        "logs": tuple(
            dict.fromkeys(
                f"{line.service} {line.text}"
                for line in (*(opening.sre.logs or ()), *(opening.dev.logs or ()))
            )
        ),
        "changes": tuple(
            f"{change.service} {change.kind.value} {change.author} {change.text}"
            for change in opening.dev.changes or ()
        ),
        "audit": tuple(f"{e.agent} {e.act} {e.target} {e.reason} {e.approval}" for e in audit),
        "tickets": tuple(ticket.text for ticket in impact.tickets) if impact else (),
    }


def frame_of_the_game(opening: Opening) -> frozenset[str]:
    """Return the content of the header: page, turns and hold."""
    status = opening.sre.status
    return frozenset({f"page {status.title}", f"turns {status.turns}", f"hold {status.hold}"})


def everything_seen(opening: Opening) -> frozenset[str]:
    """Return everything in an opening as tokens: words of its texts, and signals in broad steps."""
    tokens = set(frame_of_the_game(opening))
    for part, texts in text_parts(opening).items():
        tokens |= {f"{part}: {word}" for text in texts for word in words_of(text)}
    for now in opening.sre.services or ():
        tokens.add(f"{now.service} is {now.health.value}")
        tokens |= {
            f"{now.service} {name} {round(value / 10)}"
            for name, value in now._asdict().items()
            if name in {"busy", "memory", "disk", "pool", "hit"} and value is not None
        }
    tokens |= {f"{name} looks {health.value}" for name, health in opening.oversight.health or ()}
    paged = [alert.service for alert in opening.sre.alerts if alert.severity is Severity.PAGE]
    tokens |= {f"paged for {name}" for name in paged}
    if opening.look is not None:
        tokens |= {f"look: {word}" for word in words_of(opening.look.text)}
        tokens |= {f"sign: {fact.sign.value} {fact.by}" for fact in facts(opening.look)}
        tokens.add(f"looked at {opening.look.target}")
    return frozenset(tokens)
