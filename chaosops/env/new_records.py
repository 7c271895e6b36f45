"""Makes the records of each turn, compiled, at a fifth of what their own constructors cost.

Each function takes the fields of its record, in their order, and does what calling it does.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final, NamedTuple

from chaosops.env.models import (
    ActionType,
    AgentRequest,
    AgentRole,
    Alert,
    ApprovalRequest,
    AuditEvent,
    Change,
    ChaosOpsObservation,
    Credit,
    Diagnosis,
    Finding,
    Health,
    Impact,
    InFlight,
    InForce,
    Journey,
    Landing,
    LastAction,
    LogLevel,
    LogLine,
    Message,
    PaidFor,
    RoleView,
    ServiceNode,
    ServiceSignals,
    Severity,
    Signal,
    Status,
    StatusUpdate,
    Ticket,
    UpdateDue,
    VerbChoice,
)
from chaosops.env.models.readings import LogEvent
from chaosops.env.models.signal_rows import (
    HEALTHS,
    MOST,
    ROW,
    SHARES,
    STEPS,
    PackedRows,
    SignalRows,
)
from chaosops.rewards.reward_fn import TurnFacts

_make: Final[Any] = tuple.__new__
"""Makes a named tuple from its fields, without the Python of its own constructor."""

_NUMBERS: Final = {health: number for number, health in enumerate(HEALTHS)}
_WIDTH: Final = len(ServiceSignals._fields)


def signals_of(row: tuple[Any, ...]) -> ServiceSignals:
    """Make the signals of a service from all of their fields, in their order."""
    made: ServiceSignals = _make(ServiceSignals, row)
    return made


class SignalPacker:
    """Packs the signals of a fleet's services, minute by minute."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._struct = Struct("<" + ROW * len(names))

    def pack(self, rows: tuple[ServiceSignals, ...]) -> PackedRows:
        """Pack a minute."""
        numbers: list[Any] = []
        for signals in rows:
            row: tuple[Any, ...] = signals
            numbers.append(_NUMBERS[row[1]])
            for k in range(2, _WIDTH):
                value = row[k]
                if value is None:
                    numbers.append(-1)
                elif k in SHARES:
                    numbers.append(int(value * STEPS + 0.5))
                else:
                    numbers.append(value if value < MOST else MOST)
        return PackedRows(self._names, self._struct.pack(*numbers))


class SignalBound(NamedTuple):
    """One bound on a signal of a service.

    Attributes:
        place: The place of the signal among the fields.
        bit: The bit that is set while the signal is beyond the bound.
        above: Whether that is above it.
    """

    place: int
    bit: int
    value: float
    above: bool

    @classmethod
    def on(cls, signal: str, bit: int, value: float, *, above: bool) -> SignalBound:
        """Return a bound on a signal by its name."""
        return cls(ServiceSignals._fields.index(signal), bit, value, above)


def beyond(
    bounds: tuple[tuple[SignalBound, ...], ...],
    minute: tuple[ServiceSignals, ...],
    before: tuple[ServiceSignals | None, ...],
    masks: list[int],
) -> list[tuple[int, int, int]]:
    """Update the masks of the bounds that services are beyond, where their signals changed.

    A value of None is neither beyond a bound nor within it.

    Args:
        bounds: Those on each service.
        minute, before: The signals of each service in this minute and in the one before.
        masks: For each service, the sum of the bits of what it is beyond.

    Returns:
        Each service whose mask changed, its previous mask and its mask now.
    """
    changed = []
    for i, of_service in enumerate(bounds):
        if minute[i] is before[i]:
            continue
        values: tuple[Any, ...] = minute[i]
        mask = 0
        for place, bit, bound, above in of_service:
            value = values[place]
            if value is not None and (value > bound if above else value < bound):
                mask += bit
        if mask != masks[i]:
            changed.append((i, masks[i], mask))
            masks[i] = mask
    return changed


def new_log_line(
    minute: int,
    service: str,
    level: LogLevel,
    text: str,
    event: LogEvent | None = None,
    callee: str = "",
) -> LogLine:
    """Make a log line."""
    made: LogLine = _make(LogLine, (minute, service, level, text, event, callee))
    return made


def new_alert(
    minute: int, service: str, severity: Severity, text: str, signal: Signal | None
) -> Alert:
    """Make an alert."""
    made: Alert = _make(Alert, (minute, service, severity, text, signal))
    return made


def new_impact(
    failed: float,
    lost: float,
    tickets: tuple[Ticket, ...],
    doing: tuple[LastAction, ...],
    journeys: tuple[Journey, ...],
) -> Impact:
    """Make the impact on customers."""
    made: Impact = _make(Impact, (failed, lost, tickets, doing, journeys))
    return made


def new_last_action(
    role: AgentRole, minute: int, text: str, action_type: ActionType | None
) -> LastAction:
    """Make a role's last action."""
    made: LastAction = _make(LastAction, (role, minute, text, action_type))
    return made


def new_status(
    title: str,
    minute: int,
    paged_at: int,
    turns: int,
    users_ok: float,
    slo: float,
    held: int,
    hold: int,
    budget: int,
    frozen: bool,
) -> Status:
    """Make the status of the incident."""
    row = (title, minute, paged_at, turns, users_ok, slo, held, hold, budget, frozen)
    made: Status = _make(Status, row)
    return made


def new_view(
    role: AgentRole,
    status: Status,
    alerts: tuple[Alert, ...],
    channel: tuple[Message, ...],
    inbox: tuple[Message, ...],
    in_flight: tuple[InFlight, ...],
    landed: tuple[InFlight, ...],
    in_force: tuple[InForce, ...],
    diagnoses: tuple[Diagnosis, ...],
    findings: tuple[Finding, ...],
    graph: tuple[ServiceNode, ...],
    allowed: tuple[VerbChoice, ...],
    services: SignalRows | None,
    history: tuple[SignalRows, ...] | None,
    logs: tuple[LogLine, ...] | None,
    changes: tuple[Change, ...] | None,
    audit: tuple[AuditEvent, ...] | None,
    agents: tuple[str, ...] | None,
    paused: tuple[str, ...] | None,
    flagged: tuple[str, ...] | None,
    health: tuple[tuple[str, Health], ...] | None,
    impact: Impact | None,
    landings: tuple[Landing, ...] | None,
    paid: tuple[Credit, ...] | None,
    requests: tuple[ApprovalRequest, ...] | None,
    due: UpdateDue | None,
    updates: tuple[StatusUpdate, ...] | None,
    agent_requests: tuple[AgentRequest, ...] | None,
) -> RoleView:
    """Make what a role sees."""
    row = (
        role,
        status,
        alerts,
        channel,
        inbox,
        in_flight,
        landed,
        in_force,
        diagnoses,
        findings,
        graph,
        allowed,
        services,
        history,
        logs,
        changes,
        audit,
        agents,
        paused,
        flagged,
        health,
        impact,
        landings,
        paid,
        requests,
        due,
        updates,
        agent_requests,
    )
    made: RoleView = _make(RoleView, row)
    return made


def new_facts(
    failed: float,
    resolved: bool = False,
    under_budget: bool = False,
    miscommunication: bool = False,
    false_all_clear: bool = False,
    hints: tuple[int, ...] = (),
    terminal: bool = False,
    amounts: tuple[tuple[PaidFor, float], ...] = (),
) -> TurnFacts:
    """Make what the reward of a turn depends on."""
    row = (
        failed,
        resolved,
        under_budget,
        miscommunication,
        false_all_clear,
        hints,
        terminal,
        amounts,
    )
    made: TurnFacts = _make(TurnFacts, row)
    return made


def new_observation(
    turn_role: AgentRole,
    view: RoleView,
    step: int,
    reward: float,
    done: bool,
    message: str,
    refused: bool,
) -> ChaosOpsObservation:
    """Make an observation."""
    row = (turn_role, view, step, reward, done, message, refused)
    made: ChaosOpsObservation = _make(ChaosOpsObservation, row)
    return made
