"""Finds the commands that are meant by words typed in a search. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from chaosops.env.models import RoleView
from chaosops.env.models.verbs import VERBS
from chaosops.play.action_form.fields import NO_OWN_CAUSES, Draft, OwnCauses
from chaosops.play.action_form.objects import ObjectMove, moves_meant, takes_words, telling
from chaosops.play.action_form.picks import Offers
from chaosops.play.action_form.risks import risk_words
from chaosops.play.action_form.typed import CommandError, begins_command, parse
from chaosops.play.wording import describe

_LEAST: Final = 2
"""The words of a command."""
_MOST: Final = 30


class FoundCommands(NamedTuple):
    """The commands that words mean.

    Attributes:
        moves: Few enough to list.
        why_none: What is wrong with a command that means nothing, as a sentence; empty if the words
            are no command.
    """

    moves: tuple[ObjectMove, ...] = ()
    why_none: str = ""


def commands_found(
    view: RoleView, typed: str, offers: Offers, own_causes: OwnCauses = NO_OWN_CAUSES
) -> FoundCommands:
    """Return the commands that are meant by two words or more.

    What is at no object, or has a value, is found where it is typed in full:
    "scale payments to 4", "diagnose row lock at db", "share 1 with dev".

    Args:
        offers: What each role can be asked for.
        own_causes: The causes of authors among those that a diagnosis can name.
    """
    if len(telling(typed)) < _LEAST:
        return FoundCommands()
    moves = moves_meant(view, typed, offers)[:_MOST]
    if moves or not begins_command(typed, view):
        return FoundCommands(moves)
    try:
        return FoundCommands((_move_typed(parse(typed, view, offers, (), own_causes)),))
    except CommandError as error:
        told = str(error)
        completed = tuple(_completed(view, typed, offers, own_causes))[:_MOST]
        return FoundCommands(completed, "" if completed else f"{told[:1].upper()}{told[1:]}.")


def _completed(
    view: RoleView, typed: str, offers: Offers, own_causes: OwnCauses
) -> Iterator[ObjectMove]:
    """Yield the commands whose next answer has the last word in it, such as "diagnose row"."""
    *head, last = typed.casefold().split()
    try:
        draft = _as_typed(parse(" ".join(head), view, offers, (), own_causes))
    except CommandError:
        return
    field = draft.question
    if field is None:
        return
    for choice in field.choices:
        if any(last in word.casefold() for word in (choice.label, *choice.aliases)):
            yield _move_typed(draft.answer(field.name, choice.value))


def _as_typed(draft: Draft) -> Draft:
    """Return a draft that asks for what was left out at the end."""
    answers = draft.answers
    while answers and answers[-1][1] is None:
        answers = answers[:-1]
    return replace(draft, answers=answers)


def _move_typed(draft: Draft) -> ObjectMove:
    """Return the move of an action as far as it was typed."""
    pick, draft = draft.pick, _as_typed(draft)
    done = draft.question is None
    label = describe(draft.action()) if done else f"{draft.summary()} …"
    costs = f"{VERBS[pick.verb.action_type].audience}{risk_words(pick.verb.action_type)}"
    return ObjectMove("", label, takes_words(pick), "", costs, pick, (), draft=draft)
