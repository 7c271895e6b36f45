"""Policies as a user may write them, good and bad, to be named as `module:function`."""

from __future__ import annotations

from chaosops.agents.policies import pass_turn
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, ChaosOpsObservation

HERE = __name__

agent = pass_turn
number = 7


def broken(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    raise KeyError("oops")


async def slow(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    return ChaosOpsAction(role, ActionType.NOOP)


class Seeded:
    """Remembers its seed and its turns."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.turns = 0

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        self.turns += 1
        return ChaosOpsAction(role, ActionType.NOOP)


class OnceBroken(Seeded):
    """Raises in the episode of the scenario's seed 1."""

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        if self.seed // 4 == 1:
            raise KeyError("oops")
        return super().__call__(observation, role)


class Fallback:
    """Asks a program, and in some turns answers by itself, as where a model cannot be reached."""

    answered_by_program = False

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        self.answered_by_program = observation.step % 8 == 0
        if observation.step >= 24:
            raise KeyError("oops")
        return pass_turn(observation, role)


def made() -> Seeded:
    return Seeded(0)


def made_with_defaults(seed: int, depth: int = 3) -> Seeded:
    return Seeded(seed + depth)


def nothing() -> None:
    return None


class Needy:
    def __init__(self, scenario: object) -> None:
        self.scenario = scenario


def fails(seed: int) -> Seeded:
    raise ValueError("no model file")
