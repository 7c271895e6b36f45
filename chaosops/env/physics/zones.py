"""Zones: the instances of a service by zone, and what the network between zones loses.

A third of the instances of a service is in each of three zones. Callers prefer what is in their
own zone (Kubernetes: topology aware routing), so a retry meets the same zone, and what fails in a
zone fails in each try. A request calls stores in all zones: with c calls, of which a third goes to
each, it crosses to one other zone with probability 1 - (2/3)^c.

- Between two zones, packets are lost. A request and all that it calls takes 60 packets, so at a
  loss of 3 % it loses 1.8 of them on average (Poisson). Each costs 200 ms, the shortest time after
  which TCP sends again (RFC 6298; Linux: `TCP_RTO_MIN`), and four of them cost more than the
  800 ms for which callers of a store wait. The 60 packets are an assumption.
- The hosts of a zone fail a share of what they get (AWS: the zonal outages of 2012 and 2021).
- Nobody gives the others more room: where they are nearly full, they can't take the load of that
  zone. With n of 3 zones left, each gets 3/n of its usual load.
- A load balancer sends a share of the requests to a zone in which the service has no instance. A
  retry is sent anew.
- A share of the requests hangs on a connection that nobody answers, and is sent on another one
  after 450 ms, the time after which clients of the fleet try the next address (RFC 8305 says 250 ms
  to 2 s).
"""

from __future__ import annotations

import math
from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component
from chaosops.env.physics.instances import Instances

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

PACKETS: Final = 60.0
RESEND_MS: Final = 200.0
_LATE: Final = 4
_HANGS_MS: Final = 450.0
_LEAST_ROOM: Final = 0.05


class Zones(Component):
    """The zones of a service.

    Attributes:
        count: How many there are.
        hot: Number of the zone that `lost` and `down` are for; `other` is the one that `lost` is
            between.
        lost: Share of the packets between the two that is lost.
        down: Share of its requests that the hosts of the zone fail.
        astray: Share of the requests that is sent to a zone without instances.
        hangs: Share of the requests that hang before they are served.
        full: CPU utilization of the instances at the usual load; 0 for what the topology says.
        share: Share of the instances in that zone.
        failing: Share of the requests there that fails.
        is_strained: Whether any of it is injected.
    """

    name: ClassVar[str] = "zones"
    parameters: ClassVar[tuple[str, ...]] = ("lost", "down", "astray", "hangs", "full")

    def __init__(self, service: int, count: int) -> None:
        super().__init__(service)
        self.count = count
        self.hot = 0
        self.is_strained = False
        self.lost = self.down = self.astray = self.hangs = self.full = 0.0
        self.share = self.failing = 0.0

    def copy(self) -> Component:
        """Return zones in the same state."""
        twin = Zones(self.service, self.count)
        twin.hot = self.hot
        if self.is_strained:
            twin.is_strained = True
            twin.lost = self.lost
            twin.down = self.down
            twin.astray = self.astray
            twin.hangs = self.hangs
            twin.full = self.full
            twin.share = self.share
            twin.failing = self.failing
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        if self.is_strained:
            self.is_strained = False
            self.lost = self.down = self.astray = self.hangs = self.full = 0.0
            self.share = self.failing = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `lost`, `down`, `astray` or `hangs`, shares, or `full`, a utilization."""
        self.is_strained = True
        if parameter == "lost":
            self.lost = min(1.0, self.lost + value)
        elif parameter == "down":
            self.down = min(1.0, self.down + value)
        elif parameter == "astray":
            self.astray = min(1.0, self.astray + value)
        elif parameter == "hangs":
            self.hangs = min(1.0, self.hangs + value)
        else:
            self.full = max(self.full, value)

    @property
    def other(self) -> int:
        """The zone at the other end of the link that loses packets."""
        return (self.hot + 1) % self.count

    def choose(self, number: int, instances: Instances) -> None:
        """Let what is injected be for another zone, with as many instances as the first one."""
        zone = number % self.count
        here = [z for z in instances.zone if z == zone]
        first = [z for z in instances.zone if z == 0]
        self.hot = zone if len(here) == len(first) else 0

    def prepare(self, mesh: Mesh) -> None:
        """Let requests in the zone fail or wait, and those that go astray fail."""
        if not self.is_strained:
            return
        node = mesh.nodes[self.service]
        if self.full > 0.0:
            room = node.traits.usual_rps / self.full
            room *= node.instances / node.traits.replicas
            if node.capacity > room > _LEAST_ROOM:
                node.capacity = room
        if self.hangs > 0.0:
            node.tail = 1.0 - (1.0 - node.tail) * (1.0 - self.hangs)
            node.tail_ms = max(node.tail_ms, node.own_ms + _HANGS_MS)
        if self.astray > 0.0:
            node.sound *= 1.0 - self.astray
        instances = mesh.instances[self.service]
        here = serving = 0
        for i in range(instances.count):
            if instances.serves(i, mesh.minute):
                serving += 1
                if instances.zone[i] == self.hot:
                    here += 1
        self.share = here / serving if serving else 0.0
        self.failing = self.down
        if self.share > 0.0 and self.lost > 0.0:
            crosses = self._crosses(mesh)
            late, some = late_and_some(self.lost)
            self.failing = 1.0 - (1.0 - self.failing) * (1.0 - crosses * late)
            if some > 0.0:
                again = PACKETS * self.lost / (1.0 - exp(-PACKETS * self.lost))
                steps = int(again + 0.5)
                steps = steps if steps < _LATE else _LATE - 1
                node.tail = 1.0 - (1.0 - node.tail) * (1.0 - self.share * crosses * some)
                slow_ms = node.own_ms + steps * RESEND_MS
                node.tail_ms = slow_ms if slow_ms > node.tail_ms else node.tail_ms
        node.keeps *= 1.0 - self.share * self.failing

    def _crosses(self, mesh: Mesh) -> float:
        """Return the share of the zone's requests that call something in the other zone."""
        calls = 0.0
        for link in mesh.nodes[self.service].links:
            if link.traits.waits:
                calls += link.traits.per_request * link.passes
        return 1.0 - math.pow(1.0 - 1.0 / self.count, calls)


def late_and_some(loss: float) -> tuple[float, float]:
    """Return the shares of requests that lose too many packets, and that lose only some.

    >>> [round(share, 3) for share in late_and_some(0.03)]
    [0.109, 0.726]
    """
    mean = PACKETS * loss
    none = exp(-mean)
    some = none * (mean + mean * mean / 2.0 + mean * mean * mean / 6.0)
    late = 1.0 - none - some
    return (late if late > 0.0 else 0.0), some
