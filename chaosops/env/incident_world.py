"""What an episode needs of the world it is played in, whichever edition it is of."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from chaosops.env.actions import ActionBook
from chaosops.env.alerting import Alerting
from chaosops.env.automation import Automation
from chaosops.env.models import (
    ActionType,
    AgentRole,
    Change,
    ChaosOpsAction,
    Finding,
    FrozenMap,
    InFlight,
    InForce,
    Landing,
    LogLine,
    ServiceNode,
    ServiceSignals,
    Source,
    Ticket,
)
from chaosops.env.models.topology import Topology
from chaosops.scenarios.scenario import Scenario


class IncidentWorld:
    """The world of one episode, minute by minute.

    Attributes:
        minute: Minutes since the page.
        graph: Services with what they call; `app_tier` are the numbers of those that Dev sees.
        history: Signals of the last minutes, oldest first.
        in_flight, landed: Actions on their way, and the newest that arrived.
        in_force: What those have changed that lasts, oldest first.
        landings: What was measured of the actions that landed, oldest first; None where nothing is.
        wrong_landings: Actions that landed in this minute and were wrong.
        held: Minutes in a row that the users' objective has been met.
        users_ok: Share of user requests that succeeded this minute, 0 to 1, four decimals.
        lost: User requests that failed since the page.
    """

    scenario: Scenario
    topology: Topology
    graph: tuple[ServiceNode, ...]
    app_tier: tuple[int, ...]
    actions: ActionBook
    alerting: Alerting
    automation: Automation
    minute: int
    paged_at: int
    history: deque[tuple[ServiceSignals, ...]]
    in_flight: tuple[InFlight, ...]
    landed: tuple[InFlight, ...]
    in_force: tuple[InForce, ...]
    landings: tuple[Landing, ...] | None
    wrong_landings: int
    tickets: tuple[Ticket, ...]
    held: int
    users_ok: float
    lost: float

    @property
    def budget(self) -> int:
        """Error budget left, percent."""
        raise NotImplementedError

    @property
    def causes_gone(self) -> bool:
        """Whether every cause is gone and every rogue contained."""
        raise NotImplementedError

    @property
    def faults_live(self) -> tuple[str, ...]:
        """Ids of what is wrong now."""
        raise NotImplementedError

    @property
    def is_taken_away(self) -> bool:
        """Whether the incident is over because the error budget is spent."""
        return False

    def log_tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """The newest log lines; the same object as long as no line was added."""
        raise NotImplementedError

    def changes(self) -> tuple[Change, ...]:
        """The change history up to now, oldest first; those of the same minute by service."""
        return tuple(
            sorted(
                Change(
                    minute=spec.at,
                    service=spec.service,
                    kind=spec.kind,
                    version=spec.version,
                    author=spec.author,
                    text=spec.text,
                )
                for spec in self.scenario.incident.changes
                if spec.at <= self.minute
            )
        )

    def look(self, role: AgentRole, source: Source, target: str) -> Finding:
        """What an investigation shows now."""
        raise NotImplementedError

    def is_in_flight(self, action: ChaosOpsAction) -> bool:
        """Whether exactly this action is already in flight."""
        args = given(action.args)
        return any(
            item.action_type is action.action_type
            and item.target == action.target
            and item.args == args
            for item in self.in_flight
        )

    def launch(self, action: ChaosOpsAction, verb: ActionType, target: str) -> InFlight:
        """Put an action in flight; it lands after the minutes that its verb takes there."""
        raise NotImplementedError

    def note(self, role: AgentRole, verb: ActionType, target: str) -> None:
        """Put something that acted at once among what has landed, where everyone sees it."""
        raise NotImplementedError

    def most_replicas(self, target: str) -> int:
        """How far the service can be scaled."""
        raise NotImplementedError

    def refuse(self, verb: ActionType, item: InFlight) -> tuple[bool, bool]:
        """Whether an action is known to be wrong as it is taken, and whether that set off more."""
        return False, False

    def advance(self) -> None:
        """One minute."""
        raise NotImplementedError


def given(args: Mapping[str, Any]) -> FrozenMap:
    """The arguments that say something: a hint is none, and null is as good as left out."""
    if isinstance(args, FrozenMap) and "hint" not in args and None not in args.values():
        return args
    return FrozenMap(
        {name: value for name, value in args.items() if name != "hint" and value is not None}
    )
