"""The interface that an episode and its views need of a world."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from chaosops.env.actions import ActionBook
from chaosops.env.alerting import Alerting
from chaosops.env.automation import Automation
from chaosops.env.instance_scope import instance_problem, with_number
from chaosops.env.models import (
    SAY,
    ActionType,
    AgentRole,
    Change,
    ChaosOpsAction,
    Finding,
    FrozenMap,
    InFlight,
    InForce,
    Journey,
    Landing,
    LogLine,
    ServiceNode,
    ServiceSignals,
    SignalRows,
    Source,
    Ticket,
)
from chaosops.env.models.topology import Topology
from chaosops.env.scene import Scene
from chaosops.scenarios.scenario import Scenario


class IncidentWorld(ABC):
    """The world of one episode, minute by minute.

    Attributes:
        minute: Minutes since the page.
        graph: Services and their dependencies; `app_tier` has the numbers of those Dev sees.
        history: Signals of the last minutes, oldest first; `newest` has those of the last one.
        in_flight, landed: Actions in flight, and the newest that have landed.
        in_force: Their lasting effects, oldest first.
        landings: What was measured at each landing, oldest first.
        scene: The fleet as instruments see it.
        wrong_landings: Wrong actions that landed in this minute.
        held: Minutes in a row in which the SLO was met.
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
    history: deque[SignalRows]
    newest: tuple[ServiceSignals, ...]
    in_flight: tuple[InFlight, ...]
    landed: tuple[InFlight, ...]
    in_force: tuple[InForce, ...]
    landings: tuple[Landing, ...]
    scene: Scene
    wrong_landings: int
    tickets: tuple[Ticket, ...]
    held: int
    users_ok: float
    lost: float

    @property
    @abstractmethod
    def budget(self) -> int:
        """The remaining error budget in percent."""

    @property
    @abstractmethod
    def journeys(self) -> tuple[Journey, ...]:
        """How users fare where they come in."""

    @property
    @abstractmethod
    def causes_gone(self) -> bool:
        """Whether every cause is cleared and every rogue agent contained."""

    @property
    @abstractmethod
    def faults_live(self) -> tuple[str, ...]:
        """The ids of what is wrong now."""

    @property
    @abstractmethod
    def is_taken_away(self) -> bool:
        """Whether the incident is over because the error budget is spent."""

    @abstractmethod
    def log_tail(self, *, apps_only: bool) -> tuple[LogLine, ...]:
        """Return the newest log lines; the same object until a line is added."""

    def changes(self) -> tuple[Change, ...]:
        """Return the changes so far, oldest first; within a minute, by service."""
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

    @abstractmethod
    def look(self, role: AgentRole, source: Source, target: str) -> Finding:
        """Return what an investigation shows now."""

    def is_in_flight(self, action: ChaosOpsAction) -> bool:
        """Whether the same action is already in flight."""
        args = given(action.args)
        return any(
            item.action_type is action.action_type
            and item.target == action.target
            and item.args == args
            for item in self.in_flight
        )

    def problem_here(self, action: ChaosOpsAction) -> str:
        """Explain why there is no such instance as a move is for; empty if there is."""
        return instance_problem(action, self.scene)

    def settled(self, action: ChaosOpsAction) -> ChaosOpsAction:
        """Return a move on one instance with its number instead of its name; others as they are."""
        return with_number(action, self.scene)

    @abstractmethod
    def launch(self, action: ChaosOpsAction, verb: ActionType, target: str) -> InFlight:
        """Put an action in flight; it lands after the minutes that its verb takes on the target."""

    @abstractmethod
    def note(self, role: AgentRole, verb: ActionType, target: str) -> None:
        """Add an action that took effect at once to what has landed, where everyone sees it."""

    @abstractmethod
    def most_replicas(self, target: str) -> int:
        """Return the most replicas that the service can have."""

    @abstractmethod
    def advance(self) -> None:
        """Advance by a minute."""


def given(args: Mapping[str, Any]) -> FrozenMap:
    """Return the arguments that matter to the world: no hints, no line, and none that are null."""
    if isinstance(args, FrozenMap) and _BESIDE.isdisjoint(args) and None not in args.values():
        return args
    return FrozenMap(
        {name: value for name, value in args.items() if name not in _BESIDE and value is not None}
    )


_BESIDE: Final = frozenset({"hint", SAY})
"""The arguments that change nothing in the world."""
