"""Shards of a store: each has its part of the capacity and, normally, of the load.

Load beyond a shard's part fails, while the mean over all shards looks healthy: with 4 shards
and a fifth of all load moved onto one, that one gets 0.25 + 0.2 * 0.75 = 40 % of the load with 25 %
of the capacity, so at 50 % mean use it is at 80 %. Above its part it throttles; a client that is
throttled backs off and tries again within its timeout, which adds no load and ends, where it fails,
close to the timeout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_OWN: Final = 0.85
_TURNED_AWAY_MS: Final = 780.0
_MOVES: Final = 12
_WHILE_MOVING: Final = 0.9


class Shards(Component):
    """The shards of a store.

    Attributes:
        count: How many there are.
        hot: The hot shard.
        hot_for: The call whose keys are hot; -1 for no particular one.
        skew: Share of the others' normal load that has moved onto it.
        busy: CPU utilization of the hot one; may be above 1.
        failing: Share of all requests that fails there.
        shed: Share of the users that is rejected.
        moving_until: The minute until which data moves to shards that were added.
        room: The capacity of one shard when that began.
    """

    name: ClassVar[str] = "shards"
    parameters: ClassVar[tuple[str, ...]] = ("skew",)

    def __init__(self, service: int, count: float, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.hot_for = -1
        self.count = count
        self.hot = 0
        self.skew = self.busy = self.failing = self.shed = 0.0
        self.moving_until = -9999
        self.room = 0.0
        self.injected_skew = 0.0

    def copy(self) -> Component:
        """Return shards in the same state."""
        twin = Shards(self.service, self.count, self.callers)
        twin.hot_for = self.hot_for
        twin.hot = self.hot
        twin.skew = self.skew
        twin.busy = self.busy
        twin.failing = self.failing
        twin.shed = self.shed
        twin.moving_until = self.moving_until
        twin.room = self.room
        twin.injected_skew = self.injected_skew
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_skew = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `skew`, the share of the others' load that moves onto the hot shard."""
        self.injected_skew = min(1.0, self.injected_skew + value)
        self.hot_for = link

    def share(self) -> float:
        """Return the hot shard's share of the load."""
        even = 1.0 / self.count
        return even + self.skew * (1.0 - even)

    def settle(self, mesh: Mesh) -> None:
        """Note how many users were rejected at the entries."""
        total = kept = 0.0
        for node in mesh.nodes:
            rps = node.traits.entry_rps
            total += rps
            kept += rps * node.shed
        self.shed = kept / total if total > 0.0 else 0.0

    def prepare(self, mesh: Mesh) -> None:
        """Let what the hot shard can't serve wait and fail."""
        self.skew = self.injected_skew
        self.failing = 0.0
        node = mesh.nodes[self.service]
        room = node.capacity / self.count
        if mesh.minute < self.moving_until:
            room = min(room, self.room * _WHILE_MOVING)
        mine = self.share()
        self.busy = node.traits.usual_rps * mine * (1.0 - self.shed) / room if room > 0.0 else 1.0
        if self.skew <= 0.0:
            return
        if self.busy > 1.0:
            self.failing = mine * (1.0 - 1.0 / self.busy)
            self._throttle(mesh)

    def _throttle(self, mesh: Mesh) -> None:
        """Throttle what is too much: mostly calls of the caller whose keys are hot."""
        if self.hot_for < 0:
            mesh.nodes[self.service].keeps *= 1.0 - self.failing
            return
        total = own = 0.0
        for number in self.callers:
            total += mesh.links[number].rate
        own = mesh.links[self.hot_for].rate
        if own <= 0.0:
            return
        for number in self.callers:
            rate = mesh.links[number].rate
            share = _OWN if number == self.hot_for else (1.0 - _OWN) * rate / max(total - own, 1.0)
            if rate > 0.0:
                failing = self.failing * total * share / rate
                mesh.links[number].breaks(failing if failing < 1.0 else 1.0, _TURNED_AWAY_MS)

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Move data to more shards; that loads the hot one before it helps."""
        if verb is ActionType.SCALE:
            self.moving_until = mesh.minute + _MOVES
            self.room = mesh.nodes[self.service].capacity / self.count
