"""The vocabulary: roles, verbs, failure types, actions, observations and the episode's state.

Everything here is a value. Observations are nested named tuples, so a frame that was kept can't
change, and parts that did not change between two turns are the same object in both.

Units: a *minute* counts from the page (0 is the page, -5 is five minutes before it) and is one
turn. Shares run from 0 to 1, percentages from 0 to 100, latencies are in milliseconds.

A module is imported when one of its names is first used: the start of the game needs few of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from chaosops.env.models.action_types import ActionType
    from chaosops.env.models.actions import ChaosOpsAction, Proposal, as_action
    from chaosops.env.models.duties import (
        AgentDeed,
        AgentRequest,
        ApprovalRequest,
        Claim,
        Credit,
        PaidFor,
        Stake,
    )
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
    from chaosops.env.models.messages import (
        MAX_LINE,
        REPLY,
        SAY,
        Finding,
        Message,
        Reply,
        ReplyKind,
    )
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
    from chaosops.env.models.signal_rows import SignalRows
    from chaosops.env.models.signals import ServiceSignals, Signal
    from chaosops.env.models.signs import Sign
    from chaosops.env.models.sources import Source
    from chaosops.env.models.state import ChaosOpsState
    from chaosops.env.models.updates import (
        CauseFamily,
        Journey,
        NextStep,
        StatusUpdate,
        Trend,
        UpdateContent,
        UpdateDue,
        UpdatePoint,
    )

__all__ = [
    "EMPTY",
    "MALFORMED",
    "MAX_LINE",
    "MAX_TEXT",
    "REPLY",
    "SAY",
    "TURN_ORDER",
    "ActionType",
    "AgentDeed",
    "AgentRequest",
    "AgentRole",
    "Alert",
    "ApprovalRequest",
    "ArgumentChoice",
    "AuditEvent",
    "CauseFamily",
    "Change",
    "ChangeKind",
    "ChaosOpsAction",
    "ChaosOpsObservation",
    "ChaosOpsState",
    "Claim",
    "Credit",
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
    "Journey",
    "Landing",
    "LastAction",
    "LogLevel",
    "LogLine",
    "Measured",
    "Message",
    "NextStep",
    "PaidFor",
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
    "SignalRows",
    "Source",
    "Stake",
    "Status",
    "StatusUpdate",
    "Ticket",
    "Trend",
    "UpdateContent",
    "UpdateDue",
    "UpdatePoint",
    "VerbChoice",
    "as_action",
]

_NAMES: Final = {
    "action_types": "ActionType",
    "actions": "ChaosOpsAction Proposal as_action",
    "duties": "AgentDeed AgentRequest ApprovalRequest Claim Credit PaidFor Stake",
    "effects": "InFlight InForce Landing Measured",
    "events": "Alert AuditEvent Change ChangeKind Gates LogLevel LogLine Severity",
    "failures": "Difficulty FailureType",
    "frozen_map": "EMPTY MALFORMED MAX_TEXT FrozenMap",
    "messages": "MAX_LINE REPLY SAY Finding Message Reply ReplyKind",
    "observation": (
        "ArgumentChoice ChaosOpsObservation Diagnosis Impact LastAction "
        "RoleView Status Ticket VerbChoice"
    ),
    "roles": "TURN_ORDER AgentRole",
    "services": "Health ServiceKind ServiceNode",
    "signal_rows": "SignalRows",
    "signals": "ServiceSignals Signal",
    "signs": "Sign",
    "sources": "Source",
    "state": "ChaosOpsState",
    "updates": (
        "CauseFamily Journey NextStep StatusUpdate Trend UpdateContent UpdateDue UpdatePoint"
    ),
}
"""The names that each module provides, separated by blanks."""

_MODULES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Import the module of a name."""
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
        value = getattr(import_module(f"{__name__}.{module}"), name)
        globals()[name] = value
        return value
