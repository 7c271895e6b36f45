"""The connections that a database accepts: `max_connections`.

Pools keep theirs open whether they are used or not, so most are idle on a good day. Those that
wait for a lock are among them, and so are those whose clients back off before they try again. Past
the limit new ones are refused (`FATAL: sorry, too many clients already`). Each takes memory:
about 10 MB in PostgreSQL with its caches and one sort.

The role of each caller has a limit of its own as well (`CONNECTION LIMIT`), a quarter above what
its pools keep; that quarter is an assumption. A client that gives up leaves a session that goes on
until it notices, and counts until then (`client_connection_check_interval` is off by default).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component
from chaosops.env.physics.locks import Locks
from chaosops.env.physics.memory import Memory

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

SESSION_MB: Final = 10.0
_ROLE_ROOM: Final = 1.25
_MOST_LEFT: Final = 0.97


class Sessions(Component):
    """The sessions of a database.

    Attributes:
        limit: How many it accepts.
        open: How many there are; `active` ones work, and `waiting` ones wait for a lock. The
            others are idle.
        refused: Share of calls that found none.
        left: Sessions of one caller whose clients have gone, which count in `open`; `room` is what
            its limit leaves for the others.
    """

    name: ClassVar[str] = "sessions"
    parameters: ClassVar[tuple[str, ...]] = ("extra", "left")

    def __init__(self, service: int, limit: float) -> None:
        super().__init__(service)
        self.limit = limit
        self.open = self.active = self.waiting = self.refused = 0.0
        self.left = self.room = 0.0
        self._link = -1
        self.injected_extra = self.injected_left = 0.0

    def copy(self) -> Component:
        """Return sessions in the same state."""
        twin = Sessions(self.service, self.limit)
        twin.open = self.open
        twin.active = self.active
        twin.waiting = self.waiting
        twin.refused = self.refused
        twin.left = self.left
        twin.room = self.room
        twin._link = self._link
        twin.injected_extra = self.injected_extra
        twin.injected_left = self.injected_left
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_extra = self.injected_left = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `extra`, sessions that something else keeps open.

        `left` is the share of one caller's limit that sessions take whose clients have gone.
        """
        if parameter == "extra":
            self.injected_extra += value
        elif link >= 0:
            self.injected_left += value
            self._link = link

    def prepare(self, mesh: Mesh) -> None:
        """Refuse calls that find no session."""
        self.refused = 1.0 - self.limit / self.open if self.open > self.limit else 0.0
        if self.refused > 0.0:
            for number in mesh.nodes[self.service].traits.callers:
                link = mesh.links[number]
                link.refused = 1.0 - (1.0 - link.refused) * (1.0 - self.refused)
        self.left = 0.0
        if self.injected_left > 0.0:
            self._leave_little(mesh)

    def _leave_little(self, mesh: Mesh) -> None:
        """Let calls wait for a session in vain where what was left behind takes their place."""
        link = mesh.links[self._link]
        caller = mesh.nodes[link.traits.caller]
        limit = _ROLE_ROOM * link.traits.pool_size * caller.traits.replicas
        share = self.injected_left if self.injected_left < _MOST_LEFT else _MOST_LEFT
        self.left = share * limit
        kept = link.traits.pool_size * caller.instances
        self.room = limit - self.left
        if kept > self.room:
            link.breaks(1.0 - self.room / kept, link.acquire_ms)

    def settle(self, mesh: Mesh) -> None:
        """Count the sessions, and let waiting ones take memory."""
        count = active = waiting = 0.0
        locks = mesh.part(self.service, "locks")
        callers = mesh.nodes[self.service].traits.callers
        for k in range(len(callers)):
            link = mesh.links[callers[k]]
            busy = link.reaching * link.held_ms / 1000.0
            kept = link.traits.pool_size * mesh.nodes[link.traits.caller].instances
            if kept > 0.0 and busy > kept:
                busy = kept
            if self.left > 0.0 and callers[k] == self._link and kept > self.room:
                kept = self.room
            count += kept if kept > 0.0 else busy
            failing = link.reaching * link.broken * link.broken_ms / 1000.0
            if isinstance(locks, Locks):
                waiting += locks.waiting[k]
                busy -= locks.waiting[k]
                if locks.deadlocked[k] > 0.0:
                    failing = 0.0
            busy -= failing
            active += busy if busy > 0.0 else 0.0
        self.active = active
        self.waiting = waiting
        self.open = count + self.injected_extra + self.left
        memory = mesh.part(self.service, "memory")
        if isinstance(memory, Memory):
            room = memory.room_mb * max(1.0, mesh.nodes[self.service].instances)
            memory.held = (waiting + self.injected_extra + self.left) * SESSION_MB / room * 100.0
