"""A cache: its hits, its misses, and how it warms.

Misses go to the store behind it: a hit rate that falls from 95 to 50 % means ten times the load. A
cold cache warms with the store's answers, a quarter of what is missing each minute, and not while
the store doesn't answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_WARMING: Final = 0.25
_WARM: Final = 0.995


class Cache(Component):
    """A cache.

    Attributes:
        usual: Its hit rate once it is warm.
        warmth: The share of that which it currently reaches.
        hit: Its hit rate.
        behind: Numbers of the calls for its misses.
    """

    name: ClassVar[str] = "cache"
    parameters: ClassVar[tuple[str, ...]] = ("forgets",)

    def __init__(self, service: int, usual: float, behind: tuple[int, ...]) -> None:
        super().__init__(service)
        self.usual = usual
        self.behind = behind
        self.warmth = 1.0
        self.hit = usual
        self.injected_forgets = 0.0

    def copy(self) -> Component:
        """Return a cache in the same state."""
        twin = Cache(self.service, self.usual, self.behind)
        twin.warmth = self.warmth
        twin.hit = self.hit
        twin.injected_forgets = self.injected_forgets
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_forgets = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `forgets`, the share of its entries that is lost."""
        self.injected_forgets = min(1.0, self.injected_forgets + value)

    def prepare(self, mesh: Mesh) -> None:
        """Forward the misses."""
        node = mesh.nodes[self.service]
        known = 1.0 - node.fails - node.stuck
        known = (known if known > 0.0 else 0.0) * (1.0 - node.injected_lost)
        self.hit = self.usual * self.warmth * (1.0 - self.injected_forgets) * known
        for number in self.behind:
            mesh.links[number].passes = 1.0 - self.hit

    def settle(self, mesh: Mesh) -> None:
        """Warm up with the store's answers."""
        if self.warmth >= 1.0:
            return
        asked = answered = 0.0
        for number in self.behind:
            link = mesh.links[number]
            asked += link.rate
            answered += link.rate * (1.0 - link.fail)
        share = answered / asked if asked > 0.0 else 1.0
        self.warmth += (1.0 - self.warmth) * _WARMING * share * share
        if self.warmth > _WARM:
            self.warmth = 1.0

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Empty it on a restart, a failover or a purge."""
        if verb in (ActionType.RESTART, ActionType.FAILOVER, ActionType.PURGE):
            self.warmth = 0.0
