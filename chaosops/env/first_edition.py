"""The world of incidents of the first edition, as long as there are any."""

from __future__ import annotations

from chaosops.env.investigation import investigate
from chaosops.env.models import ActionType, AgentRole, Finding, InFlight, LogLine, Source
from chaosops.env.world_sim import FleetWorld


class FirstEditionWorld(FleetWorld):
    """The world of an incident whose file lists the findings."""

    @property
    def faults_live(self) -> tuple[str, ...]:
        """The ids of the live faults."""
        return self.board.live

    def log_tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """Return the newest log lines; the same object until a line is added."""
        return self.logbook.tail(apps_only=apps_only)

    def look(self, role: AgentRole, source: Source, target: str) -> Finding:
        """Return what an investigation shows now: the file's evidence, or true figures."""
        return investigate(self, role, source, target)

    def refuse(self, verb: ActionType, item: InFlight) -> tuple[bool, bool]:
        """Return whether an action helps nothing now, and whether it starts another fault."""
        if self.helps(verb, item.target, item.args):
            return False, False
        return True, self.spoil(self.board.tempting(verb, item.target, item.args), item.lands)
