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
