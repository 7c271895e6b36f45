"""The observation: what the current role sees, deeply immutable."""

from __future__ import annotations

from typing import NamedTuple

from chaosops.env.models.action_types import ActionType
from chaosops.env.models.duties import AgentRequest, ApprovalRequest, Credit, Stake
from chaosops.env.models.effects import InFlight, InForce, Landing
from chaosops.env.models.events import Alert, AuditEvent, Change, LogLine
from chaosops.env.models.failures import CauseName
from chaosops.env.models.messages import Finding, Message
from chaosops.env.models.records import Record
from chaosops.env.models.roles import AgentRole
from chaosops.env.models.services import Health, ServiceNode
from chaosops.env.models.signal_rows import SignalRows
from chaosops.env.models.updates import Journey, StatusUpdate, UpdateDue


class Ticket(NamedTuple):
    """What a customer wrote to support."""

    minute: int
    text: str


class LastAction(NamedTuple):
    """The last thing a role did, in words that everyone may read.

    Attributes:
        action_type: The verb; None if the action was refused.
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
        doing: Each role's last action, in turn order.
        journeys: How users fare where they come in; empty in recordings of old engines.
    """

    failed: float
    lost: float
    tickets: tuple[Ticket, ...]
    doing: tuple[LastAction, ...]
    journeys: tuple[Journey, ...] = ()


class Diagnosis(NamedTuple):
    """A declared root cause.

    Attributes:
        right: Whether it is the right one; None while it is sealed, until the incident is over.
        place: The service where it is said to be; empty if none was named.
        stake: How sure it is said to be; None in recordings of old engines.
    """

    minute: int
    role: AgentRole
    cause: CauseName
    right: bool | None
    place: str = ""
    stake: Stake | None = None

    def says_the_same(self, other: Diagnosis) -> bool:
        """Whether both name the same cause, place and stake."""
        return self[2:] == other[2:]


class Status(NamedTuple):
    """The incident in one line, the same for every role.

    Attributes:
        title: What the page said.
        minute: Minutes since the page.
        paged_at: Minute of the day of the page, so that minute m is at `paged_at + m`.
        turns: The most turns that the incident can last.
        users_ok: Share of user requests that succeeded this minute, 0 to 1, four decimals.
        slo: The share that should succeed.
        held: Minutes in a row in which the objective was met.
        hold: Minutes for which it has to be met.
        budget: The remaining error budget in percent.
        frozen: Whether changes are frozen after wrong fixes, so that each fix needs the Manager's
            approval.
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
    frozen: bool = False


class ArgumentChoice(NamedTuple):
    """One argument of a verb: the values to choose from, or free text if there are none."""

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
    services: SignalRows | None
    history: tuple[SignalRows, ...] | None
    logs: tuple[LogLine, ...] | None
    changes: tuple[Change, ...] | None
    audit: tuple[AuditEvent, ...] | None
    agents: tuple[str, ...] | None
    paused: tuple[str, ...] | None
    flagged: tuple[str, ...] | None
    health: tuple[tuple[str, Health], ...] | None
    impact: Impact | None
    landings: tuple[Landing, ...] | None = None
    paid: tuple[Credit, ...] | None = None
    requests: tuple[ApprovalRequest, ...] | None = None
    due: UpdateDue | None = None
    updates: tuple[StatusUpdate, ...] | None = None
    agent_requests: tuple[AgentRequest, ...] | None = None


class RoleView(_RoleView, Record):
    """What one role sees. None means that the role doesn't see that part.

    The order of a list says nothing about the cause: what has a minute is sorted by it, oldest
    first, and within a minute by name and text; services stand in the topology's order, names of
    agents and signs in the alphabet's.

    Attributes:
        status, alerts, channel, in_flight, landed, in_force, diagnoses, graph: Shared by all roles.
            The page is the first alert.
        inbox: This role's private messages, oldest first: those that were sent to it
            alone, and copies of those that it sent to one role.
        findings: The results of this role's investigations, oldest first.
        allowed: Everything that the role may do now.
        services: Signals now, in the topology's order.
        history: Signals of the last minutes, oldest first; the newest equals `services`.
        logs: The newest lines of the logs that this role reads, oldest first.
        changes: The change history, oldest first.
        audit: The audit log of the automation, oldest first.
        paused, flagged: Names of the paused and of the flagged agents.
        health: The health of each service.
        impact: The impact on customers.
        landings: What was measured when each action landed, oldest first; None in
            recordings of old engines, which measured nothing.
        paid: What the seats' deeds earned or cost so far, oldest first; None in recordings
            of old engines. What every turn costs is in the rewards alone.
        requests: The moves that wait for the Manager's approval, oldest first; None where no
            move needs one, as below the level medium.
        due: The status update that is due, None if none is.
        updates: Those that were sent, oldest first; None in recordings of old engines.
        agent_requests: What automation agents ask Oversight for, oldest first; None for other
            roles, and in recordings of old engines.
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
    """What the current role sees, deeply immutable.

    Attributes:
        turn_role: Who acts next.
        view: What that role sees.
        step: Turns taken so far.
        reward: The reward of the last turn; 0 after a reset.
        done: Whether the episode is over.
        message: The result of the last action, in words that everyone may read.
        refused: Whether the last action was malformed and cost its turn.
    """

    __slots__ = ()
