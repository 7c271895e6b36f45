"""The base class of controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ControllerAct

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

NEVER: Final = -9999
REPORTS_EVERY: Final = 30
LAPSES_AFTER: Final = 8


class Controller:
    """An automation agent that acts on the fleet by its policy.

    It keeps numbers only and refers to services by number, so that `copy` copies numbers.

    Attributes:
        agent: The agent's name.
        phase: The minute of each half hour in which it reports that it holds.
    """

    def __init__(self, agent: str, phase: int) -> None:
        self.agent = agent
        self.phase = phase

    def copy(self) -> Controller:
        """Return a controller in the same state."""
        raise NotImplementedError

    def act(self, mesh: Mesh, minute: int, acts: list[ControllerAct]) -> None:
        """Act on what the last minute left, and add what it did to `acts`."""
        raise NotImplementedError

    def stand_by(self, mesh: Mesh, minute: int) -> None:
        """Spend a minute in which it is paused."""

    def reports(self, minute: int) -> bool:
        """Whether it reports in this minute that it holds."""
        return (minute - self.phase) % REPORTS_EVERY == 0


class Scope:
    """What a controller of services works on, and where its policy was edited.

    Attributes:
        agent: The agent's name.
        phase: The minute of each half hour in which it reports that it holds.
        services: Numbers of the services.
        parts: For each of them, the index of the component that it needs; empty if it needs none.
        place: Number of the one service to which an edited policy applies; -1 for none.
        since: The minute from which that is so.
    """

    __slots__ = ("agent", "parts", "phase", "place", "services", "since")

    def __init__(
        self,
        agent: str,
        phase: int,
        services: tuple[int, ...],
        parts: tuple[int, ...],
        place: int,
        since: int,
    ) -> None:
        self.agent = agent
        self.phase = phase
        self.services = services
        self.parts = parts
        self.place = place
        self.since = since


class ServiceController(Controller):
    """A controller of services, whose policy may be edited for one of them."""

    def __init__(self, scope: Scope) -> None:
        super().__init__(scope.agent, scope.phase)
        self.scope = scope
        self.services = scope.services
        self.parts = scope.parts
        self.place = scope.place
        self.since = scope.since

    def is_edited(self, service: int, minute: int) -> bool:
        """Whether the edited policy applies to a service in a minute."""
        return service == self.place and minute >= self.since
