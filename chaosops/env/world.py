"""The simulated world: the fleet, its causes, and the actions in flight.

`World` is the part of an episode that a minute changes and a fork copies: no frame, no log and
no text. `World.fork()` costs less than a fifth of a millisecond for twelve services.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Final

from chaosops.env.causes import NEVER, LiveCause
from chaosops.env.controllers.acts import ActStatus, ControllerAct
from chaosops.env.controllers.base import Controller
from chaosops.env.controllers.requests import Requests
from chaosops.env.injection import RedHerring
from chaosops.env.models import ActionType, FrozenMap, InFlight, ServiceKind
from chaosops.env.models.scope import instance_number
from chaosops.env.noise import around
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.zones import Zones

_TRAFFIC: Final = 101
_TRAFFIC_SWING: Final = 0.045
_LONE: Final = frozenset({ServiceKind.CACHE, ServiceKind.QUEUE, ServiceKind.DATABASE})

_SIDE_EFFECTS: Final = MappingProxyType(
    {
        ActionType.ROLLBACK: (0.12, 8),
        ActionType.DISABLE_FEATURE: (0.06, 8),
        ActionType.ROTATE: (0.12, 5),
    }
)
"""What an action costs if it removes something that works: the share of requests that needs it and
fails, and for how many minutes, until it is restored. A build that is rolled back knows a schema
and flags that the previous one doesn't; users miss a feature that is off; a secret
that is rotated is unknown to services that haven't read it yet."""

_WARMING: Final = 4
_COLD: Final = 0.6
_COLD_BUFFERS_MS: Final = 25.0


class SideEffect:
    """The effect of an action on a service while it is in progress.

    Attributes:
        first, last: The first and the last minute of it.
        errors: Share of requests that the service fails.
        capacity: Factor of its capacity.
        delay_ms: Extra time for each request.
        broken: Share of requests that it fails in every try.
    """

    __slots__ = ("broken", "capacity", "delay_ms", "errors", "first", "last", "service")

    def __init__(
        self,
        service: int,
        first: int,
        last: int,
        errors: float,
        capacity: float,
        delay_ms: float = 0.0,
        broken: float = 0.0,
    ) -> None:
        self.service = service
        self.first = first
        self.last = last
        self.errors = errors
        self.capacity = capacity
        self.delay_ms = delay_ms
        self.broken = broken


class World:
    """The fleet in one minute, with its causes and the actions in flight.

    Attributes:
        minute: Minutes since the page.
        mesh: The physical state.
        causes: The causes of the incident: the first one, and those that follow it.
        in_flight: Actions in flight.
        side_effects: Effects of actions while they are in progress.
        controllers: The automation agents that act on the fleet.
        acts: What they did in this minute.
        requests: What they asked Oversight for.
        paused: The paused automation agents.
        changes: Minute, service and version of each change, oldest first.
        red_herrings: Faults that look bad and hurt nobody.
        users_ok: Share of user requests that succeeded this minute.
        first_cure: The action that cleared the first cause for good; None so far.
        set_off: The actions each of which set off another cause when actions last landed.
    """

    __slots__ = (
        "acts",
        "causes",
        "changes",
        "controllers",
        "first_cure",
        "in_flight",
        "level",
        "mesh",
        "minute",
        "paused",
        "red_herrings",
        "requests",
        "seed",
        "set_off",
        "side_effects",
        "users_ok",
    )

    def __init__(
        self, mesh: Mesh, causes: list[LiveCause], seed: int, level: float, minute: int
    ) -> None:
        self.mesh = mesh
        self.causes = causes
        self.seed = seed
        self.level = level
        self.minute = minute
        self.in_flight: list[InFlight] = []
        self.side_effects: list[SideEffect] = []
        self.red_herrings: list[RedHerring] = []
        self.controllers: list[Controller] = []
        self.acts: list[ControllerAct] = []
        self.requests = Requests()
        self.paused: frozenset[str] = frozenset()
        self.changes: tuple[tuple[int, int, str], ...] = ()
        self.users_ok = 1.0
        self.first_cure: InFlight | None = None
        self.set_off: list[InFlight] = []

    def fork(self) -> World:
        """Return an independent world in the same state."""
        causes = [cause.copy() for cause in self.causes]
        twin = World(self.mesh.copy(), causes, self.seed, self.level, self.minute)
        twin.in_flight = self.in_flight.copy()
        twin.side_effects = self.side_effects.copy()
        twin.red_herrings = self.red_herrings
        twin.controllers = [controller.copy() for controller in self.controllers]
        twin.requests = self.requests.copy()
        twin.paused, twin.first_cure = self.paused, self.first_cure
        twin.changes = self.changes
        twin.users_ok = self.users_ok
        return twin

    def traffic(self, minute: int) -> float:
        """Return the factor of user requests in a minute: the level with some noise."""
        if self.seed < 0:
            return self.level
        return self.level * (1.0 + _TRAFFIC_SWING * around(self.seed, minute, _TRAFFIC))

    def advance(self) -> list[InFlight]:
        """Advance by a minute; return the actions that landed in it."""
        self.minute += 1
        minute = self.minute
        landed: list[InFlight] = []
        if self.in_flight:
            landed = [item for item in self.in_flight if item.lands <= minute]
            if landed:
                self.set_off = []
                self.in_flight = [item for item in self.in_flight if item.lands > minute]
                for item in landed:
                    self.land(item)
        mesh = self.mesh
        mesh.minute = minute - 1
        if self.controllers:
            self.automate(minute)
        mesh.reset_parameters()
        if len(self.causes) > 1:
            self._follow_on()
        for cause in self.causes:
            cause.apply(mesh, minute)
        for red_herring in self.red_herrings:
            red_herring.apply(mesh, minute)
        if self.side_effects:
            self._strain(minute)
        mesh.advance(self.traffic(minute))
        self.users_ok = mesh.users_ok
        return landed

    def automate(self, minute: int) -> None:
        """Let the controllers act on what the last minute left; paused ones stand by."""
        self.acts = []
        for controller in self.controllers:
            if controller.agent in self.paused:
                controller.stand_by(self.mesh, minute)
            else:
                controller.act(self.mesh, minute, self.acts)
        if minute >= 0:
            self._answer(minute)
        for act in self.acts:
            if act.is_faulty and act.status is ActStatus.DONE:
                for cause in self.causes:
                    cause.resume(act.agent, act.target, self.mesh)

    def _answer(self, minute: int) -> None:
        """Settle what the controllers asked for, and let fail what breaks by it."""
        strains = self.requests.settle(self.mesh, minute, self.controllers, self.paused, self.acts)
        for strain in strains:
            last = minute + strain.minutes - 1
            self.side_effects.append(
                SideEffect(strain.service, minute, last, 0.0, 1.0, broken=strain.broken)
            )

    def _strain(self, minute: int) -> None:
        self.side_effects = [
            side_effect for side_effect in self.side_effects if side_effect.last >= minute
        ]
        for side_effect in self.side_effects:
            if side_effect.first <= minute:
                node = self.mesh.nodes[side_effect.service]
                node.injected_errors = 1.0 - (1.0 - node.injected_errors) * (
                    1.0 - side_effect.errors
                )
                node.injected_capacity *= side_effect.capacity
                node.injected_delay_ms += side_effect.delay_ms
                node.injected_broken = 1.0 - (1.0 - node.injected_broken) * (
                    1.0 - side_effect.broken
                )

    @property
    def is_over(self) -> bool:
        """Whether every cause is cleared for good, and none is about to follow."""
        return not any(
            cause.is_live(self.minute)
            or cause.is_due(self.minute)
            or cause.returns < NEVER
            or cause.is_kept_up(self.paused)
            for cause in self.causes
        )

    def _follow_on(self) -> None:
        """Let causes begin or stay away whose turn comes once another one is cleared."""
        for cause in self.causes:
            follow = cause.cast.follow
            if follow is not None:
                cause.watch(self.causes[follow.leader], self.minute, self.paused)

    def land(self, item: InFlight) -> bool:
        """Let an action take effect; return whether it cleared a cause, or prevented one."""
        service = self.mesh.blueprint.index[item.target]
        verb, args = item.action_type, item.args
        one = instance_number(args)
        if one:
            return self._land_on_one(item, service, one - 1)
        version = str(args.get("change") or self._newest(service))
        cleared = False
        for cause in self.causes:
            if cause.land(verb, service, args, self.minute, self.mesh, self.paused, version):
                cleared = True
                if cause.cast.follow is None and self.first_cure is None:
                    self.first_cure = item
            if cause.hear(verb, service, args, self.minute):
                self.set_off.append(item)
        self._do(verb, service, args)
        if not cleared and verb in _SIDE_EFFECTS:
            errors, minutes = _SIDE_EFFECTS[verb]
            self.side_effects.append(
                SideEffect(service, self.minute, self.minute + minutes - 1, errors, 1.0)
            )
        return cleared

    def _land_on_one(self, item: InFlight, service: int, i: int) -> bool:
        """Let a move take effect on one instance; return whether that cleared a cause.

        It sets off no other cause, and does nothing if the instance is gone by now.
        """
        mesh, minute, verb = self.mesh, self.minute, item.action_type
        instances = mesh.instances[service]
        n = instances.count
        if i >= n:
            return False
        version = str(item.args.get("change") or self._newest(service))
        instances.replace(i, minute)
        for part in mesh.parts:
            if part.service == service:
                part.land_on_one(verb, i, mesh)
        helped = cleared = False
        for cause in self.causes:
            if cause.land_on_one(verb, service, i, item.args, minute, mesh, version):
                helped = True
            if cause.cleared == minute and cause.is_gone(self.paused):
                cleared = True
                if cause.cast.follow is None and self.first_cure is None:
                    self.first_cure = item
        cold = 1.0 - (1.0 - _COLD) / n
        add = self.side_effects.append
        add(SideEffect(service, minute, minute + _WARMING, 0.0, cold))
        if not helped and verb in _SIDE_EFFECTS:
            errors, minutes = _SIDE_EFFECTS[verb]
            add(SideEffect(service, minute, minute + minutes - 1, errors / n, 1.0))
        return cleared

    def _newest(self, service: int) -> str:
        """Return the newest change of a service; empty if there is none."""
        name = ""
        for minute, where, version in self.changes:
            if where == service and minute <= self.minute:
                name = version
        return name

    def _do(self, verb: ActionType, service: int, args: FrozenMap) -> None:
        """Apply an action to the fleet, whether it helps or not."""
        mesh, minute = self.mesh, self.minute
        node, instances = mesh.nodes[service], mesh.instances[service]
        kind = node.traits.kind
        n = instances.count
        add = self.side_effects.append
        if verb is ActionType.RESTART:
            node.backlog = 0.0
            instances.readmit()
            if n == 1 or kind in _LONE:
                add(SideEffect(service, minute, minute, 0.5, 1.0))
            else:
                add(SideEffect(service, minute, minute, 0.03, 1.0 - 1.0 / n))
                add(SideEffect(service, minute + 1, minute + _WARMING, 0.0, _COLD))
        elif verb is ActionType.FAILOVER:
            node.backlog = 0.0
            add(SideEffect(service, minute, minute, 0.6, 1.0))
            cold = _COLD_BUFFERS_MS if node.traits.is_database else 0.0
            add(SideEffect(service, minute, minute + 9, 0.0, 0.6, cold))
        elif verb is ActionType.SCALE:
            instances.resize(int(args.get("replicas", n)), minute)
        elif verb is ActionType.DRAIN:
            self._drain(service, args.get("unit") == "zone")
        elif verb is ActionType.SHED_LOAD:
            node.shed = float(args.get("percent", 0)) / 100.0
        elif verb is ActionType.PURGE:
            node.backlog = 0.0
        elif verb is ActionType.TERMINATE:
            add(SideEffect(service, minute, minute, 0.02, 1.0))
        elif verb is ActionType.ROLLBACK:
            add(SideEffect(service, minute, minute, 0.0, 1.0 - 0.5 / n))
            add(SideEffect(service, minute + 1, minute + _WARMING, 0.0, _COLD))
        elif verb is ActionType.ROTATE:
            add(SideEffect(service, minute, minute, 0.05, 1.0))
        for part in mesh.parts:
            if part.service == service:
                part.land(verb, args, mesh)

    def _drain(self, service: int, whole_zone: bool) -> None:
        """Take an instance out of service, or a zone: the one where requests fail, if any."""
        instances = self.mesh.instances[service]
        zones = self.mesh.part(service, "zones")
        if whole_zone and isinstance(zones, Zones) and zones.share > 0.0:
            instances.leave_zone(zones.hot)
            return
        n = instances.count
        away = math.ceil(n / instances.traits.zones) if whole_zone else 1
        instances.resize(max(1, n - away), self.minute)

    def failing(self, minutes: int) -> float:
        """Sum the failed shares of the next minutes if everyone passes."""
        total = 0.0
        for _minute in range(minutes):
            self.advance()
            total += 1.0 - self.users_ok
        return total
