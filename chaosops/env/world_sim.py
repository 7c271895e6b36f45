"""The world of a first-edition scenario, minute by minute."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

from chaosops.env.actions import ActionBook
from chaosops.env.alerting import Alerting, Rules
from chaosops.env.automation import Automation
from chaosops.env.fault_effects import FaultEffects
from chaosops.env.faults import FaultBoard
from chaosops.env.in_force import now_in_force
from chaosops.env.incident_world import IncidentWorld, given
from chaosops.env.logbook import Logbook
from chaosops.env.models import (
    EMPTY,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    FrozenMap,
    InFlight,
    InForce,
    ServiceKind,
    ServiceNode,
    ServiceSignals,
    SignalRows,
    Ticket,
)
from chaosops.env.models.topology import Topology
from chaosops.env.models.verbs import minutes_in_flight
from chaosops.env.plan import FleetPlan
from chaosops.env.service_flow import Physics
from chaosops.env.signals import Dashboard, Panels
from chaosops.scenarios.parameters import Parameter
from chaosops.scenarios.scenario import Scenario
from chaosops.scenarios.schema import Tempting

__all__ = ["HISTORY", "Fleet", "FleetWorld", "Scenario"]

HISTORY: Final = 30
"""How many minutes views go back; as many are simulated before the page."""

_SETTLE: Final = 4
_TRAFFIC_MINUTES: Final = 4
_ZONES: Final = 3
_APP_TIER: Final = frozenset({ServiceKind.EDGE, ServiceKind.APP})
_LANDED_KEPT: Final = 20
_MINUTES_A_DAY: Final = 24 * 60


class Fleet:
    """What episodes on one topology have in common, computed once."""

    def __init__(self, topology: Topology, agents: tuple[str, ...]) -> None:
        self.topology = topology
        self.plan = FleetPlan(topology)
        self.panels = Panels(self.plan)
        self.rules = Rules(topology)
        self.graph = tuple(
            ServiceNode(service.name, service.kind, tuple(call.to for call in service.calls))
            for service in topology.services
        )
        self.app_tier = tuple(
            i for i, service in enumerate(topology.services) if service.kind in _APP_TIER
        )
        self.actions = ActionBook(topology, agents)

    @classmethod
    def of(cls, scenario: Scenario, before: Fleet | None = None) -> Fleet:
        """Return the fleet of a scenario; `before` if that has the same topology."""
        agents = tuple(sorted(agent.name for agent in scenario.incident.automation))
        topology = scenario.topology
        if before is None or not (before.topology is topology or before.topology == topology):
            return cls(topology, agents)
        before.actions = before.actions.with_agents(agents)
        return before


class FleetWorld(IncidentWorld):
    """The simulated fleet of one episode. Nothing outside `chaosops.env` may hold one.

    Attributes:
        minute: Minutes since the page.
        history: Signals of the last minutes, oldest first.
        in_flight, landed: Actions in flight, and the newest that have landed.
        in_force: Their lasting effects, oldest first.
        held: Minutes in a row in which the SLO was met.
        users_ok: Share of user requests that succeeded this minute, 0 to 1, four decimals.
    """

    def __init__(self, scenario: Scenario, fleet: Fleet | None = None) -> None:
        incident, topology = scenario.incident, scenario.topology
        fleet = fleet or Fleet.of(scenario)
        self.scenario = scenario
        self.incident = incident
        self.topology = topology
        self.fleet = fleet
        self.plan = fleet.plan
        self.physics = Physics(self.plan)
        self.effects = FaultEffects(self.plan.size)
        self.board = FaultBoard(incident, self.effects, self.plan.index)
        self.automation = Automation(incident)
        self.actions = fleet.actions
        self.graph = fleet.graph
        self.app_tier = fleet.app_tier
        self.landings = None
        self.wrong_landings = 0
        self.dashboard = Dashboard(self.plan, fleet.panels)
        self.alerting = Alerting(topology, incident, fleet.rules)
        self.logbook = Logbook(self.plan, incident, scenario.stream("logs"))
        self.history: deque[SignalRows] = deque(maxlen=HISTORY)
        self.newest: tuple[ServiceSignals, ...] = ()
        self.in_flight: tuple[InFlight, ...] = ()
        self.landed: tuple[InFlight, ...] = ()
        self.in_force: tuple[InForce, ...] = ()
        self.tickets: tuple[Ticket, ...] = ()
        self.held = 0
        self.users_ok = 1.0
        self.lost = 0.0
        self._spent = 0.0
        self._slo = topology.slo
        self._ticket_minutes = frozenset(spec.at for spec in incident.tickets)
        self._traffic = scenario.stream("traffic")
        self._level = incident.traffic * (0.96 + 0.08 * self._traffic.random())
        self._demand = self._level
        self._entry_rps = sum(rps for _entry, rps in self.plan.entries)
        self.paged_at = int(scenario.stream("clock").random() * _MINUTES_A_DAY)
        self.minute = -HISTORY - 1
        while self.minute < 0:
            self.advance()
            if self.minute == -HISTORY + _SETTLE:
                self.dashboard.learn()

    @property
    def budget(self) -> int:
        """The remaining error budget in percent."""
        spent = self._spent / self.topology.error_budget_minutes
        return max(0, int(100.0 * (1.0 - spent) + 0.5))

    @property
    def causes_gone(self) -> bool:
        """Whether every fault is cleared and every rogue agent contained."""
        return self.board.all_cleared and self.automation.all_contained

    def launch(self, action: ChaosOpsAction, verb: ActionType, target: str) -> InFlight:
        """Put an action in flight; it lands after the minutes that its verb takes on the target."""
        args = given(action.args)
        lands = self.minute + self.minutes_for(verb, target)
        item = InFlight(action.role, verb, target, args, self.minute, lands)
        self.in_flight = (*self.in_flight, item)
        return item

    def note(self, role: AgentRole, verb: ActionType, target: str) -> None:
        """Add an action that took effect at once to what has landed, where everyone sees it."""
        item = InFlight(role, verb, target, EMPTY, self.minute, self.minute)
        self.landed = (*self.landed, item)[-_LANDED_KEPT:]
        self.in_force = now_in_force(self.in_force, item)

    def minutes_for(self, verb: ActionType, target: str) -> int:
        """Return the minutes that a verb takes on a service."""
        kind = self.plan.specs[self.plan.index[target]].kind
        return minutes_in_flight(self.topology, verb, kind)

    def most_replicas(self, target: str) -> int:
        """Return the most replicas that the service can have."""
        return self.plan.specs[self.plan.index[target]].max_replicas

    def helps(self, verb: ActionType, target: str, args: FrozenMap) -> bool:
        """Whether an action would clear or mitigate something now."""
        return self.board.helps(verb, target, args, self.users_ok < self.topology.slo)

    def spoil(self, move: Tempting | None, lands: int) -> bool:
        """Apply the consequences of a wrong fix; return whether it starts a second failure."""
        started = list(self.board.cascades())
        if move is not None:
            if move.effects:
                self.board.burden(move.effects, lands)
            if move.starts is not None and self.board.is_pending(move.starts):
                started.append(move.starts)
        for fault in dict.fromkeys(started):
            self.board.start(fault, self.minute + 1)
        return bool(started)

    def advance(self) -> None:
        """Advance by a minute."""
        minute = self.minute = self.minute + 1
        if self.in_flight:
            self._land(minute)
        self.automation.advance(minute, self.board)
        changed = self.board.apply(minute)
        if changed:
            self.physics.take_effects(self.effects)
        if minute % _TRAFFIC_MINUTES == 0:
            self._demand = self._level * (1.0 + 0.05 * (self._traffic.random() - 0.5))
            changed = True
        if changed or not self.physics.is_steady:
            self.physics.advance(self._demand)
            newest = self.dashboard.read(self.physics)
            if newest is not self.newest:
                self.newest = newest
                self._rows = SignalRows(newest)
            self.users_ok = round(self.physics.users_ok, 4)
        self.history.append(self._rows)
        users_ok = self.users_ok
        if self.dashboard.usual:
            self.logbook.advance(minute, self.physics, self.board)
            self.alerting.advance(minute, self.newest, users_ok)
        self.held = self.held + 1 if users_ok >= self._slo else 0
        if minute >= 0:
            failed = 1.0 - users_ok
            self._spent += failed
            self.lost += failed * self._entry_rps * self._level * 60.0
            self._hear_customers(minute, users_ok)

    def _hear_customers(self, minute: int, users_ok: float) -> None:
        if minute in self._ticket_minutes and users_ok < self._slo:
            texts = sorted(spec.text for spec in self.incident.tickets if spec.at == minute)
            self.tickets = (*self.tickets, *(Ticket(minute, text) for text in texts))

    def _land(self, minute: int) -> None:
        arriving = [item for item in self.in_flight if item.lands <= minute]
        if not arriving:
            return
        self.in_flight = tuple(item for item in self.in_flight if item.lands > minute)
        self.landed = (*self.landed, *arriving)[-_LANDED_KEPT:]
        for item in arriving:
            self._strain(item, minute)
            self.board.land(item.action_type, item.target, item.args, minute)
            i = self.plan.index[item.target]
            usual, replicas = self.plan.specs[i].replicas, self.physics.services[i].replicas
            self.in_force = now_in_force(self.in_force, item, usual, replicas)

    def _strain(self, item: InFlight, minute: int) -> None:
        """Apply an action to a service, whether it helps or not."""
        verb, i = item.action_type, self.plan.index[item.target]
        service, strain = self.physics.services[i], self.board.strain
        replicas = service.replicas
        single = replicas == 1 or self.plan.specs[i].kind not in (ServiceKind.EDGE, ServiceKind.APP)
        if verb is ActionType.RESTART:
            service.restarted()
            if single:
                strain(i, Parameter.ERRORS, 0.5, minute)
            else:
                strain(i, Parameter.CAPACITY, 1.0 - 1.0 / replicas, minute)
                strain(i, Parameter.ERRORS, 0.04, minute)
        elif verb is ActionType.FAILOVER:
            service.restarted()
            strain(i, Parameter.ERRORS, 0.7, minute)
            for later in range(3):
                strain(i, Parameter.CAPACITY, 0.6, minute + later)
        elif verb is ActionType.SCALE:
            service.scaled(item.args["replicas"])
        elif verb is ActionType.DRAIN:
            taken = math.ceil(replicas / _ZONES) if item.args.get("unit") == "zone" else 1
            service.scaled(max(1, replicas - taken))
        elif verb is ActionType.SHED_LOAD:
            service.shed_load(item.args["percent"] / 100.0)
        elif verb is ActionType.PURGE:
            service.purged()
        elif verb is ActionType.RAISE_LIMIT:
            service.raised(item.args["limit"])
        elif verb is ActionType.TERMINATE:
            strain(i, Parameter.ERRORS, 0.05, minute)
        elif verb is ActionType.ROLLBACK:
            strain(i, Parameter.CAPACITY, 0.85, minute)
        elif verb is ActionType.ROTATE:
            strain(i, Parameter.ERRORS, 0.1, minute)
