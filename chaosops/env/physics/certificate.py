"""The certificate of a service: which serial each instance serves, and until when it is valid.

A certificate is checked when a connection is opened. One that has expired fails every new
handshake, on all instances and from one minute to the next, while open connections live on until
they are recycled (Mozilla, May 2019: what was loaded went on, what was new failed).

A renewal puts a new serial into the store, and every instance has to load it; the serial before is
revoked then. cert-manager issues and says nothing about loading, so an instance that was not
reloaded goes on with the old one, and the handshakes that it gets fail. A started instance loads
what is in the store. The authority issues only so many certificates a week for a name, and a
renewer that fails has used them up (Let's Encrypt: five duplicates a week).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

RENEWED_DAYS: Final = 90
"""Days for which a new certificate is valid."""

_LEAST_DAYS: Final = 31
_SPREAD_DAYS: Final = 29
_LONG_AGO: Final = -9999
_LOADS = frozenset({ActionType.RESTART, ActionType.ROLLBACK})


class Certificate(Component):
    """The certificate of a service's instances.

    Attributes:
        callers: Numbers of the calls to the service.
        days: Days that the first certificate has left.
        stored: Which renewal is in the store; 0 for the one that was there at first.
        served: Which renewal each instance serves.
        issued: The minute of the last renewal; long ago if there was none.
        ended: The minute in which what is in the store expired; long ago if it is valid.
        expired: Share of calls that open a connection since it expired.
        stale: Share of calls that open a connection since the serial before was revoked.
        failing: Share of handshakes that fail, by instance; empty if none does.
    """

    name: ClassVar[str] = "certificate"
    parameters: ClassVar[tuple[str, ...]] = ("expired", "stale")

    def __init__(self, service: int, instances: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.days = _LEAST_DAYS + 37 * service % _SPREAD_DAYS
        self.stored = 0
        self.served: tuple[int, ...] = (0,) * instances
        self.issued = self.ended = _LONG_AGO
        self.expired = self.stale = 0.0
        self.failing: tuple[float, ...] = ()

    def copy(self) -> Component:
        """Return a certificate in the same state."""
        twin = Certificate(self.service, 0, self.callers)
        twin.stored = self.stored
        twin.served = self.served
        twin.issued = self.issued
        twin.ended = self.ended
        twin.expired = self.expired
        twin.stale = self.stale
        twin.failing = self.failing
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.expired = self.stale = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `expired` or `stale`, shares of the calls."""
        if parameter == "expired":
            self.expired = min(1.0, self.expired + value)
        else:
            self.stale = min(1.0, self.stale + value)

    @property
    def has_expired(self) -> bool:
        """Whether the certificate in the store is no longer valid."""
        return self.ended > _LONG_AGO

    @property
    def is_loaded(self) -> bool:
        """Whether every instance serves what is in the store."""
        return min(self.served) == self.stored

    @property
    def was_renewed(self) -> bool:
        """Whether it was renewed in the last hours."""
        return self.issued > _LONG_AGO

    @property
    def days_left(self) -> int:
        """The whole days that the certificate in the store has left, if it has not expired."""
        return RENEWED_DAYS - 1 if self.was_renewed else self.days

    def renew(self, reloaded: int, minute: int) -> None:
        """Put a new serial into the store, and let the first instances load it."""
        self.stored += 1
        self.issued = minute
        self.ended = _LONG_AGO
        self.served = (self.stored,) * reloaded + self.served[reloaded:]

    def prepare(self, mesh: Mesh) -> None:
        """Turn away connections whose handshakes fail."""
        instances = mesh.instances[self.service]
        n = instances.count
        if len(self.served) != n:
            self.served = self.served[:n] + (self.stored,) * max(0, n - len(self.served))
        if self.expired <= 0.0 and self.stale <= 0.0:
            self.failing = ()
            return
        minute = mesh.minute
        if self.expired > 0.0 and not self.has_expired:
            self.ended = minute
        if self.stale > 0.0 and min(self.served) == self.stored:
            self.renew((n + 2) // 3, minute)
        failing: list[float] = []
        lost = serving = 0.0
        for i in range(n):
            share = self.expired
            if self.served[i] < self.stored:
                share = 1.0 - (1.0 - share) * (1.0 - self.stale)
            failing.append(share)
            if instances.serves(i, minute):
                serving += 1.0
                lost += share
        self.failing = tuple(failing)
        if lost <= 0.0:
            return
        share = lost / serving
        for number in self.callers:
            link = mesh.links[number]
            link.refused = 1.0 - (1.0 - link.refused) * (1.0 - share)

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Load what is in the store on a restart; renew and reload, unless too many were issued."""
        n = len(self.served)
        if verb in _LOADS:
            self.served = (self.stored,) * n
        elif verb is ActionType.ROTATE and self.stale <= 0.0:
            self.renew(n, mesh.minute)

    def land_on_one(self, verb: ActionType, i: int, mesh: Mesh) -> None:
        """Let one instance load what is in the store."""
        if i < len(self.served):
            self.served = (*self.served[:i], self.stored, *self.served[i + 1 :])
