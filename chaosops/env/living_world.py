"""The world of an incident: a fleet that changes, and what can be seen of it."""

from __future__ import annotations

import hashlib
from collections import deque
from typing import Final

from chaosops.env.agent_requests import AgentRequests, builds_of, drafts_of
from chaosops.env.alerting import Alerting
from chaosops.env.automation import Automation
from chaosops.env.causes import Cast, LiveCause
from chaosops.env.controllers.registry import new_controllers
from chaosops.env.controllers.requests import Requests
from chaosops.env.faring import Faring
from chaosops.env.in_force import now_in_force
from chaosops.env.incident_world import IncidentWorld, given
from chaosops.env.injection import RedHerring
from chaosops.env.instruments import automation as audit
from chaosops.env.instruments import changes, config, logs, metrics, network, runtime, traces
from chaosops.env.judgement import Judge, judge
from chaosops.env.landing_samples import (
    InstanceSample,
    measure_one,
    measured_of,
    measured_on_one,
)
from chaosops.env.models import (
    EMPTY,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Finding,
    FrozenMap,
    InFlight,
    Journey,
    Landing,
    LogLine,
    ServiceKind,
    ServiceSignals,
    SignalRows,
    Source,
    Ticket,
)
from chaosops.env.models.readings import Part, Reading
from chaosops.env.models.scope import DRAINS_FOR, instance_number
from chaosops.env.models.updates import CauseFamily, families_of
from chaosops.env.models.verbs import FIXES, minutes_in_flight
from chaosops.env.physics.partitions import Partitions
from chaosops.env.physics.people import People
from chaosops.env.physics.shard import Shards
from chaosops.env.physics.zones import Zones
from chaosops.env.samples import HOUR, History, ServiceSample, measure
from chaosops.env.scene import Scene
from chaosops.env.symptoms import Symptoms
from chaosops.env.topology_context import TopologyContext
from chaosops.env.world import World
from chaosops.scenarios.scenario import Scenario

_SIGNALS_KEPT: Final = 30
_LANDED_KEPT: Final = 20
_EARLIER: Final = 14
_MINUTES_A_DAY: Final = 24 * 60
_QUIET: Final = 8
_APP_TIER: Final = frozenset({ServiceKind.EDGE, ServiceKind.APP})
_EMPTIES: Final = frozenset({ActionType.RESTART, ActionType.FAILOVER, ActionType.TERMINATE})

_LOOKS: Final = {
    Source.METRICS: metrics.look,
    Source.LOGS: logs.look,
    Source.TRACES: traces.look,
    Source.RUNTIME: runtime.look,
    Source.NETWORK: network.look,
    Source.CHANGES: changes.look,
    Source.CONFIG: config.look,
}

_CAPTIONS: Final = {
    Source.METRICS: "{n} charts of {target} over the last hour",
    Source.LOGS: "log lines of {target} over the last minutes",
    Source.TRACES: "sampled requests through {target}",
    Source.RUNTIME: "{n} runtime tables of {target}",
    Source.NETWORK: "probes to {target} from every zone",
    Source.CHANGES: "{n} changes of {target} in the last four hours",
    Source.CONFIG: "what the instances of {target} have loaded",
    Source.AUTOMATION: "the policy of {target} and what it did",
}
"""The caption of a finding, whatever it shows."""


class LivingWorld(IncidentWorld):
    """The world of one episode.

    Attributes:
        wrong_items: The wrong actions that landed in this minute.
        cascading: Those of them that set off another cause.
        asked: What the automation asks Oversight for.
        faring: How users fare where they come in.
    """

    def __init__(
        self, scenario: Scenario, context: TopologyContext, original: LivingWorld | None = None
    ) -> None:
        """Start at the minute of the page.

        Args:
            original: A world whose state it takes instead.
        """
        incident = scenario.incident
        self.scenario = scenario
        self.topology = scenario.topology
        self.context = context
        if original is not None:
            self._copy(original)
            return
        self.graph, self.app_tier, self.actions = context.graph, context.app_tier, context.actions
        self.truth = context.truth(incident)
        self.seed = seed_of(scenario)
        self.paged_at = int(scenario.stream("clock").random() * _MINUTES_A_DAY)
        self.automation = Automation(incident)
        self.alerting = Alerting(scenario.topology, incident, context.rules)
        self.symptoms = Symptoms(context.blueprint, self.seed)
        self.history: deque[SignalRows] = deque(maxlen=_SIGNALS_KEPT)
        self.newest: tuple[ServiceSignals, ...] = ()
        self.in_flight: tuple[InFlight, ...] = ()
        self.landed: tuple[InFlight, ...] = ()
        self.in_force = ()
        self.landings: tuple[Landing, ...] = ()
        self.wrong_landings = 0
        self.wrong_items: tuple[InFlight, ...] = ()
        self.cascading: tuple[InFlight, ...] = ()
        self.tickets: tuple[Ticket, ...] = ()
        self.held = 0
        self.lost = self._spent = 0.0
        self._budget_minutes = self._may_spend = self.truth.budget_minutes
        carried = scenario.carryover
        if carried is not None:
            self._budget_minutes *= carried.worth / 100.0
            self._spent = self._budget_minutes * (1.0 - carried.budget / 100.0)
            self._may_spend = min(self._spent + self._may_spend, self._budget_minutes)
        self.users_ok = 1.0
        self._slo = self.topology.slo
        self._samples = History()
        self.faring = Faring(self.topology)
        causes = [LiveCause.of(made, context.mesh) for made in self.truth.casts]
        first = min(made.onset for made in self.truth.casts) - _EARLIER
        self.world = World(context.mesh.copy(), causes, self.seed, self.truth.level, first - 1)
        self.world.red_herrings = [
            RedHerring(decoy, context.mesh) for decoy in incident.drawn.decoys
        ]
        index = context.blueprint.index
        self.world.changes = tuple(
            (change.minute, index[change.service], change.version) for change in self.truth.changes
        )
        self.actions = context.actions.with_causes(incident.diagnosable).with_changes(
            tuple(sorted({change.version for change in self.truth.changes if change.minute <= 0}))
        )
        drawn = incident.drawn.controllers
        self.world.controllers = new_controllers(drawn, context.mesh)
        self._names = {number: name for name, number in index.items()}
        self._builds = builds_of(incident)
        self.world.requests = Requests(drafts_of(incident, index, self._builds))
        self.asked = AgentRequests(self._names, self._builds, self.automation.agents)
        self._standing = {one.agent: one.standing for one in drawn}
        self._judge = Judge()
        self._name_hot_places()
        self.scene = Scene(self.world, self._samples, self.truth, self.seed)
        self._begin(first)

    def fork(self) -> LivingWorld:
        """Return an independent world in the same state."""
        return LivingWorld(self.scenario, self.context, self)

    def _copy(self, other: LivingWorld) -> None:
        self.graph, self.app_tier, self.actions = other.graph, other.app_tier, other.actions
        self.truth, self.seed, self.paged_at = other.truth, other.seed, other.paged_at
        self.automation = other.automation.copy()
        self.alerting = other.alerting.copy()
        self.symptoms = other.symptoms.copy()
        self.history, self.newest = other.history.copy(), other.newest
        self.in_flight, self.landed = other.in_flight, other.landed
        self.in_force, self.landings = other.in_force, other.landings
        self.wrong_landings, self.tickets = other.wrong_landings, other.tickets
        self.wrong_items, self.cascading = other.wrong_items, other.cascading
        self.held, self.lost, self.users_ok = other.held, other.lost, other.users_ok
        self._slo, self._spent, self.minute = other._slo, other._spent, other.minute
        self._budget_minutes, self._may_spend = other._budget_minutes, other._may_spend
        self._samples = other._samples.copy()
        self.faring = other.faring.copy()
        self.world = other.world.fork()
        self._names, self._builds, self._standing = other._names, other._builds, other._standing
        self.asked = other.asked.copy()
        self._judge = Judge()
        self.scene = other.scene.copy(self.world, self._samples)

    def _name_hot_places(self) -> None:
        number = dict(self.truth.words).get("shard", "0")
        for part in self.world.mesh.parts:
            if isinstance(part, Shards):
                part.hot = int(number) % int(part.count)
            elif isinstance(part, Partitions):
                part.hot = int(number) % part.count
            elif isinstance(part, Zones):
                part.choose(int(number), self.world.mesh.instances[part.service])

    def _begin(self, first: int) -> None:
        """Simulate the hour before the page: a steady state at first, then minute by minute."""
        for minute in range(-HOUR, first):
            self.world.automate(minute)
            self._log_acts(minute)
            samples = self._shaken(minute)
            self._samples.add(minute, samples)
            if minute >= -_SIGNALS_KEPT:
                self._show(samples)
        self.minute = first - 1
        while self.minute < 0:
            self.advance()

    def _shaken(self, minute: int) -> list[ServiceSample]:
        """Return an ordinary minute, scaled to the traffic of a minute."""
        samples = measure(self.world.mesh, self.seed, minute)
        swing = self.world.traffic(minute) / self.truth.level
        for sample in samples:
            sample.rps *= swing
            sample.busy *= swing
        return samples

    def _show(self, samples: list[ServiceSample]) -> None:
        """Add a minute to the signals that are shown."""
        panel = self.context.panel
        self.newest = panel.read(samples)
        self.history.append(panel.packer.pack(self.newest))

    @property
    def budget(self) -> int:
        """The remaining error budget in percent."""
        spent = self._spent / self._budget_minutes
        return max(0, int(100.0 * (1.0 - spent) + 0.5))

    @property
    def is_taken_away(self) -> bool:
        """Whether the incident is over because the error budget is spent.

        In a shift, an incident is also over once it has spent as much as it has by itself.
        """
        return self._spent >= self._may_spend

    @property
    def causes_gone(self) -> bool:
        """Whether every cause is cleared and every rogue agent contained."""
        return self.world.is_over and self.automation.all_contained

    @property
    def is_over(self) -> bool:
        """Whether a Manager may say that it is over: what is left, if anything, is harmless."""
        causes, minute = self.world.causes, self.minute
        live = [cause for cause in causes if cause.is_live(minute)]
        harmless = bool(live) and all(cause.cast.cause.harmless for cause in live)
        about_to_follow = any(cause.is_due(minute) for cause in causes)
        return (harmless and not about_to_follow) or self.causes_gone

    @property
    def _begun(self) -> tuple[Cast, ...]:
        """The causes that have begun."""
        causes = (cause.cast for cause in self.world.causes)
        return tuple([made for made in causes if made.onset <= self.minute])

    @property
    def places_of_causes(self) -> frozenset[str]:
        """The services where users may be told that a cause is, of those that have begun."""
        return frozenset(self._names[site] for made in self._begun for site in made.sites())

    @property
    def families(self) -> frozenset[CauseFamily]:
        """The families of causes that users may be told of."""
        causes = [made.cause for made in self._begun]
        named = {family for cause in causes for family in families_of(cause.diagnosis)}
        return frozenset({*named, *(f for f in CauseFamily for c in causes if c.family == f)})

    @property
    def journeys(self) -> tuple[Journey, ...]:
        """How users fare where they come in."""
        return self.faring.before(0)

    def calm(self, minutes: int) -> None:
        """Let a third fewer users reload in the coming minutes."""
        for part in self.world.mesh.parts:
            if isinstance(part, People):
                part.calm_until = self.minute + minutes + 1
        self._judge = Judge()

    @property
    def faults_live(self) -> tuple[str, ...]:
        """The ids of the live causes."""
        return tuple(
            cause.cast.cause.id for cause in self.world.causes if cause.is_live(self.minute)
        )

    @property
    def sites(self) -> frozenset[str]:
        """The services where the first cause may be said to be."""
        return frozenset(self._names[site] for site in self.truth.casts[0].sites())

    @property
    def cure_ordered(self) -> int | None:
        """The minute in which the action that cleared the first cause was ordered; None so far."""
        cure = self.world.first_cure
        return None if cure is None else cure.taken

    def would_clear(self, role: AgentRole, verb: ActionType, target: str, args: FrozenMap) -> bool:
        """Whether a move would clear a cause for good if it landed in the next minute."""
        item = InFlight(role, verb, target, args, self.minute, self.minute + 1)
        fork = self.world.fork()
        fork.in_flight.append(item)
        return judge(fork, item).cleared

    def log_tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """Return the newest log lines; the same object until a line is added."""
        return self.symptoms.tail(apps_only=apps_only)

    def look(self, role: AgentRole, source: Source, target: str) -> Finding:
        """Return what an instrument shows now."""
        parts = self._parts(source, target)
        reading = Reading(self.minute, source.value, target, parts)
        caption = _CAPTIONS[source].format(n=len(parts), target=target)
        return Finding(self.minute, role, source, target, caption, (), reading)

    def _parts(self, source: Source, target: str) -> tuple[Part, ...]:
        if source is Source.AUTOMATION:
            agent = self.automation.agents[target]
            return audit.look(self.scene, self.automation.deeds, agent, self._standing.get(target))
        return _LOOKS[source](self.scene, self.context.blueprint.index[target])

    def launch(self, action: ChaosOpsAction, verb: ActionType, target: str) -> InFlight:
        """Put an action in flight; it lands after the minutes that its verb takes on the target."""
        kind = self.context.blueprint.services[self.context.blueprint.index[target]].kind
        lands = self.minute + max(1, minutes_in_flight(self.topology, verb, kind))
        if instance_number(action.args):
            lands += DRAINS_FOR
        item = InFlight(action.role, verb, target, given(action.args), self.minute, lands)
        self.world.in_flight.append(item)
        self.in_flight = (*self.in_flight, item)
        return item

    def note(self, role: AgentRole, verb: ActionType, target: str) -> None:
        """Add an action that took effect at once to what has landed, where everyone sees it."""
        item = InFlight(role, verb, target, EMPTY, self.minute, self.minute)
        self.landed = (*self.landed, item)[-_LANDED_KEPT:]
        self.in_force = now_in_force(self.in_force, item)

    def most_replicas(self, target: str) -> int:
        """Return the most replicas that the service can have."""
        return self.context.blueprint.services[self.context.blueprint.index[target]].max_replicas

    def advance(self) -> None:
        """Advance by a minute."""
        world = self.world
        minute = self.minute = self.minute + 1
        paused = frozenset(self.automation.paused)
        if paused != world.paused or world.requests.has_answers:
            world.paused = paused
            self._judge = Judge()
        due = [item for item in world.in_flight if item.lands <= minute]
        alone = {item: _on_one(self.world, item) for item in due if instance_number(item.args)}
        wrong = [item for item in due if _is_a_fix(item) and self._judge.is_wrong(world, item)]
        self._judge.take_in(due)
        before = self._samples.minutes[-1] if due else []
        self.asked.expire(world, minute)
        landed = world.advance()
        self.asked.take_in(world)
        self._log_acts(minute)
        samples = measure(world.mesh, self.seed, minute)
        self._samples.add(minute, samples)
        self._show(self._samples.collected())
        self.users_ok = round(world.users_ok, 4)
        self.faring.note(world.mesh)
        self.wrong_landings, self.wrong_items = len(wrong), tuple(wrong)
        self.cascading = tuple([item for item in wrong if item in world.set_off]) if wrong else ()
        if landed:
            self._take_in(landed, before, samples, alone)
        if minute >= -_SIGNALS_KEPT:
            self.symptoms.advance(minute, world.mesh)
            self.alerting.advance(minute, self.newest, self.users_ok)
        self.held = self.held + 1 if self.users_ok >= self._slo else 0
        if minute >= 0:
            failed = 1.0 - self.users_ok
            self._spent += failed
            self.lost += failed * world.mesh.user_rps * 60.0
            self._hear_customers(minute)

    def _log_acts(self, minute: int) -> None:
        """Log what the automation did in this minute."""
        self.automation.log(minute, self.world.acts, self._names, self._builds)
        self.scene.acts = self.automation.audit

    def _take_in(
        self,
        landed: list[InFlight],
        before: list[ServiceSample],
        after: list[ServiceSample],
        alone: dict[InFlight, InstanceSample | None],
    ) -> None:
        self.in_flight = tuple(self.world.in_flight)
        self.landed = (*self.landed, *landed)[-_LANDED_KEPT:]
        landings = []
        for item in landed:
            service = self.context.blueprint.index[item.target]
            traits = self.context.blueprint.services[service]
            if item.action_type in _EMPTIES and item not in alone:
                self.scene.quiet[service] = self.minute + _QUIET
            count = self.world.mesh.instances[service].count
            self.in_force = now_in_force(self.in_force, item, traits.replicas, count)
            measured = measured_of(before[service], after[service])
            if item in alone:
                measured = measured_on_one(alone[item], _on_one(self.world, item)) + measured[1:2]
            landings.append(
                Landing(self.minute, item.role, item.action_type, item.target, measured)
            )
        self.landings = (*self.landings, *landings)[-_LANDED_KEPT:]

    def _hear_customers(self, minute: int) -> None:
        if self.users_ok < self._slo:
            texts = sorted(s.text for s in self.scenario.incident.tickets if s.at == minute)
            if texts:
                self.tickets = (*self.tickets, *(Ticket(minute, text) for text in texts))


def _is_a_fix(item: InFlight) -> bool:
    """Whether an action is meant to help, which giving back what was shed is not."""
    return item.action_type in FIXES and item.args.get("percent") != 0


def _on_one(world: World, item: InFlight) -> InstanceSample | None:
    """Measure the instance of a move and the rest of its service; None if it is gone."""
    service = world.mesh.blueprint.index[item.target]
    return measure_one(world.mesh, service, instance_number(item.args) - 1, world.minute)


def seed_of(scenario: Scenario) -> int:
    """Derive the seed of the noise from the stream key and the seed."""
    digest = hashlib.sha256(f"{scenario.stream_key}:{scenario.seed}:noise".encode()).digest()
    return int.from_bytes(digest[:4], "big")
