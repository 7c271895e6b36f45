"""Locks of a database: which sessions wait, and what they hold meanwhile.

A call whose row or table is locked waits until its client gives up. The client's timeout does not
end the session at the server, which waits on until the server's own timeout (PostgreSQL documents
that `lock_timeout` is off by default; here the server notices after 4 s). So sessions that wait
are rate x share x 4 s, whatever the clients' timeouts: 100 calls a second of which a tenth is
blocked keep 40 sessions waiting.

Two transactions that lock the same rows in opposite order are found after `deadlock_timeout` (1 s
in PostgreSQL), and one of them fails. How many meet grows with the square of the load.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

NOTICED_AFTER_S: Final = 4.0
DEADLOCK_AFTER_MS: Final = 1_000.0
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
                rate = mesh.links[self.callers[k]].rate
                wait = self.blocked[k] * NOTICED_AFTER_S
                wait += self.deadlocked[k] * DEADLOCK_AFTER_MS / 1000.0
                self.waiting[k] = rate * wait
