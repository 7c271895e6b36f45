"""Finds what happened, and who did it, by words such as "who paused deploy_bot"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from chaosops.env.models import RoleView
from chaosops.env.models.roles import ROLES
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.log_search import LEAST_TYPED
from chaosops.play.plain_dialect import ON_SCREEN
from chaosops.presenter import PARTS, Entry, Moment, entries

_SECTIONS: Final = (
    ("flight", "flight"),
    ("flight", "landed"),
    ("flight", "force"),
    ("flight", "requests"),
    ("flight", "updates"),
    ("audit", "audit"),
    ("audit", "asked"),
    ("changes", "changes"),
    ("diagnoses", "diagnoses"),
    ("impact", "doing"),
    ("impact", "tickets"),
    ("alerts", "alerts"),
    ("findings", "findings"),
    ("channel", "channel"),
    ("channel", "inbox"),
)
"""The part and the section of everything that happened at some minute, but for log lines."""

_ASKING: Final = frozenset({"who", "what", "when", "which", "where", "why", "how"})
_ALWAYS_LEFT_OUT: Final = frozenset(
    {"a", "an", "any", "anybody", "anyone", "at", "by", "did", "do", "does", "for", "from", "has"}
    | {"have", "in", "investigated", "is", "it", "last", "looked", "of", "on", "our", "the", "to"}
    | {"was", "were", "with"}
)
_IRREGULAR: Final = {"froze": "freeze", "frozen": "freeze"}
_LEAST_STEM: Final = 3
_MOST: Final = 5


class FoundRecord(NamedTuple):
    """Something that happened.

    Attributes:
        part: The part of the view that has it.
        words: When, who and what, in one line.
    """

    part: str
    words: str


class FoundRecords(NamedTuple):
    """What happened that has all the words.

    Attributes:
        records: The newest of it, the newest first.
        total: How much there is.
    """

    records: tuple[FoundRecord, ...] = ()
    total: int = 0


def records_found(view: RoleView, typed: str) -> FoundRecords:
    """Return what the role can see of what happened that has all the words.

    A question's own words are left out, such as "who"; "paused" finds "pause". Case, order and
    underscores don't matter. Very few letters find nothing.
    """
    stems = _stems(typed)
    if len("".join(stems)) < LEAST_TYPED:
        return FoundRecords()
    found: dict[FoundRecord, int] = {}
    for part, entry in _happened(view):
        searched = _plain(ON_SCREEN.joined(cell for cell in entry.cells if cell.name != "undo"))
        if all(stem in searched for stem in stems):
            found.setdefault(FoundRecord(part, ON_SCREEN.joined(entry.cells)), _minute(entry))
    newest = sorted(found, key=lambda record: -found[record])
    return FoundRecords(tuple(newest[:_MOST]), len(found))


def is_question(typed: str) -> bool:
    """Return whether words begin as a question does."""
    return next(iter(typed.casefold().split()), "") in _ASKING


def who_sees_more(view: RoleView) -> str:
    """Say which seats see what happened where this one sees nothing; empty if there are none."""
    searched = {part for part, _ in _SECTIONS}
    hidden = [name for name in PARTS if name in searched and not PARTS[name].is_seen(view)]
    seen = [
        f"{ROLE_NAMES[role]} sees {name}"
        for name in hidden
        for role, spec in ROLES.items()
        if spec.sees.intersection(PARTS[name].fields)
    ]
    return f"{', '.join(seen)}." if seen else ""


def _happened(view: RoleView) -> Iterator[tuple[str, Entry]]:
    for part, section in _SECTIONS:
        for entry in entries(view, part, section):
            yield part, entry


def _minute(entry: Entry) -> int:
    return max(cell.value.minute for cell in entry.cells if isinstance(cell.value, Moment))


def _plain(text: str) -> str:
    return text.casefold().replace("_", " ")


def _stems(typed: str) -> tuple[str, ...]:
    """Return what is searched for: each word, the verbs without an ending."""
    words = _plain(typed).replace("?", " ").split()
    left_out = _ALWAYS_LEFT_OUT | _ASKING if is_question(typed) else frozenset[str]()
    return tuple(_stem(word) for word in words if word not in left_out)


def _stem(word: str) -> str:
    """Return the part that the forms of a verb share, such as "flag" of "flagged"."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    stem = word.removesuffix("ing") if word.endswith("ing") else word.removesuffix("ed")
    if stem == word or len(stem) < _LEAST_STEM:
        return word
    if stem.endswith("i"):
        return stem[:-1]
    return stem[:-1] if stem[-1] == stem[-2] else stem
