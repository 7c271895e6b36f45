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
        open: How many each instance has open.
        lost: How many of them leaked; `given_back` is what had leaked when it last started.
        short: Share of new connections that each refuses; `spinning` is the mean
            share of the time in which accept loops spin.
    """

    name: ClassVar[str] = "handles"
    parameters: ClassVar[tuple[str, ...]] = ("lost", "limit")

    def __init__(self, service: int, instances: int) -> None:
        super().__init__(service)
        self.limit = _LIMIT
        self.open = [_AT_REST] * instances
        self.lost = [0.0] * instances
        self.given_back = [0.0] * instances
        self.short = [0.0] * instances
        self.spinning = 0.0
        self.raised = 1.0
        self.injected_lost = 0.0
        self.injected_limit = _LIMIT

    def copy(self) -> Component:
        """Return descriptors in the same state."""
        twin = Handles(self.service, 0)
        twin.limit = self.limit
        twin.open = self.open.copy()
        twin.lost = self.lost.copy()
        twin.given_back = self.given_back.copy()
        twin.short = self.short.copy()
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
        while len(self.open) < n:
            self.open.append(_AT_REST)
            self.lost.append(0.0)
            self.given_back.append(self.injected_lost)
            self.short.append(0.0)
        while len(self.open) > n:
            self.open.pop()
            self.lost.pop()
            self.given_back.pop()
            self.short.pop()
        node = mesh.nodes[self.service]
        serving = node.instances if node.instances > 1.0 else 1.0
        flying = node.inflight / serving
        self.limit = self.injected_limit * self.raised
        missed = spinning = 0.0
        last = n - 1
        for i in range(n):
            pace = 1.0 if last <= 0 else _SLOWEST + (1.0 - _SLOWEST) * i / last
            lost = (self.injected_lost - self.given_back[i]) * pace
            self.lost[i] = lost if lost > 0.0 else 0.0
            wanted = _AT_REST + flying + self.lost[i]
            over = wanted - self.limit
            self.open[i] = wanted if over < 0.0 else self.limit
            short = 0.0
            if over > 0.0:
                short = over / (0.2 * self.limit)
                short = short if short < 1.0 else 1.0
            self.short[i] = short
            if instances.serves(i, mesh.minute):
                missed += short
                spinning += self.spins(i)
        self.spinning = spinning / serving
        if missed > 0.0:
            missed /= serving
            node.sound *= 1.0 - _NEW * missed
            node.tail = 1.0 - (1.0 - node.tail) * (1.0 - _ANSWERED_LATE * missed)
            node.tail_ms = max(node.tail_ms, node.own_ms + _SYN_MS)

    def spins(self, i: int) -> float:
        """Return the share of its idle time in which an instance's accept loop spins."""
        share = _SPINS * self.short[i]
        return share if share < 1.0 else 1.0

    def busy_of(self, i: int, busy: float) -> float:
        """Return the CPU utilization of an instance, given the mean of all after `settle`."""
        if not 0.0 < self.spinning < 1.0:
            return busy
        idle = (1.0 - busy) / (1.0 - self.spinning)
        return 1.0 - (idle if idle < 1.0 else 1.0) * (1.0 - self.spins(i))

    def refuses(self, i: int) -> float:
        """Return the share of an instance's requests that find no descriptor."""
        return _NEW * self.short[i]

    def settle(self, mesh: Mesh) -> None:
        """Let instances that can't accept connections spin."""
        if self.spinning > 0.0:
            node = mesh.nodes[self.service]
            node.busy += (1.0 - node.busy) * self.spinning

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Close them all on a restart or a rollback; raise the limit."""
        if verb in (ActionType.RESTART, ActionType.ROLLBACK):
            self.given_back = [self.injected_lost] * len(self.given_back)
        elif verb is ActionType.RAISE_LIMIT and args.get("limit") == "connections":
            self.raised *= 1.5
