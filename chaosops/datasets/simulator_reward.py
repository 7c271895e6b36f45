"""The simulator as a reward function, for trainers that pass the columns of `grpo`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from chaosops.agents.runner import Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ChaosOpsAction, Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError
from chaosops.text import ActionTextError, parse_action

Completion = str | Sequence[Mapping[str, Any]]


def make_simulator_reward(*, play_on: bool = True, folders: Sequence[Path] = ()) -> SimulatorReward:
    """Make a reward function that plays a model's answers.

    Args:
        play_on: Whether to add the rewards of the rest of the episode, or to stop after the turn.
        folders: Where to look for incidents besides the built-in set.
    """
    return SimulatorReward(play_on=play_on, folders=folders)


class SimulatorReward:
    """Plays a model's answers, and returns their rewards.

    It is called with `completions` and the columns `scenario`, `scenario_sha256`, `difficulty`,
    `seed`, `max_turns` and `replay` of the `grpo` rows, each a list with an entry for each
    completion, and returns a reward for each. It replays the earlier turns, takes the answer's
    action, and plays the expert in every seat to the end. An answer without a valid
    action costs the turn, like any malformed action.

    It can be pickled. A call raises RecordingError if an incident is another version than the
    recorded one.
    """

    def __init__(self, *, play_on: bool = True, folders: Sequence[Path] = ()) -> None:
        self.__name__ = "simulator_reward"
        self._play_on = play_on
        self._folders = tuple(folders)
        self._load = lru_cache(maxsize=64)(self._loaded)

    def __reduce__(self) -> tuple[Callable[..., SimulatorReward], tuple[bool, tuple[Path, ...]]]:
        return _made_again, (self._play_on, self._folders)

    def __call__(
        self,
        completions: Sequence[Completion],
        *,
        scenario: Sequence[str],
        scenario_sha256: Sequence[str],
        difficulty: Sequence[str],
        seed: Sequence[int],
        max_turns: Sequence[int],
        replay: Sequence[str],
        **_: object,
    ) -> list[float]:
        """Return the rewards of the completions."""
        return [
            _paid(
                self._load(scenario[i], seed[i], scenario_sha256[i], difficulty[i], max_turns[i]),
                json.loads(replay[i]),
                _text(completion),
                play_on=self._play_on,
            )
            for i, completion in enumerate(completions)
        ]

    def _loaded(
        self, name: str, seed: int, sha256: str, difficulty: str, max_turns: int
    ) -> Scenario:
        scenario = Scenario.load(name, seed, folders=self._folders)
        if scenario.content_hash != sha256:
            raise RecordingError(
                f"the prompts were recorded with another version of {name}: export them again"
            )
        return replace(scenario, difficulty=Difficulty(difficulty)).lasting(max_turns)


def _made_again(play_on: bool, folders: tuple[Path, ...]) -> SimulatorReward:
    return SimulatorReward(play_on=play_on, folders=folders)


def _text(completion: Completion) -> str:
    """Return the text of an answer; of a message in parts, without reasoning."""
    if isinstance(completion, str):
        return completion
    content = completion[-1].get("content") if completion else None
    if isinstance(content, str) or not isinstance(content, Sequence):
        return str(content or "")
    return "".join(str(part.get("text") or "") for part in content if part.get("type") == "text")


def _paid(
    scenario: Scenario,
    before: list[dict[str, Any]],
    answer: str,
    *,
    play_on: bool,
) -> float:
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    for done in before:
        stepper.take(
            ChaosOpsAction(stepper.role, done["action_type"], done["target"], done["args"])
        )
    try:
        action = parse_action(answer, stepper.observation.view)
    except ActionTextError:
        action = ChaosOpsAction(stepper.role, "no action")
    paid = stepper.take(action).reward
    policies = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), scenario)
    while play_on and not stepper.done:
        role = stepper.role
        paid += stepper.take(policies[role](stepper.observation, role)).reward
    return paid
