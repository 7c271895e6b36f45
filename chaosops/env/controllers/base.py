"""The base class of controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed

if TYPE_CHECKING:
    from chaosops.env.physics.mesh import Mesh

NEVER: Final = -9999
LAPSES_AFTER: Final = 8


OPEN_FOR: Final = 12
"""Minutes for which a request that was drawn stays open: three turns of a seat."""

_ROOM: Final = 0.75
_MOST_ERRORS: Final = 0.5
_LEAST_REACH: Final = 0.05


class RequestDraft:
    """A request that an agent will make.

    Attributes:
        agent: The agent's name.
        minute: When it makes it.
        services: Numbers of the services that it may be about; the first that fits is.
        is_flawed: Whether it is one that does harm if it is granted.
        release: Number of the release that a deploy bot asks for; -1 for none.
    """

    __slots__ = ("agent", "is_flawed", "minute", "release", "services")

    def __init__(
        self,
        agent: str,
        minute: int,
        services: tuple[int, ...],
        is_flawed: bool,
        release: int,
    ) -> None:
        self.agent = agent
        self.minute = minute
        self.services = services
        self.is_flawed = is_flawed
        self.release = release


class Strain:
    """What an answer breaks at a service for some minutes.

    Attributes:
        broken: Share of its requests that fail in every try.
    """

    __slots__ = ("broken", "minutes", "service")

    def __init__(self, mesh: Mesh, service: int, users: float, minutes: int) -> None:
        """Let a share of all user requests fail there, as far as users depend on it."""
        self.service = service
        self.minutes = minutes
        reach = mesh.blueprint.services[service].reach
        share = users / (reach if reach > _LEAST_REACH else _LEAST_REACH)
        self.broken = share if share < _MOST_ERRORS else _MOST_ERRORS


class Controller:
    """An automation agent that acts on the fleet by its policy.

    It keeps numbers only and refers to services by number, so that `copy` copies numbers.

    Attributes:
        agent: The agent's name.
        phase: A number by which agents differ in when they request what, and how much of it.
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

    def draft(self, mesh: Mesh, draft: RequestDraft) -> ControllerAct | None:
        """Return the request that is drawn for this minute; None if there is no reason for it."""
        return None

    def carry_out(self, mesh: Mesh, minute: int, act: ControllerAct) -> Strain | None:
        """Do what was granted; return what breaks by it, if anything does."""
        return None

    def request(
        self,
        minute: int,
        service: int,
        deed: Deed,
        counts: tuple[int, int],
        reason: ActReason,
        value: int,
        is_needed: bool = False,
    ) -> ControllerAct:
        """Return a drawn request for an act.

        Args:
            counts: What is there before the act and after it.
            value: What the reason is about.
        """
        return ControllerAct(
            minute,
            self.agent,
            deed,
            service,
            counts[0],
            counts[1],
            reason,
            value,
            status=ActStatus.REQUESTED,
            share=100,
            lapses=minute + OPEN_FOR,
            read=minute - 1,
            is_needed=is_needed,
        )


class Scope:
    """What a controller of services works on, and where its policy was edited.

    Attributes:
        agent: The agent's name.
        phase: As a controller's.
        services: Numbers of the services.
        parts: For each of them, the index of the component that it needs; empty if it needs none.
        place: Number of the one service to which an edited policy applies; -1 for none.
        since: The minute from which that is so.
        rounds: For each minute in which it goes through services, their numbers in order; the first
            at which its policy has something to do is the one that it works on.
    """

    __slots__ = ("agent", "parts", "phase", "place", "rounds", "services", "since")

    def __init__(
        self,
        agent: str,
        phase: int,
        services: tuple[int, ...],
        parts: tuple[int, ...],
        place: int,
        since: int,
        rounds: dict[int, tuple[int, ...]],
    ) -> None:
        self.agent = agent
        self.phase = phase
        self.rounds = rounds
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

    def round(self, minute: int) -> tuple[int, ...]:
        """Return the indices of the services that it goes through by its written policy."""
        order = self.scope.rounds.get(minute)
        if order is None:
            return ()
        return tuple(
            [
                self.services.index(service)
                for service in order
                if service in self.services and not self.is_edited(service, minute)
            ]
        )


def with_room(mesh: Mesh, services: tuple[int, ...]) -> int:
    """Return the first of some services that can spare an instance; -1 if none can."""
    for service in services:
        n = mesh.instances[service].count
        if n >= 3 and mesh.nodes[service].busy * n <= _ROOM * (n - 1):
            return service
    return -1
