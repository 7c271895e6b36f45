"""Causes that were cast, and their current state: hidden, live, eased or cleared."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.cause import At, Cause, CauseEffect, CauseMove, DrawnDecoy, Drive, RolledOut
from chaosops.scenarios.schema import Bound

NODE: Final = "node"
INSTANCES: Final = "instances"
LINK: Final = "link"
NEVER: Final = 1_000_000
_NODE_PARAMETERS: Final = ("errors", "cpu", "delay_ms", "lost", "demand", "capacity")
_INSTANCE_PARAMETERS: Final = ("errors", "speed", "delay_ms")
_LINK_PARAMETERS: Final = ("broken", "refused", "stalled")
_BROKEN_MS: Final = 12.0
_STALLED_MS: Final = 30_000.0


class NoPart(ValueError):
    """A service has no component of a name; the text lists those that it has."""


class NoParameter(ValueError):
    """A component has no parameter of a name; the text lists those that it has."""


class CurvePoint(NamedTuple):
    """The magnitude of a cause at a minute."""

    minute: int
    magnitude: float


class Cast(NamedTuple):
    """A cause at a place, with its magnitude: what is true in an episode.

    Attributes:
        place, caller, entry, store, consumer, cache: Numbers of services; `caller` is -1 if the
            cause has none, `store` where the place keeps no connections, `consumer` where it hands
            on no messages, and `cache` where none is asked before it.
        link: The number of the caller's call to the place, or -1.
        onset: The minute it begins in, before the page.
        points: Its magnitude over time, sorted by minute; the last one stays.
        version: The change that has to be rolled back to clear it; empty if any will do.
        hard_at: The minute of the hard step if nobody stops the cause.
        hard_rate: What is injected each minute into the parameter of the hard step.
    """

    cause: Cause
    place: int
    caller: int
    entry: int
    link: int
    onset: int
    points: tuple[CurvePoint, ...]
    hard_at: int
    hard_rate: float
    store: int = -1
    version: str = ""
    consumer: int = -1
    cache: int = -1

    def service(self, at: At) -> int:
        """Return the number of the service with a part in the cause."""
        if at is At.PLACE:
            return self.place
        if at is At.CALLER:
            return self.caller
        if at is At.CONSUMER:
            return self.consumer
        if at is At.CACHE:
            return self.cache
        return self.entry if at is At.ENTRY else self.store

    def sites(self) -> tuple[int, ...]:
        """Return the services where it may be said to be: its place, and where it is cleared."""
        cleared = {self.service(move.at) for move in self.cause.clears}
        return tuple(sorted({self.place, *cleared} - {-1}))


_OWN: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = MappingProxyType(
    {
        NODE: (-1, _NODE_PARAMETERS),
        INSTANCES: (-2, _INSTANCE_PARAMETERS),
        LINK: (-3, _LINK_PARAMETERS),
    }
)
"""Targets of effects that are not components: a negative number and the parameters of each."""


class RedHerring:
    """A fault that is injected for some minutes and that users do not notice."""

    __slots__ = ("_parameter", "_part", "_service", "_value", "first", "last")

    def __init__(self, decoy: DrawnDecoy, mesh: Mesh) -> None:
        self.first = decoy.first
        self.last = decoy.last
        self._service = mesh.blueprint.index[decoy.at]
        self._parameter = decoy.parameter
        self._value = decoy.value
        if decoy.part == NODE:
            self._part = -1
        else:
            self._part = part_number(mesh, self._service, decoy.part)

    def apply(self, mesh: Mesh, minute: int) -> None:
        """Inject it if it is due."""
        if not self.first <= minute <= self.last:
            return
        if self._part < 0:
            inject_into_node(mesh, self._service, self._parameter, self._value)
        else:
            mesh.parts[self._part].inject(self._parameter, self._value, -1)


class _ActiveEffect:
    """An effect of a cause, with its target resolved in a fleet."""

    __slots__ = (
        "after",
        "drive",
        "every",
        "lasts",
        "link",
        "most",
        "parameter",
        "part",
        "service",
        "value",
    )

    def __init__(self, effect: CauseEffect, cast: Cast, mesh: Mesh) -> None:
        self.service = cast.service(effect.at)
        self.parameter = effect.parameter
        self.link = cast.link if effect.of_caller else -1
        self.most = effect.most
        self.after = effect.after
        self.every = effect.every
        self.lasts = effect.lasts
        self.drive = effect.drive
        self.value = effect.value if effect.drive is None else effect.weight
        self.part = target_number(mesh, self.service, effect.part, effect.parameter)
        if effect.part == LINK:
            self.link = cast.link

    def is_due(self, minute: int) -> bool:
        """Whether it is at work in a minute."""
        return self.every == 0 or minute % self.every < self.lasts

    def apply(self, mesh: Mesh, magnitude: float) -> None:
        """Inject it for this minute."""
        value = self.value
        if self.drive is not None:
            value = self.value * magnitude
            if self.drive is Drive.FACTOR:
                value += 1.0
        if value > self.most:
            value = self.most
        if self.part >= 0:
            mesh.parts[self.part].inject(self.parameter, value, self.link)
        elif self.part == -1:
            inject_into_node(mesh, self.service, self.parameter, value)
        elif self.part == -3:
            inject_into_link(mesh, self.link, self.parameter, value)
        else:
            inject_into_instances(mesh, self.service, self.parameter, value)


def target_number(mesh: Mesh, service: int, part: str, parameter: str) -> int:
    """Return the index of a service's component; a negative number if it is none of them.

    Raises:
        NoPart: The service has no such component.
        NoParameter: The component has no such parameter.
    """
    if part in _OWN:
        number, parameters = _OWN[part]
    else:
        number = part_number(mesh, service, part)
        parameters = mesh.parts[number].parameters
    if parameter not in parameters:
        raise NoParameter(f"{part} has no parameter '{parameter}': {', '.join(parameters)}")
    return number


def part_number(mesh: Mesh, service: int, name: str) -> int:
    """Return the index of a service's component.

    Raises:
        NoPart: The service has no component of that name.
    """
    for number, part in enumerate(mesh.parts):
        if part.service == service and part.name == name:
            return number
    known = [part.name for part in mesh.parts if part.service == service]
    here = mesh.blueprint.services[service].name
    raise NoPart(f"{here} has no '{name}': {', '.join((NODE, INSTANCES, LINK, *known))}")


def inject_into_node(mesh: Mesh, service: int, parameter: str, value: float) -> None:
    """Combine a value with a parameter of a service."""
    node = mesh.nodes[service]
    if parameter == "errors":
        node.injected_errors = 1.0 - (1.0 - node.injected_errors) * (1.0 - min(1.0, value))
    elif parameter == "cpu":
        node.injected_cpu *= value
    elif parameter == "delay_ms":
        node.injected_delay_ms += value
    elif parameter == "lost":
        node.injected_lost = 1.0 - (1.0 - node.injected_lost) * (1.0 - min(1.0, value))
    elif parameter == "demand":
        node.injected_demand *= value
    else:
        node.injected_capacity *= value


def inject_into_link(mesh: Mesh, number: int, parameter: str, value: float) -> None:
    """Combine a value with a parameter of a call."""
    link = mesh.links[number]
    if parameter == "broken":
        link.breaks(value, _BROKEN_MS)
    elif parameter == "stalled":
        link.stall(value, _STALLED_MS)
    else:
        link.refused = 1.0 - (1.0 - link.refused) * (1.0 - min(1.0, value))


def inject_into_instances(mesh: Mesh, service: int, parameter: str, value: float) -> None:
    """Combine a value with a parameter of the suspect instances of a service."""
    instances = mesh.instances[service]
    if parameter == "errors":
        instances.injected_errors = min(1.0, instances.injected_errors + value)
    elif parameter == "speed":
        instances.injected_speed *= value
    else:
        instances.injected_delay_ms += value


class LiveCause:
    """A cause in an episode.

    Attributes:
        cast: What it is, and where.
        cleared: The minute in which it was cleared, `NEVER` while it is live.
        returns: The minute in which it comes back, `NEVER` if it doesn't.
        remains: The share of its effects that is left until `eased_until`.
    """

    __slots__ = ("_effects", "_hard", "cast", "cleared", "eased_until", "remains", "returns")

    def __init__(self, cast: Cast, effects: list[_ActiveEffect], hard: int) -> None:
        self.cast = cast
        self._effects = effects
        self._hard = hard
        self.cleared = NEVER
        self.returns = NEVER
        self.eased_until = -NEVER
        self.remains = 1.0

    @classmethod
    def of(cls, cast: Cast, mesh: Mesh) -> LiveCause:
        """Resolve a cause in a fleet.

        Raises:
            ValueError: The service has no such component, or that has no such parameter.
        """
        hard = cast.cause.course.hard
        number = -1 if hard is None else part_number(mesh, cast.service(hard.at), hard.part)
        return cls(
            cast, [_ActiveEffect(effect, cast, mesh) for effect in cast.cause.effects], number
        )

    def copy(self) -> LiveCause:
        """Return a cause in the same state."""
        twin = LiveCause(self.cast, self._effects, self._hard)
        twin.cleared = self.cleared
        twin.returns = self.returns
        twin.eased_until = self.eased_until
        twin.remains = self.remains
        return twin

    def is_live(self, minute: int) -> bool:
        """Whether it has begun and has not been cleared."""
        return self.cast.onset <= minute < self.cleared

    def magnitude(self, minute: int) -> float:
        """Return its magnitude at a minute, mitigations included."""
        cast = self.cast
        if not cast.onset <= minute < self.cleared:
            return 0.0
        pause = cast.cause.course.pause
        if pause is not None and pause[0] <= minute < pause[0] + pause[1]:
            return 0.0
        strength = magnitude_at(cast.points, minute)
        return strength * self.remains if minute < self.eased_until else strength

    def is_kept_up(self, paused: frozenset[str]) -> bool:
        """Whether a running agent brings it back whenever it is cleared."""
        agent = self.cast.cause.agent
        return agent is not None and agent not in paused

    def resume(self, agent: str, place: int) -> None:
        """Come back if it was cleared and this agent's act at its place is what it is."""
        if agent == self.cast.cause.agent and place == self.cast.place:
            self.cleared = self.returns = NEVER

    def apply(self, mesh: Mesh, minute: int) -> None:
        """Inject its effects for this minute."""
        if minute >= self.returns:
            self.cleared = self.returns = NEVER
        rollout = self.cast.cause.course.rollout
        if rollout is not None and rollout.steps and self.cast.onset <= minute < self.cleared:
            instances = mesh.instances[self.cast.place]
            share = 0.0
            for start, reached in rollout.steps:
                if minute >= start:
                    share = reached
            instances.roll_out(share, is_build=rollout.of is RolledOut.BUILD)
        if self.cast.cause.blocks_capacity and self.cast.onset <= minute < self.cleared:
            mesh.instances[self.cast.place].is_blocked = True
        strength = self.magnitude(minute)
        if strength <= 0.0:
            return
        age = minute - self.cast.onset
        for effect in self._effects:
            if age >= effect.after and effect.is_due(minute):
                effect.apply(mesh, strength)
        hard = self.cast.cause.course.hard
        if minute >= 0 and hard is not None:
            full = magnitude_at(self.cast.points, minute)
            share = strength / full if full > 0.0 else 1.0
            # Slow at first and faster later: the sum over all minutes up to it is the rate's.
            share *= (2.0 * minute + 1.0) / self.cast.hard_at
            mesh.parts[self._hard].inject(hard.parameter, self.cast.hard_rate * share, -1)

    def land(
        self,
        verb: ActionType,
        service: int,
        args: FrozenMap,
        minute: int,
        mesh: Mesh,
        paused: frozenset[str],
        version: str,
    ) -> bool:
        """Let an action clear or ease it; return whether it cleared it for good.

        Args:
            paused: The paused agents.
            version: The version that a rollback takes back.
        """
        cast = self.cast
        if not self.is_live(minute):
            return False
        for move in cast.cause.clears:
            if matches(move, cast, verb, service, args) and (
                verb is not ActionType.ROLLBACK or cast.version in ("", version)
            ):
                self.cleared = minute
                if cast.cause.course.rollout is not None:
                    mesh.instances[cast.place].take_back()
                self.returns = NEVER if move.returns is None else minute + move.returns
                return self.returns == NEVER and not self.is_kept_up(paused)
        for move in cast.cause.eases:
            if matches(move, cast, verb, service, args) and move.remains < 1.0:
                self.remains = move.remains
                self.eased_until = NEVER if move.minutes is None else minute + move.minutes
        return False


def magnitude_at(points: tuple[CurvePoint, ...], minute: int) -> float:
    """Interpolate the magnitude linearly between the points."""
    if not points or minute < points[0].minute:
        return 0.0
    before = points[0]
    for point in points:
        if point.minute > minute:
            span = point.minute - before.minute
            part = (minute - before.minute) / span
            return before.magnitude + (point.magnitude - before.magnitude) * part
        before = point
    return before.magnitude


def matches(move: CauseMove, cast: Cast, verb: ActionType, service: int, args: FrozenMap) -> bool:
    """Whether an action is this move."""
    if verb is not move.action or service != cast.service(move.at):
        return False
    for name, want in move.args.items():
        have = args.get(name)
        if isinstance(want, Bound):
            if not isinstance(have, int):
                return False
            if want.at_least is not None and have < want.at_least:
                return False
            if want.at_most is not None and have > want.at_most:
                return False
        elif have != want:
            return False
    return True


def own_parameters() -> Mapping[str, tuple[str, ...]]:
    """Return the parameters of what every service has besides its components."""
    return {name: parameters for name, (_number, parameters) in _OWN.items()}
