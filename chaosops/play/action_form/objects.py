"""What a role can do at one object: a service or an automation agent. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from chaosops.env.models import ActionType, RoleView, Source
from chaosops.env.models.approvals import needs_approval
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.fields import Pick, picks, risk_words
from chaosops.play.formatting import in_words, shown

_SOURCE: Final = "source"


class ObjectMove(NamedTuple):
    """Something that the role can do at an object.

    Attributes:
        key: Its key in a list of these, the same for every role and object.
        label: The verb, or the source of a look.
        takes: How long it takes.
        does: What it does or shows, in a line.
        costs: Who learns of it, and what a mistake costs, in a line.
        pick: The entry of the picker that it begins with.
        answers: The answers to the picker's questions that it has, by the name of the field.
    """

    key: str
    label: str
    takes: str
    does: str
    costs: str
    pick: Pick
    answers: tuple[tuple[str, Any], ...]

    @property
    def is_look(self) -> bool:
        """Whether it is a look, which changes nothing and needs no confirmation."""
        return self.pick.verb.action_type is ActionType.INVESTIGATE

    @property
    def words(self) -> str:
        """The move as a player would type it: "drain identity"."""
        return f"{self.label} {self.answers[0][1]}"

    def is_meant(self, typed: str) -> bool:
        """Whether every word that was typed is part of the move, or of another name of it."""
        verb = self.pick.verb.action_type
        names = (self.words, self.pick.label, verb.value, *VERBS[verb].aliases)
        text = " ".join(names).casefold()
        return all(word in text for word in typed.casefold().split())


def objects(view: RoleView) -> tuple[str, ...]:
    """Return the names of the objects at which the role can do anything."""
    targets = (
        target
        for verb in view.allowed
        if verb.action_type is ActionType.INVESTIGATE or VERBS[verb.action_type].does
        for target in verb.targets
    )
    return tuple(dict.fromkeys(targets))


def moves_at(view: RoleView, target: str) -> tuple[ObjectMove, ...]:
    """Return what the role can do at an object: looks first, then the rest in the picker's order.

    Empty for an object at which it can do nothing.
    """
    return tuple(_moves(view, target))


def moves_meant(view: RoleView, typed: str) -> tuple[ObjectMove, ...]:
    """Return what the role can do at any object that was meant by the words typed."""
    everything = (move for target in objects(view) for move in _moves(view, target))
    return tuple(move for move in everything if move.is_meant(typed))


def _moves(view: RoleView, target: str) -> Iterator[ObjectMove]:
    lands = {(item.action_type, item.target): item.lands for item in view.in_flight}
    for pick in picks(view):
        verb = pick.verb.action_type
        spec = VERBS[verb]
        if target not in pick.verb.targets:
            continue
        costs = f"{spec.audience}{risk_words(pick)}"
        at = (("target", target),)
        if verb is ActionType.INVESTIGATE:
            for source in _sources(pick):
                key, shows = SOURCES[source]
                answers = (*at, (_SOURCE, source.value))
                yield ObjectMove(key, source.value, "", shows, costs, pick, answers)
        elif spec.does:
            does = spec.does
            if view.requests is not None and needs_approval(verb, {}, frozen=view.status.frozen):
                does = f"{does}; the Manager has to approve it"
            if (verb, target) in lands:
                left = lands[verb, target] - view.status.minute
                does = f"{does}; in flight, {left} min left"
            yield ObjectMove(spec.key, in_words(pick.label), _minutes(pick), does, costs, pick, at)


def _minutes(pick: Pick) -> str:
    low, high = pick.verb.minutes
    if not high:
        return "at once"
    return f"{low} min" if low == high else f"{low}-{high} min"


def _sources(pick: Pick) -> Iterator[Source]:
    for argument in pick.verb.arguments:
        if argument.name == _SOURCE:
            yield from (Source(str(choice)) for choice in argument.choices)


def about(view: RoleView, target: str) -> tuple[str, ...]:
    """Describe an object in a few words each: its state, its callers, and what it calls."""
    said = [shown(target, 60)]
    for node in view.graph:
        if node.name == target:
            said.append(node.kind.value)
            said += _state(view, target)
            callers = [other.name for other in view.graph if target in other.calls]
            said += [f"called by {', '.join(callers)}"] if callers else ["where users come in"]
            said += [f"calls {', '.join(node.calls)}"] if node.calls else []
    if target in (view.agents or ()):
        said.append("paused" if target in (view.paused or ()) else "acting")
        said += ["flagged"] if target in (view.flagged or ()) else []
    return tuple(said)


def _state(view: RoleView, target: str) -> Iterator[str]:
    for now in view.services or ():
        if now.service == target:
            yield now.health.value
            if now.replicas is not None:
                yield f"{now.replicas} instances serve"
            return
    for name, health in view.health or ():
        if name == target:
            yield health.value
