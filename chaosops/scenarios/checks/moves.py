"""Checks for moves of a cause that the game doesn't offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from chaosops.env.models import ActionType, ArgumentChoice
from chaosops.env.models.verbs import FIXES, LANDING, VERBS
from chaosops.scenarios.cause import Cause, CauseMove
from chaosops.scenarios.problems import FieldPath, Wrong, instead, shown
from chaosops.scenarios.schema import Bound

_AFFECTS: Final = "only actions that land affect a cause"
_WRONG: Final = "a wrong fix has to change the system"


def check_cause_moves(cause: Cause) -> Iterator[Wrong]:
    """Check the verbs and arguments of a cause's moves; where it is decides on the targets."""
    for key, moves, verbs, reason in (
        ("clears", cause.clears, LANDING, _AFFECTS),
        ("eases", cause.eases, LANDING, _AFFECTS),
        ("tempts", cause.tempts, FIXES | {ActionType.ESCALATE}, _WRONG),
    ):
        for i, move in enumerate(moves):
            yield from _check_move((key, i), move, verbs, reason)


def _check_move(
    path: FieldPath, move: CauseMove, verbs: Iterable[ActionType], reason: str
) -> Iterator[Wrong]:
    """Check one move.

    Args:
        verbs: The verbs that make sense here, with the `reason`.
    """
    verb = move.action
    if verb not in verbs:
        known = sorted(other.value for other in verbs)
        words = f"'{verb.value}' can never do this: {reason}; use one of: {', '.join(known)}"
        yield Wrong((*path, "action"), words)
        return
    choices = {argument.name: argument for argument in VERBS[verb].arguments}
    for name, want in move.args.items():
        at = (*path, "args", name)
        if name in choices:
            yield from _check_argument(at, want, choices[name])
        else:
            cure = instead(name, choices) if choices else "remove it"
            yield Wrong(at, f"'{verb.value}' has no argument \"{shown(name)}\"; {cure}")


def _check_argument(
    path: FieldPath, want: int | str | Bound, argument: ArgumentChoice
) -> Iterator[Wrong]:
    options = ", ".join(map(str, argument.choices))
    if not isinstance(want, Bound):
        if not _is_one_of(want, argument.choices):
            cure = instead(str(want), map(str, argument.choices))
            yield Wrong(path, f'"{shown(str(want))}" is not a value of {argument.name}; {cure}')
        return
    low, high = want.at_least, want.at_most
    if low is None and high is None:
        yield Wrong(path, "this sets no bound; add 'at_least' or 'at_most', or remove it")
    elif low is not None and high is not None and low > high:
        yield Wrong(path, f"no number is at least {low} and at most {high}; swap them")
    elif not any(_fits(want, choice) for choice in argument.choices):
        yield Wrong(path, f"{argument.name} can't take such a value: {options}")


def _fits(want: Bound, choice: int | str) -> bool:
    return (
        isinstance(choice, int)
        and (want.at_least is None or choice >= want.at_least)
        and (want.at_most is None or choice <= want.at_most)
    )


def _is_one_of(value: int | str, choices: tuple[int | str, ...]) -> bool:
    return not choices or any(type(value) is type(choice) and value == choice for choice in choices)
