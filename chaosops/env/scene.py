"""What instruments read: the state of the fleet, its last hour, and names."""

from __future__ import annotations

from typing import Final

from chaosops.env.causes import Cast, LiveCause
from chaosops.env.failing import failing_of
from chaosops.env.models import ActionType, AuditEvent, ChangeKind
from chaosops.env.models.readings import Mark
from chaosops.env.noise import around, uniform
from chaosops.env.physics.blueprint import Blueprint, ServiceTraits
from chaosops.env.physics.handles import Handles
from chaosops.env.physics.mesh import Mesh
from chaosops.env.physics.probes import Probes
from chaosops.env.samples import History
from chaosops.env.truth import Truth
from chaosops.env.world import World
from chaosops.scenarios.changes import DrawnChange, SettingName

_LONG_AGO: Final = -9_000
_HEX: Final = "0123456789abcdef"
_MARKS: Final = {
    ChangeKind.DEPLOY: "deploy",
    ChangeKind.CONFIG: "config",
    ChangeKind.FLAG: "flag",
    ChangeKind.MIGRATION: "migration",
}


class Scene:
    """The fleet as instruments see it. They only read it.

    Attributes:
        world: The state of the fleet.
        history: The last hour.
        truth: What was drawn, which has names and texts for readings.
        quiet: For each service, the minute until which a fix has emptied the
            sessions, holders and heaps.
        acts: What automation did so far, oldest first.
    """

    def __init__(self, world: World, history: History, truth: Truth, seed: int) -> None:
        self.world = world
        self.history = history
        self.truth = truth
        self.seed = seed
        self.quiet = [-9999] * len(world.mesh.nodes)
        self.acts: tuple[AuditEvent, ...] = ()

    def copy(self, world: World, history: History) -> Scene:
        """Return the same scene of a forked world."""
        twin = Scene(world, history, self.truth, self.seed)
        twin.quiet, twin.acts = self.quiet.copy(), self.acts
        return twin

    @property
    def minute(self) -> int:
        """Minutes since the page."""
        return self.world.minute

    @property
    def mesh(self) -> Mesh:
        """The physical state."""
        return self.world.mesh

    @property
    def blueprint(self) -> Blueprint:
        """The constants of the fleet."""
        return self.world.mesh.blueprint

    def traits(self, service: int) -> ServiceTraits:
        """A service as in the topology."""
        return self.blueprint.services[service]

    def chance(self, key: int, minute: int | None = None) -> float:
        """Return a seeded number from 0 up to 1 for a key, at this or another minute."""
        return uniform(self.seed, self.minute if minute is None else minute, key)

    def shaken(self, value: float, share: float, key: int, minute: int | None = None) -> float:
        """Return a value with noise."""
        at = self.minute if minute is None else minute
        return value * (1.0 + share * around(self.seed, at, key))

    def instance(self, service: int, i: int) -> str:
        """Return the name of an instance, which changes with a restart."""
        born = self.mesh.instances[service].born[i]
        roll = int(uniform(self.seed, born, 9_000 + 50 * service + i) * 65_536)
        digits = "".join(_HEX[roll >> shift & 15] for shift in (12, 8, 4, 0))
        return f"{self.traits(service).name}-{digits}"

    def instances(self, service: int) -> list[str]:
        """Return the names of its instances, in the order of the tables."""
        count = self.mesh.instances[service].count
        return [self.instance(service, i) for i in range(count)]

    def live(self, service: int) -> list[LiveCause]:
        """Return the live causes at a service or at a call that it makes."""
        return [
            cause
            for cause in self.world.causes
            if cause.is_live(self.minute) and service in (cause.cast.place, cause.cast.caller)
        ]

    def started(self, service: int, i: int) -> int | None:
        """Return the minute in which an instance was started; None if that is days ago.

        Changes that replace the instances do so one a minute; a deploy bot's and a rollout's
        do it step by step.
        """
        instances = self.mesh.instances[service]
        born = instances.born[i]
        started = born if born > _LONG_AGO else None
        bots = {controller.agent for controller in self.world.controllers}
        rollout = self._rollout(service)
        for change in self.changes(service, _LONG_AGO):
            if not change.restarts or change.author in bots:
                continue
            if rollout is not None and change.version == rollout.version:
                if instances.build[i] > 0 or instances.config[i] > 0:
                    started = max(started or _LONG_AGO, self._reached(rollout, service, i))
            elif change.minute + i <= self.minute:
                started = max(started or _LONG_AGO, change.minute + i)
        return started

    def usual_age_h(self, i: int) -> int:
        """Return the age in hours of an instance that nothing has started since."""
        return 30 + int(self.chance(7_000 + i, -1) * 90)

    def _rollout(self, service: int) -> Cast | None:
        """Return the cause that is being rolled out there, if any."""
        for cause in self.live(service):
            if cause.cast.cause.course.rollout is not None and cause.cast.place == service:
                return cause.cast
        return None

    def _reached(self, cast: Cast, service: int, i: int) -> int:
        """Return the minute in which a rollout reached an instance."""
        rollout = cast.cause.course.rollout
        count = self.mesh.instances[service].count
        for start, share in rollout.steps if rollout is not None else ():
            if i < int(share * count + 0.999):
                return max(start, cast.onset)
        return cast.onset

    def build(self, service: int, i: int) -> str:
        """Return the build that an instance runs: the newest when it was started."""
        rollout = self._rollout(service)
        carries = rollout is not None and self.mesh.instances[service].build[i] > 0
        if carries and rollout is not None:
            return rollout.version
        started = self.started(service, i)
        bots = {controller.agent for controller in self.world.controllers}
        build = f"r{400 + int(self.chance(7_200 + service, -1) * 500)}"
        for change in self.changes(service, _LONG_AGO):
            since = self.mesh.instances[service].born[i] if change.author in bots else started
            if (
                change.kind is ChangeKind.DEPLOY
                and since is not None
                and change.minute <= since
                and (rollout is None or change.version != rollout.version)
                and not self._is_rolled_back(change)
                and not self._is_rolled_back_on(change, service, i)
            ):
                build = change.version
        return build

    def failing_of(self, service: int) -> list[float]:
        """Return the share of its requests that each instance failed in the last minute."""
        return failing_of(self.mesh, service, self.minute)

    def is_ready(self, service: int, i: int) -> bool:
        """Whether an instance gets requests at this moment."""
        instances = self.mesh.instances[service]
        if not instances.serves(i, self.minute):
            return False
        probes = self.mesh.part(service, "probes")
        return not (isinstance(probes, Probes) and probes.is_out(i, self.minute, instances.count))

    def is_ejected(self, service: int, i: int) -> bool:
        """Whether the load balancer sends nothing to an instance."""
        return self.mesh.instances[service].ejected[i] > self.minute

    def busy_of(self, service: int, i: int) -> float:
        """Return the CPU utilization of an instance, from 0 to 1, before noise."""
        busy = self.mesh.nodes[service].busy
        handles = self.mesh.part(service, "handles")
        if isinstance(handles, Handles):
            busy = handles.busy_of(i, busy)
        return busy if busy < 1.0 else 1.0

    def is_quiet(self, service: int) -> bool:
        """Whether a fix has emptied what its internals would show."""
        return self.minute < self.quiet[service]

    def fill(self, text: str, minute: int, key: int) -> str:
        """Fill names into a text; process ids differ from line to line."""
        if "{" not in text:
            return text
        rolls = {
            "pid": 2_000 + int(self.chance(key, minute) * 29_000),
            "other_pid": 2_000 + int(self.chance(key + 1, minute) * 29_000),
            "xid": 800_000 + int(self.chance(key + 2, minute) * 99_000),
            "ms": 80 + int(self.chance(key + 3, minute) * 900),
            "waiting": 4 + int(self.chance(key + 4, minute) * 60),
        }
        for name, roll in rolls.items():
            text = text.replace(f"{{{name}}}", str(roll))
        for name, word in self.truth.words:
            text = text.replace(f"{{{name}}}", word)
        return text

    def changes(self, service: int, since: int) -> list[DrawnChange]:
        """Return the changes of a service since a minute, oldest first."""
        name = self.traits(service).name
        return [
            change
            for change in self.truth.changes
            if change.service == name and since <= change.minute <= self.minute
        ]

    def setting(self, service: int, name: SettingName) -> float | None:
        """Return what the newest change of a setting there set; None if none did.

        A change behind a cause no longer counts once it was rolled back.
        """
        value: float | None = None
        for change in self.changes(service, -9_999):
            if self._is_rolled_back(change):
                continue
            for key, number in change.sets:
                if key is name:
                    value = number
        return value

    def _is_rolled_back(self, change: DrawnChange) -> bool:
        return any(
            cause.cast.version == change.version
            and self.minute >= cause.cleared
            and any(move.action is ActionType.ROLLBACK for move in cause.cast.cause.clears)
            for cause in self.world.causes
        )

    def _is_rolled_back_on(self, change: DrawnChange, service: int, i: int) -> bool:
        """Whether a change was rolled back on that instance alone."""
        return i in self.mesh.instances[service].spared and any(
            cause.cast.version == change.version and cause.spared_at == service
            for cause in self.world.causes
        )

    def marks(self, service: int) -> tuple[Mark, ...]:
        """Return the marks of a service within the hour of a chart."""
        name = self.traits(service).name
        found = [
            Mark(change.minute, _MARKS[change.kind], change.version)
            for change in self.changes(service, self.history.first)
        ]
        found += [
            Mark(act.minute, "automation", f"{act.agent}: {act.act}")
            for act in self.acts
            if act.target == name and self.history.first <= act.minute <= self.minute
        ]
        return tuple(sorted(found))
