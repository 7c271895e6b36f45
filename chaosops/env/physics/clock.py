"""The clocks of a service's instances, and the tokens that are checked by them.

A daemon keeps a clock within milliseconds of its servers (chrony). One that has lost them drifts
away, and everything that it checks for time is off by as much: a clock that is behind takes a
fresh token for one from the future, "token used before issued". Tokens are an exponential age old
when they are used, here two minutes on average, and 30 s are forgiven, so an offset of s seconds
rejects 1 - exp(-(s - 30) / 120) of them (RFC 7519: a leeway of no more than a few minutes).

The instances that lost their servers are the first half; a retry may reach another one.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_LEEWAY_S: Final = 30.0
_TOKEN_AGE_S: Final = 120.0


class Clock(Component):
    """The clocks of a service's instances.

    Attributes:
        callers: Numbers of the calls to the service.
        lost: How many of the instances, the first ones, have lost their time servers.
        offset_s: By how many seconds those are behind; 0 while they have them.
    """

    name: ClassVar[str] = "clock"
    parameters: ClassVar[tuple[str, ...]] = ("offset_s",)

    def __init__(self, service: int, instances: int, callers: tuple[int, ...]) -> None:
        super().__init__(service)
        self.callers = callers
        self.lost = (instances + 1) // 2
        self.offset_s = 0.0

    def copy(self) -> Component:
        """Return clocks in the same state."""
        twin = Clock(self.service, 0, self.callers)
        twin.lost = self.lost
        twin.offset_s = self.offset_s
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.offset_s = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `offset_s`, the seconds by which clocks without servers are behind."""
        self.offset_s += value

    def is_off(self, i: int) -> bool:
        """Whether an instance has lost its time servers."""
        return self.offset_s > 0.0 and i < self.lost

    @property
    def rejects(self) -> float:
        """The share of its requests that an instance rejects that has lost them."""
        over = self.offset_s - _LEEWAY_S
        return 0.0 if over <= 0.0 else 1.0 - exp(-over / _TOKEN_AGE_S)

    def prepare(self, mesh: Mesh) -> None:
        """Reject requests whose tokens seem to be from the future."""
        if self.offset_s <= _LEEWAY_S:
            return
        instances = mesh.instances[self.service]
        off = serving = 0
        for i in range(instances.count):
            if instances.serves(i, mesh.minute):
                serving += 1
                if i < self.lost:
                    off += 1
        if off == 0:
            return
        share = self.rejects * off / serving
        for number in self.callers:
            link = mesh.links[number]
            link.refused = 1.0 - (1.0 - link.refused) * (1.0 - share)
