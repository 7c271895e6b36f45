"""The game loop: it asks a role for an action, advances the world, and keeps the frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from chaosops.agents.policy import Policy, pass_turn, words_of
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    RoleView,
    as_action,
)
from chaosops.env.models.records import Record, dataclass_fields_of
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError, EpisodeOver
from chaosops.rewards.reward_fn import StepRewardBreakdown


class _EpisodeStep(NamedTuple):
    turn: int
    role: AgentRole
    observation: ChaosOpsObservation
    action: ChaosOpsAction
    reward: float
    breakdown: StepRewardBreakdown
    done: bool
    message: str = ""


class EpisodeStep(_EpisodeStep, Record):
    """One turn: the frame that feeds the screen, the recording, the replay and the training data.

    Attributes:
        turn: Counts from 0.
        observation: What the role saw before it acted.
        action: What it did, with its role set to the one whose turn it was.
        reward: `breakdown.total`.
        done: Whether the episode ended with this turn.
        message: The result of the action, in words that everyone may read.
    """

    __slots__ = ()
    __dataclass_fields__ = dataclass_fields_of(_EpisodeStep)


def _frame(
    before: ChaosOpsObservation,
    action: ChaosOpsAction,
    breakdown: StepRewardBreakdown,
    after: ChaosOpsObservation,
) -> EpisodeStep:
    """Return the frame of a turn, at a third of the cost of the constructor."""
    row = (
        before.step,
        before.turn_role,
        before,
        action,
        after.reward,
        breakdown,
        after.done,
        after.message,
    )
    return tuple.__new__(EpisodeStep, row)


@dataclass(frozen=True, slots=True)
class EpisodeResult(Record):
    """A played episode.

    Attributes:
        final_step: The number of turns played.
        truncated: Whether `max_turns` cut it off before its end, without the rewards that are
            paid at the end.
        error: What a policy raised; empty if none did. Such an episode counts as unresolved.
    """

    scenario: Scenario
    steps: tuple[EpisodeStep, ...] = ()
    resolved: bool = False
    final_step: int = 0
    cumulative_reward: float = 0.0
    wrong_fixes: int = 0
    oversight_flags: tuple[str, ...] = ()
    declared_root_cause: FailureType | str | None = None
    truncated: bool = False
    error: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", tuple(self.steps))
        object.__setattr__(self, "oversight_flags", tuple(self.oversight_flags))

    @property
    def mttr_steps(self) -> int:
        """`final_step` if the incident was resolved, else -1."""
        return self.final_step if self.resolved else -1


class PolicyError(ChaosOpsError):
    """A policy raised; the cause is chained.

    Attributes:
        result: The frames up to then, and the error.
    """

    def __init__(self, message: str, stepper: Stepper) -> None:
        super().__init__(message)
        self._stepper = stepper
        self.result = stepper.result(error=message)

    def __reduce__(self) -> tuple[type[PolicyError], tuple[str, Stepper]]:
        return PolicyError, (str(self), self._stepper)

    def play_on(self) -> EpisodeResult:
        """Play the rest with everyone passing; the episode counts as unresolved.

        The environment must be in the state in which the policy raised.
        """
        while not self._stepper.done:
            self._stepper.take(pass_turn(self._stepper.observation, self._stepper.role))
        return self._stepper.result(error=str(self))


class Stepper:
    """Advances one episode turn by turn; everything that plays uses this.

    The caller reads `observation`, decides, and calls `take`. It never blocks and never asks
    a policy: deciding is up to the caller.
    """

    def __init__(
        self, env: ChaosOpsEnvironment, scenario: Scenario, *, max_turns: int | None = None
    ) -> None:
        """Reset the environment to the scenario.

        Args:
            max_turns: Where to cut the episode off; by default `scenario.max_steps`
                times the number of roles, where it ends anyway.

        Raises:
            ValueError: `max_turns` is below 1.
        """
        if max_turns is not None and max_turns < 1:
            raise ValueError(f"max_turns must be 1 or more, not {max_turns}")
        self._env = env
        self._most = max_turns or scenario.max_steps * len(env.turn_order)
        self.scenario = scenario
        self.observation = env.reset(scenario=scenario)
        self._steps: list[EpisodeStep] = []

    def __copy__(self) -> Stepper:
        return deepcopy(self)

    @property
    def role(self) -> AgentRole:
        """The role whose turn it is."""
        return self.observation.turn_role

    @property
    def done(self) -> bool:
        """Whether the episode has ended or was cut off."""
        return self.observation.done or len(self._steps) >= self._most

    @property
    def truncated(self) -> bool:
        """Whether `max_turns` cut the episode off before its end."""
        return len(self._steps) >= self._most and not self.observation.done

    @property
    def steps(self) -> tuple[EpisodeStep, ...]:
        """The frames so far."""
        return tuple(self._steps)

    def view_of(self, role: AgentRole) -> RoleView:
        """Return what a role sees now, at any time."""
        return self._env.view_of(role)

    def take(self, action: object) -> EpisodeStep:
        """Take the current role's turn, whatever role the action names.

        Anything that is not an action costs the turn, like every malformed action.

        Raises:
            EpisodeOver: The episode has ended or was cut off.
        """
        before, steps = self.observation, self._steps
        if len(steps) >= self._most and not before.done:
            raise EpisodeOver(f"the episode was cut off after {self._most} turns: play another one")
        made = as_action(action, before.turn_role)
        after = self._env.step(made)
        frame = _frame(before, made, self._env.last_breakdown, after)
        steps.append(frame)
        self.observation = after
        return frame

    def result(self, error: str = "") -> EpisodeResult:
        """Return the episode so far.

        Args:
            error: What a policy raised; the episode then counts as unresolved.
        """
        state = self._env.state
        return EpisodeResult(
            scenario=self.scenario,
            steps=self.steps,
            resolved=state.resolved and not error,
            final_step=state.step_count,
            cumulative_reward=state.cumulative_reward,
            wrong_fixes=state.wrong_fixes,
            oversight_flags=state.oversight_flags,
            declared_root_cause=state.declared_root_cause,
            truncated=self.truncated,
            error=error,
        )


def run_episode(
    env: ChaosOpsEnvironment,
    scenario: Scenario,
    policy_by_role: Mapping[AgentRole, Policy | None],
    *,
    max_turns: int | None = None,
) -> EpisodeResult:
    """Play one episode to its end. A role without a policy, or with None, passes.

    Args:
        env: It is reset by `reset(scenario=scenario)`.
        max_turns: Where to cut the episode off; the result is then `truncated`.

    Raises:
        ValueError: `max_turns` is below 1.
        PolicyError: A policy raised; the error has the frames so far.
    """
    stepper = Stepper(env, scenario, max_turns=max_turns)
    while not stepper.done:
        role = stepper.role
        policy = policy_by_role.get(role)
        try:
            action = (pass_turn if policy is None else policy)(stepper.observation, role)
        except Exception as fault:
            message = (
                f"the policy of {role.value} raised in turn {stepper.observation.step} of "
                f"{scenario.label}: {words_of(fault)}"
            )
            raise PolicyError(message, stepper) from fault
        stepper.take(action)
    return stepper.result()


def iter_batch(
    scenarios: Iterable[Scenario],
    policy_by_role: Mapping[AgentRole, Policy | None],
    *,
    jobs: int = 1,
    keep_steps: bool = True,
) -> Iterator[EpisodeResult]:
    """Play episodes, and yield each result as soon as those before it are done; see `run_batch`.

    The scenarios are read as they are needed.
    """
    play = _BatchPlayer(policy_by_role, keep_steps=keep_steps)
    if jobs == 1:
        return map(play, scenarios)
    if jobs < 1:
        raise ValueError(f"jobs must be 1 or more, not {jobs}")
    play.check_sendable()
    return _played_apart(play, scenarios, jobs)


def _played_apart(
    play: _BatchPlayer, scenarios: Iterable[Scenario], jobs: int
) -> Iterator[EpisodeResult]:
    """Play in other processes; what comes back has no scenario, as it is here already."""
    from chaosops.worker_pool import spread

    sent: deque[Scenario] = deque()

    def noted() -> Iterator[Scenario]:
        for scenario in scenarios:
            sent.append(scenario)
            yield scenario

    def passed(scenario: Scenario, how: str) -> tuple[Any, ...]:
        return _parts_of(play.passed(scenario, how))

    for parts in spread(play.without_scenario, noted(), jobs, lost=passed):
        yield EpisodeResult(sent.popleft(), *parts)


def run_batch(
    scenarios: Iterable[Scenario],
    policy_by_role: Mapping[AgentRole, Policy | None],
    *,
    jobs: int = 1,
    keep_steps: bool = True,
) -> list[EpisodeResult]:
    """Play every scenario.

    If a policy raises, everyone passes from there on: the result has all frames and its `error`,
    and counts as unresolved, so that it scores as if the team had passed. If a process dies, its
    episode is played again, and if it dies again, everyone passes in it.

    Args:
        jobs: The number of processes. Each has its own copies of the policies, so only policies
            that keep nothing between episodes give the same results as in one process.
        keep_steps: Whether the results have their frames. Without them, little has to be sent
            from other processes and kept.

    Raises:
        ValueError: `jobs` is below 1.
        WorkerError: A policy can't be sent to another process, or none could be started.
    """
    return list(iter_batch(scenarios, policy_by_role, jobs=jobs, keep_steps=keep_steps))


class _BatchPlayer:
    """Plays one scenario after another with the same policies."""

    def __init__(
        self, policy_by_role: Mapping[AgentRole, Policy | None], *, keep_steps: bool = True
    ) -> None:
        self._policies = dict(policy_by_role)
        self._keep_steps = keep_steps
        self._env = ChaosOpsEnvironment()

    def __call__(self, scenario: Scenario) -> EpisodeResult:
        """Play a scenario; see `run_batch`."""
        try:
            result = run_episode(self._env, scenario, self._policies)
        except PolicyError as error:
            result = error.play_on()
        return result if self._keep_steps else replace(result, steps=())

    def passed(self, scenario: Scenario, how: str) -> EpisodeResult:
        """Return the episode of a process that died; see `passed_episode`."""
        result = passed_episode(scenario, how)
        return result if self._keep_steps else replace(result, steps=())

    def without_scenario(self, scenario: Scenario) -> tuple[Any, ...]:
        """Play a scenario, and return all fields of the result but the first."""
        return _parts_of(self(scenario))

    def check_sendable(self) -> None:
        """Check that each policy can be sent to another process.

        Raises:
            WorkerError: One can't; the text names its role.
        """
        from chaosops.worker_process import packed

        for role, policy in self._policies.items():
            packed(policy, f"the policy of {role.value}")


def _parts_of(result: EpisodeResult) -> tuple[Any, ...]:
    return tuple(getattr(result, field.name) for field in fields(result)[1:])


def passed_episode(scenario: Scenario, how: str) -> EpisodeResult:
    """Return the episode of a process that died: everyone passes, and it counts as unresolved.

    Args:
        how: How the process ended, such as "was killed by SIGKILL".
    """
    result = run_episode(ChaosOpsEnvironment(), scenario, {})
    error = f"the process that played {scenario.label} {how}, twice: everyone passed"
    return replace(result, resolved=False, error=error)
