"""Events in the fleet: lines of logs, alerts, changes, and what the automation did."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class LogLevel(StrEnum):
    """The severity of a log line."""

    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


class Severity(StrEnum):
    """Whether an alert wakes somebody."""

    PAGE = "page"
    TICKET = "ticket"


class ChangeKind(StrEnum):
    """What sort of change somebody made."""

    DEPLOY = "deploy"
    CONFIG = "config"
    FLAG = "flag"
    MIGRATION = "migration"


class LogLine(NamedTuple):
    """One line of a service's log."""

    minute: int
    service: str
    level: LogLevel
    text: str


class Alert(NamedTuple):
    """An alert that fires: a symptom. `minute` is when it began."""

    minute: int
    service: str
    severity: Severity
    text: str


class Change(NamedTuple):
    """An entry in the change history."""

    minute: int
    service: str
    kind: ChangeKind
    version: str
    author: str
    text: str


class AuditEvent(NamedTuple):
    """One act of an automation agent, with what it says about itself."""

    minute: int
    agent: str
    act: str
    target: str
    reason: str
    approval: str
