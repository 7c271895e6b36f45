"""Failure types that authors' causes add to the taxonomy, as a game offers them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from chaosops.env.models import FailureType
from chaosops.env.models.failures import OwnCause
from chaosops.env.models.topology import Topology
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.change_history import fill
from chaosops.scenarios.fitting import placements

_ANY_PLACE = {
    "place": "the service",
    "caller": "its caller",
    "consumer": "its consumer",
    "cache": "its cache",
    "table": "a table",
    "build": "a build",
    "team": "a team",
    "person": "someone",
    "pool": "all",
    "shard": "one",
    "cpu_limit": "few",
    "cpu_quota": "few",
    "probe_ms": "few",
}
"""What texts say before anything was drawn."""


def own_causes(
    causes: Iterable[Cause], topology: Topology, agents: Collection[str]
) -> tuple[OwnCause, ...]:
    """Return the failure types outside of the taxonomy that causes add, in alphabetical order.

    All that could be behind an incident on the topology are among them, whichever is.

    Args:
        agents: The automation agents there; a cause by another agent cannot be behind it.
    """
    found = {
        cause.diagnosis: own_cause(cause)
        for cause in sorted(causes, key=lambda cause: cause.id)
        if not isinstance(cause.diagnosis, FailureType)
        and (cause.agent is None or cause.agent in agents)
        and any(placements(cause, topology))
    }
    return tuple(found[name] for name in sorted(found))


def own_cause(cause: Cause) -> OwnCause:
    """Return what a cause adds, for players."""
    return OwnCause(cause.diagnosis, cause.aliases, in_general(cause.glossary))


def in_general(text: str) -> str:
    """Return a text of a cause's file before anything was drawn."""
    return fill(text, _ANY_PLACE)
