"""What an incident of a shift takes over from those before it: a budget, and an improvement.

The fleet differs from the ordinary one only where the improvement says so, and only after the
cause was cast: the cause is as strong as it would be without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import ceil
from types import MappingProxyType
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import ServiceSpec, Topology
from chaosops.scenarios.agent_policies import DeployPolicy, DrawnController
from chaosops.scenarios.incident import Incident

RETRIES_ALLOWED: Final = 0.1
"""The retries of a full service that a retry budget allows, as a share of its requests."""

_MORE: Final = 0.25
"""The share of the instances that headroom adds."""

_GROWS: Final = frozenset({ServiceKind.EDGE, ServiceKind.APP})


class Improvement(StrEnum):
    """An action item that was carried out before the incident."""

    RETRY_BUDGET = "retry_budget"
    DEPLOY_FREEZE = "deploy_freeze"
    HEADROOM = "headroom"

    @property
    def words(self) -> str:
        """Its name in words."""
        return self.value.replace("_", " ")


EFFECTS: Final[Mapping[Improvement, str]] = MappingProxyType(
    {
        Improvement.RETRY_BUDGET: (
            f"a full service is retried for at most {RETRIES_ALLOWED * 100:.0f} % of its requests, "
            "so an overload feeds itself less"
        ),
        Improvement.DEPLOY_FREEZE: (
            "deploy bots promote nothing and ask for nothing, so fewer changes and requests are "
            "to be judged"
        ),
        Improvement.HEADROOM: (
            f"services at the edge and in the app tier start with {_MORE * 100:.0f} % more "
            "instances, so there is more room, and each instance matters less"
        ),
    }
)
"""What each improvement does, for people."""


class Carryover(BaseModel):
    """What an incident of a shift takes over from those before it.

    Attributes:
        budget: The error budget left at the page, in percent of the whole.
        worth: The whole budget, in percent of what the incident has by itself.
        improvement: What was improved before it; None for nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    budget: Annotated[int, Field(ge=1, le=100)] = Field(
        description="The error budget left at the page, in percent of the shift's."
    )
    worth: Annotated[int, Field(ge=10, le=10_000)] = Field(
        description="The shift's error budget, in percent of what the incident has by itself."
    )
    improvement: Improvement | None = Field(
        default=None, description="The action item that was carried out before it."
    )

    def own_budget(self, left: int) -> float:
        """Return what is left of the incident's own budget, in percent; below 0 if it is over.

        Args:
            left: What is left of the shift's, in percent.
        """
        return 100.0 - (self.budget - left) * self.worth / 100.0

    def fleet(self, topology: Topology) -> Topology:
        """Return the fleet with the improvement; its services and calls are the same."""
        if self.improvement is not Improvement.HEADROOM:
            return topology
        services = tuple(_grown(spec) for spec in topology.services)
        return topology.model_copy(update={"services": services})

    def incident(self, incident: Incident) -> Incident:
        """Return the incident with the improvement."""
        if self.improvement is not Improvement.DEPLOY_FREEZE:
            return incident
        controllers = tuple(_frozen(one) for one in incident.drawn.controllers)
        frozen = {one.agent for one in controllers if is_frozen(one)}
        changes = tuple(one for one in incident.drawn.changes if one.author not in frozen)
        drawn = incident.drawn.model_copy(update={"controllers": controllers, "changes": changes})
        return incident.model_copy(
            update={
                "drawn": drawn,
                "changes": tuple(one for one in incident.changes if one.author not in frozen),
                "asked": tuple(one for one in incident.asked if one.agent not in frozen),
            }
        )

    @property
    def retries_allowed(self) -> float | None:
        """The retries of a full service, as a share of its requests; None for any."""
        return RETRIES_ALLOWED if self.improvement is Improvement.RETRY_BUDGET else None


def matters(improvement: Improvement, topology: Topology, incident: Incident) -> bool:
    """Whether an improvement changes anything on a fleet, whatever the seed draws."""
    if improvement is Improvement.RETRY_BUDGET:
        return any(call.retries for spec in topology.services for call in spec.calls)
    if improvement is Improvement.HEADROOM:
        return any(_grown(spec) is not spec for spec in topology.services)
    return any(isinstance(one.standing, DeployPolicy) for one in incident.drawn.controllers)


def is_frozen(controller: DrawnController) -> bool:
    """Whether a controller is a deploy bot that keeps to a freeze."""
    return isinstance(controller.acts_on, DeployPolicy) and controller.acts_on.freeze


def _frozen(controller: DrawnController) -> DrawnController:
    """Return a controller during a freeze, to which one that is the cause does not keep."""
    standing, acts_on = controller.standing, controller.acts_on
    if not isinstance(standing, DeployPolicy) or not isinstance(acts_on, DeployPolicy):
        return controller
    written = standing.model_copy(update={"freeze": True})
    if controller.place is not None:
        return controller.model_copy(update={"standing": written})
    return controller.model_copy(update={"standing": written, "acts_on": written})


def _grown(spec: ServiceSpec) -> ServiceSpec:
    """Return a service with more instances, if it is of the app tier and may have them."""
    replicas = min(spec.max_replicas, spec.replicas + ceil(spec.replicas * _MORE))
    if spec.kind not in _GROWS or replicas <= spec.replicas:
        return spec
    return spec.model_copy(update={"replicas": replicas})
