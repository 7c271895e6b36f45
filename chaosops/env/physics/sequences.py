"""IdSequences of a database, from which callers take the ids of new rows.

Each session takes a block of ids at a time (PostgreSQL: `CREATE SEQUENCE ... CACHE`; Hibernate: a
pooled optimizer). Once a sequence has reached the largest id that its column can hold, sessions go
on until their block is used up, and then their inserts fail at once, while reads work. So the share
of calls that fails grows as blocks run out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_REFUSED_MS: Final = 4.0


class IdSequences(Component):
    """The sequences of a database, one per call that is made to it.

    Attributes:
        callers: Numbers of those calls.
        spent: Share of each caller's calls that get no id; empty while all do.
        ended: Which sequences have reached their end; that stays.
    """

    name: ClassVar[str] = "sequences"
    parameters: ClassVar[tuple[str, ...]] = ("spent",)

    def __init__(self, service: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.spent: list[float] = []
        self.ended: tuple[int, ...] = ()

    def copy(self) -> Component:
        """Return sequences in the same state."""
        twin = IdSequences(self.service, self.callers)
        if self.spent:
            twin.spent = self.spent.copy()
        twin.ended = self.ended
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        if self.spent:
            self.spent = []

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `spent`, the share of one caller's calls that get no id."""
        if not self.spent:
            self.spent = [0.0] * len(self.callers)
        for k in range(len(self.callers)):
            if link < 0 or self.callers[k] == link:
                self.spent[k] = min(1.0, self.spent[k] + value)
                if k not in self.ended:
                    self.ended = (*self.ended, k)

    def prepare(self, mesh: Mesh) -> None:
        """Let inserts fail that get no id."""
        for k in range(len(self.spent)):
            if self.spent[k] > 0.0:
                mesh.links[self.callers[k]].breaks(self.spent[k], _REFUSED_MS)
