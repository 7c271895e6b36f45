"""The choices of the action form's questions, each with its key and a note. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.env.models import AgentRole, ArgumentChoice, Change, RoleView
from chaosops.play.action_form.picks import PICK_KEYS
from chaosops.play.formatting import HEALTH_SHAPES, clock, role_word, shown
from chaosops.play.service_tree import health_of, tree

CHANGE: Final = "change"
"""The argument that names the change that a rollback takes back."""

USUAL: Final[Mapping[str, str]] = MappingProxyType({"unit": "instance", "stake": "working"})
"""What the world takes if an argument is left out, where that is a choice by itself."""

_ALWAYS_ASKED: Final = frozenset({"unit"})
"""Arguments without which an order would not say what it does, though a policy may omit them."""

_LEFT_OUT: Final[Mapping[str, str]] = MappingProxyType(
    {CHANGE: "its newest change", "place": "no place"}
)
"""What it means to leave an argument out."""


class Choice(NamedTuple):
    """A value to choose, its label, and a note beside it.

    Attributes:
        aliases: Other words for it that a player may type.
    """

    key: str
    value: Any
    label: str
    note: str = ""
    aliases: tuple[str, ...] = ()


class Field(NamedTuple):
    """One question: choose among `choices`, or write a text if there are none."""

    name: str
    title: str
    choices: tuple[Choice, ...]
    required: bool = True
    prefill: str = ""


Entry = tuple[Any, str, str]
"""A value, its label, and a note."""


def keyed(values: Sequence[Entry]) -> tuple[Choice, ...]:
    """Make choices with a key each, as far as there are keys."""
    return tuple(Choice(key_at(i), *entry) for i, entry in enumerate(values))


def key_at(place: int) -> str:
    """Return the key of a place in a list; empty if there are not that many keys."""
    return PICK_KEYS[place] if place < len(PICK_KEYS) else ""


def keyed_by_place(view: RoleView, entries: Sequence[Entry]) -> tuple[Choice, ...]:
    """Make choices in the order of the services pane, where a service always has the same key.

    What is no service comes last, with the first keys that are free.
    """
    places = {branch.name: place for place, branch in enumerate(tree(view.graph))}
    services = sorted(
        (entry for entry in entries if entry[0] in places), key=lambda entry: places[entry[0]]
    )
    taken = {key_at(places[entry[0]]) for entry in services}
    free = iter(key for key in PICK_KEYS if key not in taken)
    others = (entry for entry in entries if entry[0] not in places)
    return (
        *(Choice(key_at(places[entry[0]]), *entry) for entry in services),
        *(Choice(next(free, ""), *entry) for entry in others),
    )


def target_choices(view: RoleView, targets: Sequence[str]) -> tuple[Choice, ...]:
    """Return the targets with a note on each: a service's health, an agent's state."""
    return keyed_by_place(view, _targets(view, targets))


def _targets(view: RoleView, targets: Sequence[str]) -> list[Entry]:
    states = health_of(view)
    entries: list[Entry] = []
    for target in targets:
        health = states.get(target)
        note = "" if health is None else f"{HEALTH_SHAPES[health]} {health.value}"
        if target in (view.paused or ()):
            note = "paused"
        label = role_word(target) if target in set(AgentRole) else shown(target, 60)
        entries.append((target, label, note))
    return entries


def argument_field(argument: ArgumentChoice, view: RoleView, target: object = None) -> Field:
    """Return the question of an argument.

    Args:
        target: What the action is for, where that is known.
    """
    title = argument.name.replace("_", " ")
    if argument.name == CHANGE and view.changes is not None:
        choices = keyed(_changes(argument, view, view.changes, target))
    elif argument.name == "place":
        entries = _targets(view, [str(place) for place in argument.choices])
        choices = keyed_by_place(view, [*entries, *_none(argument)])
    else:
        now = _now(argument, view, target)
        choices = keyed(
            [
                *(
                    (value, shown(value, 60).replace("_", " "), "now" if value == now else "")
                    for value in argument.choices
                ),
                *_none(argument),
            ]
        )
    required = argument.required or argument.name in _ALWAYS_ASKED
    return Field(argument.name, title, choices, required)


def is_settled(argument: ArgumentChoice, view: RoleView, target: object = None) -> bool:
    """Whether an argument has one value only: an agent has one instrument.

    A service without a known change has none to choose from.
    """
    if argument.name == "source":
        return len(argument.choices) == 1
    if argument.name == CHANGE and view.changes is not None:
        return not _of_target(argument, view.changes, target)
    return False


def _none(argument: ArgumentChoice) -> list[Entry]:
    """Return the choice to leave an argument out, unless that means one of the others."""
    if argument.required or not argument.choices or USUAL.get(argument.name) in argument.choices:
        return []
    return [(None, _LEFT_OUT.get(argument.name, "leave it out"), "")]


def _now(argument: ArgumentChoice, view: RoleView, target: object) -> object:
    """Return the value that the target has now; None if it isn't known."""
    if argument.name != "replicas":
        return None
    found = (now.replicas for now in view.services or () if now.service == target)
    return next(found, None)


def _of_target(argument: ArgumentChoice, changes: Sequence[Change], target: object) -> list[Change]:
    """Return the changes of a service that can be named, the newest first."""
    named = frozenset(argument.choices)
    own = [each for each in changes if each.service == target and each.version in named]
    return sorted(own, key=lambda each: -each.minute)


def _changes(
    argument: ArgumentChoice, view: RoleView, changes: Sequence[Change], target: object
) -> list[Entry]:
    own = _of_target(argument, changes, target)
    entries: list[Entry] = [
        (
            each.version,
            shown(each.version, 20),
            f"{clock(view.status, each.minute)} {each.kind.value}: {shown(each.text, 120)}",
        )
        for each in own
    ]
    return entries if len(entries) == 1 else [*entries, *_none(argument)]
