"""Events in the fleet: log lines, alerts, changes, and acts of the automation."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

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
        event: What it reports; None if no program needs to know.
        callee: The service to which calls fail; empty for any other event.
    """

    minute: int
    service: str
    level: LogLevel
    text: str
    event: LogEvent | None = None
    callee: str = ""


class Alert(NamedTuple):
    """A firing alert, which is a symptom. `minute` is when it began.

    Attributes:
        signal: The signal that its rule watches; None for the page.
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
    """The gates of a release: how many were passed, and how many there are."""

    passed: int
    asked: int


PENDING: Final = "pending"
"""The approval of a request in the audit log while nobody has answered it."""


class AuditEvent(NamedTuple):
    """One act of an automation agent, with the reason it gives.

    Attributes:
        gates: The gates on which the approval rests; None if it rests on something else.
    """

    minute: int
    agent: str
    act: str
    target: str
    reason: str
    approval: str
    gates: Gates | None = None
