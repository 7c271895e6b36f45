"""Stored objects that an application serves: pictures, receipts, templates.

A request for an object that was deleted fails on every instance and in every try. Instances that
have run for long still hold copies of some: a quarter of what is missing is served from them (an
assumption). What is started has none, so each restart makes it worse (Travis CI 2016: images that a
cleanup removed were only missed where hosts were new).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

STORED: Final = 640_000.0
"""Objects of an application on an ordinary day."""

_HELD: Final = 0.25
_RESTARTS: Final = (ActionType.RESTART, ActionType.ROLLBACK)


class Objects(Component):
    """The stored objects of an application.

    Attributes:
        missing: Share of its requests that ask for an object that was deleted.
        held: Share of those that instances still hold a copy of.
        failing: Share of its requests that failed for it in the last minute.
        deleted: Objects that were deleted so far.
    """

    name: ClassVar[str] = "objects"
    parameters: ClassVar[tuple[str, ...]] = ("missing",)

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.missing = self.failing = self.deleted = 0.0
        self.held = _HELD

    def copy(self) -> Component:
        """Return objects in the same state."""
        twin = Objects(self.service)
        twin.missing = self.missing
        twin.held = self.held
        twin.failing = self.failing
        twin.deleted = self.deleted
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.missing = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `missing`, the share of requests that ask for a deleted object."""
        self.missing = min(1.0, self.missing + value)

    def prepare(self, mesh: Mesh) -> None:
        """Let requests fail for objects that nobody has any more."""
        if self.missing <= 0.0:
            self.failing = 0.0
            return
        self.failing = self.missing * (1.0 - self.held)
        mesh.nodes[self.service].keeps *= 1.0 - self.failing

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """Lose the copies that instances hold when they are started anew."""
        if verb in _RESTARTS:
            self.held = 0.0

    def land_on_one(self, verb: ActionType, i: int, mesh: Mesh) -> None:
        """Lose the copies that one instance holds."""
        self.held *= 1.0 - 1.0 / mesh.instances[self.service].count
