"""Sources: what an investigation looks at."""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """What an investigation looks at."""

    METRICS = "metrics"
    LOGS = "logs"
    TRACES = "traces"
    RUNTIME = "runtime"
    NETWORK = "network"
    CHANGES = "changes"
    CONFIG = "config"
    AUTOMATION = "automation"
