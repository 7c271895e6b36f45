"""Query plans of a database: a query that scans where it used to look up.

A plan that flipped reads a whole table for each call that uses it, so that query alone gets slower
by a factor of hundreds, and the device has more work for everyone: 10 such calls a second of
1,000 pages are 10,000 operations a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component
from chaosops.env.physics.disk import Disk

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

PAGES: Final = 1_500.0
"""Operations of such a call; it made five before."""

_READ_AHEAD: Final = 16.0
_COMPUTE: Final = 1.0


class Plans(Component):
    """The plans of a database's queries; each list has an item per call that is made to it.

    Attributes:
        callers: Numbers of those calls.
        flipped: Share of the calls that scans.
        scan_ms: How long such a call takes.
    """

    name: ClassVar[str] = "plans"
    parameters: ClassVar[tuple[str, ...]] = ("flipped",)

    def __init__(self, service: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.flipped = [0.0] * len(callers)
        self.scan_ms = 0.0

    def copy(self) -> Component:
        """Return plans in the same state."""
        twin = Plans(self.service, self.callers)
        twin.flipped = self.flipped.copy()
        twin.scan_ms = self.scan_ms
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        for k in range(len(self.callers)):
            self.flipped[k] = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `flipped`, a share of one caller's calls."""
        for k in range(len(self.callers)):
            if link < 0 or self.callers[k] == link:
                self.flipped[k] = min(1.0, self.flipped[k] + value)

    def prepare(self, mesh: Mesh) -> None:
        """Let those calls take as long as a scan, and load the device and the CPU."""
        rate = 0.0
        for k in range(len(self.callers)):
            rate += mesh.links[self.callers[k]].rate * self.flipped[k]
        if rate <= 0.0:
            return
        node = mesh.nodes[self.service]
        disk = mesh.part(self.service, "disk")
        if isinstance(disk, Disk):
            disk.injected_scans += rate * PAGES / _READ_AHEAD
            self.scan_ms = PAGES * disk.await_ms
        share = rate / node.served if node.served > 0.0 else 0.0
        node.cpu_ms += node.cpu_ms * share * _COMPUTE
        for k in range(len(self.callers)):
            if self.flipped[k] > 0.0:
                mesh.links[self.callers[k]].stall(self.flipped[k], self.scan_ms)
