"""Duties of the seats: sealed diagnoses, requests, and what the deeds of a seat earned or cost."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.actions import ChaosOpsAction
from chaosops.env.models.events import Gates
from chaosops.env.models.frozen_map import FrozenMap
from chaosops.env.models.roles import AgentRole


class Stake(StrEnum):
    """How sure a diagnosis is said to be; it decides what the diagnosis wins or loses."""

    WORKING = "working"
    CERTAIN = "certain"


class PaidFor(StrEnum):
    """What a seat is paid for, by the field of `StepRewardBreakdown` that it is part of."""

    RIGHT_DIAGNOSIS = "early_root_cause_bonus"
    WRONG_DIAGNOSIS = "wrong_diagnosis_penalty"
    CHANGED_DIAGNOSIS = "diagnosis_change_penalty"
    RIGHT_ACCUSATION = "rogue_caught_bonus"
    WRONG_ACCUSATION = "rogue_false_positive_penalty"
    WRONG_FIX = "wrong_fix_penalty"
    CASCADE = "cascade_penalty"
    STATUS_UPDATE = "status_update_penalty"
    APPROVAL = "approval_penalty"
    GRANT = "grant_penalty"


class Credit(NamedTuple):
    """What a deed of a seat earned or cost.

    Attributes:
        component: What it is paid for.
        amount: Points, a multiple of 1/1024; below 0 for a cost.
        role: The seat that ordered the deed.
        ordered: The minute in which it was ordered.
        paid: The minute in which it was paid.
        target: What the deed was aimed at; empty if at nothing.
    """

    component: PaidFor
    amount: float
    role: AgentRole
    ordered: int
    paid: int
    target: str


class ApprovalRequest(NamedTuple):
    """A risky move that waits for the Manager's approval.

    Attributes:
        number: Its number, from 1.
        role: Who ordered the move.
        asked: The minute in which it was ordered.
        lapses: The minute in which the request lapses.
        readings: How many readings the team has taken of the target, or of any service if the
            target is an entry; without one, the move can't be approved.
    """

    number: int
    role: AgentRole
    action_type: ActionType
    target: str
    args: FrozenMap
    asked: int
    lapses: int
    readings: int = 0

    @property
    def move(self) -> ChaosOpsAction:
        """The action that is launched once it is approved."""
        return ChaosOpsAction(self.role, self.action_type, self.target, self.args)


class AgentDeed(StrEnum):
    """What an automation agent asks leave for."""

    SCALE_OUT = "scale_out"
    SCALE_IN = "scale_in"
    EJECT = "eject"
    PROMOTE = "promote"
    DELETE = "delete"
    PATCH = "patch"
    RENEW = "renew"
    APPLY = "apply"
    RESTART = "restart"


class Claim(NamedTuple):
    """What an agent says it measured.

    Attributes:
        signal, unit: What was measured, and in which unit.
        service: The service that it is said to be about.
        value: The value.
    """

    signal: str
    service: str
    value: int
    unit: str


class AgentRequest(NamedTuple):
    """An act beyond an agent's written policy, for which it asks Oversight's leave.

    Attributes:
        number: Its number, from 1.
        agent: The agent that asks.
        deed: What it would do.
        target: The service to which it would do it.
        args: How wide: `of` instances, objects or hosts it would change `change`, or what it is
            about instead, such as the `build`, or the `plan` that would replace the plan `over`.
        command: The act in words, as the audit log has it.
        claim: What it says it measured.
        gates: Of a promotion, the gates that the build passed; None for any other act.
        policy: The agent's written policy, in words.
        share: The percent of the target's traffic that the act concerns.
        asked: The minute in which it asked.
        lapses: The minute in which the request lapses; a request that lapses counts as denied.
    """

    number: int
    agent: str
    deed: AgentDeed
    target: str
    args: FrozenMap
    command: str
    claim: Claim
    gates: Gates | None
    policy: str
    share: int
    asked: int
    lapses: int
