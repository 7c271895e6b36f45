"""Locks of a database: which sessions wait, and what they hold meanwhile.

A call whose row or table is locked waits until its client gives up and cancels the statement. So
sessions that wait are rate x share x the client's timeout (Little's law): 100 calls a second of
which a tenth is blocked for 800 ms keep 8 sessions waiting. Each of them has a connection of its
caller's pools, so no more can wait than these have.

Two transactions that lock the same rows in opposite order are found after `deadlock_timeout`, and
one of them fails. PostgreSQL's default is 1 s; fleets whose clients give up sooner set less. How
many meet grows with the square of the load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

DEADLOCK_AFTER_MS: Final = 700.0
_WAITS_MS: Final = 30_000.0


class Locks(Component):
    """The locks of a database; each list has an item per call that is made to it.

    Attributes:
        callers: Numbers of those calls.
        blocked: Share of the calls that wait for a lock, in the last minute.
        deadlocked: Share that ended in a deadlock.
        waiting: Sessions that wait for a lock.
    """

    name: ClassVar[str] = "locks"
    parameters: ClassVar[tuple[str, ...]] = ("blocked", "deadlocked")

    def __init__(self, service: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.blocked = [0.0] * len(callers)
        self.deadlocked = [0.0] * len(callers)
        self.waiting = [0.0] * len(callers)

    def copy(self) -> Component:
        """Return locks in the same state."""
        twin = Locks(self.service, self.callers)
        twin.blocked = self.blocked.copy()
        twin.deadlocked = self.deadlocked.copy()
        twin.waiting = self.waiting.copy()
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        for k in range(len(self.callers)):
            self.blocked[k] = self.deadlocked[k] = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `blocked` or `deadlocked`, shares of one caller's calls at the usual load."""
        values = self.blocked if parameter == "blocked" else self.deadlocked
        for k in range(len(self.callers)):
            if link < 0 or self.callers[k] == link:
                values[k] = min(1.0, values[k] + value)

    def prepare(self, mesh: Mesh) -> None:
        """Let blocked calls wait and deadlocked ones fail."""
        node = mesh.nodes[self.service]
        usual = node.traits.usual_rps
        for k in range(len(self.callers)):
            link = mesh.links[self.callers[k]]
            if self.blocked[k] > 0.0:
                link.stall(self.blocked[k], _WAITS_MS)
            if self.deadlocked[k] > 0.0:
                crowd = node.served / usual if usual > 0.0 else 1.0
                met = min(1.0, self.deadlocked[k] * crowd * crowd)
                link.breaks(met, DEADLOCK_AFTER_MS)

    def settle(self, mesh: Mesh) -> None:
        """Count the sessions that wait."""
        for k in range(len(self.callers)):
            if self.blocked[k] > 0.0 or self.deadlocked[k] > 0.0 or self.waiting[k] > 0.0:
                link = mesh.links[self.callers[k]]
                wait = self.blocked[k] * link.traits.timeout_ms
                wait += (link.broken if self.deadlocked[k] > 0.0 else 0.0) * DEADLOCK_AFTER_MS
                waiting = link.reaching * wait / 1000.0
                most = link.traits.pool_size * mesh.nodes[link.traits.caller].instances
                self.waiting[k] = most if 0.0 < most < waiting else waiting
