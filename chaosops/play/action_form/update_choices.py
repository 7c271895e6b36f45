"""What can be sent as a status update: the draft, or the draft with one point changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chaosops.env.models import (
    CauseFamily,
    NextStep,
    Trend,
    UpdateContent,
    UpdatePoint,
    VerbChoice,
)
from chaosops.play.wording import family_words, update_words

UPDATE: Final = "update"
"""The name of the question."""

_TITLES: Final[Mapping[UpdatePoint, str]] = {
    UpdatePoint.JOURNEY: "hurt most",
    UpdatePoint.FAILED: "failing",
    UpdatePoint.TREND: "trend",
    UpdatePoint.CAUSE: "cause",
    UpdatePoint.NEXT: "next step",
}


class UpdateChoice(NamedTuple):
    """An update to choose; `content` is None where each point is to be asked for."""

    content: UpdateContent | None
    label: str
    note: str
    aliases: tuple[str, ...]


def update_choices(draft: UpdateContent, verb: VerbChoice) -> list[UpdateChoice]:
    """Return the draft, the draft with any one point changed, and writing it anew."""
    found = [UpdateChoice(draft, "as drafted", update_words(draft), ("draft", "drafted"))]
    options = {argument.name: argument.choices for argument in verb.arguments}
    for point, title in _TITLES.items():
        for value in options[point.value]:
            changed = _changed(draft, point, value)
            if changed != draft:
                word = value_word(point, value)
                also = tuple(dict.fromkeys((str(value), word, f"{title} {word}")))
                found.append(UpdateChoice(changed, f"{title}: {word}", "", also))
    found.append(UpdateChoice(None, "more than one point", "asks for each", ("anew", "myself")))
    return found


def _changed(draft: UpdateContent, point: UpdatePoint, value: Any) -> UpdateContent:
    """Return the draft with another value; a place belongs to what is said of the cause."""
    if point is UpdatePoint.TREND:
        return draft._replace(trend=Trend(value))
    if point is UpdatePoint.NEXT:
        return draft._replace(next=NextStep(value))
    if point is not UpdatePoint.CAUSE:
        return draft._replace(**{point.value: value})
    cause = CauseFamily(value)
    keeps = CauseFamily.NOT_KNOWN not in (cause, draft.cause) or cause is draft.cause
    return draft._replace(cause=cause, place=draft.place if keeps else "")


def value_word(point: UpdatePoint, value: Any) -> str:
    """Word the value of a point."""
    if point is UpdatePoint.FAILED:
        return f"{value} %"
    if point is UpdatePoint.CAUSE:
        return family_words(CauseFamily(value))
    return str(value).replace("_", " ")
