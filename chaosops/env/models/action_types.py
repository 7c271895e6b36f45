"""Action types: the verbs of the game."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class ActionType(StrEnum):
    """A verb. `docs/authoring.md` lists who may use which, and on what."""

    NOOP = "noop"
    INVESTIGATE = "investigate"
    COMMUNICATE = "communicate"
    RESTART = "restart"
    SCALE = "scale"
    FAILOVER = "failover"
    DRAIN = "drain"
    SHED_LOAD = "shed_load"
    PURGE = "purge"
    RAISE_LIMIT = "raise_limit"
    TERMINATE = "terminate"
    ROLLBACK = "rollback"
    DISABLE_FEATURE = "disable_feature"
    ROTATE = "rotate"
    ASSIGN = "assign"
    ESCALATE = "escalate"
    PAUSE = "pause"
    RESUME = "resume"
    FLAG = "flag"
    DIAGNOSE = "diagnose"
    RESOLVE = "resolve"
    APPROVE = "approve"
    REFUSE = "refuse"
    UPDATE = "update"
    GRANT = "grant"
    DENY = "deny"
    ASK = "ask"

    @property
    def words(self) -> str:
        """The verb as people write it."""
        return self.value.replace("_", " ")

    @property
    def asked(self) -> str:
        """The verb in a request: "roll back", where `words` names the action."""
        return _ASKED.get(self, self.words)


_ASKED: Final[Mapping[ActionType, str]] = MappingProxyType(
    {
        ActionType.NOOP: "pass",
        ActionType.ROLLBACK: "roll back",
        ActionType.FAILOVER: "fail over",
    }
)
