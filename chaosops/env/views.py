"""What each role sees of the world. Nothing else leaves it."""

from __future__ import annotations

from collections import deque

from chaosops.env.investigation import changes_of
from chaosops.env.models import (
    TURN_ORDER,
    AgentRole,
    Change,
    Diagnosis,
    Doing,
    Finding,
    Health,
    Impact,
    Message,
    RoleView,
    ServiceKind,
    ServiceNode,
    ServiceSignals,
    Status,
)
from chaosops.env.world_sim import HISTORY, World

_MESSAGES_KEPT = 60
_APP_TIER = frozenset({ServiceKind.EDGE, ServiceKind.APP})


class Desk:
    """What the roles have told and found out: the part of an episode that is not the fleet."""

    def __init__(self) -> None:
        self.channel: tuple[Message, ...] = ()
        self.inboxes: dict[AgentRole, tuple[Message, ...]] = dict.fromkeys(TURN_ORDER, ())
        self.findings: dict[AgentRole, tuple[Finding, ...]] = dict.fromkeys(TURN_ORDER, ())
        self.diagnoses: tuple[Diagnosis, ...] = ()
        self.doing: dict[AgentRole, Doing] = {}

    def deliver(self, message: Message, *, private: bool) -> None:
        """Put a message where its receivers read it; the oldest fall out."""
        if message.to is None or not private:
            self.channel = (*self.channel, message)[-_MESSAGES_KEPT:]
        else:
            for role in (message.to, message.sender):
                self.inboxes[role] = (*self.inboxes[role], message)[-_MESSAGES_KEPT:]


class Views:
    """Builds the view of a role, sharing with earlier views what did not change."""

    def __init__(self, world: World, desk: Desk, turns: int) -> None:
        self._world = world
        self._desk = desk
        self._turns = turns
        topology = world.topology
        self._graph = tuple(
            ServiceNode(service.name, service.kind, tuple(call.to for call in service.calls))
            for service in topology.services
        )
        self._app_tier = tuple(
            i for i, service in enumerate(topology.services) if service.kind in _APP_TIER
        )
        self._app_history: deque[tuple[ServiceSignals, ...]] = deque(maxlen=HISTORY)
        self._app_minute = world.minute - HISTORY
        self._health: tuple[tuple[str, Health], ...] = ()
        self._changes = changes_of(world)
        self._changes_at = world.minute

    def of(self, role: AgentRole) -> RoleView:
        """What the role sees now."""
        world, desk = self._world, self._desk
        automation = world.automation
        sre = role is AgentRole.SRE
        dev = role is AgentRole.DEV
        oversight = role is AgentRole.OVERSIGHT
        history = tuple(world.history) if sre else self._app_signals() if dev else None
        return RoleView(
            role,
            Status(
                world.scenario.page,
                world.minute,
                world.paged_at,
                self._turns,
                world.users_ok,
                world.topology.slo,
                world.held,
                world.scenario.hold,
                world.budget,
            ),
            world.alerting.firing,
            desk.channel,
            desk.inboxes[role],
            world.in_flight,
            world.landed,
            desk.diagnoses,
            desk.findings[role],
            self._graph,
            world.actions.allowed(role, automation.paused, automation.flagged),
            None if history is None else history[-1],
            history,
            world.logbook.tail(apps_only=dev) if sre or dev else None,
            self._change_history() if dev else None,
            automation.audit if oversight else None,
            automation.names if oversight else None,
            automation.paused if oversight else None,
            automation.flagged if oversight else None,
            self._glance() if oversight else None,
            self._impact() if role is AgentRole.MANAGER else None,
        )

    def _app_signals(self) -> tuple[tuple[ServiceSignals, ...], ...]:
        world = self._world
        missing = min(world.minute - self._app_minute, HISTORY)
        if missing:
            for minute in list(world.history)[-missing:]:
                self._app_history.append(self._errors_and_latency(minute))
            self._app_minute = world.minute
        return tuple(self._app_history)

    def _errors_and_latency(self, minute: tuple[ServiceSignals, ...]) -> tuple[ServiceSignals, ...]:
        before = self._app_history[-1] if self._app_history else ()
        row = []
        for k, i in enumerate(self._app_tier):
            full = minute[i]
            seen = ServiceSignals(
                full.service,
                full.health,
                None,
                full.errors,
                full.p95_ms,
                None,
                None,
                None,
                None,
                None,
                None,
                None,
            )
            row.append(before[k] if before and before[k] == seen else seen)
        return tuple(row)

    def _change_history(self) -> tuple[Change, ...]:
        if self._changes_at != self._world.minute:
            self._changes_at = self._world.minute
            now = changes_of(self._world)
            if now != self._changes:
                self._changes = now
        return self._changes

    def _glance(self) -> tuple[tuple[str, Health], ...]:
        now = tuple((signals.service, signals.health) for signals in self._world.history[-1])
        if now != self._health:
            self._health = now
        return self._health

    def _impact(self) -> Impact:
        world, doing = self._world, self._desk.doing
        return Impact(
            round(1.0 - world.users_ok, 4),
            round(world.lost / 1000.0, 1),
            world.tickets,
            tuple(doing[role] for role in TURN_ORDER if role in doing),
        )
