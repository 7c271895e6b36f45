"""Checks for moves that the game doesn't offer, or that come too late to fix anything.

Whether a target exists is checked in `references`; unknown targets are ignored here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Final

from chaosops.env.models import TURN_ORDER, ActionType, ArgumentChoice
from chaosops.env.models.roles import ROLES, roles_with
from chaosops.env.models.topology import Topology
from chaosops.env.models.verbs import (
    AGENT_VERBS,
    FIXES,
    LANDING,
    VERBS,
    minutes_in_flight,
    services_for,
)
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.checks.reach import rounds_of
from chaosops.scenarios.fields import parts
from chaosops.scenarios.problems import LINES, FieldPath, Wrong, instead, listed, shown
from chaosops.scenarios.schema import (
    Bound,
    FaultSpec,
    Incident,
    Mitigation,
    Move,
    SolutionStep,
    Tempting,
)

"""The verbs that can affect a fault: those that are in flight and land."""

_SHOWN_AS_DONE: Final = LANDING | AGENT_VERBS | {ActionType.DIAGNOSE}
"""The verbs whose use everyone can see, so that the next step can follow."""


def quickest(move: Move, topology: Topology) -> int | None:
    """Return the fewest minutes in which a move can land; None if it never does."""
    if move.action not in LANDING:
        return None
    able = services_for(move.action, topology)
    return min(
        (
            minutes_in_flight(topology, move.action, service.kind)
            for service in topology.services
            if service.name in able and move.target in (None, service.name)
        ),
        default=None,
    )


def check_moves(data: Mapping[str, Any], topology: Topology | None) -> Iterator[Wrong]:
    """Check the moves that an incident names; yields problems with their fields.

    Args:
        data: Rendered data, of any shape.
        topology: None if it can't be read; targets are then not checked.
    """
    answered = "only actions that land affect a fault"
    for path, move in parts(data, "faults.*.clears.*", Move):
        yield from check_move(path, move, topology, LANDING, answered)
    for path, mitigation in parts(data, "faults.*.mitigates.*", Mitigation):
        yield from check_move(path, mitigation, topology, LANDING, answered)
    tempting = parts(data, "tempting.*", Tempting)
    for path, wrong_fix in tempting:
        reason = "a wrong fix has to change the system"
        yield from check_move(path, wrong_fix, topology, FIXES, reason, is_played=True)
    yield from _check_tempting(tempting, parts(data, "faults.*", FaultSpec))
    for path, step in parts(data, "solution.*", SolutionStep):
        yield from _check_step(path, step, topology)
    if topology is not None:
        yield from _check_time(data, topology)


def _check_time(data: Mapping[str, Any], topology: Topology) -> Iterator[Wrong]:
    """Check that a fault leaves enough time to fix it and for the objective to hold."""
    rounds, hold = rounds_of(data), data.get("hold", Incident.model_fields["hold"].default)
    if rounds is None or type(hold) is not int:
        return
    turns = rounds * len(TURN_ORDER)
    for path, fault in parts(data, "faults.*", FaultSpec):
        clearing = [
            (minutes, move.action.value)
            for move in fault.clears
            if (minutes := quickest(move, topology)) is not None
        ]
        if fault.starts is None or fault.starts >= turns or not clearing:
            continue
        minutes, verb = min(clearing)
        latest = turns - minutes - hold
        words = (
            f"this cannot be fixed in time: '{verb}' lands after {minutes} min, the objective "
            f"has to hold for {hold}, and the incident ends at turn {turns}; "
        )
        if latest < 0:
            words += "raise 'max_steps', lower 'hold', or add a quicker move"
            yield Wrong((*path, "clears"), words)
        elif fault.starts > latest:
            yield Wrong((*path, "starts"), f"{words}use minute {latest} or earlier")


def _check_step(path: FieldPath, step: SolutionStep, topology: Topology | None) -> Iterator[Wrong]:
    verb = step.action
    if verb not in ROLES[step.role].verbs:
        able = " or ".join(role.value for role in roles_with(verb))
        words = f"the {step.role.value} can't use '{verb.value}'; give the step to {able}"
        yield Wrong((*path, "role"), words)
        return
    if verb not in _SHOWN_AS_DONE:
        words = (
            f"nothing shows when '{verb.value}' is done, so the steps after it would never come; "
            "remove it: the solution only has steps that end the incident"
        )
        yield Wrong((*path, "action"), words)
        return
    yield from check_move(path, step, topology, _SHOWN_AS_DONE, "", is_played=True)
    for argument in VERBS[verb].arguments:
        if argument.required and argument.name not in step.args:
            words = f"'{verb.value}' needs the argument \"{argument.name}\"; add it to 'args'"
            yield Wrong((*path, "args"), words)


def check_move(
    path: FieldPath,
    move: Move,
    topology: Topology | None,
    verbs: Iterable[ActionType],
    reason: str,
    *,
    is_played: bool = False,
) -> Iterator[Wrong]:
    """Check one move.

    Args:
        verbs: The verbs that make sense here, with the `reason`.
        is_played: Whether the move is made as it is, and not only matched.
    """
    verb = move.action
    if verb not in verbs:
        known = sorted(other.value for other in verbs)
        words = f"'{verb.value}' can never do this: {reason}; use one of: {', '.join(known)}"
        yield Wrong((*path, "action"), words)
        return
    if verb in AGENT_VERBS and move.target is None:
        yield Wrong(path, f"'{verb.value}' needs a target; name an agent of 'automation'")
    elif topology is not None and verb in LANDING:
        yield from _check_target(path, move, topology, is_played)
    choices = {argument.name: argument for argument in VERBS[verb].arguments}
    for name, want in move.args.items():
        at = (*path, "args", name)
        if name in choices:
            yield from _check_argument(at, want, choices[name], is_played)
        else:
            cure = instead(name, choices) if choices else "remove it"
            yield Wrong(at, f"'{verb.value}' has no argument \"{shown(name)}\"; {cure}")


def check_cause_moves(cause: Cause) -> Iterator[Wrong]:
    """Check the verbs and arguments of a cause's moves; where it is decides on the targets."""
    affects = "only actions that land affect a cause"
    wrong = "a wrong fix has to change the system"
    for key, moves, verbs, reason in (
        ("clears", cause.clears, LANDING, affects),
        ("eases", cause.eases, LANDING, affects),
        ("tempts", cause.tempts, FIXES | {ActionType.ESCALATE}, wrong),
    ):
        for i, move in enumerate(moves):
            made = Move(action=move.action, args=dict(move.args))
            yield from check_move((key, i), made, None, verbs, reason)


def _check_target(
    path: FieldPath, move: Move, topology: Topology, is_played: bool
) -> Iterator[Wrong]:
    able = services_for(move.action, topology)
    if move.target is None:
        if is_played:
            yield Wrong(path, f"'{move.action.value}' needs a target; use one of: {listed(able)}")
    elif move.target in topology.names() and move.target not in able:
        words = f"'{move.action.value}' does not work on {move.target}; use one of: {listed(able)}"
        yield Wrong((*path, "target"), words)


def _check_argument(
    path: FieldPath, want: int | str | Bound, argument: ArgumentChoice, is_played: bool
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
    elif is_played and (low or high or 0) not in argument.choices:
        words = f"{low or high} would be used, but {argument.name} can't take that value"
        yield Wrong(path, f"{words}; use one of: {options}")


def _check_tempting(
    tempting: list[tuple[FieldPath, Tempting]], faults: list[tuple[FieldPath, FaultSpec]]
) -> Iterator[Wrong]:
    """Check that a tempting move is wrong, and is not always matched by an earlier one."""
    taken: dict[_Way, FieldPath] = {}
    helps: dict[_Way, FieldPath] = {}
    for path, fault in faults:
        if fault.starts is not None and fault.starts <= 0:
            for move in (*fault.clears, *fault.mitigates):
                helps.update(dict.fromkeys(_ways(move), path))
    for path, move in tempting:
        ways = _ways(move)
        before = _all_in(ways, taken)
        if before:
            words = f"the entry on {LINES} always matches first; remove one of them"
            yield Wrong(path, words, others=before)
        against = _all_in(ways, helps)
        if against:
            words = (
                f"this isn't a wrong fix: it helps against the fault on {LINES}; remove one of them"
            )
            yield Wrong(path, words, others=against)
        for way in ways:
            taken.setdefault(way, path)


_Way = tuple[ActionType, str | None, tuple[str | int, ...]]


def _ways(move: Move) -> list[_Way]:
    """Return every way to make a move: the verb, the target, and a choice for each argument."""
    arguments = VERBS[move.action].arguments
    found = []
    for values in product(*(argument.choices for argument in arguments)):
        chosen = dict(zip((argument.name for argument in arguments), values, strict=True))
        if move.matches(move.action, move.target, chosen):
            found.append((move.action, move.target, values))
    return found


def _all_in(ways: list[_Way], known: Mapping[_Way, FieldPath]) -> tuple[FieldPath, ...]:
    """Return where each way is known from, for one target or for any; empty if one is unknown."""
    places = [known.get(way) or known.get((way[0], None, way[2])) for way in ways]
    return tuple(dict.fromkeys(place for place in places if place)) if all(places) else ()


def _fits(want: Bound, choice: int | str) -> bool:
    return (
        isinstance(choice, int)
        and (want.at_least is None or choice >= want.at_least)
        and (want.at_most is None or choice <= want.at_most)
    )


def _is_one_of(value: int | str, choices: tuple[int | str, ...]) -> bool:
    return not choices or any(type(value) is type(choice) and value == choice for choice in choices)
