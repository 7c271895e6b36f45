"""Memory of the instances of a service: what they use, and when one is killed.

- Requests in flight take memory: by Little's law rate x time, so 500 requests a second at 0.1 s are
  50, and 15,000 at a timeout of 30 s; at 100 KB each that is 1.5 GB.
- A live set that grows with load grows on all instances alike, and no restart makes it smaller.
- A leak adds to each instance until the kernel kills it; it starts again with what it had at first.
  Instances that started together are killed one after the other at first, then together.
- A collector's work grows as live / (heap - live) (the figure the SRE book gives for collection
  under pressure): 1 at 50 %, 9 at 90 %, 32 at 97 %. One unit of it is 1 % of compute here. From
  86 % on everything stops for it, for up to 6 s at a time on the mean; how long is exponential, so
  of the requests that meet a pause, exp(-1.5 s / mean) wait for more than 1.5 s. Collectors run on
  all processors, and show there long before most of the time goes into pauses.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component
from chaosops.env.physics.instances import Instances

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_FULL: Final = 100.0
_COLLECTOR_UNIT: Final = 0.01
_MOST_COLLECTING: Final = 3.0
_SPREAD: Final = 0.4
_MOST_HELD: Final = 0.98
_YOUNG: Final = 0.93
_MOST_COLLECTED: Final = 99.7
_COLLECTS_FROM: Final = 55.0
_PAUSES_FROM: Final = 86.0
_LONGEST_PAUSE_MS: Final = 6_000.0
_LONG_MS: Final = 1_500.0
_COLLECTORS: Final = 12.0


def mean_pause_ms(used: float) -> float:
    """Return the mean length of the pauses of a heap of which that many percent are in use."""
    if used <= _PAUSES_FROM:
        return 0.0
    return _LONGEST_PAUSE_MS * (used - _PAUSES_FROM) / (_FULL - _PAUSES_FROM)


class Memory(Component):
    """Memory of a service's instances, in percent of the limit of one.

    Attributes:
        floor: What an instance uses at rest.
        room_mb: The limit of one instance.
        leaked: What each has leaked; `given_back` is what had leaked when it last started.
        is_even: Whether none has leaked anything, so that all use the same.
        live: The growth of the live set of each.
        paused: Share of the time in which collection stops it; `pause_ms` is how long.
        flying: What requests in flight take on each; `held` is what other components take.
        used: The mean over the instances; `fullest` is the most that one uses.
        killed: Instances that were killed in the last minute.
    """

    name: ClassVar[str] = "memory"
    parameters: ClassVar[tuple[str, ...]] = ("leak", "leaked", "live")

    def __init__(self, service: int, floor: float, room_mb: float, instances: int) -> None:
        super().__init__(service)
        self.floor = floor
        self.room_mb = room_mb
        self.leaked = self.grown = self.given_back = (0.0,) * instances
        self.is_even = True
        self.live = self.paused = self.pause_ms = 0.0
        self.flying = self.held = 0.0
        self.used = self.fullest = floor
        self.killed: tuple[int, ...] = ()
        self.injected_leak = self.injected_leaked = self.injected_live = 0.0

    def copy(self) -> Component:
        """Return memory in the same state."""
        twin = Memory(self.service, self.floor, self.room_mb, 0)
        twin.leaked = self.leaked
        twin.grown = self.grown
        twin.given_back = self.given_back
        twin.is_even = self.is_even
        twin.live = self.live
        twin.paused = self.paused
        twin.pause_ms = self.pause_ms
        twin.flying = self.flying
        twin.held = self.held
        twin.used = self.used
        twin.fullest = self.fullest
        twin.killed = self.killed
        twin.injected_leak = self.injected_leak
        twin.injected_leaked = self.injected_leaked
        twin.injected_live = self.injected_live
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_leak = self.injected_leaked = self.injected_live = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `leak`, percent of the limit that leaks in a minute.

        `leaked` is what an instance has leaked since the onset, and `live` the growth of its live
        set, each as a share of what was free at rest.
        """
        if parameter == "leak":
            self.injected_leak += value
            return
        room = _FULL - self.floor
        if parameter == "leaked":
            self.injected_leaked += room * value
        else:
            self.injected_live += room * (value if value < _MOST_HELD else _MOST_HELD)

    def of(self, i: int) -> float:
        """Return the memory of an instance, in percent."""
        return self.floor + self.live + self.leaked[i] + self.flying + self.held

    def prepare(self, mesh: Mesh) -> None:
        """Let collection take CPU time."""
        self.paused = self.pause_ms = 0.0
        if self.fullest <= _COLLECTS_FROM:
            return
        n = len(self.leaked)
        busy = paused = long = 0.0
        for i in range(n):
            used = self.of(i)
            if used <= _COLLECTS_FROM:
                continue
            work = used / (_FULL - (used if used < _MOST_COLLECTED else _MOST_COLLECTED))
            spent = (work - 1.0) * _COLLECTOR_UNIT
            busy += spent if spent < _MOST_COLLECTING else _MOST_COLLECTING
            if used > _PAUSES_FROM:
                share = spent / (1.0 + spent)
                pause_ms = mean_pause_ms(used)
                paused += share
                long += share * exp(-_LONG_MS / pause_ms)
                if pause_ms > self.pause_ms:
                    self.pause_ms = pause_ms
        node = mesh.nodes[self.service]
        more = node.cpu_ms * busy / n
        node.cpu_ms += more
        node.own_ms += more
        self.paused = paused / n
        if paused > 0.0:
            node.tail = 1.0 - (1.0 - node.tail) * (1.0 - long / n)
            node.tail_ms = max(node.tail_ms, node.own_ms + _LONG_MS + self.pause_ms)

    def settle(self, mesh: Mesh) -> None:
        """Account for requests in flight and leaks, and kill instances that run out."""
        node = mesh.nodes[self.service]
        if self.paused > 0.0:
            node.busy += (1.0 - node.busy) * min(1.0, _COLLECTORS * self.paused)
        instances = mesh.instances[self.service]
        n = instances.count
        if len(self.leaked) != n:
            more = max(0, n - len(self.leaked))
            self.leaked = self.leaked[:n] + (0.0,) * more
            self.grown = self.grown[:n] + (0.0,) * more
            self.given_back = self.given_back[:n] + (self.injected_leaked,) * more
        self.live = self.injected_live
        serving = node.instances if node.instances > 1.0 else 1.0
        flying = node.inflight / serving * node.traits.request_mb
        self.flying = flying / self.room_mb * _FULL
        if self.is_even and self.injected_leak <= 0.0 and self.injected_leaked <= 0.0:
            used = self.floor + self.live + self.flying + self.held
            if used < _FULL:
                self.fullest = used
                total = 0.0
                for _i in range(n):
                    total += used
                self.used = total / n
                self.killed = ()
                return
        self._settle_each(instances, mesh.minute)

    def _settle_each(self, instances: Instances, minute: int) -> None:
        """Do so for instances that differ."""
        grown, given_back = list(self.grown), list(self.given_back)
        leaked: list[float] = []
        n = len(grown)
        killed: list[int] = []
        total = fullest = 0.0
        most = _MOST_COLLECTED - self.floor - self.live - self.flying - self.held
        last = n - 1
        for i in range(n):
            pace = 1.0 if last <= 0 else 1.0 - _SPREAD / 2 + _SPREAD * i / last
            if self.injected_leak > 0.0 and instances.away[i] <= minute:
                grown[i] += self.injected_leak * pace
            lost = 0.0
            if self.injected_leaked > 0.0 and instances.carries(i):
                given_back[i] *= _YOUNG
                lost = self.injected_leaked - given_back[i]
                lost *= 0.95 + 0.125 * (pace - 0.8)
                lost = lost if lost < most else most
            now = grown[i] + (lost if lost > 0.0 else 0.0)
            used = self.floor + self.live + now + self.flying + self.held
            if used >= _FULL and instances.away[i] <= minute:
                killed.append(i)
                grown[i] = now = 0.0
                given_back[i] = self.injected_leaked
                instances.kill(i, minute)
                used = _FULL
            leaked.append(now)
            total += used if used < _FULL else _FULL
            fullest = used if used > fullest else fullest
        self.used = total / n
        self.fullest = fullest
        self.killed = tuple(killed)
        self.leaked, self.grown = tuple(leaked), tuple(grown)
        self.given_back = tuple(given_back)
        self.is_even = not any(leaked) and not any(grown)

    def fullness(self) -> float:
        """Return how full it is, in percent."""
        return self.used

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Free it on a restart, a rollback or a failover; raise the limit."""
        if verb in (ActionType.RESTART, ActionType.ROLLBACK, ActionType.FAILOVER):
            self.grown = (0.0,) * len(self.leaked)
            self.given_back = (self.injected_leaked,) * len(self.leaked)
        elif verb is ActionType.RAISE_LIMIT and args.get("limit") == "memory":
            self.room_mb *= 1.5
            self.floor /= 1.5
            self.grown = tuple([lost / 1.5 for lost in self.grown])

    def land_on_one(self, verb: ActionType, i: int, mesh: Mesh) -> None:
        """Free that of one instance."""
        if i < len(self.grown):
            self.grown = (*self.grown[:i], 0.0, *self.grown[i + 1 :])
            given_back = self.injected_leaked
            self.given_back = (*self.given_back[:i], given_back, *self.given_back[i + 1 :])
