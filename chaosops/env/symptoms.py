"""The log lines that are visible without an investigation: routine lines and symptoms."""

from __future__ import annotations

from collections import deque
from typing import Final

from chaosops.env.models import LogLevel, LogLine, ServiceKind
from chaosops.env.models.readings import LogEvent
from chaosops.env.new_records import new_log_line
from chaosops.env.noise import uniform
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.mesh import Mesh

_TAIL: Final = 40
_APP_KINDS: Final = frozenset({ServiceKind.EDGE, ServiceKind.APP})
_ROUTINE: Final = (
    (LogLevel.INFO, "health check ok"),
    (LogLevel.INFO, "scheduled job finished"),
    (LogLevel.INFO, "metrics flushed"),
    (LogLevel.WARN, "client closed the connection before the response"),
    (LogLevel.WARN, "slow request sampled for tracing"),
    (LogLevel.INFO, "configuration reloaded, 0 differences"),
)
_FAILING: Final = 0.004
_MANY: Final = 0.05


class Symptoms:
    """The newest lines, of all services and of the applications only, oldest first."""

    def __init__(self, blueprint: Blueprint, seed: int) -> None:
        self._blueprint = blueprint
        self._seed = seed
        self._speakers = [s.name for s in blueprint.services if not s.is_external]
        self._apps = frozenset(s.name for s in blueprint.services if s.kind in _APP_KINDS)
        self._all: deque[LogLine] = deque(maxlen=_TAIL)
        self._app: deque[LogLine] = deque(maxlen=_TAIL)
        self._tails: tuple[tuple[LogLine, ...] | None, tuple[LogLine, ...] | None] = (None, None)

    def copy(self) -> Symptoms:
        """Return an independent copy."""
        twin = Symptoms(self._blueprint, self._seed)
        twin._all, twin._app = self._all.copy(), self._app.copy()
        twin._tails = self._tails
        return twin

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

    def advance(self, minute: int, mesh: Mesh) -> None:
        """Write the lines of one minute."""
        lines: list[LogLine] = []
        seed = self._seed
        if uniform(seed, minute, 11_000) < 0.5:
            pick = int(uniform(seed, minute, 11_001) * len(self._speakers))
            level, text = _ROUTINE[int(uniform(seed, minute, 11_002) * len(_ROUTINE))]
            lines.append(new_log_line(minute, self._speakers[pick], level, text))
        for link in mesh.links:
            if link.fail <= _FAILING:
                continue
            often = 3 if link.fail < _MANY else 2
            if (minute + link.number) % often:
                continue
            caller = self._blueprint.services[link.traits.caller].name
            peer = self._blueprint.services[link.to].name
            level = LogLevel.ERROR if link.fail > _MANY else LogLevel.WARN
            text = f"calls to {peer} fail: {link.fail * 100.0:.1f} %, {int(link.ms + 0.5)} ms"
            lines.append(new_log_line(minute, caller, level, text, LogEvent.CALLS_FAIL, peer))
        for instances in mesh.instances:
            for i, away in enumerate(instances.away):
                if away > minute and instances.kills[i] and away - minute <= 4:
                    name = self._blueprint.services[instances.service].name
                    text = f"instance {i + 1} is not ready"
                    lines.append(
                        new_log_line(minute, name, LogLevel.WARN, text, LogEvent.NOT_READY)
                    )
        if lines:
            self._add(lines)

    def _add(self, lines: list[LogLine]) -> None:
        self._all.extend(lines)
        apps = [line for line in lines if line.service in self._apps]
        app = self._tails[1]
        if apps:
            self._app.extend(apps)
            app = None
        self._tails = (None, app)
