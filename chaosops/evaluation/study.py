"""The study behind a measurement: incidents, seeds, teammates, and how work is distributed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from math import fsum
from typing import Final, NamedTuple, Protocol, TypeVar

from chaosops.agents.policies import Policy
from chaosops.agents.runner import run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, Difficulty, FailureType
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.rewards.reward_fn import StepRewardBreakdown
from chaosops.scenarios.rendering import ScenarioSource

_ItemT = TypeVar("_ItemT")
_ResultT = TypeVar("_ResultT")

_OTHER_SEEDS = 1_000_000


class Each(Protocol):
    """Applies a function to items; yields the results in the order of the items."""

    def __call__(
        self, function: Callable[[_ItemT], _ResultT], items: Sequence[_ItemT], /
    ) -> Iterable[_ResultT]:
        """Start the work."""
        ...


def one_by_one(
    function: Callable[[_ItemT], _ResultT], items: Sequence[_ItemT]
) -> Iterator[_ResultT]:
    """Apply a function to one item after another in this process."""
    return map(function, items)


class StudyPlan(NamedTuple):
    """How each incident is played; small, to be sent to other processes.

    Attributes:
        seeds: The seeds of each incident that are played.
        training: How many other seeds of each incident an adversary may learn from.
        teammate: The policy in the seats besides the person's.
    """

    seeds: tuple[int, ...]
    training: int = 30
    teammate: str = "steady"

    def scenarios(self, source: ScenarioSource) -> list[Scenario]:
        """Return the scenarios of an incident that are played."""
        return [Scenario.of(source, seed) for seed in self.seeds]

    def known(self, source: ScenarioSource) -> list[Scenario]:
        """Return the scenarios of an incident to learn from, none of which is played."""
        others = (seed for seed in count(_OTHER_SEEDS) if seed not in self.seeds)
        return [Scenario.of(source, seed) for seed in islice(others, self.training)]


@dataclass(frozen=True, slots=True)
class Study:
    """The incidents and the plan of a measurement.

    Attributes:
        sources: The incidents.
        each: How work is distributed; see `Each`.
    """

    sources: tuple[ScenarioSource, ...]
    plan: StudyPlan
    each: Each = one_by_one

    def of_each(self, work: Callable[[StudyPlan, ScenarioSource], _ResultT]) -> Iterable[_ResultT]:
        """Yield the results of a function for each incident, in their order."""
        return self.each(partial(work, self.plan), self.sources)

    def gather(
        self, work: Callable[[StudyPlan, ScenarioSource], Sequence[_ResultT]]
    ) -> list[_ResultT]:
        """Apply a function that returns several results per incident, and join them."""
        return [one for some in self.of_each(work) for one in some]


class RightAnswer(NamedTuple):
    """The answer that a team has to find.

    Attributes:
        place: The service that needs the fix; empty for a false alarm.
        culprit: The guilty agent; empty if there is none.
    """

    cause: FailureType | str
    place: str
    culprit: str


def truth_of(scenario: Scenario) -> RightAnswer:
    """Return the answer of a scenario."""
    incident = scenario.incident
    mends = [
        step.target
        for step in incident.solution
        if step.target and (step.action in FIXES or step.action is ActionType.ESCALATE)
    ]
    clears = [
        move.target
        for fault in incident.faults
        if fault.starts is not None
        for move in fault.clears
        if move.target
    ]
    cleared = [target for target in mends if target in clears]
    culprit = next((a.name for a in incident.automation if a.is_guilty), "")
    place = next(iter((*cleared, *mends, *clears)), "")
    if scenario.failure_type is FailureType.FALSE_ALARM:
        place = ""
    return RightAnswer(scenario.failure_type, place, culprit)


def family_of(scenario: Scenario) -> str:
    """Return the family of the cause that was drawn."""
    return scenario.incident.drawn.cause.family


def situation_of(scenario: Scenario) -> str:
    """Return what is known about a scenario at the page: the topology and the page.

    Incidents that share both are one situation with several truths, whether they are in one file
    or in many.
    """
    return f"{scenario.topology_id}/{scenario.incident.page}"


def commonest_share(scenarios: Sequence[Scenario]) -> float:
    """Return how often the most common answer of each situation is right, 0 to 1."""
    truths: dict[str, dict[RightAnswer, int]] = {}
    for scenario in scenarios:
        counts = truths.setdefault(situation_of(scenario), {})
        truth = truth_of(scenario)
        counts[truth] = counts.get(truth, 0) + 1
    right = sum(max(counts.values()) for counts in truths.values())
    return right / len(scenarios) if scenarios else 0.0


class Game(NamedTuple):
    """How an episode ended.

    Attributes:
        duties: The penalties for neglected duties, 0 or less.
    """

    scenario: str
    level: Difficulty
    seed: int
    resolved: bool
    reward: float
    duties: float


_DUTIES: Final = tuple(
    name
    for name in StepRewardBreakdown._fields
    if name in {"status_update_penalty", "approval_penalty", "grant_penalty"}
)

Seats = Mapping[AgentRole, Policy]


def play(scenario: Scenario, seats: Seats) -> Game:
    """Play an episode to its end; a role without a policy passes."""
    result = run_episode(ChaosOpsEnvironment(), scenario, seats)
    duties = fsum(getattr(step.breakdown, name) for step in result.steps for name in _DUTIES)
    return Game(
        scenario.id,
        scenario.difficulty,
        scenario.seed,
        result.resolved,
        result.cumulative_reward,
        duties,
    )
