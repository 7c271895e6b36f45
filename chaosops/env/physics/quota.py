"""The CPU quota of an instance for each period of 100 ms.

An instance without quota left is stopped until the next period (Linux CFS bandwidth control), so
requests show gaps of 50 to 90 ms in their own work while the host's CPUs are half idle. At
the same use, half the quota means twice the utilization; periods are throttled from 50 % on, all
of them at 100 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_GAP_MS: Final = 70.0
_FROM: Final = 0.5
_LEAST: Final = 0.05


class Quota(Component):
    """The CPU quota of a service's instances.

    Attributes:
        cut: Share of the usual quota that is missing.
        raised: Factor by which the quota was raised.
        throttled: Share of periods that were throttled.
    """

    name: ClassVar[str] = "quota"
    parameters: ClassVar[tuple[str, ...]] = ("cut",)

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.cut = self.throttled = 0.0
        self.raised = 1.0
        self.injected_cut = 0.0

    def copy(self) -> Component:
        """Return a quota in the same state."""
        twin = Quota(self.service)
        twin.cut = self.cut
        twin.throttled = self.throttled
        twin.raised = self.raised
        twin.injected_cut = self.injected_cut
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_cut = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `cut`, the share of the quota that is taken away."""
        self.injected_cut = min(1.0 - _LEAST, self.injected_cut + value)

    def prepare(self, mesh: Mesh) -> None:
        """Throttle what has used up its quota."""
        left = (1.0 - self.injected_cut) * self.raised
        left = left if left < 1.0 else 1.0
        self.cut = 1.0 - left
        if left >= 1.0:
            self.throttled = 0.0
            return
        node = mesh.nodes[self.service]
        node.capacity *= left
        use = node.served / node.capacity if node.capacity > 0.0 else 1.0
        held = (use - _FROM) / (1.0 - _FROM)
        self.throttled = 0.0 if held < 0.0 else held if held < 1.0 else 1.0
        node.extra_wait_ms += self.throttled * _GAP_MS

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Raise the limit by half."""
        if verb is ActionType.RAISE_LIMIT and args.get("limit") == "cpu":
            self.raised *= 1.5
