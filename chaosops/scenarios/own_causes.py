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
"""What a definition says before anything was drawn."""


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
    return OwnCause(cause.diagnosis, cause.aliases, defined(cause))


def defined(cause: Cause) -> str:
    """Return the definition of a cause wherever it may be."""
    return fill(cause.glossary, _ANY_PLACE)
