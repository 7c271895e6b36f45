"""The loop that the speed of a turn is compared with: four services that stand still.

It is a runner of the first kind: pydantic models throughout, no compiled code, and a world of four
services whose figures only jitter. It keeps what the contract asks for: each turn is a validated
frame that never changes afterwards, with a view for the role, a state, and a reward by component.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from random import Random
from typing import Any, Final

from pydantic import BaseModel, Field

SERVICES: Final = ("auth", "payments", "database", "notifications")
FIXES: Final = ("restart", "scale", "rollback")
SLO: Final = 0.05


class Role(StrEnum):
    """Who takes a turn, in turn order."""

    SRE = "sre"
    OVERSIGHT = "oversight"
    DEV = "dev"
    MANAGER = "manager"


class Figures(BaseModel):
    """The figures of a service."""

    service: str
    healthy: bool
    cpu: float
    memory: float
    latency_ms: float
    error_rate: float
    replicas: int = 2


class LogLine(BaseModel):
    """A line of a service's log."""

    minute: int
    service: str
    level: str
    text: str


class Alert(BaseModel):
    """A firing alert."""

    minute: int
    service: str
    text: str


class View(BaseModel):
    """What a role sees."""

    role: Role
    alerts: list[Alert]
    chat: list[str]
    metrics: list[Figures] = Field(default_factory=list)
    logs: list[LogLine] = Field(default_factory=list)
    audit: list[str] = Field(default_factory=list)
    health: dict[str, bool] = Field(default_factory=dict)


class Action(BaseModel):
    """What a role does."""

    role: Role
    action_type: str
    target: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)


class Observation(BaseModel):
    """What the next role acts on."""

    turn_role: Role
    view: View
    step: int
    reward: float = 0.0
    done: bool = False
    message: str = ""


class State(BaseModel):
    """The true state of the episode."""

    resolved: bool = False
    step_count: int = 0
    cumulative_reward: float = 0.0
    wrong_fixes: int = 0


class Breakdown(BaseModel):
    """The reward of a turn by component."""

    resolved_bonus: float = 0.0
    mttr_penalty: float = 0.0
    wrong_fix_penalty: float = 0.0
    miscommunication_penalty: float = 0.0
    early_root_cause_bonus: float = 0.0
    cascade_penalty: float = 0.0

    @property
    def total(self) -> float:
        """The sum of the components."""
        return float(sum(self.model_dump().values()))


class Frame(BaseModel):
    """One turn."""

    turn: int
    role: Role
    observation: Observation
    action: Action
    reward: float
    breakdown: Breakdown
    done: bool


class StillWorld:
    """Four services, one of which is ill until the right action hits it."""

    def __init__(self, seed: int, max_steps: int) -> None:
        self._random = Random(seed)
        self._max_steps = max_steps
        self._ill = self._random.choice(SERVICES)
        self._cure = self._random.choice(FIXES)
        self._replicas = dict.fromkeys(SERVICES, 2)
        self._logs: list[LogLine] = []
        self._chat: list[str] = []
        self.state = State()

    def observe(self, reward: float, message: str) -> Observation:
        """Return what the next role acts on."""
        state = self.state
        role = tuple(Role)[state.step_count % 4]
        figures = [self._figures(name) for name in SERVICES]
        ill = [each for each in figures if not each.healthy]
        minute = state.step_count
        for each in ill:
            text = f"{each.error_rate:.1%} of calls failed ({each.latency_ms:.0f} ms)"
            self._logs.append(
                LogLine(minute=minute, service=each.service, level="error", text=text)
            )
        alerts = [
            Alert(minute=0, service=each.service, text=f"{each.service}: errors above {SLO:.0%}")
            for each in ill
        ]
        view = View(role=role, alerts=alerts, chat=self._chat[-10:])
        if role is Role.SRE:
            view.metrics = figures
        elif role is Role.DEV:
            view.logs = self._logs[-20:]
        elif role is Role.OVERSIGHT:
            view.audit = self._chat[-10:]
        else:
            view.health = {each.service: each.healthy for each in figures}
        done = state.resolved or state.step_count >= self._max_steps
        made = Observation(
            turn_role=role,
            view=view,
            step=state.step_count,
            reward=reward,
            done=done,
            message=message,
        )
        # A frame never changes, and its lists are the world's.
        return made.model_copy(deep=True)

    def _figures(self, name: str) -> Figures:
        is_ill = name == self._ill and not self.state.resolved
        jitter = self._random.random()
        return Figures(
            service=name,
            healthy=not is_ill,
            cpu=round((90.0 if is_ill else 30.0) + 5.0 * jitter, 1),
            memory=round(40.0 + 5.0 * jitter, 1),
            latency_ms=round((2_000.0 if is_ill else 80.0) * (1.0 + 0.1 * jitter), 1),
            error_rate=round((0.3 if is_ill else 0.005) * (1.0 + 0.1 * jitter), 4),
            replicas=self._replicas[name],
        )

    def step(self, action: Action) -> tuple[Observation, Breakdown]:
        """Take a turn."""
        hit = (action.target, action.action_type) == (self._ill, self._cure)
        wrong = action.action_type in FIXES and not hit
        message = f"{action.role.value} {action.action_type} {action.target or ''}"
        self._chat.append(message)
        breakdown = Breakdown(
            resolved_bonus=100.0 if hit else 0.0,
            mttr_penalty=-1.0,
            wrong_fix_penalty=-15.0 if wrong else 0.0,
        )
        before, reward = self.state, breakdown.total
        self.state = State(
            resolved=hit,
            step_count=before.step_count + 1,
            cumulative_reward=before.cumulative_reward + reward,
            wrong_fixes=before.wrong_fixes + wrong,
        )
        return self.observe(reward, message), breakdown


def random_action(seed: int) -> Callable[[Observation], Action]:
    """Return a policy that draws uniformly."""
    random = Random(seed)

    def act(observation: Observation) -> Action:
        verb = random.choice(("noop", "investigate", "communicate", *FIXES))
        return Action(role=observation.turn_role, action_type=verb, target=random.choice(SERVICES))

    return act


def still_turns_per_second(episodes: int, max_steps: int = 40) -> float:
    """Return its turns a second, resets apart."""
    turns, spent = 0, 0.0
    for seed in range(episodes):
        world, policy = StillWorld(seed, max_steps), random_action(seed)
        begun = time.perf_counter()
        frames: list[Frame] = []
        observation = world.observe(0.0, "")
        while not observation.done:
            action = policy(observation)
            after, breakdown = world.step(action)
            frames.append(
                Frame(
                    turn=observation.step,
                    role=observation.turn_role,
                    observation=observation,
                    action=action,
                    reward=after.reward,
                    breakdown=breakdown,
                    done=after.done,
                )
            )
            observation = after
        spent += time.perf_counter() - begun
        turns += len(frames)
    return turns / spent
