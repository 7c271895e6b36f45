"""Finds turns by typed words for what happened in them."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import ActionType
from chaosops.play.action_form.typed import CommandError, normal
from chaosops.play.formatting import shown
from chaosops.play.replay_model import Replay, TurnMark, marked
from chaosops.play.wording import verb_word

_LEAST: Final = 3
_OWN: Final = frozenset({"yours", "own", "mine"})


def turns_of(replay: Replay, words: str) -> tuple[int, ...]:
    """Return the turns of a kind, counted from 0: one of the kinds of `TurnMark`, or a verb.

    Args:
        words: The kind, or its beginning: "fixes", "fix", "your turns", "yours", "flag".

    Raises:
        CommandError: There is no such kind.
    """
    typed = normal(words)
    for mark in TurnMark:
        if len(typed) >= _LEAST and normal(mark.value).startswith(typed):
            return marked(replay, mark)
    if typed in _OWN:
        return marked(replay, TurnMark.OWN)
    for verb in ActionType:
        if typed in (verb.value, normal(verb_word(verb))):
            return tuple(
                turn for turn, step in enumerate(replay.steps) if step.action.action_type is verb
            )
    kinds = ", ".join(mark.value for mark in TurnMark)
    raise CommandError(
        f"'{shown(words, 40)}' is not a kind of turn: use one of {kinds}, or a verb such as flag"
    )
