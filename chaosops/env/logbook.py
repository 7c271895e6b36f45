"""The log lines of the fleet: what the scenario plants, and what the physics writes by itself."""

from __future__ import annotations

from collections import deque
from random import Random

from chaosops.env.faults import FaultBoard
from chaosops.env.models import LogLevel, LogLine, ServiceKind
from chaosops.env.physics import Physics, Plan
from chaosops.scenarios.schema import Incident

TAIL = 40
"""How many lines a log tail keeps."""

_APP_KINDS = frozenset({ServiceKind.EDGE, ServiceKind.APP})
_ROUTINE = (
    "health check ok",
    "configuration reloaded, no difference",
    "connection pool trimmed",
    "scheduled job finished",
    "metrics flushed",
    "slow request sampled for tracing",
)


class Logbook:
    """The newest lines, of all services and of the applications alone, oldest first."""

    def __init__(self, plan: Plan, incident: Incident, rng: Random) -> None:
        self._plan = plan
        self._specs = incident.logs
        self._rng = rng
        self._edges = tuple(
            (spec.name, plan.specs[edge.to].name)
            for spec, calls in zip(plan.specs, plan.calls, strict=True)
            for edge in calls
        )
        self._apps = frozenset(spec.name for spec in plan.specs if spec.kind in _APP_KINDS)
        self._speakers = tuple(
            spec.name for spec in plan.specs if spec.kind is not ServiceKind.EXTERNAL
        )
        self._all: deque[LogLine] = deque(maxlen=TAIL)
        self._app: deque[LogLine] = deque(maxlen=TAIL)
        self._since: dict[int, int] = {}
        self._tails: tuple[tuple[LogLine, ...] | None, tuple[LogLine, ...] | None] = (None, None)

    def tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """The tail; the same object as long as no line was added."""
        whole, app = self._tails
        if apps_only:
            if app is None:
                app = tuple(self._app)
                self._tails = (whole, app)
            return app
        if whole is None:
            whole = tuple(self._all)
            self._tails = (whole, app)
        return whole

    def write(self, line: LogLine) -> None:
        """Add a line."""
        self._all.append(line)
        self._tails = (None, self._tails[1])
        if line.service in self._apps:
            self._app.append(line)
            self._tails = (None, None)

    def advance(self, minute: int, physics: Physics, board: FaultBoard) -> None:
        """Write the lines of one minute."""
        roll = self._rng.random()
        if roll < 0.5:
            speaker = self._speakers[int(roll * 2.0 * len(self._speakers))]
            text = _ROUTINE[int(self._rng.random() * len(_ROUTINE))]
            self.write(LogLine(minute, speaker, LogLevel.INFO, text))
        for k, spec in enumerate(self._specs):
            if minute < spec.first or not board.is_live(spec.while_live):
                self._since.pop(k, None)
                continue
            first = self._since.setdefault(k, minute)
            if (minute - first) % spec.every == 0:
                self.write(LogLine(minute, spec.service, spec.level, spec.text))
        for i in physics.killed:
            text = "process killed: memory limit reached; starting again"
            self.write(LogLine(minute, self._plan.specs[i].name, LogLevel.ERROR, text))
        self._failing_calls(minute, physics)

    def _failing_calls(self, minute: int, physics: Physics) -> None:
        """A line for each call that fails, every third minute."""
        fails = physics.call_fail
        if max(fails) <= 0.05:
            return
        for e in range(-minute % 3, len(fails), 3):
            if fails[e] > 0.05:
                caller, callee = self._edges[e]
                percent = round(fails[e] * 100)
                level = LogLevel.ERROR if percent > 20 else LogLevel.WARN
                text = f"{percent} % of calls to {callee} failed ({round(physics.call_ms[e])} ms)"
                self.write(LogLine(minute, caller, level, text))
