"""Causes that were cast, and their current state: hidden, live, eased or cleared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from chaosops.env.injection import ActiveEffect, part_number
from chaosops.env.models import ActionType, FrozenMap
from chaosops.env.physics.certificate import Certificate
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.zones import Zones
from chaosops.scenarios.cause import At, Cause, CauseMove, RolledOut
from chaosops.scenarios.following import LASTING_CURES, When
from chaosops.scenarios.schema import Bound, has_args

NEVER: Final = 1_000_000


class CurvePoint(NamedTuple):
    """The magnitude of a cause at a minute."""

    minute: int
    magnitude: float


class Follow(NamedTuple):
    """What a cause waits for that follows another one.

    Attributes:
        leader: The number of the cause that it follows, among those of the episode.
        by: The verbs that set it off; empty for any that clears that cause.
        on: The number of the service on which such an action has to land, for `landed`.
        args: The arguments that it must have.
        after: Minutes from then to its onset.
        next_zone: Whether it is about the zone next to the one that was drawn.
    """

    leader: int
    when: When
    by: tuple[ActionType, ...]
    on: int
    args: Mapping[str, int | Bound | str]
    after: int
    next_zone: bool


class Cast(NamedTuple):
    """A cause at a place, with its magnitude: what is true in an episode.

    Attributes:
        place, caller, entry, store, consumer, cache: Numbers of services; `caller` is -1 if the
            cause has none, `store` where the place keeps no connections, `consumer` where it hands
            on no messages, and `cache` where none is asked before it.
        link: The number of the caller's call to the place, or -1.
        onset: The minute it begins in; `NEVER` while it waits for something.
        points: Its magnitude over time, sorted by minute; the last one stays.
        version: The change that has to be rolled back to clear it; empty if any will do.
        hard_at: The minute of the hard step if nobody stops the cause.
        hard_rate: What is injected each minute into the parameter of the hard step.
        start: The minute that its course takes for that of the page.
        follow: What it waits for; None if it is the first cause.
    """

    cause: Cause
    place: int
    caller: int
    entry: int
    link: int
    onset: int
    points: tuple[CurvePoint, ...]
    hard_at: int
    hard_rate: float
    store: int = -1
    version: str = ""
    consumer: int = -1
    cache: int = -1
    start: int = 0
    follow: Follow | None = None

    def begun(self, minute: int) -> Cast:
        """Return it with an onset in that minute, from which its course is the same as ever."""
        later = minute - self.points[0].minute
        points = tuple([point._replace(minute=point.minute + later) for point in self.points])
        return self._replace(onset=minute, points=points, start=self.start + later)

    def service(self, at: At) -> int:
        """Return the number of the service with a part in the cause."""
        if at is At.PLACE:
            return self.place
        if at is At.CALLER:
            return self.caller
        if at is At.CONSUMER:
            return self.consumer
        if at is At.CACHE:
            return self.cache
        return self.entry if at is At.ENTRY else self.store

    def sites(self) -> tuple[int, ...]:
        """Return the services where it may be said to be: its place, and where it is cleared."""
        cleared = {self.service(move.at) for move in self.cause.clears}
        return tuple(sorted({self.place, *cleared} - {-1}))


class LiveCause:
    """A cause in an episode.

    Attributes:
        cast: What it is, and where.
        cleared: The minute in which it was cleared, `NEVER` while it is live.
        cleared_by: The verb that cleared it; None while it is live.
        returns: The minute in which it comes back, `NEVER` if it doesn't.
        remains: The share of its effects that is left until `eased_until`.
        spared_at: The service of which single instances are rid of it; -1 for none.
    """

    __slots__ = (
        "_effects",
        "_hard",
        "cast",
        "cleared",
        "cleared_by",
        "eased_until",
        "remains",
        "returns",
        "spared_at",
    )

    def __init__(self, cast: Cast, effects: list[ActiveEffect], hard: int) -> None:
        self.cast = cast
        self._effects = effects
        self._hard = hard
        self.cleared = NEVER
        self.cleared_by: ActionType | None = None
        self.returns = NEVER
        self.eased_until = -NEVER
        self.remains = 1.0
        self.spared_at = -1

    @classmethod
    def of(cls, cast: Cast, mesh: Mesh) -> LiveCause:
        """Resolve a cause in a fleet.

        Raises:
            ValueError: The service has no such component, or that has no such parameter.
        """
        hard = cast.cause.course.hard
        number = -1 if hard is None else part_number(mesh, cast.service(hard.at), hard.part)
        return cls(
            cast, [ActiveEffect(effect, cast, mesh) for effect in cast.cause.effects], number
        )

    def copy(self) -> LiveCause:
        """Return a cause in the same state."""
        twin = LiveCause(self.cast, self._effects, self._hard)
        twin.cleared = self.cleared
        twin.cleared_by = self.cleared_by
        twin.returns = self.returns
        twin.eased_until = self.eased_until
        twin.remains = self.remains
        twin.spared_at = self.spared_at
        return twin

    def is_live(self, minute: int) -> bool:
        """Whether it has begun and has not been cleared."""
        return self.cast.onset <= minute < self.cleared

    def is_ahead(self, minute: int) -> bool:
        """Whether it follows something and may still begin."""
        return minute < self.cast.onset and self.cleared == NEVER

    def is_due(self, minute: int) -> bool:
        """Whether what it waits for has happened, and it begins in a later minute."""
        return minute < self.cast.onset < NEVER and self.cleared == NEVER

    def is_gone(self, paused: frozenset[str]) -> bool:
        """Whether it was live and is cleared for good."""
        return self.cleared < NEVER and self.returns == NEVER and not self.is_kept_up(paused)

    def watch(self, leader: LiveCause, minute: int, paused: frozenset[str]) -> None:
        """Begin or stay away for good, once the cause that it follows is cleared."""
        follow = self.cast.follow
        if follow is None or not self.is_ahead(minute) or not leader.is_gone(paused):
            return
        if follow.when is When.UNCLEARED:
            self.cleared = minute
        elif follow.when is When.CLEARED and not self.is_due(minute):
            if not follow.by or leader.cleared_by in follow.by:
                self.cast = self.cast.begun(minute + follow.after)
            else:
                self.cleared = minute

    def hear(self, verb: ActionType, service: int, args: FrozenMap, minute: int) -> bool:
        """Begin if it waits for that action to land; return whether it does."""
        follow = self.cast.follow
        if follow is None or follow.when is not When.LANDED or verb not in follow.by:
            return False
        waits = self.cast.onset == NEVER == self.cleared
        if not waits or service != follow.on or not has_args(follow.args, args):
            return False
        self.cast = self.cast.begun(minute + follow.after)
        return True

    def choose_zone(self, mesh: Mesh, minute: int) -> None:
        """Let the zones of its place be about the next one, from its onset on."""
        follow = self.cast.follow
        if follow is None or not follow.next_zone or minute != self.cast.onset:
            return
        zones, instances = mesh.part(self.cast.place, "zones"), mesh.instances[self.cast.place]
        if not isinstance(zones, Zones):
            return
        for step in range(1, zones.count):
            zone = (zones.hot + step) % zones.count
            if zone in instances.zone:
                zones.hot = zone
                return

    def magnitude(self, minute: int) -> float:
        """Return its magnitude at a minute, mitigations included."""
        cast = self.cast
        if not cast.onset <= minute < self.cleared:
            return 0.0
        pause = cast.cause.course.pause
        if pause is not None and pause[0] <= minute - cast.start < pause[0] + pause[1]:
            return 0.0
        strength = magnitude_at(cast.points, minute)
        return strength * self.remains if minute < self.eased_until else strength

    def is_kept_up(self, paused: frozenset[str]) -> bool:
        """Whether a running agent brings it back whenever it is cleared."""
        agent = self.cast.cause.agent
        return agent is not None and agent not in paused

    def resume(self, agent: str, place: int, mesh: Mesh) -> None:
        """Come back if it was cleared and this agent's act at its place is what it is."""
        if agent == self.cast.cause.agent and place == self.cast.place:
            self.cleared = self.returns = NEVER
            self.cleared_by = None
            self._spare_none(mesh)

    def _spare_none(self, mesh: Mesh) -> None:
        if self.spared_at >= 0:
            mesh.instances[self.spared_at].spare_none()
            self.spared_at = -1

    def apply(self, mesh: Mesh, minute: int) -> None:
        """Inject its effects for this minute."""
        if minute >= self.returns:
            self.cleared = self.returns = NEVER
            self.cleared_by = None
        if self.cast.follow is not None:
            self.choose_zone(mesh, minute)
        rollout = self.cast.cause.course.rollout
        if rollout is not None and rollout.steps and self.cast.onset <= minute < self.cleared:
            instances = mesh.instances[self.cast.place]
            share = before = 0.0
            for start, reached in rollout.steps:
                if minute >= start:
                    before, share = share, reached
            instances.roll_out(share, is_build=rollout.of is RolledOut.BUILD)
            if share < before:
                instances.keep_rolled_out(share, is_build=rollout.of is RolledOut.BUILD)
        if self.cast.cause.blocks_capacity and self.cast.onset <= minute < self.cleared:
            mesh.instances[self.cast.place].is_blocked = True
        strength = self.magnitude(minute)
        if strength <= 0.0:
            return
        age = minute - self.cast.onset
        spared = 0.0 if self.spared_at < 0 else mesh.instances[self.spared_at].spared_share
        for effect in self._effects:
            if age >= effect.after and effect.is_due(minute):
                left = 1.0 - spared if effect.is_by_share else 1.0
                effect.apply(mesh, strength * left)
        hard = self.cast.cause.course.hard
        since = minute - self.cast.start
        if since >= 0 and hard is not None:
            full = magnitude_at(self.cast.points, minute)
            share = strength / full if full > 0.0 else 1.0
            # Slow at first and faster later: the sum over all minutes up to it is the rate's.
            share *= (2.0 * since + 1.0) / self.cast.hard_at
            mesh.parts[self._hard].inject(hard.parameter, self.cast.hard_rate * share, -1)

    def land(
        self,
        verb: ActionType,
        service: int,
        args: FrozenMap,
        minute: int,
        mesh: Mesh,
        paused: frozenset[str],
        version: str,
    ) -> bool:
        """Let an action clear or ease it; return whether it cleared it for good.

        One whose effect lasts also prevents a cause that it would clear and that is yet to begin.

        Args:
            paused: The paused agents.
            version: The version that a rollback takes back.
        """
        cast = self.cast
        if not self.is_live(minute):
            if not self.is_ahead(minute) or verb not in LASTING_CURES:
                return False
            if self.move_that_clears(verb, service, args, version) is None:
                return False
            self.cleared, self.cleared_by = minute, verb
            return True
        cure = self.move_that_clears(verb, service, args, version)
        if cure is not None:
            self.cleared, self.cleared_by = minute, verb
            if cast.cause.course.rollout is not None:
                mesh.instances[cast.place].take_back()
            self._spare_none(mesh)
            self.returns = NEVER if cure.returns is None else minute + cure.returns
            return self.returns == NEVER and not self.is_kept_up(paused)
        for move in cast.cause.eases:
            if matches(move, cast, verb, service, args) and move.remains < 1.0:
                self.remains = move.remains
                self.eased_until = NEVER if move.minutes is None else minute + move.minutes
        return False

    def land_on_one(
        self,
        verb: ActionType,
        service: int,
        i: int,
        args: FrozenMap,
        minute: int,
        mesh: Mesh,
        version: str,
    ) -> bool:
        """Rid one instance of it, where it sits on instances and the verb clears it for all.

        It is cleared once that was done for every instance that has it. Returns whether the
        instance is rid of it.

        Args:
            version: The version that a rollback takes back.
        """
        if not self.is_live(minute):
            return False
        cure = self.move_that_clears(verb, service, args, version)
        on_instances = any(effect.is_own or effect.is_by_share for effect in self._effects)
        if cure is None or cure.returns is not None or not on_instances:
            return False
        self.spared_at = service
        mesh.instances[service].spare(i)
        if not self._has_any_left(service, mesh):
            self.cleared, self.cleared_by = minute, verb
            if self.cast.cause.course.rollout is not None:
                mesh.instances[self.cast.place].take_back()
            self._spare_none(mesh)
        return True

    def _has_any_left(self, service: int, mesh: Mesh) -> bool:
        """Whether an instance is left that has it, or that a rollout will still reach."""
        for effect in self._effects:
            part = mesh.parts[effect.part] if effect.part >= 0 else None
            if effect.is_own and isinstance(part, Certificate):
                return not part.is_loaded
        instances = mesh.instances[service]
        rollout = self.cast.cause.course.rollout
        reached = 1.0
        if rollout is not None and rollout.steps and service == self.cast.place:
            reached = max([share for _minute, share in rollout.steps])
        return any(i not in instances.spared for i in range(int(reached * instances.count + 0.999)))

    def move_that_clears(
        self, verb: ActionType, service: int, args: FrozenMap, version: str
    ) -> CauseMove | None:
        """Return what the cause's file says of an action that clears it; None if it doesn't."""
        cast = self.cast
        if verb is ActionType.ROLLBACK and cast.version not in ("", version):
            return None
        for move in cast.cause.clears:
            if matches(move, cast, verb, service, args):
                return move
        return None


def magnitude_at(points: tuple[CurvePoint, ...], minute: int) -> float:
    """Interpolate the magnitude linearly between the points."""
    if not points or minute < points[0].minute:
        return 0.0
    before = points[0]
    for point in points:
        if point.minute > minute:
            span = point.minute - before.minute
            part = (minute - before.minute) / span
            return before.magnitude + (point.magnitude - before.magnitude) * part
        before = point
    return before.magnitude


def matches(move: CauseMove, cast: Cast, verb: ActionType, service: int, args: FrozenMap) -> bool:
    """Whether an action is this move."""
    return verb is move.action and service == cast.service(move.at) and has_args(move.args, args)
