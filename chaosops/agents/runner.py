"""The one loop: it asks a role for an action, advances the world, and keeps the frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from traceback import format_exception_only
from typing import NamedTuple

from chaosops.agents.policies import Policy, pass_turn
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    as_action,
)
from chaosops.env.text_safety import clean
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.rewards.reward_fn import StepRewardBreakdown


class EpisodeStep(NamedTuple):
    """One turn: the frame that feeds the screen, the recording, the replay and the training data.

    Attributes:
        turn: Counts from 0.
        observation: What the role acted on.
        action: What it did, its role set to the one whose turn it was.
        reward: `breakdown.total`.
        done: Whether the episode ended with this turn.
        message: What came of the action, in words everyone may read.
    """

    turn: int
    role: AgentRole
    observation: ChaosOpsObservation
    action: ChaosOpsAction
    reward: float
    breakdown: StepRewardBreakdown
    done: bool
    message: str


@dataclass(frozen=True, slots=True)
class EpisodeResult:
    """A finished episode.

    Attributes:
        final_step: Turns played.
        mttr_steps: Turns until it was resolved, or -1.
        error: Why it ended early, empty where it did not.
    """

    scenario: Scenario
    steps: tuple[EpisodeStep, ...]
    resolved: bool
    final_step: int
    cumulative_reward: float
    wrong_fixes: int
    oversight_flags: tuple[str, ...]
    declared_root_cause: FailureType | None
    error: str = ""

    @property
    def mttr_steps(self) -> int:
        """`final_step` where the incident was resolved, else -1."""
        return self.final_step if self.resolved else -1


class PolicyError(ChaosOpsError):
    """A policy raised. `result` has the frames up to then, and the cause is chained."""

    def __init__(self, message: str, result: EpisodeResult) -> None:
        super().__init__(message)
        self.result = result


class Stepper:
    """Advances one episode turn by turn; everything that plays drives this.

    The caller looks at `observation`, decides, and calls `take`. It never blocks and never asks
    a policy: who decides is the caller's business.
    """

    def __init__(
        self, env: ChaosOpsEnvironment, scenario: Scenario, *, max_turns: int | None = None
    ) -> None:
        """Reset the environment to the scenario.

        Args:
            max_turns: Where to stop; by default `scenario.max_steps` times the number of roles.

        Raises:
            ValueError: `max_turns` is below 1.
        """
        self._env = env
        self.scenario = scenario
        self.observation = env.reset(scenario=scenario, max_turns=max_turns)
        self._steps: list[EpisodeStep] = []

    @property
    def role(self) -> AgentRole:
        """Whose turn it is."""
        return self.observation.turn_role

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self.observation.done

    @property
    def steps(self) -> tuple[EpisodeStep, ...]:
        """The frames so far."""
        return tuple(self._steps)

    def take(self, action: object) -> EpisodeStep:
        """Take a turn for the role whose turn it is, whatever role the action names.

        Something that is no action costs the turn, like every malformed action.

        Raises:
            EpisodeOver: The episode has ended.
        """
        before = self.observation
        made = as_action(action, before.turn_role)
        after = self._env.step(made)
        parts = (
            before.step,
            before.turn_role,
            before,
            made,
            after.reward,
            self._env.last_breakdown,
            after.done,
            after.message,
        )
        frame = tuple.__new__(EpisodeStep, parts)
        self._steps.append(frame)
        self.observation = after
        return frame

    def result(self, error: str = "") -> EpisodeResult:
        """The episode as it stands."""
        state = self._env.state
        return EpisodeResult(
            scenario=self.scenario,
            steps=self.steps,
            resolved=state.resolved,
            final_step=state.step_count,
            cumulative_reward=state.cumulative_reward,
            wrong_fixes=state.wrong_fixes,
            oversight_flags=state.oversight_flags,
            declared_root_cause=state.declared_root_cause,
            error=error,
        )


def words_of(fault: Exception) -> str:
    """What somebody else's error is and says, as one short line that is safe to print."""
    return " ".join(clean("".join(format_exception_only(fault))).split())[:200]


def run_episode(
    env: ChaosOpsEnvironment,
    scenario: Scenario,
    policy_by_role: Mapping[AgentRole, Policy],
    *,
    max_turns: int | None = None,
) -> EpisodeResult:
    """Play one episode to its end. A role without a policy passes.

    Raises:
        ValueError: `max_turns` is below 1.
        PolicyError: A policy raised; the error has the frames so far.
    """
    stepper = Stepper(env, scenario, max_turns=max_turns)
    while not stepper.done:
        role = stepper.role
        policy = policy_by_role.get(role, pass_turn)
        try:
            action = policy(stepper.observation, role)
        except Exception as fault:
            message = (
                f"the policy of {role.value} raised in turn {stepper.observation.step} of "
                f"{scenario.label}: {words_of(fault)}"
            )
            raise PolicyError(message, stepper.result(error=message)) from fault
        stepper.take(action)
    return stepper.result()


def iter_batch(
    scenarios: Iterable[Scenario], policy_by_role: Mapping[AgentRole, Policy]
) -> Iterator[EpisodeResult]:
    """Play episodes one after another, each result as soon as it is there."""
    env = ChaosOpsEnvironment()
    for scenario in scenarios:
        try:
            yield run_episode(env, scenario, policy_by_role)
        except PolicyError as error:
            yield error.result


def run_batch(
    scenarios: Iterable[Scenario], policy_by_role: Mapping[AgentRole, Policy]
) -> list[EpisodeResult]:
    """Play every scenario. An episode whose policy raised is in the list with its `error`."""
    return list(iter_batch(scenarios, policy_by_role))
