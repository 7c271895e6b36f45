"""The vocabulary: roles, verbs, failure types, actions, observations and the episode's state.

Everything here is a value. Observations are nested named tuples, so a frame that was kept can't
change, and parts that did not change between two turns are the same object in both.

Units: a *minute* counts from the page (0 is the page, -5 is five minutes before it) and is one
turn. Shares run from 0 to 1, percentages from 0 to 100, latencies are in milliseconds.
"""

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.actions import ChaosOpsAction, Proposal, as_action
from chaosops.env.models.effects import InFlight, InForce, Landing, Measured
from chaosops.env.models.events import (
    Alert,
    AuditEvent,
    Change,
    ChangeKind,
    Gates,
    LogLevel,
    LogLine,
    Severity,
)
from chaosops.env.models.failures import Difficulty, FailureType
from chaosops.env.models.frozen_map import EMPTY, MALFORMED, MAX_TEXT, FrozenMap
from chaosops.env.models.messages import REPLY, Finding, Message, Reply, ReplyKind
from chaosops.env.models.observation import (
    ArgumentChoice,
    ChaosOpsObservation,
    Diagnosis,
    Impact,
    LastAction,
    RoleView,
    Status,
    Ticket,
    VerbChoice,
)
from chaosops.env.models.roles import TURN_ORDER, AgentRole
from chaosops.env.models.services import Health, ServiceKind, ServiceNode
from chaosops.env.models.signals import ServiceSignals, Signal
from chaosops.env.models.signs import Sign
from chaosops.env.models.sources import Source
from chaosops.env.models.state import ChaosOpsState

__all__ = [
    "EMPTY",
    "MALFORMED",
    "MAX_TEXT",
    "REPLY",
    "TURN_ORDER",
    "ActionType",
    "AgentRole",
    "Alert",
    "ArgumentChoice",
    "AuditEvent",
    "Change",
    "ChangeKind",
    "ChaosOpsAction",
    "ChaosOpsObservation",
    "ChaosOpsState",
    "Diagnosis",
    "Difficulty",
    "FailureType",
    "Finding",
    "FrozenMap",
    "Gates",
    "Health",
    "Impact",
    "InFlight",
    "InForce",
    "Landing",
    "LastAction",
    "LogLevel",
    "LogLine",
    "Measured",
    "Message",
    "Proposal",
    "Reply",
    "ReplyKind",
    "RoleView",
    "ServiceKind",
    "ServiceNode",
    "ServiceSignals",
    "Severity",
    "Sign",
    "Signal",
    "Source",
    "Status",
    "Ticket",
    "VerbChoice",
    "as_action",
]
