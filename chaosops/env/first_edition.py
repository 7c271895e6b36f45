"""Incidents of the first edition, played as they always were. It goes with the last of them."""

from __future__ import annotations

from chaosops.env.investigation import investigate
from chaosops.env.models import ActionType, AgentRole, Finding, InFlight, LogLine, Source
from chaosops.env.world_sim import FleetWorld


class FirstEditionWorld(FleetWorld):
    """The world of an incident whose file says what each look shows."""

    @property
    def faults_live(self) -> tuple[str, ...]:
        """Ids of the faults that are live."""
        return self.board.live

    def log_tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """The newest log lines; the same object as long as no line was added."""
        return self.logbook.tail(apps_only=apps_only)

    def look(self, role: AgentRole, source: Source, target: str) -> Finding:
        """What an investigation shows now: the file's evidence, or honest figures."""
        return investigate(self, role, source, target)

    def refuse(self, verb: ActionType, item: InFlight) -> tuple[bool, bool]:
        """Whether an action helps nothing as things are, and whether that set off more."""
        if self.helps(verb, item.target, item.args):
            return False, False
        return True, self.spoil(self.board.tempting(verb, item.target, item.args), item.lands)
