"""Replication of a database: each caller's tables have a primary that takes writes, and copies.

The tables of a caller are a group of their own, as a keyspace is in Vitess, so one group can be in
trouble while the others are not. Copies usually are at most 0.3 s behind.

- A primary whose lease runs out steps down, and its group takes no writes until it has it back
  (Patroni: a primary that cannot renew its leader key demotes itself). The share of time without a
  primary is the share of a caller's calls that fail.
- Where copies are behind, whoever reads a row that was written since gets an old one or none. With
  what is read written in the last ten minutes on average (an assumption, exponential), 1 -
  exp(-lag / 600 s) of the reads fail: at a lag of 240 s a third. Without what holds it up, a copy
  makes up three quarters of its lag in a minute.
- With two primaries a part of the writes goes to each, and a caller misses what the other one took
  (GitHub 2018). Writes that only one of them has diverge at writes/s x time.

A failover promotes the next member. What that one had not replayed is lost, as are the writes of
the primary that steps down where there were two; a tenth of what is lost is entered again each
minute (an assumption).
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

WRITES: Final = 0.25
"""Share of a caller's calls that write."""

_READ_WITHIN_S: Final = 600.0
_REFUSED_MS: Final = 6.0
_STAYS_BEHIND: Final = 0.25
_CURRENT_S: Final = 0.5
_STAYS_LOST: Final = 0.9
_NOTHING: Final = 1e-4
_SECONDS: Final = 60.0


class Group:
    """The primary and the copies of one caller's tables.

    Attributes:
        leaderless: Share of the last minute in which it had no primary.
        lag_s: Seconds that its copies are held behind by a cause; 0 if nothing holds them.
        split: Share of the writes that went to a second primary.
        behind_s: Seconds that its copies are behind.
        lost: Share of the caller's calls that ask for what a failover lost.
        diverged: Writes that only one of two primaries has.
        split_for: Minutes for which there have been two.
    """

    __slots__ = ("behind_s", "diverged", "lag_s", "leaderless", "lost", "split", "split_for")

    def __init__(self) -> None:
        self.leaderless = self.lag_s = self.split = 0.0
        self.behind_s = self.lost = self.diverged = self.split_for = 0.0

    def copy(self) -> Group:
        """Return a group in the same state."""
        twin = Group()
        twin.leaderless = self.leaderless
        twin.lag_s = self.lag_s
        twin.split = self.split
        twin.behind_s = self.behind_s
        twin.lost = self.lost
        twin.diverged = self.diverged
        twin.split_for = self.split_for
        return twin

    @property
    def failing(self) -> float:
        """The share of the caller's calls that fail."""
        late = 1.0 - exp(-self.behind_s / _READ_WITHIN_S) if self.behind_s > 0.0 else 0.0
        share = self.leaderless + self.split + self.lost + late
        return share if share < 1.0 else 1.0

    @property
    def is_at_rest(self) -> bool:
        """Whether it has a primary, copies that are current, and nothing missing."""
        return self.failing <= 0.0 and self.diverged <= 0.0


class Replication(Component):
    """The groups of a database, one per call that is made to it.

    Attributes:
        callers: Numbers of those calls.
        primary: The instance that takes the writes of all groups.
        groups: A group per call; empty while all are at rest.
    """

    name: ClassVar[str] = "replication"
    parameters: ClassVar[tuple[str, ...]] = ("leaderless", "lag_s", "split")

    def __init__(self, service: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.primary = 0
        self.groups: list[Group] = []

    def copy(self) -> Component:
        """Return replication in the same state."""
        twin = Replication(self.service, self.callers)
        twin.primary = self.primary
        if self.groups:
            twin.groups = [group.copy() for group in self.groups]
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        for group in self.groups:
            group.leaderless = group.lag_s = group.split = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `leaderless` or `split`, shares, or `lag_s`, seconds, into one group or all."""
        if not self.groups:
            self.groups = [Group() for _number in self.callers]
        for k in range(len(self.callers)):
            if link >= 0 and self.callers[k] != link:
                continue
            group = self.groups[k]
            if parameter == "leaderless":
                group.leaderless = min(1.0, group.leaderless + value)
            elif parameter == "split":
                group.split = min(1.0, group.split + value)
            else:
                group.lag_s += value

    def prepare(self, mesh: Mesh) -> None:
        """Let calls fail that write without a primary, or ask for what is not there."""
        for k in range(len(self.groups)):
            group = self.groups[k]
            if group.lag_s > 0.0:
                group.behind_s = group.lag_s
            elif group.behind_s > 0.0:
                group.behind_s *= _STAYS_BEHIND
                if group.behind_s < _CURRENT_S:
                    group.behind_s = 0.0
            share = group.failing
            if share > 0.0:
                mesh.links[self.callers[k]].breaks(share, _REFUSED_MS)

    def settle(self, mesh: Mesh) -> None:
        """Count what diverges, and enter again what was lost."""
        if not self.groups:
            return
        rests = True
        for k in range(len(self.groups)):
            group = self.groups[k]
            if group.split > 0.0:
                rate = mesh.links[self.callers[k]].reaching * WRITES
                group.diverged += rate * group.split * _SECONDS
                group.split_for += 1.0
            else:
                group.diverged = group.split_for = 0.0
            group.lost *= _STAYS_LOST
            if group.lost < _NOTHING:
                group.lost = 0.0
            rests = rests and group.is_at_rest
        if rests:
            self.groups = []

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Promote the next member in a failover, and lose what it does not have."""
        if verb is not ActionType.FAILOVER:
            return
        self.primary = (self.primary + 1) % mesh.instances[self.service].count
        for group in self.groups:
            unseen = 1.0 - exp(-group.behind_s / _READ_WITHIN_S)
            group.lost = max(group.lost, unseen, group.split)
