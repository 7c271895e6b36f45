"""Outgoing ports: a connection to a third party takes one, and keeps it for a while after its end.

The gateway between an instance and the third party gives it 1,024 ports for one destination (Azure:
the default SNAT ports of an instance in a small pool). Most calls share connections that are kept
open. Where each call opens its own, its port is in use for 120 s after it was closed (Linux:
`nf_conntrack_tcp_timeout_time_wait`), so r new connections a second hold 120 r ports (Little). A
call that finds none fails at once, `EADDRNOTAVAIL`, and never reaches the third party.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

PORTS: Final = 1_024.0
CLOSING_S: Final = 120.0
_USUALLY_NEW: Final = 0.02
_RAISES: Final = 4.0


class Ports(Component):
    """The ports of a service's instances for its calls to one third party.

    Attributes:
        link: Number of the call.
        raised: Factor of the limit.
        fresh: Share of the calls for which a connection is opened, on top of the usual ones.
        short: Share of the calls that finds no port.
        opened: New connections a second of one instance.
    """

    name: ClassVar[str] = "ports"
    parameters: ClassVar[tuple[str, ...]] = ("fresh",)

    def __init__(self, service: int, link: int) -> None:
        super().__init__(service)
        self.link = link
        self.raised = 1.0
        self.fresh = self.short = self.opened = 0.0

    def copy(self) -> Component:
        """Return ports in the same state."""
        twin = Ports(self.service, self.link)
        twin.raised = self.raised
        twin.fresh = self.fresh
        twin.short = self.short
        twin.opened = self.opened
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.fresh = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `fresh`, the share of the calls that no longer share a connection."""
        self.fresh = min(1.0, self.fresh + value)

    @property
    def limit(self) -> float:
        """The ports of one instance."""
        return PORTS * self.raised

    @property
    def used(self) -> float:
        """The ports of one instance that are in use."""
        return min(self.limit, self.opened * CLOSING_S)

    def prepare(self, mesh: Mesh) -> None:
        """Let calls fail that find no port."""
        link = mesh.links[self.link]
        node = mesh.nodes[self.service]
        opened = _USUALLY_NEW + self.fresh
        self.opened = opened * link.rate / (node.instances if node.instances > 1.0 else 1.0)
        self.short = 0.0
        if self.fresh <= 0.0:
            return
        wanted = self.opened * CLOSING_S
        if wanted > self.limit:
            self.short = opened * (1.0 - self.limit / wanted)
            self.opened = self.limit / CLOSING_S
            short = self.short if self.short < 1.0 else 1.0
            link.refused = 1.0 - (1.0 - link.refused) * (1.0 - short)

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Give an instance more ports, from more addresses of the gateway."""
        if verb is ActionType.RAISE_LIMIT and args.get("limit") == "connections":
            self.raised *= _RAISES
