"""Sources: where an investigation looks."""

from __future__ import annotations

from enum import StrEnum


class Source(StrEnum):
    """Where an investigation looks."""

    METRICS = "metrics"
    LOGS = "logs"
    TRACES = "traces"
    RUNTIME = "runtime"
    NETWORK = "network"
    CHANGES = "changes"
    CONFIG = "config"
    AUTOMATION = "automation"
