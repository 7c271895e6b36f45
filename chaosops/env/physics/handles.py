"""File descriptors of instances: open connections, up to a limit.

Each connection takes one; one that the peer closed but the process didn't stays (`CLOSE_WAIT`).
The limit is 65,536, which many images set, unless a change cut it. At the limit `accept`
fails: open connections continue, and new ones are refused, here two thirds of that
instance's requests, or come in a second later, when the client sends its SYN again.
The accept loop is notified at once that a client waits, and fails again, so it spins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_LIMIT: Final = 65_536.0
_AT_REST: Final = 180.0
_NEW: Final = 0.67
_ANSWERED_LATE: Final = 0.4
_SYN_MS: Final = 950.0
_SPINS: Final = 6.0
_SLOWEST: Final = 0.7


class Handles(Component):
    """The descriptors of a service's instances.

    Attributes:
        limit: The most that an instance can have open; `raised` is the factor of its raises.
        flying: How many each has open for requests in flight.
        leaking: What an instance has leaked that was not restarted; `given_back` is what had
            leaked when each last started.
        short: Share of new connections that each refused; empty if none did.
        spinning: The mean share of the time in which accept loops spin.
    """

    name: ClassVar[str] = "handles"
    parameters: ClassVar[tuple[str, ...]] = ("lost", "limit")

    def __init__(self, service: int, instances: int) -> None:
        super().__init__(service)
        self.limit = _LIMIT
        self.flying = self.leaking = 0.0
        self.given_back: tuple[float, ...] = (0.0,) * instances
        self.short: tuple[float, ...] = ()
        self.spinning = 0.0
        self.raised = 1.0
        self.injected_lost = 0.0
        self.injected_limit = _LIMIT

    def copy(self) -> Component:
        """Return descriptors in the same state."""
        twin = Handles(self.service, 0)
        twin.limit = self.limit
        twin.flying = self.flying
        twin.leaking = self.leaking
        twin.given_back = self.given_back
        twin.short = self.short
        twin.spinning = self.spinning
        twin.raised = self.raised
        twin.injected_lost = self.injected_lost
        twin.injected_limit = self.injected_limit
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_lost = 0.0
        self.injected_limit = _LIMIT

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `lost`, what an instance has leaked since the onset, or `limit`, a lower limit."""
        if parameter == "lost":
            self.injected_lost += value
        else:
            self.injected_limit = min(self.injected_limit, value)

    def prepare(self, mesh: Mesh) -> None:
        """Refuse new connections on instances that have reached the limit."""
        instances = mesh.instances[self.service]
        n = instances.count
        if len(self.given_back) != n:
            more = (self.injected_lost,) * max(0, n - len(self.given_back))
            self.given_back = self.given_back[:n] + more
        node = mesh.nodes[self.service]
        serving = node.instances if node.instances > 1.0 else 1.0
        self.flying = node.inflight / serving
        self.leaking = self.injected_lost
        self.limit = self.injected_limit * self.raised
        if self.leaking <= 0.0 and _AT_REST + self.flying <= self.limit:
            self.short = ()
            self.spinning = 0.0
            return
        self.short = tuple([self._short_of(i) for i in range(n)])
        missed = spinning = 0.0
        for i in range(n):
            if instances.serves(i, mesh.minute):
                missed += self.short[i]
                spinning += self.spins(i)
        self.spinning = spinning / serving
        if missed > 0.0:
            missed /= serving
            node.sound *= 1.0 - _NEW * missed
            node.tail = 1.0 - (1.0 - node.tail) * (1.0 - _ANSWERED_LATE * missed)
            node.tail_ms = max(node.tail_ms, node.own_ms + _SYN_MS)

    @property
    def count(self) -> int:
        """The number of instances."""
        return len(self.given_back)

    def lost_of(self, i: int) -> float:
        """Return how many descriptors an instance has leaked."""
        if self.leaking <= 0.0:
            return 0.0
        last = len(self.given_back) - 1
        pace = 1.0 if last <= 0 else _SLOWEST + (1.0 - _SLOWEST) * i / last
        lost = (self.leaking - self.given_back[i]) * pace
        return lost if lost > 0.0 else 0.0

    def open_of(self, i: int) -> float:
        """Return how many descriptors an instance has open."""
        wanted = _AT_REST + self.flying + self.lost_of(i)
        return wanted if wanted < self.limit else self.limit

    def short_of(self, i: int) -> float:
        """Return the share of new connections that an instance refused in the last minute."""
        return self.short[i] if self.short else 0.0

    def _short_of(self, i: int) -> float:
        over = _AT_REST + self.flying + self.lost_of(i) - self.limit
        if over <= 0.0:
            return 0.0
        short = over / (0.2 * self.limit)
        return short if short < 1.0 else 1.0

    def spins(self, i: int) -> float:
        """Return the share of its idle time in which an instance's accept loop spins."""
        share = _SPINS * self.short_of(i)
        return share if share < 1.0 else 1.0

    def busy_of(self, i: int, busy: float) -> float:
        """Return the CPU utilization of an instance, given the mean of all after `settle`."""
        if not 0.0 < self.spinning < 1.0:
            return busy
        idle = (1.0 - busy) / (1.0 - self.spinning)
        return 1.0 - (idle if idle < 1.0 else 1.0) * (1.0 - self.spins(i))

    def refuses(self, i: int) -> float:
        """Return the share of an instance's requests that find no descriptor."""
        return _NEW * self.short_of(i)

    def settle(self, mesh: Mesh) -> None:
        """Let instances that can't accept connections spin."""
        if self.spinning > 0.0:
            node = mesh.nodes[self.service]
            node.busy += (1.0 - node.busy) * self.spinning

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Close them all on a restart or a rollback; raise the limit."""
        if verb in (ActionType.RESTART, ActionType.ROLLBACK):
            self.given_back = (self.injected_lost,) * len(self.given_back)
        elif verb is ActionType.RAISE_LIMIT and args.get("limit") == "connections":
            self.raised *= 1.5

    def land_on_one(self, verb: ActionType, i: int, mesh: Mesh) -> None:
        """Close those of one instance."""
        if i < len(self.given_back):
            lost = self.injected_lost
            self.given_back = (*self.given_back[:i], lost, *self.given_back[i + 1 :])
