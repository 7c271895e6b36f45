"""What episodes on one topology have in common."""

from __future__ import annotations

from math import fsum
from typing import Final, NamedTuple

from chaosops.env.actions import ActionBook
from chaosops.env.alerting import Rules
from chaosops.env.casting import CURVES, ONSET, cast, left_alone, moved, outage_of, settled
from chaosops.env.causes import NEVER, Cast
from chaosops.env.controllers.registry import new_controllers
from chaosops.env.followers import follower_cast, waiting
from chaosops.env.models import ServiceKind, ServiceNode
from chaosops.env.models.topology import Topology
from chaosops.env.panel import Panel
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.samples import measure
from chaosops.env.truth import Truth
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.scenario import Scenario

_BUDGET_PARS: Final = 1.45
_APP_TIER: Final = frozenset({ServiceKind.EDGE, ServiceKind.APP})


class _Solution(NamedTuple):
    """A cause at the strength that a level asks for, and the minutes of outage it amounts to."""

    cast: Cast
    outage_minutes: float


class _Followed(NamedTuple):
    """A follower at the strength that a level asks for, with the cause as its file has it."""

    cast: Cast
    cause: Cause


class TopologyContext:
    """What episodes on one topology have in common, and the magnitudes solved so far.

    Causes are cast on the ordinary fleet, also if an improvement was made before the incident.
    """

    def __init__(
        self,
        topology: Topology,
        agents: tuple[str, ...],
        ordinary: Topology | None = None,
        retries_allowed: float | None = None,
    ) -> None:
        """Prepare a topology.

        Args:
            agents: The names of the automation agents.
            ordinary: The fleet without an improvement; None if there is none.
            retries_allowed: See `Blueprint`.
        """
        self.topology = topology
        self.retries_allowed = retries_allowed
        self.blueprint = Blueprint(topology, retries_allowed)
        self.rules = Rules(topology)
        self.graph = tuple(
            ServiceNode(service.name, service.kind, tuple(call.to for call in service.calls))
            for service in topology.services
        )
        self.app_tier = tuple(
            i for i, service in enumerate(topology.services) if service.kind in _APP_TIER
        )
        self.actions = ActionBook(topology, agents)
        self.mesh = settled(self.blueprint)
        self._casting = self.mesh if ordinary is None else settled(Blueprint(ordinary))
        self.good = measure(self.mesh, -1, 0)
        self.panel = Panel(self.blueprint, self.good)
        self._solved: dict[tuple[object, ...], _Solution] = {}
        self._solved_followers: dict[tuple[object, ...], _Followed] = {}

    @classmethod
    def of(cls, scenario: Scenario, before: TopologyContext | None) -> TopologyContext:
        """Return the context of a scenario; the previous one if it has the same topology."""
        agents = tuple(sorted(agent.name for agent in scenario.incident.automation))
        topology, carried = scenario.topology, scenario.carryover
        allowed = None if carried is None else carried.retries_allowed
        is_same = before is not None and before.retries_allowed == allowed
        if before is None or not (
            is_same and (before.topology is topology or before.topology == topology)
        ):
            return cls(
                topology, agents, None if carried is None else scenario.source.topology, allowed
            )
        before.actions = before.actions.with_agents(agents)
        return before

    def truth(self, incident: Incident) -> Truth:
        """Return what was drawn, with the magnitudes that it needs on this topology.

        Raises:
            CastingError: It can't be made as strong as the level requires.
        """
        drawn = incident.drawn
        index = self.blueprint.index
        caller = -1 if drawn.caller is None else index[drawn.caller]
        level = incident.traffic
        policies = tuple((one.agent, one.standing, one.acts_on) for one in drawn.controllers)
        key = (
            drawn.cause.id,
            index[drawn.place],
            caller,
            incident.level,
            incident.par,
            level,
            policies,
        )
        found = self._solved.get(key)
        if found is None or found.cast.cause != drawn.cause:
            curve = CURVES[incident.level]
            agents = new_controllers(drawn.controllers, self._casting, later=ONSET - drawn.onset)
            made = cast(
                drawn.cause,
                index[drawn.place],
                caller,
                self._casting,
                curve,
                level=level,
                controllers=agents,
            )
            minutes = int(_BUDGET_PARS * incident.par)
            outage = outage_of(curve, minutes)
            if not drawn.cause.harmless:
                failed, _world = left_alone(
                    made, self._casting, minutes, level=level, controllers=agents
                )
                outage = fsum(failed)
            found = _Solution(made, round(outage, 2))
            self._solved[key] = found
        made = moved(found.cast, self._casting, onset=drawn.onset, hard_at=drawn.hard_at)
        made = made._replace(version=drawn.version)
        casts, outage = self._with_followers(incident, made, key)
        return Truth(
            casts=casts,
            words=drawn.words,
            changes=drawn.changes,
            budget_minutes=outage or found.outage_minutes,
            level=level,
        )

    def _with_followers(
        self, incident: Incident, first: Cast, key: tuple[object, ...]
    ) -> tuple[tuple[Cast, ...], float]:
        """Return all causes, and the minutes of outage of those that come by themselves.

        These minutes are 0 if only the first cause does.
        """
        casts = [first]
        if not incident.followers:
            return (first,), 0.0
        index, level = self.blueprint.index, incident.traffic
        controllers = incident.drawn.controllers
        agents = new_controllers(controllers, self._casting, later=ONSET - incident.drawn.onset)
        for drawn in incident.followers:
            place, leader = index[drawn.place], casts[drawn.of]
            caller = -1 if drawn.caller is None else index[drawn.caller]
            spec = drawn.spec.model_dump_json()
            own = (*key, drawn.cause.id, place, caller, leader.place, leader.caller, spec)
            found = self._solved_followers.get(own)
            if found is None or found.cause != drawn.cause:
                made = follower_cast(
                    drawn.spec,
                    drawn.cause,
                    place,
                    caller,
                    leader,
                    self._casting,
                    CURVES[incident.level],
                    level=level,
                    controllers=agents,
                )
                found = self._solved_followers[own] = _Followed(made, drawn.cause)
            casts.append(waiting(found.cast, drawn, casts, self._casting))
        if all(made.onset == NEVER for made in casts[1:]):
            return tuple(casts), 0.0
        agents = new_controllers(controllers, self._casting)
        failed, _world = left_alone(
            first,
            self._casting,
            int(_BUDGET_PARS * incident.par),
            followers=casts[1:],
            level=level,
            controllers=agents,
        )
        return tuple(casts), round(fsum(failed), 2)
