"""The disk of a service: how full it is, and how slow.

- Space: errors fill it through the log, 4 KB each (1,000 a second: 14 GB an hour), and what a
  cause writes. A full disk refuses writes until room is made, whatever became of the cause. An
  application's is that of its hosts: when it is full, two thirds of the instances are evicted for
  good (as Kubernetes does under `DiskPressure`), and only new ones take their place.
- A device has a volume for each table. A slow volume mostly slows the calls of one caller; those
  of the others, which share its log, get a little slower. Files that nobody removes fill a volume
  for a growing share of the time. While it is full, writes to its table fail at once (`ENOSPC`),
  and so do reads that sort on disk: four requests in ten (an assumption).
- Time: by Little's law the operations in the device are rate x time of each; a device is busy,
  as `iostat` shows it, in the share 1 - exp(-that) of the time. A query makes five operations, and
  waits for them one by one; what they take above the usual is an exponential wait on top.
  Near the device's limit each takes 1 / (1 - rate / limit) times as long.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

IOS: Final = 5.0
_USUAL_MS: Final = 0.8
STRIPES: Final = 5.0
_SHARED: Final = 0.015
_FOR_GOOD: Final = 100_000
_HEADROOM: Final = 5.0
_MOST_CROWDED: Final = 0.95
_LOG_KB: Final = 4.0
_FULL: Final = 100.0
_NEARLY_FULL: Final = 97.0
_REFUSED_MS: Final = 6.0
_SORTED_ON_DISK: Final = 0.4


class Disk(Component):
    """The disk of a service.

    Attributes:
        used: Space in use, percent; `floor` is what is used at rest.
        evicted: Whether it was full once, so that instances of an application were evicted.
        await_ms: Time of one operation; `slow` is how many times as long it takes on the volume of
            each caller.
        iops: Operations a second.
        queue: Operations in one device at a time; each instance has five that share the load.
        busy: Share of the time in which there is any.
        scanning: Operations a second of queries with a bad plan.
        crowded: Share of the time in which each caller's volume is full; empty if none is.
    """

    name: ClassVar[str] = "disk"
    parameters: ClassVar[tuple[str, ...]] = ("slow", "fill", "scans", "crowded")

    def __init__(
        self,
        service: int,
        floor: float,
        size_gb: float,
        usual_rps: float,
        callers: tuple[int, ...] = (),
    ) -> None:
        super().__init__(service)
        self.callers = callers
        self.slow = [1.0] * len(callers)
        self.crowded: list[float] = []
        self.evicted = False
        self.floor = floor
        self.used = floor
        self.size_gb = size_gb
        self.limit = max(usual_rps, 1.0) * IOS * _HEADROOM
        self.await_ms = _USUAL_MS
        self.iops = self.queue = self.busy = self.scanning = 0.0
        self.injected_slow = 1.0
        self.injected_fill = self.injected_scans = 0.0

    def copy(self) -> Component:
        """Return a disk in the same state."""
        twin = Disk(self.service, self.floor, self.size_gb, 0.0, self.callers)
        twin.slow = self.slow.copy()
        if self.crowded:
            twin.crowded = self.crowded.copy()
        twin.evicted = self.evicted
        twin.used = self.used
        twin.limit = self.limit
        twin.await_ms = self.await_ms
        twin.iops = self.iops
        twin.queue = self.queue
        twin.busy = self.busy
        twin.scanning = self.scanning
        twin.injected_slow = self.injected_slow
        twin.injected_fill = self.injected_fill
        twin.injected_scans = self.injected_scans
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_slow = 1.0
        self.injected_fill = self.injected_scans = 0.0
        if self.crowded:
            self.crowded = []
        for k in range(len(self.callers)):
            self.slow[k] = 1.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject a parameter.

        `slow` is a factor of operation times, `fill` percent a minute, `scans` operations a second,
        and `crowded` the share of the time in which a caller's volume is full.
        """
        if parameter == "slow" and link >= 0:
            for k in range(len(self.callers)):
                if self.callers[k] == link:
                    self.slow[k] *= value
            self.injected_slow *= 1.0 + _SHARED * (value - 1.0)
        elif parameter == "slow":
            self.injected_slow *= value
        elif parameter == "fill":
            self.injected_fill += value
        elif parameter == "crowded":
            if not self.crowded:
                self.crowded = [0.0] * len(self.callers)
            for k in range(len(self.callers)):
                if link < 0 or self.callers[k] == link:
                    self.crowded[k] = min(1.0, self.crowded[k] + value)
        else:
            self.injected_scans += value

    def prepare(self, mesh: Mesh) -> None:
        """Let queries wait for the device, and let a full disk refuse writes."""
        node = mesh.nodes[self.service]
        crowd = (self.iops + self.injected_scans) / self.limit
        crowd = crowd if crowd < _MOST_CROWDED else _MOST_CROWDED
        self.await_ms = _USUAL_MS * self.injected_slow / (1.0 - crowd)
        more = IOS * (self.await_ms - _USUAL_MS / (1.0 - 1.0 / _HEADROOM))
        if more > 0.0:
            node.extra_wait_ms += more
        for k in range(len(self.callers)):
            if self.slow[k] > 1.0:
                own = _USUAL_MS * self.slow[k] / (1.0 - crowd)
                mesh.links[self.callers[k]].wait_ms += IOS * max(0.0, own - self.await_ms)
        for k in range(len(self.crowded)):
            if self.crowded[k] > 0.0:
                share = self.crowded[k] * (node.traits.write_share + _SORTED_ON_DISK)
                mesh.links[self.callers[k]].breaks(share, _REFUSED_MS)
        instances = mesh.instances[self.service]
        instances.has_room = self.used < _FULL
        if self.used >= _FULL:
            node.keeps *= 1.0 - node.traits.write_share
            if node.traits.is_app and not self.evicted:
                self._evict(mesh)

    def _evict(self, mesh: Mesh) -> None:
        """Evict instances for good, since their hosts have no space.

        A third of the usual number stays, however many were added meanwhile; the newest go first.
        """
        self.evicted = True
        instances = mesh.instances[self.service]
        usual = instances.traits.replicas
        for i in range(usual - usual * 2 // 3, instances.count):
            instances.take_away(i, mesh.minute, _FOR_GOOD)

    def settle(self, mesh: Mesh) -> None:
        """Count operations, and fill the disk."""
        node = mesh.nodes[self.service]
        self.iops = node.served * IOS
        self.scanning = self.injected_scans
        devices = STRIPES * (node.instances if node.instances > 1.0 else 1.0)
        self.queue = (self.iops + self.scanning) * self.await_ms / 1000.0 / devices
        self.busy = 1.0 - exp(-self.queue)
        failed = node.served * (1.0 - node.ok)
        logs = failed * _LOG_KB * 60.0 / 1e6 / self.size_gb * _FULL
        filled = self.used + self.injected_fill + logs
        self.used = filled if filled < _FULL else _FULL

    def volume_await_ms(self, k: int) -> float:
        """Return the time of one operation on the volume of a caller, by the caller's index."""
        own = self.await_ms / self.injected_slow * self.slow[k]
        return own if own > self.await_ms else self.await_ms

    def used_on_volume(self, k: int) -> float:
        """Return how full the volume of a caller is, in percent, by the caller's index."""
        if not self.crowded or self.crowded[k] <= 0.0:
            return self.used
        return max(self.used, _NEARLY_FULL + (_FULL - _NEARLY_FULL) * self.crowded[k])

    def fullness(self) -> float:
        """Return how full it is, in percent."""
        return self.used

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Free space on a purge, and on a scale-out, which spreads the data."""
        if verb is ActionType.PURGE:
            self.used = min(self.used, self.floor)
        elif verb is ActionType.SCALE:
            before = mesh.nodes[self.service].instances
            after = float(args.get("replicas", before))
            if after > before > 0.0:
                self.used *= before / after
