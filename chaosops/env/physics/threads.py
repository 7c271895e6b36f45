"""Threads of instances: the workers, and those that are kept for peers, up to a limit.

An instance of a service whose instances talk to each other keeps a thread for each peer that it
has heard of, and one that gives none back keeps more with every deployment of its peers. At the
limit (`pids.max` of a container) the system starts no more threads: a request whose worker has to
be started is refused at once, while the workers that run go on. New instances hear of all peers
within a minute, so one more has as many threads as the others.

The front end of Kinesis kept a thread for each peer, and reached the operating system's limit when
capacity was added (AWS, November 2020). That a fifth of the limit above it refuses every request
is an assumption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.component import Component

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

LIMIT: Final = 2_048.0
_AT_REST: Final = 212.0
_ALL_REFUSED: Final = 0.2
_RAISE: Final = 2.0


class Threads(Component):
    """The threads of a service's instances, all of which have heard of the same peers.

    Attributes:
        limit: The most that an instance can have; `raised` is the factor of its raises.
        keeping: What an instance keeps for peers; `given_back` is what had been kept when the
            service was last restarted.
        refusing: The share of its requests that an instance refuses.
    """

    name: ClassVar[str] = "threads"
    parameters: ClassVar[tuple[str, ...]] = ("kept",)

    def __init__(self, service: int) -> None:
        super().__init__(service)
        self.limit = LIMIT
        self.raised = 1.0
        self.keeping = self.given_back = self.refusing = 0.0
        self.injected_kept = 0.0

    def copy(self) -> Component:
        """Return threads in the same state."""
        twin = Threads(self.service)
        twin.limit = self.limit
        twin.raised = self.raised
        twin.keeping = self.keeping
        twin.given_back = self.given_back
        twin.refusing = self.refusing
        twin.injected_kept = self.injected_kept
        return twin

    def reset_parameters(self) -> None:
        """Make the parameters neutral again."""
        self.injected_kept = 0.0

    def inject(self, parameter: str, value: float, link: int) -> None:
        """Inject `kept`: the threads that an instance keeps for peers since the onset."""
        self.injected_kept += value

    def prepare(self, mesh: Mesh) -> None:
        """Refuse requests on instances that have reached the limit."""
        if self.injected_kept <= 0.0:
            self.keeping = self.refusing = 0.0
            return
        kept = self.injected_kept - self.given_back
        self.keeping = kept if kept > 0.0 else 0.0
        self.limit = LIMIT * self.raised
        over = _AT_REST + self.keeping - self.limit
        refused = over / (_ALL_REFUSED * self.limit) if over > 0.0 else 0.0
        self.refusing = refused if refused < 1.0 else 1.0
        mesh.nodes[self.service].sound *= 1.0 - self.refusing

    @property
    def used(self) -> float:
        """How many threads an instance has."""
        wanted = _AT_REST + self.keeping
        return wanted if wanted < self.limit else self.limit

    def land(self, verb: ActionType, args: FrozenMap, mesh: Mesh) -> None:
        """End all threads on a restart or a rollback; raise the limit."""
        if verb in (ActionType.RESTART, ActionType.ROLLBACK):
            self.given_back = self.injected_kept
        elif verb is ActionType.RAISE_LIMIT and args.get("limit") == "threads":
            self.raised *= _RAISE
