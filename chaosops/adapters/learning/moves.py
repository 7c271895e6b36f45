"""The moves that a learner chooses from: a fixed list for each seat, and which are possible now.

A move is a verb at a place with arguments. A look shares what it finds, which costs nothing. What
needs words of its own, a message, a request to others or a diagnosis, is not among them. Nor is
anything twice: a look that was just taken, or an order that is under way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.adapters.learning.places import AGENTS, SERVICES, TO_CHANGE, Place
from chaosops.agents.saying import looked_for
from chaosops.agents.teamwork import open_proposal
from chaosops.agents.updating import amended
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, RoleView
from chaosops.env.models.roles import ROLES
from chaosops.env.models.verb_spec import TargetKind
from chaosops.env.models.verbs import VERBS


class LearnerMove(NamedTuple):
    """A verb at a place.

    Attributes:
        verb: None for whatever a teammate has asked for last.
        place: None for a verb without a target.
    """

    verb: ActionType | None
    place: Place | None = None
    args: tuple[tuple[str, str | int], ...] = ()

    @property
    def label(self) -> str:
        """Its name in files and reports: "scale deepest replicas=6"."""
        return " ".join([self._verb, *([self.place.value] if self.place else []), *self._args])

    @property
    def parts(self) -> tuple[str, ...]:
        """What it has in common with others, from the most to the fewest, and last itself."""
        group = self._verb if self.verb is None else VERBS[self.verb].group
        at = f"any {group} at {self.place.value}" if self.place else f"any {group}"
        verb = f"any {self._verb}"
        with_args = " ".join([verb, *self._args])
        return tuple(dict.fromkeys((f"any {group}", at, verb, with_args, self.label)))

    @property
    def _verb(self) -> str:
        return "as asked" if self.verb is None else self.verb.words

    @property
    def _args(self) -> list[str]:
        return [f"{name}={value}" for name, value in self.args]


_LEFT_OUT: Final = frozenset({ActionType.COMMUNICATE, ActionType.ASSIGN, ActionType.DIAGNOSE})
_PLACES: Final[Mapping[TargetKind, tuple[Place | None, ...]]] = MappingProxyType(
    {
        TargetKind.NOTHING: (None,),
        TargetKind.SERVICE: TO_CHANGE,
        TargetKind.ENTRY: (Place.ENTRY,),
        TargetKind.AGENT: AGENTS,
    }
)
_FEWER: Final[Mapping[str, tuple[str | int, ...]]] = MappingProxyType(
    {"replicas": (4, 8), "percent": (0, 25, 50)}
)
"""Choices of arguments with many values, of which a few tell the learner enough."""
_REQUEST: Final = "request"
_STALE: Final = 8
"""Minutes after which the same look may be worth another turn."""


@cache
def moves(role: AgentRole) -> tuple[LearnerMove, ...]:
    """Return everything that a learner in a seat may ever do; the first one passes."""
    found = [LearnerMove(ActionType.NOOP), LearnerMove(None)]
    for verb in ROLES[role].verbs:
        if verb in _LEFT_OUT or verb is ActionType.NOOP:
            continue
        if verb is ActionType.INVESTIGATE:
            sources = [source.value for source in ROLES[role].sources]
            spots = AGENTS if role is AgentRole.OVERSIGHT else SERVICES
            found += [
                LearnerMove(verb, at, (("source", name),)) for name in sources for at in spots
            ]
        elif verb is ActionType.UPDATE:
            found.append(LearnerMove(verb))
        else:
            found += [
                LearnerMove(verb, at, args)
                for at in _PLACES[VERBS[verb].target]
                for args in _args(verb)
            ]
    return tuple(found)


@cache
def part_names(role: AgentRole) -> tuple[str, ...]:
    """Name every part that moves of a role have."""
    return tuple(dict.fromkeys(part for move in moves(role) for part in move.parts))


@cache
def parts(role: AgentRole) -> tuple[tuple[int, ...], ...]:
    """Return the parts of each move, as places in `part_names`."""
    index = {name: k for k, name in enumerate(part_names(role))}
    return tuple(tuple(index[part] for part in move.parts) for move in moves(role))


def _args(verb: ActionType) -> list[tuple[tuple[str, str | int], ...]]:
    listed = [argument for argument in VERBS[verb].arguments if argument.choices]
    values = [_FEWER.get(argument.name, argument.choices) for argument in listed]
    names = [argument.name for argument in listed]
    return [tuple(zip(names, chosen, strict=True)) for chosen in product(*values)]


def actions(view: RoleView, at: Mapping[Place, str]) -> tuple[ChaosOpsAction | None, ...]:
    """Return what each move of the role is now; None for those that aren't possible.

    Args:
        at: The name that each place has now.
    """
    found = []
    for move in moves(view.role):
        made = _action(view, move, at)
        is_possible = made is not None and _is_allowed(view, made) and not _is_repeated(view, made)
        found.append(made if is_possible else None)
    return tuple(found)


def _action(view: RoleView, move: LearnerMove, at: Mapping[Place, str]) -> ChaosOpsAction | None:
    if move.verb is None:
        return _asked(view)
    if move.verb is ActionType.UPDATE:
        return amended(view)
    target = None if move.place is None else at.get(move.place)
    choice = next((each for each in view.allowed if each.action_type is move.verb), None)
    if choice is None or (choice.targets and target not in choice.targets):
        return None
    args: dict[str, str | int] = dict(move.args)
    for argument in choice.arguments:
        if argument.name == _REQUEST:
            args[_REQUEST] = argument.choices[0]
    return looked_for(ChaosOpsAction(view.role, move.verb, target, args), view)


def _asked(view: RoleView) -> ChaosOpsAction | None:
    """Return the newest open request of a teammate as an action."""
    message = open_proposal(view)
    if message is None or message.proposal is None:
        return None
    asked = message.proposal
    return looked_for(ChaosOpsAction(view.role, asked.action_type, asked.target, asked.args), view)


def _is_repeated(view: RoleView, action: ChaosOpsAction) -> bool:
    if action.action_type is ActionType.INVESTIGATE:
        since = view.status.minute - _STALE
        return any(
            finding.target == action.target
            and finding.source.value == action.args.get("source")
            and finding.minute >= since
            for finding in view.findings
        )
    return any(
        item.action_type is action.action_type and item.target == action.target
        for item in view.in_flight
    )


def _is_allowed(view: RoleView, action: ChaosOpsAction) -> bool:
    for choice in view.allowed:
        if choice.action_type is action.action_type:
            fits = action.target in choice.targets if choice.targets else action.target is None
            return fits and all(
                _fits(action.args.get(argument.name), argument.choices, argument.required)
                for argument in choice.arguments
            )
    return False


def _fits(value: object, choices: Sequence[str | int], required: bool) -> bool:
    if value is None:
        return not required
    return not choices or value in choices
