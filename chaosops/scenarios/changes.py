"""Changes of the fleet as a seed drew them, and the settings that they set."""

from __future__ import annotations

from enum import StrEnum

from chaosops.env.models import ChangeKind
from chaosops.env.models.topology import Line, Name, Strict


class SettingName(StrEnum):
    """A setting that an instrument shows."""

    PROBE_TIMEOUT_MS = "probe_timeout_ms"
    CPU_LIMIT_MILLI = "cpu_limit_milli"
    CPU_QUOTA_CORES = "cpu_quota_cores"


class Setting(Strict):
    """A setting that a change sets, as instruments show it from then on.

    Attributes:
        name: Its name.
        value: Its value, a number; `{cpu_limit}` and other sizes are filled in.
    """

    name: SettingName
    value: Line


class DrawnChange(Strict):
    """A change of the fleet, whether it is the cause or not.

    Attributes:
        lines: The lines of a unified diff.
        touches: Names of what they change.
        sets: Settings that it sets, with their values.
        restarts: Whether it replaces the instances.
    """

    minute: int
    service: Name
    kind: ChangeKind
    version: Line
    author: Line
    ticket: Line
    text: Line
    lines: tuple[Line, ...]
    touches: tuple[Line, ...] = ()
    sets: tuple[tuple[SettingName, float], ...] = ()
    restarts: bool = False
