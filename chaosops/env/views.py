"""What each role sees of the world, and nothing else."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, Final

from chaosops.env.incident_world import IncidentWorld
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRequest,
    AgentRole,
    ApprovalRequest,
    Change,
    ChaosOpsAction,
    Credit,
    Diagnosis,
    Finding,
    Health,
    Impact,
    LastAction,
    Message,
    Reply,
    ReplyKind,
    RoleView,
    ServiceSignals,
    SignalRows,
    StatusUpdate,
    UpdateDue,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.signal_rows import RoleCut, SeenRows
from chaosops.env.new_records import new_impact, new_status, new_view

HISTORY: Final = 30
"""How many minutes views go back."""

_MESSAGES_KEPT: Final = 60


_FleetHealth = tuple[tuple[str, Health], ...]


class TeamState:
    """What the roles have said and found: the state of an episode apart from the fleet.

    Attributes:
        paid: What the seats' deeds earned or cost.
        requests: The moves that wait for an approval; None where none needs one.
        frozen: Whether each fix needs an approval.
        due: The status update that is due; None if none is.
        updates: Those that were sent.
        agent_requests: What automation agents ask for.
    """

    def __init__(self) -> None:
        self.channel: tuple[Message, ...] = ()
        self.inboxes: dict[AgentRole, tuple[Message, ...]] = dict.fromkeys(TURN_ORDER, ())
        self.findings: dict[AgentRole, tuple[Finding, ...]] = dict.fromkeys(TURN_ORDER, ())
        self.diagnoses: tuple[Diagnosis, ...] = ()
        self.paid: tuple[Credit, ...] = ()
        self.requests: tuple[ApprovalRequest, ...] | None = None
        self.frozen = False
        self.due: UpdateDue | None = None
        self.updates: tuple[StatusUpdate, ...] = ()
        self.agent_requests: tuple[AgentRequest, ...] = ()
        self.doing: dict[AgentRole, LastAction] = {}
        self._asked: dict[AgentRole, tuple[Message, ...]] = {}

    def copy(self) -> TeamState:
        """Return an independent copy."""
        twin = TeamState()
        twin.channel, twin.diagnoses, twin.paid = self.channel, self.diagnoses, self.paid
        twin.requests, twin.frozen = self.requests, self.frozen
        twin.due, twin.updates = self.due, self.updates
        twin.agent_requests = self.agent_requests
        twin.inboxes, twin.findings = self.inboxes.copy(), self.findings.copy()
        twin.doing, twin._asked = self.doing.copy(), self._asked.copy()
        return twin

    def deliver(self, message: Message, *, private: bool) -> None:
        """Deliver a message; the oldest ones are dropped."""
        if message.to is None or not private:
            self.channel = (*self.channel, message)[-_MESSAGES_KEPT:]
        else:
            for role in (message.to, message.sender):
                self.inboxes[role] = (*self.inboxes[role], message)[-_MESSAGES_KEPT:]
        if message.to is not None and message.proposal is not None:
            waiting = self._asked.get(message.to, ())
            self._asked[message.to] = (*waiting, message)[-_MESSAGES_KEPT:]

    def take_up(self, minute: int, action: ChaosOpsAction, verb: ActionType) -> None:
        """Tell those who asked for an action that the role has taken it, where they asked.

        The answer costs no turn, and each request gets one.
        """
        role, target = action.role, action.target
        waiting = self._asked.get(role)
        if not waiting:
            return
        met = [
            (asked, asked.proposal)
            for asked in waiting
            if asked.proposal is not None and asked.proposal.is_met_by(verb, target)
        ]
        heard = [asked for asked, _proposal in met]
        self._asked[role] = tuple(asked for asked in waiting if asked not in heard)
        if not met:
            return
        what = ", ".join((f"{verb.words} {target or ''}".strip(), *_spoken(action.args)))
        for asked, proposal in met:
            done = Reply(ReplyKind.DOES, proposal)
            answer = Message(minute, role, asked.sender, f"I do: {what}", None, None, done)
            self.deliver(answer, private=asked not in self.channel)


def _spoken(args: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments of an action that change its effect."""
    for name, value in args.items():
        if name != "hint" and isinstance(value, (str, int)):
            yield f"{name} {value}".replace("_", " ")


class Views:
    """Builds the views of roles, which share what didn't change with earlier ones."""

    def __init__(self, world: IncidentWorld, team: TeamState, turns: int) -> None:
        self._world = world
        self._team = team
        self._turns = turns
        self._page = world.scenario.page
        self._slo = world.topology.slo
        self._hold = world.scenario.hold
        self._graph = world.graph
        self._app_cut = RoleCut(AgentRole.DEV, world.app_tier)
        self._app_history: deque[SignalRows] = deque(maxlen=HISTORY)
        self._app_minute = world.minute - HISTORY
        self._health: _FleetHealth = ()
        self._known_health: dict[_FleetHealth, _FleetHealth] = {}
        self._health_minute: tuple[ServiceSignals, ...] = ()
        self._changes, self._changes_until = self._up_to_now()

    def of(self, role: AgentRole) -> RoleView:
        """Return what a role sees now."""
        world, team = self._world, self._team
        automation = world.automation
        spec = ROLES[role]
        sees, whole_fleet = spec.sees, spec.sees_whole_fleet
        history = None
        if "history" in sees:
            history = tuple(world.history) if whole_fleet else self._app_signals()
        status = new_status(
            title=self._page,
            minute=world.minute,
            paged_at=world.paged_at,
            turns=self._turns,
            users_ok=world.users_ok,
            slo=self._slo,
            held=world.held,
            hold=self._hold,
            budget=world.budget,
            frozen=team.frozen,
        )
        return new_view(
            role=role,
            status=status,
            alerts=world.alerting.firing,
            channel=team.channel,
            inbox=team.inboxes[role],
            in_flight=world.in_flight,
            landed=world.landed,
            in_force=world.in_force,
            diagnoses=team.diagnoses,
            findings=team.findings[role],
            graph=self._graph,
            allowed=world.actions.allowed(
                role,
                automation.paused,
                automation.flagged,
                team.requests or (),
                team.agent_requests,
                update=team.due is not None,
            ),
            services=history[-1] if history and "services" in sees else None,
            history=history,
            logs=world.log_tail(apps_only=not whole_fleet) if "logs" in sees else None,
            changes=self._change_history() if "changes" in sees else None,
            audit=automation.audit if "audit" in sees else None,
            agents=automation.names if "agents" in sees else None,
            paused=automation.paused if "paused" in sees else None,
            flagged=automation.flagged if "flagged" in sees else None,
            health=self._coarse_health() if "health" in sees else None,
            impact=self._impact() if "impact" in sees else None,
            landings=world.landings,
            paid=team.paid,
            requests=team.requests,
            due=team.due,
            updates=team.updates,
            agent_requests=team.agent_requests if "agent_requests" in sees else None,
        )

    def _app_signals(self) -> tuple[SignalRows, ...]:
        world, history = self._world, self._app_history
        missing = min(world.minute - self._app_minute, HISTORY)
        if missing:
            for k in range(-missing, 0):
                history.append(SeenRows(world.history[k], self._app_cut))
            self._app_minute = world.minute
        return tuple(history)

    def _change_history(self) -> tuple[Change, ...]:
        if self._changes_until <= self._world.minute:
            self._changes, self._changes_until = self._up_to_now()
        return self._changes

    def _up_to_now(self) -> tuple[tuple[Change, ...], float]:
        """Return the changes so far, and the minute of the next one."""
        now = self._world.minute
        coming = [change.at for change in self._world.scenario.incident.changes if change.at > now]
        return self._world.changes(), min(coming, default=math.inf)

    def _coarse_health(self) -> _FleetHealth:
        minute = self._world.newest
        if minute is not self._health_minute:
            self._health_minute = minute
            now = tuple([(signals.service, signals.health) for signals in minute])
            self._health = self._known_health.setdefault(now, now)
        return self._health

    def _impact(self) -> Impact:
        world, doing = self._world, self._team.doing
        return new_impact(
            round(1.0 - world.users_ok, 4),
            round(world.lost / 1000.0, 1),
            world.tickets,
            tuple([doing[role] for role in TURN_ORDER if role in doing]),
            world.journeys,
        )
