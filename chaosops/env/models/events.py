"""Events in the fleet: lines of logs, alerts, changes, and what the automation did."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from chaosops.env.models.readings import LogEvent
from chaosops.env.models.signals import Signal


class LogLevel(StrEnum):
    """The severity of a log line."""

    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"


class Severity(StrEnum):
    """Whether an alert pages the on-call or opens a ticket."""

    PAGE = "page"
    TICKET = "ticket"


class ChangeKind(StrEnum):
    """The kind of a change."""

    DEPLOY = "deploy"
    CONFIG = "config"
    FLAG = "flag"
    MIGRATION = "migration"


class LogLine(NamedTuple):
    """One line of a service's log.

    Attributes:
        event: What it reports; None for what no program needs to know.
        callee: The service to which calls fail; empty for any other event.
    """

    minute: int
    service: str
    level: LogLevel
    text: str
    event: LogEvent | None = None
    callee: str = ""


class Alert(NamedTuple):
    """An alert that fires: a symptom. `minute` is when it began.

    Attributes:
        signal: What its rule watches; None for the page.
    """

    minute: int
    service: str
    severity: Severity
    text: str
    signal: Signal | None = None


class Change(NamedTuple):
    """An entry in the change history."""

    minute: int
    service: str
    kind: ChangeKind
    version: str
    author: str
    text: str


class Gates(NamedTuple):
    """Gates before a release: how many were passed, and how many there are."""

    passed: int
    asked: int


class AuditEvent(NamedTuple):
    """One act of an automation agent, with what it says about itself.

    Attributes:
        gates: The gates on which the approval rests; None where it rests on something else.
    """

    minute: int
    agent: str
    act: str
    target: str
    reason: str
    approval: str
    gates: Gates | None = None
