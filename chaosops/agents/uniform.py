"""The random policy: draws uniformly from what is allowed."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FrozenMap,
    VerbChoice,
)

_MASK: Final = (1 << 64) - 1
# Looking up an enumeration member costs as much as the rest of a draw.
_COMMUNICATE: Final = ActionType.COMMUNICATE
_ASSIGN: Final = ActionType.ASSIGN
_WORDS: Final = ("looking into it", "anything on your side?", "users are still hurt", "on it")


class Uniform:
    """Draws from `view.allowed`, by the seed, the turn and the role alone."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __reduce__(self) -> tuple[type[Uniform], tuple[int]]:
        return Uniform, (self._seed,)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        dice = Dice(self._seed, observation.step * len(TURN_ORDER) + TURN_ORDER.index(role))
        allowed = observation.view.allowed
        choice = allowed[dice.below(len(allowed))]
        target = choice.targets[dice.below(len(choice.targets))] if choice.targets else None
        return _action(role, choice.action_type, target, _arguments(choice, dice))


class Dice:
    """A small stream of random numbers (splitmix64) for one purpose of one seed."""

    __slots__ = ("_state",)

    def __init__(self, seed: int, purpose: int) -> None:
        self._state = (seed * 0x9E3779B97F4A7C15 + purpose * 0xD1B54A32D192ED03) & _MASK

    def below(self, count: int) -> int:
        """Draw an integer from 0 to `count` - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((z ^ (z >> 31)) * count) >> 64


def _arguments(choice: VerbChoice, dice: Dice) -> tuple[tuple[str, str | int], ...]:
    if choice.action_type is _COMMUNICATE:
        to = choice.arguments[0].choices
        return ("to", to[dice.below(len(to))]), ("text", _WORDS[dice.below(len(_WORDS))])
    if choice.action_type is _ASSIGN:
        return ()
    return tuple(
        [
            (argument.name, argument.choices[dice.below(len(argument.choices))])
            for argument in choice.arguments
        ]
    )


@lru_cache(maxsize=4096)
def _action(
    role: AgentRole,
    verb: ActionType,
    target: str | None,
    args: tuple[tuple[str, str | int], ...],
) -> ChaosOpsAction:
    """Return the action; equal draws share one immutable object in all frames."""
    if verb is ActionType.ASSIGN:
        proposal = {"proposal": {"action_type": ActionType.NOOP.value}}
        return ChaosOpsAction(role, verb, target, FrozenMap(proposal))
    return ChaosOpsAction(role, verb, target, FrozenMap(dict(args)) if args else EMPTY)
