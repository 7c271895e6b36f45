"""A pool of connections to one service, which fails abruptly once it is used up.

By Little's law the calls in flight are rate x time held: 40 calls a second that each hold a
connection for 50 ms take 2 of them. A call that finds none free fails after the acquire timeout
(HikariCP's `connectionTimeout`). A caller keeps the connection while it processes the
response. Each instance has its own pool, so leaked connections use up one instance's pool after
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
_YOUNG: Final = 0.93
_SLOWEST: Final = 0.6


class Pool(Component):
    """The pools of a service's instances to one service that it calls.

    Attributes:
        size: The most connections in a pool.
        used: Mean share of them in use.
        leaked: Leaked connections of each instance; `given_back` is what had
            leaked when it last started.
        hold_ms: How long a call keeps a connection.
        starved: Share of calls that found none, by instance.
        is_even: Whether no instance has leaked any, and none is short of them.
    """

    name: ClassVar[str] = "pool"
    parameters: ClassVar[tuple[str, ...]] = ("leaked", "hold_ms")

    def __init__(self, service: int, link: int, size: float, instances: int) -> None:
        super().__init__(service)
        self.link = link
        self.size = size
        self.used = 0.0
        self.hold_ms = 0.0
        self.leaked = self.given_back = self.starved = (0.0,) * instances
        self.is_even = True
        self.injected_leaked = 0.0
        self.injected_hold_ms = 0.0

    def copy(self) -> Component:
        """Return a pool in the same state."""
        twin = Pool(self.service, self.link, self.size, 0)
        twin.used = self.used
        twin.hold_ms = self.hold_ms
        twin.leaked = self.leaked
        twin.given_back = self.given_back
        twin.starved = self.starved
        twin.is_even = self.is_even
        twin.injected_leaked = self.injected_leaked
        twin.injected_hold_ms = self.injected_hold_ms
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_leaked = self.injected_hold_ms = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `leaked` (of an instance since the onset) or `hold_ms` (added to each call)."""
        if parameter == "leaked":
            self.injected_leaked += value
        else:
            self.injected_hold_ms += value

    def prepare(self, mesh: Mesh) -> None:
        """Compute what share of calls finds no connection."""
        link = mesh.links[self.link]
        instances = mesh.instances[self.service]
        n = instances.count
        if len(self.leaked) != n:
            more = max(0, n - len(self.leaked))
            self.leaked = self.leaked[:n] + (0.0,) * more
            self.starved = self.starved[:n] + (0.0,) * more
            self.given_back = self.given_back[:n] + (self.injected_leaked,) * more
        serving = mesh.nodes[self.service].instances
        if serving <= 0.0:
            return
        node = mesh.nodes[self.service]
        hold = self.hold_ms + node.cpu_ms + self.injected_hold_ms
        busy = link.rate / serving * hold / 1000.0
        minute = mesh.minute
        is_even = self.is_even and self.injected_leaked <= 0.0 and busy <= self.size
        if is_even and instances.all_serve(minute):
            used = 0.0
            for _i in range(n):
                used += busy
            self.used = used / (serving * self.size)
            link.starved = 0.0
            return
        self._leak(instances)
        starved: list[float] = []
        missed = used = 0.0
        for i in range(n):
            if not instances.serves(i, minute):
                starved.append(0.0)
                continue
            free = self.size - self.leaked[i]
            short = 0.0
            if busy > free:
                short = 1.0 - (free if free > 0.0 else 0.0) / busy
            starved.append(short)
            missed += short
            taken = self.leaked[i] + busy
            used += taken if taken < self.size else self.size
        self.used = used / (serving * self.size)
        link.starved = missed / serving
        self.starved = tuple(starved)
        self.is_even = not any(self.leaked) and missed <= 0.0

    def settle(self, mesh: Mesh) -> None:
        """Update how long calls hold a connection."""
        link = mesh.links[self.link]
        self.hold_ms += _FOLLOWS * (link.held_ms - self.hold_ms)

    def _leak(self, instances: Instances) -> None:
        """Leak connections, on some instances faster than on others."""
        given_back = list(self.given_back)
        leaked: list[float] = []
        last = len(given_back) - 1
        for i in range(len(given_back)):
            lost = 0.0
            if self.injected_leaked > 0.0 and instances.carries(i):
                pace = 1.0 if last == 0 else _SLOWEST + (1.0 - _SLOWEST) * i / last
                given_back[i] *= _YOUNG
                lost = (self.injected_leaked - given_back[i]) * pace
            if lost > self.size:
                lost = self.size
            leaked.append(lost if lost > 0.0 else 0.0)
        self.leaked, self.given_back = tuple(leaked), tuple(given_back)

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Close all connections on a restart, a rollback or a failover; raise the limit."""
        if verb in (ActionType.RESTART, ActionType.ROLLBACK, ActionType.FAILOVER):
            self.drop()
        elif verb is ActionType.RAISE_LIMIT and args.get("limit") == "connections":
            self.size *= 1.5

    def land_on_one(self, verb: ActionType, i: int, mesh: Mesh) -> None:
        """Close those of one instance."""
        if i < len(self.given_back):
            leaked = self.injected_leaked
            self.given_back = (*self.given_back[:i], leaked, *self.given_back[i + 1 :])

    def drop(self) -> None:
        """Close all connections, leaked ones too."""
        self.given_back = (self.injected_leaked,) * len(self.leaked)
