"""The name of a service: the record that its callers resolve, and who answers for it.

Callers connect by name, and keep an answer for its time to live, so a record that was emptied or
overwritten is seen by a growing share of them: t / TTL (the outage of AWS in October 2025: the
record was written again at 2:25, and clients had it by 2:40). Open connections live on until they
are recycled. "No such host" is kept for the SOA's minimum, here a minute, which is how fast callers
find the name again (RFC 2308). An answer with old addresses leads to hosts that are gone: the
connection is refused.

A resolver that is down fails every look-up that it is asked for, whatever the name, until it is
back. Each attempt may ask another resolver, so retries get around some of the failures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

PLANS_AN_HOUR: Final = 30
"""How many plans of all records are made in an hour."""

STALE_BY: Final = 40
"""The age in minutes of a plan that was applied although it had been replaced."""

_FIRST_PLAN: Final = 4_700
_FORGETS: Final = 0.5
_TINY: Final = 1e-4


def newest_plan(minute: int) -> int:
    """Return the number of the newest plan of all records in a minute."""
    return _FIRST_PLAN + minute * PLANS_AN_HOUR // 60


class Names(Component):
    """The record of a service.

    Attributes:
        callers: Numbers of the calls to the service.
        ttl: Minutes for which an answer is kept.
        missing: Share of look-ups that find no address in the record.
        old: Share of look-ups that get addresses of before.
        deaf: Share of look-ups that a resolver doesn't answer.
        held: Share of the callers' connections that depend on a bad answer.
        plan: The number of the plan behind the old addresses; 0 if there is none.
    """

    name: ClassVar[str] = "names"
    parameters: ClassVar[tuple[str, ...]] = ("missing", "old", "deaf")

    def __init__(self, service: int, ttl: float, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.ttl = ttl
        self.missing = self.old = self.deaf = self.held = 0.0
        self.plan = 0
        self.is_fine = True

    def copy(self) -> Component:
        """Return a name in the same state."""
        twin = Names(self.service, self.ttl, self.callers)
        twin.plan = self.plan
        if not self.is_fine:
            twin.missing = self.missing
            twin.old = self.old
            twin.deaf = self.deaf
            twin.held = self.held
            twin.is_fine = False
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.missing = self.old = self.deaf = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `missing`, `old` or `deaf`, shares of the look-ups."""
        self.is_fine = False
        if parameter == "missing":
            self.missing = min(1.0, self.missing + value)
        elif parameter == "old":
            self.old = min(1.0, self.old + value)
        else:
            self.deaf = min(1.0, self.deaf + value)

    def prepare(self, mesh: Mesh) -> None:
        """Turn away what finds no address, or a wrong one."""
        if self.is_fine:
            return
        bad = self.missing + self.old
        bad = bad if bad < 1.0 else 1.0
        pace = 1.0 / self.ttl if bad > self.held else _FORGETS
        self.held += pace * (bad - self.held)
        if self.old <= 0.0:
            self.plan = 0
        elif self.plan == 0:
            self.plan = newest_plan(mesh.minute - STALE_BY)
        if bad <= 0.0 and self.deaf <= 0.0 and self.held < _TINY:
            self.held = 0.0
            self.is_fine = True
            return
        share = 1.0 - (1.0 - self.held) * (1.0 - self.deaf)
        for number in self.callers:
            link = mesh.links[number]
            link.refused = 1.0 - (1.0 - link.refused) * (1.0 - share)
