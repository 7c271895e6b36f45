"""How users fare where they come in, over the last minutes."""

from __future__ import annotations

from collections import deque
from typing import Final

from chaosops.env.models import Journey
from chaosops.env.models.topology import Topology
from chaosops.env.physics.mesh import Mesh, answered

_EARLIER: Final = 5
_KEPT: Final = 16


class Faring:
    """The share of failed requests of each entry, minute by minute."""

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._failing: deque[tuple[float, ...]] = deque(maxlen=_KEPT)

    def copy(self) -> Faring:
        """Return an independent copy."""
        twin = Faring(self._topology)
        twin._failing = self._failing.copy()
        return twin

    def note(self, mesh: Mesh) -> None:
        """Note a minute."""
        index = mesh.blueprint.index
        nodes = [mesh.nodes[index[entry.service]] for entry in self._topology.entries]
        self._failing.append(tuple([round(1.0 - answered(node), 4) for node in nodes]))

    def before(self, minutes: int) -> tuple[Journey, ...]:
        """Return how users fared some minutes ago, at most ten, each compared with earlier."""
        now, then = self._failing[-1 - minutes], self._failing[-1 - minutes - _EARLIER]
        entries = self._topology.entries
        return tuple([Journey(e.service, now[k], then[k]) for k, e in enumerate(entries)])
