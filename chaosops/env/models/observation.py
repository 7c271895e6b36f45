"""The observation: what the role whose turn it is gets to see, deeply immutable."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.effects import InFlight, InForce, Landing
from chaosops.env.models.events import Alert, AuditEvent, Change, LogLine
from chaosops.env.models.failures import FailureType
from chaosops.env.models.messages import Finding, Message
from chaosops.env.models.records import Record
from chaosops.env.models.roles import AgentRole
from chaosops.env.models.services import Health, ServiceNode
from chaosops.env.models.signals import ServiceSignals


class Ticket(NamedTuple):
    """What a customer wrote to support."""

    minute: int
    text: str


class LastAction(NamedTuple):
    """The last thing a role did, in words everyone may read.

    Attributes:
        action_type: The verb; None where the action was refused and the turn lost.
    """

    role: AgentRole
    minute: int
    text: str
    action_type: ActionType | None = None


class Impact(NamedTuple):
    """What the incident costs the customers.

    Attributes:
        failed: Share of user requests that failed this minute, 0 to 1, four decimals.
        lost: User requests that failed since the page, in thousands, one decimal.
        tickets: The newest support tickets, oldest first.
        doing: Each role's last act, in the turn order.
    """

    failed: float
    lost: float
    tickets: tuple[Ticket, ...]
    doing: tuple[LastAction, ...]


class Diagnosis(NamedTuple):
    """A declared root cause, and whether it is the right one."""

    minute: int
    role: AgentRole
    cause: FailureType
    right: bool


class Status(NamedTuple):
    """The incident in one line, the same for every role.

    Attributes:
        title: What the page said.
        minute: Minutes since the page.
        paged_at: Minute of the day of the page, so that minute m is at `paged_at + m`.
        turns: Turns the incident may last.
        users_ok: Share of user requests that succeeded this minute, 0 to 1, four decimals.
        slo: The share that should.
        held: Minutes in a row that the objective has been met.
        hold: Minutes it has to be met for.
        budget: Error budget left, percent, 0 when it is spent.
    """

    title: str
    minute: int
    paged_at: int
    turns: int
    users_ok: float
    slo: float
    held: int
    hold: int
    budget: int


class ArgumentChoice(NamedTuple):
    """One argument of a verb: the values to choose from, or any text where there are none."""

    name: str
    choices: tuple[str | int, ...]
    required: bool


class VerbChoice(NamedTuple):
    """A verb the role may use now, with its targets and arguments.

    `targets` is empty for a verb that takes none. `minutes` is how long it is in flight, from
    the fastest target to the slowest; (0, 0) acts at once.
    """

    action_type: ActionType
    group: str
    targets: tuple[str, ...]
    arguments: tuple[ArgumentChoice, ...]
    minutes: tuple[int, int]


class _RoleView(NamedTuple):
    role: AgentRole
    status: Status
    alerts: tuple[Alert, ...]
    channel: tuple[Message, ...]
    inbox: tuple[Message, ...]
    in_flight: tuple[InFlight, ...]
    landed: tuple[InFlight, ...]
    in_force: tuple[InForce, ...]
    diagnoses: tuple[Diagnosis, ...]
    findings: tuple[Finding, ...]
    graph: tuple[ServiceNode, ...]
    allowed: tuple[VerbChoice, ...]
    services: tuple[ServiceSignals, ...] | None
    history: tuple[tuple[ServiceSignals, ...], ...] | None
    logs: tuple[LogLine, ...] | None
    changes: tuple[Change, ...] | None
    audit: tuple[AuditEvent, ...] | None
    agents: tuple[str, ...] | None
    paused: tuple[str, ...] | None
    flagged: tuple[str, ...] | None
    health: tuple[tuple[str, Health], ...] | None
    impact: Impact | None
    landings: tuple[Landing, ...] | None = None


class RoleView(_RoleView, Record):
    """What one role sees. None means that the role does not see that part of the truth.

    The order of a list says nothing about the cause: what has a minute is sorted by it, oldest
    first, and within a minute by name and text; services stand in the topology's order, names of
    agents and signs in the alphabet's.

    Attributes:
        status, alerts, channel, in_flight, landed, in_force, diagnoses, graph: Shared by all roles.
            The page is the first alert.
        inbox: Messages of this role's private talk, in their order: those that were sent to it
            alone, and its own copies of those that it sent to one role.
        findings: Of this role's own investigations, oldest first.
        allowed: Everything the role may do now; the one list of it.
        services: Signals now, in the topology's order.
        history: Signals of the last minutes, oldest first, the newest one being `services`.
        logs: The tail of the logs this role reads, oldest first.
        changes: The change history, oldest first.
        audit: What the automation did and said, oldest first.
        paused, flagged: Names of the agents that are.
        health: Service and health, at a glance.
        impact: What it costs the customers.
        landings: What was measured of each action that landed, oldest first; None where an
            incident of the first edition is played, which measures nothing.
    """

    __slots__ = ()


class _ChaosOpsObservation(NamedTuple):
    turn_role: AgentRole
    view: RoleView
    step: int
    reward: float
    done: bool
    message: str
    refused: bool = False


class ChaosOpsObservation(_ChaosOpsObservation, Record):
    """What the role whose turn it is gets to see, deeply immutable.

    Attributes:
        turn_role: Who acts next.
        view: What that role sees.
        step: Turns taken so far.
        reward: What the last turn paid; 0 after a reset.
        done: Whether the episode is over.
        message: What came of the last action, in words everyone may read.
        refused: The last action was malformed, and its turn lost.
    """

    __slots__ = ()
