"""A page of the handbook: what points to a cause, where to look for it, and what fixes it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.env.models import ActionType, AgentRole, ServiceKind, Sign, Source


class Where(Enum):
    """Where a cure is applied: at the place of the decisive sign, or at the service behind it."""

    PLACE = "place"
    BY = "by"


class Cure(NamedTuple):
    """An action that fixes a cause, and who can take it."""

    role: AgentRole
    verb: ActionType
    at: Where = Where.PLACE
    args: Mapping[str, Any] = MappingProxyType({})


class InstrumentCheck(NamedTuple):
    """Where to look for a cause: which role, at which kind of service, with which instrument."""

    role: AgentRole
    source: Source
    kinds: frozenset[ServiceKind]


class Page(NamedTuple):
    """A cause.

    Attributes:
        settled_by: Signs each of which is close to proof.
        weights: Other evidence for it (above 0) or against it, in natural log odds.
        checks: Where to look, the most informative first.
        cures: What fixes it, the best first.
        change: The kind of change that causes it, if any.
        agent: What the agent behind it is usually called; it has to be paused before any fix lasts.
            Empty if no agent causes it.
    """

    settled_by: frozenset[Sign]
    weights: Mapping[Sign, float]
    checks: tuple[InstrumentCheck, ...]
    cures: tuple[Cure, ...]
    agent: str = ""
    change: str = ""

    @property
    def is_automated(self) -> bool:
        """Whether an agent causes it."""
        return bool(self.agent)


STORES: Final = frozenset({ServiceKind.DATABASE})
CACHES: Final = frozenset({ServiceKind.CACHE})
EDGES: Final = frozenset({ServiceKind.EDGE})
APPS: Final = frozenset({ServiceKind.APP, ServiceKind.EDGE})
QUEUES: Final = frozenset({ServiceKind.QUEUE})

AUDIT: Final = InstrumentCheck(AgentRole.OVERSIGHT, Source.AUTOMATION, frozenset())
DB_RUNTIME: Final = InstrumentCheck(AgentRole.SRE, Source.RUNTIME, STORES)
DB_METRICS: Final = InstrumentCheck(AgentRole.SRE, Source.METRICS, STORES)
DB_LOGS: Final = InstrumentCheck(AgentRole.DEV, Source.LOGS, STORES)
DB_CHANGES: Final = InstrumentCheck(AgentRole.DEV, Source.CHANGES, STORES)
DB_NETWORK: Final = InstrumentCheck(AgentRole.SRE, Source.NETWORK, STORES)
CACHE_RUNTIME: Final = InstrumentCheck(AgentRole.SRE, Source.RUNTIME, CACHES)
QUEUE_RUNTIME: Final = InstrumentCheck(AgentRole.SRE, Source.RUNTIME, QUEUES)
APP_RUNTIME: Final = InstrumentCheck(AgentRole.SRE, Source.RUNTIME, APPS)
APP_NETWORK: Final = InstrumentCheck(AgentRole.SRE, Source.NETWORK, APPS)
EDGE_NETWORK: Final = InstrumentCheck(AgentRole.SRE, Source.NETWORK, EDGES)
APP_METRICS: Final = InstrumentCheck(AgentRole.SRE, Source.METRICS, APPS)
APP_LOGS: Final = InstrumentCheck(AgentRole.DEV, Source.LOGS, APPS)
APP_LOGS_OF_SRE: Final = InstrumentCheck(AgentRole.SRE, Source.LOGS, APPS)
APP_CHANGES: Final = InstrumentCheck(AgentRole.DEV, Source.CHANGES, APPS)
APP_CONFIG: Final = InstrumentCheck(AgentRole.DEV, Source.CONFIG, APPS)
APP_TRACES: Final = InstrumentCheck(AgentRole.DEV, Source.TRACES, APPS)
EXTERNAL_METRICS: Final = InstrumentCheck(
    AgentRole.SRE, Source.METRICS, frozenset({ServiceKind.EXTERNAL})
)


def page(
    settled_by: set[Sign],
    weights: dict[Sign, float],
    checks: tuple[InstrumentCheck, ...],
    cures: tuple[Cure, ...],
    *,
    agent: str = "",
    change: str = "",
) -> Page:
    """Return a page that can't be changed."""
    return Page(frozenset(settled_by), MappingProxyType(weights), checks, cures, agent, change)
