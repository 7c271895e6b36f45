"""What causes and decoys inject into the fleet: the parameters of components, and of services."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.cause import CauseEffect, DrawnDecoy, Drive

if TYPE_CHECKING:
    from chaosops.env.causes import Cast

NODE: Final = "node"
INSTANCES: Final = "instances"
LINK: Final = "link"
_NODE_PARAMETERS: Final = ("errors", "cpu", "delay_ms", "lost", "demand", "capacity")
_INSTANCE_PARAMETERS: Final = ("errors", "speed", "delay_ms")
_LINK_PARAMETERS: Final = ("broken", "refused", "stalled")
_BROKEN_MS: Final = 12.0
_STALLED_MS: Final = 30_000.0
_BEFORE_PAGE: Final = 1


class NoPart(ValueError):
    """A service has no component of a name; the text lists those that it has."""


class NoParameter(ValueError):
    """A component has no parameter of a name; the text lists those that it has."""


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


_EACH_ITS_OWN: Final = frozenset(
    {
        *((INSTANCES, name) for name in _INSTANCE_PARAMETERS),
        ("memory", "leaked"),
        ("pool", "leaked"),
        ("certificate", "stale"),
    }
)
"""Faults that each instance has by its own state, so that one can be rid of it alone."""

_BY_SHARE: Final = frozenset(
    {
        ("intake", "retries"),
        ("invalidations", "stale"),
        ("names", "deaf"),
        ("partitions", "paused"),
        ("partitions", "skew"),
    }
)
"""Faults that each instance of some service adds to alike, by what it has loaded or talks to."""


class ActiveEffect:
    """An effect of a cause, with its target resolved in a fleet.

    Attributes:
        is_own: Whether it sits on instances, each of which has it by its own state.
        is_by_share: Whether instances add to it alike. What is neither, they share.
    """

    __slots__ = (
        "after",
        "drive",
        "every",
        "is_by_share",
        "is_own",
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
        self.is_own = (effect.part, effect.parameter) in _EACH_ITS_OWN
        self.is_by_share = (effect.part, effect.parameter) in _BY_SHARE
        self.value = effect.value if effect.drive is None else effect.weight
        self.part = target_number(mesh, self.service, effect.part, effect.parameter)
        if effect.part == LINK:
            self.link = cast.link

    def is_due(self, minute: int) -> bool:
        """Whether it is at work in a minute."""
        return self.every == 0 or (minute + _BEFORE_PAGE) % self.every < self.lasts

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


def own_parameters() -> Mapping[str, tuple[str, ...]]:
    """Return the parameters of what every service has besides its components."""
    return {name: parameters for name, (_number, parameters) in _OWN.items()}
