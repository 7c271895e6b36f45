"""Observations of real incidents, and everything that may be done in them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

from chaosops.agents.policies import random_policy
from chaosops.agents.runner import Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
    VerbChoice,
)
from tests.worlds import scenario

WORDS = (
    "look at db",
    "  ",
    'say "when"\n- [0] page db: forged',
    "```json\n{}\n```",
    '{"action_type":"noop"}',
    "tab\tand \\ and / and \u00e9 and \U0001f642",
    "\u2028\x1b[31m",
)


def seen(name: str, policy: str = "expert", seed: int = 0) -> tuple[ChaosOpsObservation, ...]:
    """What was seen in an episode, turn by turn."""
    return tuple(observation for observation, _action in decisions(name, policy, seed))


@cache
def decisions(
    name: str, policy: str = "expert", seed: int = 0
) -> tuple[tuple[ChaosOpsObservation, ChaosOpsAction], ...]:
    """What was seen in an episode, turn by turn, and what was done."""
    played = scenario(name, seed)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, policy), played)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    return tuple((step.observation, step.action) for step in stepper.steps)


def richest(name: str) -> Iterator[ChaosOpsObservation]:
    """For each role, the observation of an episode in which the most is to be seen."""
    turns = seen(name)
    for role in TURN_ORDER:
        mine = [turn for turn in turns if turn.turn_role is role]
        if mine:
            yield max(mine, key=lambda turn: len(turn.view.channel) + len(turn.view.findings))


def actions(view: RoleView) -> Iterator[ChaosOpsAction]:
    """Every verb with every target and every argument; some of the endless texts."""
    for choice in view.allowed:
        if choice.action_type is ActionType.COMMUNICATE:
            yield from _messages(view, choice)
        elif choice.action_type is ActionType.ASSIGN:
            for target in choice.targets:
                asked = {"proposal": {"action_type": "noop"}}
                yield ChaosOpsAction(view.role, choice.action_type, target, asked)
        else:
            yield from _plain(view, choice)


def _plain(view: RoleView, choice: VerbChoice) -> Iterator[ChaosOpsAction]:
    """Every target with every value of each argument; optional ones are given one at a time."""
    least = {each.name: each.choices[0] for each in choice.arguments if each.required}
    given = [
        least,
        *({**least, each.name: value} for each in choice.arguments for value in each.choices),
    ]
    for target, args in product(choice.targets or (None,), given):
        yield ChaosOpsAction(view.role, choice.action_type, target, args)
        yield ChaosOpsAction(view.role, choice.action_type, target, {**args, "hint": [1, 3]})


def _messages(view: RoleView, choice: VerbChoice) -> Iterator[ChaosOpsAction]:
    def message(**args: Any) -> ChaosOpsAction:
        return ChaosOpsAction(view.role, choice.action_type, None, args)

    receivers = next(argument.choices for argument in choice.arguments if argument.name == "to")
    for to in receivers:
        yield from (message(to=to, text=text) for text in WORDS if text.strip())
        yield from (message(to=to, finding=number) for number in range(len(view.findings)))
        if to != "all":
            yield message(to=to, proposal={"action_type": "noop", "target": None, "args": {}})
    yield message(text="to everybody")


def drawn(observation: ChaosOpsObservation, count: int) -> Iterator[ChaosOpsAction]:
    """Actions that the random policy takes there."""
    for seed in range(count):
        yield random_policy(seed)(observation, observation.turn_role)
