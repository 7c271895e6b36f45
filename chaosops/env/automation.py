"""The fleet's automation: what it did, whether it is running, and what rogue agents do next."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.env.faults import FaultBoard
from chaosops.env.models import AuditEvent, Gates
from chaosops.scenarios.schema import AgentSpec, EventSpec, Incident, RogueSpec


class Automation:
    """The agents of one episode and their audit log.

    Attributes:
        audit: The audit log so far, oldest first; acts of the same minute are sorted by name.
        names: All agents, by name.
        paused, flagged: Names of the agents that are paused or flagged, sorted.
        accused: The flagged agents in the order in which they were flagged.
    """

    def __init__(self, incident: Incident) -> None:
        self._incident = incident
        self.agents = {agent.name: agent for agent in incident.automation}
        self.names = tuple(sorted(self.agents))
        self._rogues = tuple(agent for agent in incident.automation if agent.rogue is not None)
        self.paused: tuple[str, ...] = ()
        self.flagged: tuple[str, ...] = ()
        self.accused: tuple[str, ...] = ()
        self.audit: tuple[AuditEvent, ...] = ()
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
        twin._coming = self._coming.copy()
        return twin

    @property
    def all_contained(self) -> bool:
        """Whether every rogue agent is paused."""
        return all(
            agent.rogue is None or name in self.paused for name, agent in self.agents.items()
        )

    def is_guilty(self, name: str) -> bool:
        """Whether the agent is a cause of the incident."""
        return self.agents[name].rogue is not None

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

    def advance(self, minute: int, board: FaultBoard) -> None:
        """Log what is due, and let rogue agents that still run undo fixes."""
        acts = self._due(minute)
        for agent in self._rogues:
            if agent.name not in self.paused:
                acts += self._undo(agent, minute, board)
        if acts:
            self.audit = (*self.audit, *sorted(acts))

    def log_due(self, minute: int) -> None:
        """Log the scripted acts up to now; a paused agent does none."""
        acts = self._due(minute)
        if acts:
            self.audit = (*self.audit, *sorted(acts))

    def log_again(self, name: str, minute: int) -> None:
        """Log that a running rogue agent has repeated its act."""
        rogue = self.agents[name].rogue
        if rogue is not None and name not in self.paused:
            self.audit = (*self.audit, _logged(rogue, minute, name))

    def _due(self, minute: int) -> list[AuditEvent]:
        acts: list[AuditEvent] = []
        while self._coming and self._coming[0].minute <= minute:
            event = self._coming.pop(0)
            if event.minute < 0 or event.agent not in self.paused:
                acts.append(event)
        return acts

    @staticmethod
    def _undo(agent: AgentSpec, minute: int, board: FaultBoard) -> Iterator[AuditEvent]:
        rogue = agent.rogue
        if rogue is None:
            return
        back = []
        for fault in rogue.keeps_up:
            cleared = board.cleared_at(fault)
            if cleared is not None and minute >= cleared + rogue.every:
                back.append(fault)
        if back:
            for fault in back:
                board.start(fault, minute)
            yield _logged(rogue, minute, agent.name)


def _logged(spec: EventSpec | RogueSpec, minute: int, agent: str) -> AuditEvent:
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
