"""Readiness probes: instances that fail them are taken out, and the others get their load.

A probe that fails three times takes an instance out (Kubernetes: every 10 s), and one that succeeds
takes it back, so slow instances come and go. An instance that is taken out drops its requests
in flight: a third of its requests of a minute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_MOST_OUT: Final = 0.8
_DROPS: Final = 0.33
_GOLDEN: Final = 0.6180339887


class Probes(Component):
    """The probes of a service's instances.

    Attributes:
        out: Share of the instances that is taken out, averaged over the minute.
        failed: Share of probes that failed.
    """

    name: ClassVar[str] = "probes"
    parameters: ClassVar[tuple[str, ...]] = ("rejects",)

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.out = self.failed = 0.0
        self.injected_rejects = 0.0

    def copy(self) -> Component:
        """Return probes in the same state."""
        twin = Probes(self.service)
        twin.out = self.out
        twin.failed = self.failed
        twin.injected_rejects = self.injected_rejects
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_rejects = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `rejects`, the share of instances that good probes would not take out."""
        self.injected_rejects += value

    def away(self, minute: int, count: int) -> int:
        """Return how many of the instances are out at a moment of a minute; never all.

        Over the minutes it is `out` of them on average.
        """
        if self.out <= 0.0:
            return 0
        out = int(self.out * count + minute * _GOLDEN % 1.0)
        return out if out < count else count - 1

    def is_out(self, i: int, minute: int, count: int) -> bool:
        """Whether an instance is one of those; they take turns."""
        return (i + minute) % count < self.away(minute, count)

    def prepare(self, mesh: Mesh) -> None:
        """Take instances out."""
        node = mesh.nodes[self.service]
        out = self.injected_rejects if self.injected_rejects < _MOST_OUT else _MOST_OUT
        self.out = out
        self.failed = min(1.0, 1.5 * out)
        if out > 0.0:
            node.capacity *= 1.0 - out
            node.keeps *= 1.0 - _DROPS * out
