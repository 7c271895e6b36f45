"""Sources: what an investigation looks at."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple


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


class SourceSpec(NamedTuple):
    """What there is to say of a source.

    Attributes:
        key: Its key in the list of what can be done at an object.
        shows: What it shows, in a line.
    """

    key: str
    shows: str


SOURCES: Final[Mapping[Source, SourceSpec]] = MappingProxyType(
    {
        Source.METRICS: SourceSpec("m", "its signals over the last hour, by instance"),
        Source.LOGS: SourceSpec("l", "its lines of the last minutes, with how often each came"),
        Source.TRACES: SourceSpec("t", "some requests through it, and where their time went"),
        Source.RUNTIME: SourceSpec("u", "inside it: sessions, pools, partitions, instances"),
        Source.NETWORK: SourceSpec("n", "probes to it: names, connections, loss, certificates"),
        Source.CHANGES: SourceSpec("c", "what was changed there, with the differences"),
        Source.CONFIG: SourceSpec("g", "what its instances have loaded, beside what was reviewed"),
        Source.AUTOMATION: SourceSpec("a", "what the agent did and asked for, beside its policy"),
    }
)
"""Every source."""
