"""Invalidations of a cache: how it learns that what it holds is old.

Whoever writes a row publishes that, and a consumer of the caller deletes the cached copy (Facebook:
`mcsqueal` reads the database's log and deletes keys in memcached). Where the consumer stops, the
cache goes on answering with what it has, at its usual hit rate: callers that check what they get
reject it, and the share grows with every row that changes.

An emptied cache holds nothing old at first. While nothing is invalidated, it is as old as before
after a quarter of an hour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_AGES_IN: Final = 15.0
_LONG_AGO: Final = -9999
_EMPTIES: Final = (ActionType.RESTART, ActionType.FAILOVER, ActionType.PURGE)


class Invalidations(Component):
    """What callers of a cache invalidate.

    Attributes:
        callers: Numbers of the calls that are made to the cache.
        stale: Share of each caller's requests that get something old; empty while none do.
        stopped: Minutes for which each caller's consumer has applied nothing; empty if all do.
        emptied: The minute in which the cache was last emptied.
    """

    name: ClassVar[str] = "invalidations"
    parameters: ClassVar[tuple[str, ...]] = ("stale",)

    def __init__(self, service: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.stale: list[float] = []
        self.stopped: list[float] = []
        self.emptied = _LONG_AGO

    def copy(self) -> Component:
        """Return invalidations in the same state."""
        twin = Invalidations(self.service, self.callers)
        if self.stale:
            twin.stale = self.stale.copy()
        if self.stopped:
            twin.stopped = self.stopped.copy()
        twin.emptied = self.emptied
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        if self.stale:
            self.stale = []

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `stale`, the share of one caller's requests that get something old."""
        if not self.stale:
            self.stale = [0.0] * len(self.callers)
        for k in range(len(self.callers)):
            if link < 0 or self.callers[k] == link:
                self.stale[k] = min(1.0, self.stale[k] + value)

    def prepare(self, mesh: Mesh) -> None:
        """Let callers reject what is old."""
        if not self.stale:
            if self.stopped:
                self.stopped = []
            return
        if not self.stopped:
            self.stopped = [0.0] * len(self.callers)
        age = (mesh.minute - self.emptied) / _AGES_IN
        age = age if age < 1.0 else 1.0
        for k in range(len(self.callers)):
            if self.stale[k] > 0.0:
                caller = mesh.links[self.callers[k]].traits.caller
                mesh.nodes[caller].keeps *= 1.0 - self.stale[k] * age
                self.stopped[k] += 1.0

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Forget what is old together with all the rest."""
        if verb in _EMPTIES:
            self.emptied = mesh.minute
