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
    """

    name: ClassVar[str] = "ports"
    parameters: ClassVar[tuple[str, ...]] = ("fresh",)

    def __init__(self, service: int, link: int) -> None:
        super().__init__(service)
        self.link = link
        self.raised = 1.0
        self.fresh = self.short = 0.0

    def copy(self) -> Component:
        """Return ports in the same state."""
        twin = Ports(self.service, self.link)
        twin.raised = self.raised
        twin.fresh = self.fresh
        twin.short = self.short
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

    def opened(self, mesh: Mesh) -> float:
        """Return the new connections a second of one instance."""
        wanted = self._wanted(mesh)
        return (wanted if wanted < self.limit else self.limit) / CLOSING_S

    def _wanted(self, mesh: Mesh) -> float:
        """Return the ports that the calls of one instance would hold if there were enough."""
        instances = mesh.nodes[self.service].instances
        rate = mesh.links[self.link].rate / (instances if instances > 1.0 else 1.0)
        return (_USUALLY_NEW + self.fresh) * rate * CLOSING_S

    def prepare(self, mesh: Mesh) -> None:
        """Let calls fail that find no port."""
        self.short = 0.0
        if self.fresh <= 0.0:
            return
        wanted = self._wanted(mesh)
        if wanted > self.limit:
            short = (_USUALLY_NEW + self.fresh) * (1.0 - self.limit / wanted)
            self.short = short if short < 1.0 else 1.0
            link = mesh.links[self.link]
            link.refused = 1.0 - (1.0 - link.refused) * (1.0 - self.short)

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Give an instance more ports, from more addresses of the gateway."""
        if verb is ActionType.RAISE_LIMIT and args.get("limit") == "connections":
            self.raised *= _RAISES
