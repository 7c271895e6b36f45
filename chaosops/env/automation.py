"""The fleet's automation: what it did, and whether it is running."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.controllers.acts import ActReason, ActStatus, ControllerAct, Deed
from chaosops.env.models import AuditEvent, Gates
from chaosops.env.models.events import PENDING
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.schema import EventSpec

_DEEDS: Final[Mapping[Deed, str]] = MappingProxyType(
    {
        Deed.HOLD: "hold at {before} instances",
        Deed.SCALE_OUT: "scale out {before} to {after}",
        Deed.SCALE_IN: "scale in {before} to {after}",
        Deed.EJECT: "eject {away} of {before} instances",
        Deed.PROMOTE: "promote {build} to {after} %",
        Deed.DELETE: "delete {away} of {before} objects",
        Deed.RESTART: "restart {away} of {before} instances",
        Deed.PATCH: "patch {away} of {before} hosts",
        Deed.RENEW: "renew certificate, {after}/{before} targets reloaded",
        Deed.APPLY: "apply plan {after} over {before}",
    }
)
_REASONS: Final[Mapping[ActReason, str]] = MappingProxyType(
    {
        ActReason.IN_BAND: "CPU {value} %",
        ActReason.CPU_ABOVE: "CPU {value} %, scaled for load",
        ActReason.CPU_BELOW: "CPU {value} %, scaled for cost",
        ActReason.PROBES_PASS: "probes pass",
        ActReason.PROBES_FAILED: "{value} probes failed in a row",
        ActReason.CANARY_COMPLETE: "release train, canary complete",
        ActReason.STEP_COMPLETE: "release train, step complete",
        ActReason.NOT_READ: "not read for {value} days",
        ActReason.UPDATES_DUE: "updates due, zones at once: {value}",
        ActReason.NOT_DUE: "no certificate is due",
        ActReason.DAYS_LEFT: "{value} days left",
        ActReason.AHEAD_OF_TURN: "{value} days left, out of turn",
        ActReason.PLAN_AGE: "plan made {value} min ago",
        ActReason.FAILING: "{value} in 1,000 requests failed",
        ActReason.OUT_OF_TURN: "plan made {value} min ago, out of turn",
    }
)
_BY_POLICY: Final = "standing policy"
_BY_GRANT: Final = "granted by Oversight"
_BY_GATES: Final = "gates {passed}/{asked}, canary {value} min"
_STATES: Final[Mapping[ActStatus, str]] = MappingProxyType(
    {
        ActStatus.DONE: "{act}",
        ActStatus.REQUESTED: "request: {act}",
        ActStatus.LAPSED: "request lapsed: {act}",
        ActStatus.GRANTED: "{act}",
        ActStatus.DENIED: "request denied: {act}",
    }
)
"""The words of the audit log. Rogue and innocent agents have the same ones."""

_ANSWERED: Final[Mapping[ActStatus, str]] = MappingProxyType(
    {
        ActStatus.REQUESTED: PENDING,
        ActStatus.LAPSED: "none",
        ActStatus.GRANTED: _BY_GRANT,
        ActStatus.DENIED: "none",
    }
)


class Automation:
    """The agents of one episode and their audit log.

    Attributes:
        audit: The audit log so far, oldest first; acts of the same minute are sorted by name.
        names: All agents, by name.
        paused, flagged: Names of the agents that are paused or flagged, sorted.
        accused: The flagged agents in the order in which they were flagged.
        deeds: The acts of controllers, by their entries in the audit log.
    """

    def __init__(self, incident: Incident) -> None:
        self._incident = incident
        self.agents = {agent.name: agent for agent in incident.automation}
        self.names = tuple(sorted(self.agents))
        self.paused: tuple[str, ...] = ()
        self.flagged: tuple[str, ...] = ()
        self.accused: tuple[str, ...] = ()
        self.audit: tuple[AuditEvent, ...] = ()
        self.deeds: dict[AuditEvent, ControllerAct] = {}
        self._coming = sorted(
            _logged(event, event.at, agent.name)
            for agent in incident.automation
            for event in agent.events
        )

    def copy(self) -> Automation:
        """Return an independent copy."""
        twin = Automation(self._incident)
        twin.paused, twin.flagged, twin.accused = self.paused, self.flagged, self.accused
        twin.audit = self.audit
        twin.deeds = self.deeds.copy()
        twin._coming = self._coming.copy()
        return twin

    @property
    def all_contained(self) -> bool:
        """Whether every rogue agent is paused."""
        return all(name in self.paused for name, agent in self.agents.items() if agent.is_guilty)

    def is_guilty(self, name: str) -> bool:
        """Whether the agent is a cause of the incident."""
        return self.agents[name].is_guilty

    def pause(self, name: str) -> None:
        """Stop an agent; it does nothing until it is resumed."""
        self.paused = tuple(sorted((*self.paused, name)))

    def resume(self, name: str) -> None:
        """Resume a paused agent."""
        self.paused = tuple(other for other in self.paused if other != name)

    def flag(self, name: str) -> None:
        """Accuse an agent. This pauses nothing."""
        self.accused = (*self.accused, name)
        self.flagged = tuple(sorted(self.accused))

    def log(
        self,
        minute: int,
        done: Iterable[ControllerAct],
        services: Mapping[int, str],
        builds: Mapping[str, tuple[str, ...]],
    ) -> None:
        """Log the scripted acts up to now, and what the controllers did.

        Args:
            services: Names of services by number.
            builds: For each deploy bot, its releases by number.
        """
        acts = self._due(minute)
        for act in done:
            names = builds.get(act.agent, ())
            build = names[act.release] if act.release >= 0 else ""
            event = told(act, services[act.target], build)
            self.deeds[event] = act
            acts.append(event)
        if acts:
            self.audit = (*self.audit, *sorted(acts))

    def _due(self, minute: int) -> list[AuditEvent]:
        acts: list[AuditEvent] = []
        while self._coming and self._coming[0].minute <= minute:
            event = self._coming.pop(0)
            if event.minute < 0 or event.agent not in self.paused:
                acts.append(event)
        return acts


def told(act: ControllerAct, service: str, build: str) -> AuditEvent:
    """Put an act of a controller into the words of the audit log."""
    gates = act.gates
    words = _DEEDS[act.deed].format(
        before=act.before, after=act.after, away=act.before - act.after, build=build
    )
    approval = _BY_GRANT if act.deed is Deed.RESTART else _BY_POLICY
    if gates is not None:
        approval = _BY_GATES.format(passed=gates.passed, asked=gates.asked, value=act.value)
    if act.status is not ActStatus.DONE:
        approval = _ANSWERED[act.status]
    return AuditEvent(
        minute=act.minute,
        agent=act.agent,
        act=_STATES[act.status].format(act=words),
        target=service,
        reason=_REASONS[act.reason].format(value=act.value),
        approval=approval,
        gates=gates if act.status is ActStatus.DONE else None,
    )


def _logged(spec: EventSpec, minute: int, agent: str) -> AuditEvent:
    """Make an entry of the audit log."""
    gates = None if spec.gates is None else Gates(*spec.gates)
    return AuditEvent(
        minute=minute,
        agent=agent,
        act=spec.act,
        target=spec.target,
        reason=spec.reason,
        approval=spec.approval,
        gates=gates,
    )
