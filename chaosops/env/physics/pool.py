"""A pool of connections to one service that is called: a cliff.

By Little's law the calls in flight are rate x time held: 40 calls a second that each hold a
connection for 50 ms take 2 of them. What finds none free waits for the acquire timeout, and fails
(as HikariCP does after `connectionTimeout`). A caller keeps the connection while it works on what
it got. Each instance has a pool of its own, so connections that leak run out on one instance after
the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component
from chaosops.env.physics.instances import Instances

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_FOLLOWS: Final = 0.65
_SLOWEST: Final = 0.6


class Pool(Component):
    """The pools of a service's instances to one service that it calls.

    Attributes:
        size: Connections a pool may have.
        used: Mean share of them that is in use.
        leaked: Connections of each instance that were never given back; `given_back` is what had
            leaked when it last started.
        hold_ms: How long a call keeps a connection.
        starved: Share of calls that found none, by instance.
    """

    name: ClassVar[str] = "pool"
    parameters: ClassVar[tuple[str, ...]] = ("leaked", "hold_ms")

    def __init__(self, service: int, link: int, size: float, instances: int) -> None:
        super().__init__(service)
        self.link = link
        self.size = size
        self.used = 0.0
        self.hold_ms = 0.0
        self.leaked = [0.0] * instances
        self.given_back = [0.0] * instances
        self.starved = [0.0] * instances
        self.injected_leaked = 0.0
        self.injected_hold_ms = 0.0

    def copy(self) -> Component:
        """A pool in the same state."""
        twin = Pool(self.service, self.link, self.size, 0)
        twin.used = self.used
        twin.hold_ms = self.hold_ms
        twin.leaked = self.leaked.copy()
        twin.given_back = self.given_back.copy()
        twin.starved = self.starved.copy()
        twin.injected_leaked = self.injected_leaked
        twin.injected_hold_ms = self.injected_hold_ms
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_leaked = self.injected_hold_ms = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """`leaked` is what an instance lost since the onset; `hold_ms` is added to each call."""
        if parameter == "leaked":
            self.injected_leaked += value
        else:
            self.injected_hold_ms += value

    def prepare(self, mesh: Mesh) -> None:
        """Say what share of calls finds no connection."""
        link = mesh.links[self.link]
        instances = mesh.instances[self.service]
        n = instances.count
        while len(self.leaked) < n:
            self.leaked.append(0.0)
            self.starved.append(0.0)
            self.given_back.append(self.injected_leaked)
        while len(self.leaked) > n:
            self.leaked.pop()
            self.starved.pop()
            self.given_back.pop()
        serving = mesh.nodes[self.service].instances
        if serving <= 0.0:
            return
        node = mesh.nodes[self.service]
        hold = self.hold_ms + node.cpu_ms + self.injected_hold_ms
        busy = link.rate / serving * hold / 1000.0
        self._leak(instances)
        missed = used = 0.0
        minute = mesh.minute
        for i in range(n):
            if not instances.serves(i, minute):
                self.starved[i] = 0.0
                continue
            free = self.size - self.leaked[i]
            short = 0.0
            if busy > free:
                short = 1.0 - (free if free > 0.0 else 0.0) / busy
            self.starved[i] = short
            missed += short
            taken = self.leaked[i] + busy
            used += taken if taken < self.size else self.size
        self.used = used / (serving * self.size)
        link.starved = missed / serving

    def settle(self, mesh: Mesh) -> None:
        """Follow how long calls take."""
        link = mesh.links[self.link]
        self.hold_ms += _FOLLOWS * (link.held_ms - self.hold_ms)

    def _leak(self, instances: Instances) -> None:
        """Lose what is not given back: some instances faster than others."""
        last = len(self.leaked) - 1
        for i in range(len(self.leaked)):
            lost = 0.0
            if self.injected_leaked > 0.0 and instances.carries(i):
                pace = 1.0 if last == 0 else _SLOWEST + (1.0 - _SLOWEST) * i / last
                lost = (self.injected_leaked - self.given_back[i]) * pace
            if lost > self.size:
                lost = self.size
            self.leaked[i] = lost if lost > 0.0 else 0.0

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """A restart, a rollback and a failover give all connections back; a limit gives more."""
        if verb in (ActionType.RESTART, ActionType.ROLLBACK, ActionType.FAILOVER):
            self.drop()
        elif verb is ActionType.RAISE_LIMIT and args.get("limit") == "connections":
            self.size *= 1.5

    def drop(self) -> None:
        """Close all connections; what leaked is given back."""
        self.given_back = [self.injected_leaked] * len(self.leaked)
