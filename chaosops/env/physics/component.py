"""The base class of components: parts of a service with their own state."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from chaosops.env.models import ActionType, FrozenMap

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh


class Component:
    """A part of one service, such as its pool, its disk or its locks.

    Each minute, `prepare` is called for all components, then requests flow through the fleet,
    then `settle` is called for all. `prepare` computes what the service can do, from what the last
    minute left: it writes the node of its service, and the links of its calls or its callers.
    `settle` reads what the minute did, and updates the state.

    A component refers to services and calls by number and keeps no object of the fleet, so that
    `copy` copies numbers. Causes inject faults through its `parameters`; `reset_parameters` makes
    them neutral again before each minute.

    Attributes:
        name: Its name in cause files; a service has at most one component of a name.
        parameters: Names of what causes may inject faults into.
        service: Number of the service it belongs to.
    """

    name: ClassVar[str] = ""
    parameters: ClassVar[tuple[str, ...]] = ()

    def __init__(self, service: int) -> None:
        self.service = service

    def copy(self) -> Component:
        """Return a component in the same state."""
        raise NotImplementedError

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Combine a value with a parameter for this minute.

        Args:
            link: The call that it is for if the parameter is kept for each caller; else -1.
        """
        raise NotImplementedError

    def prepare(self, mesh: Mesh) -> None:
        """Compute what the service can do in the coming minute."""

    def settle(self, mesh: Mesh) -> None:
        """Update the state with the results of the minute."""

    def fullness(self) -> float:
        """Return how full it is, in percent; 0 if it can't fill up."""
        return 0.0

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """React to an action that lands on the service."""

    def land_on_one(self, verb: ActionType, i: int, mesh: Mesh) -> None:
        """React to a restart or a rollback of one instance, as far as each has a state of its own.

        What the instances share is untouched.
        """
