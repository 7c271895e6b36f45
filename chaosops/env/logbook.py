"""The log lines of the fleet: those of the scenario, and those that the physics produces."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Final

from chaosops.env.faults import FaultBoard
from chaosops.env.models import LogLevel, LogLine, ServiceKind
from chaosops.env.models.readings import LogEvent
from chaosops.env.new_records import new_log_line
from chaosops.env.plan import FleetPlan
from chaosops.env.service_flow import Physics
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


# Looking up an enumeration member costs as much as the rest of a line.
_INFO: Final = LogLevel.INFO
_WARN: Final = LogLevel.WARN
_ERROR: Final = LogLevel.ERROR
_CALLS_FAIL: Final = LogEvent.CALLS_FAIL


class Logbook:
    """The newest lines, of all services and of the applications only.

    The oldest is first; those of the same minute are by service, level and text.
    """

    def __init__(self, plan: FleetPlan, incident: Incident, rng: Random) -> None:
        self._planted = tuple(
            (k, spec.first, spec.while_live, spec.every, spec.service, spec.level, spec.text)
            for k, spec in enumerate(incident.logs)
        )
        self._rng = rng
        callers = [
            spec.name for spec, calls in zip(plan.specs, plan.calls, strict=True) for _call in calls
        ]
        calls = tuple(enumerate(callers))
        self._thirds = (calls[::3], calls[1::3], calls[2::3])
        self._apps = frozenset(spec.name for spec in plan.specs if spec.kind in _APP_KINDS)
        self._speakers = tuple(
            spec.name for spec in plan.specs if spec.kind is not ServiceKind.EXTERNAL
        )
        self._all: deque[LogLine] = deque(maxlen=TAIL)
        self._app: deque[LogLine] = deque(maxlen=TAIL)
        self._since: dict[int, int] = {}
        self._texts: dict[tuple[int, int, int], str] = {}
        self._tails: tuple[tuple[LogLine, ...] | None, tuple[LogLine, ...] | None] = (None, None)

    def tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """Return the newest lines; the same object until a line is added."""
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

    def _add(self, lines: list[LogLine]) -> None:
        self._all.extend(lines)
        apps = [line for line in lines if line.service in self._apps]
        app = self._tails[1]
        if apps:
            self._app.extend(apps)
            app = None
        self._tails = (None, app)

    def advance(self, minute: int, physics: Physics, board: FaultBoard) -> None:
        """Write the lines of one minute."""
        lines: list[LogLine] = []
        roll = self._rng.random()
        if roll < 0.5:
            speaker = self._speakers[int(roll * 2.0 * len(self._speakers))]
            text = _ROUTINE[int(self._rng.random() * len(_ROUTINE))]
            lines.append(new_log_line(minute, speaker, _INFO, text))
        since = self._since
        for k, first, while_live, every, service, level, text in self._planted:
            if minute < first or not board.is_live(while_live):
                since.pop(k, None)
            elif (minute - since.setdefault(k, minute)) % every == 0:
                lines.append(new_log_line(minute, service, level, text))
        for i in physics.killed:
            text = "process killed: memory limit reached; starting again"
            name = physics.services[i].name
            lines.append(new_log_line(minute, name, _ERROR, text, LogEvent.MEMORY_KILL))
        self._failing_calls(minute, physics, lines)
        if lines:
            lines.sort()
            self._add(lines)

    def _failing_calls(self, minute: int, physics: Physics, lines: list[LogLine]) -> None:
        """Write a line for each failing call, every third minute."""
        calls = physics.calls
        for e, caller in self._thirds[-minute % 3]:
            call = calls[e]
            if call.fail > 0.05:
                percent, took = nearest(call.fail * 100.0), nearest(call.ms)
                what = e, percent, took
                text = self._texts.get(what)
                if text is None:
                    text = f"{percent} % of calls to {call.to.name} failed ({took} ms)"
                    self._texts[what] = text
                level = _ERROR if percent > 20 else _WARN
                line = new_log_line(minute, caller, level, text, _CALLS_FAIL, call.to.name)
                lines.append(line)


def nearest(value: float) -> int:
    """Round a number from 0 on like `round`, half to even, in less time."""
    whole = int(value + 0.5)
    over = whole - value
    return whole - 1 if over > 0.5 or (over == 0.5 and whole % 2 == 1) else whole
