"""Users: they retry what failed, and leave if it keeps failing.

Of those that fail, a third reload within the minute, so load grows by up to a third just when there
is no room for it (1.2 to 2 times the load was seen in practice). Users leave by and by, up to half
of them (53 % of mobile visits leave after 3 s: Google 2016), and come back, a tenth of the missing
each minute, once it works.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

_RELOAD: Final = 1.0 / 3.0
_LEAVE: Final = 0.04
_MOST_LEAVE: Final = 0.5
_RETURN: Final = 0.1
_FOLLOWS: Final = 0.5
_CALMED: Final = 2.0 / 3.0


class People(Component):
    """The users of an entry.

    Attributes:
        away: Share of them that has left.
        reloading: Share of requests that are made again.
        calm_until: The minute until which a third fewer reload.
    """

    name: ClassVar[str] = "people"
    parameters: ClassVar[tuple[str, ...]] = ("demand",)

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.away = self.reloading = 0.0
        self.calm_until = -9999
        self.injected_demand = 1.0

    def copy(self) -> Component:
        """Return users in the same state."""
        twin = People(self.service)
        twin.away = self.away
        twin.reloading = self.reloading
        twin.calm_until = self.calm_until
        twin.injected_demand = self.injected_demand
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_demand = 1.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `demand`, a factor of the user requests."""
        self.injected_demand *= value

    def prepare(self, mesh: Mesh) -> None:
        """Let users reload and leave."""
        node = mesh.nodes[self.service]
        node.injected_demand *= self.injected_demand * (1.0 - self.away) * (1.0 + self.reloading)

    def settle(self, mesh: Mesh) -> None:
        """Note the results of the minute."""
        failing = 1.0 - mesh.nodes[self.service].ok
        again = _RELOAD * failing
        wanted = again * _CALMED if mesh.minute < self.calm_until else again
        self.reloading += _FOLLOWS * (wanted - self.reloading)
        self.away += _LEAVE * failing * (_MOST_LEAVE - self.away) / _MOST_LEAVE
        if failing < 0.02:
            self.away -= _RETURN * self.away
