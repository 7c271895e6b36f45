"""Parses typed actions: "look runtime db", "scale payments to 4", "propose dev restart db".

The words fill the same draft as the picker, in its order or in any
other; the caller asks for what they leave open.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chaosops.env.lines import EVERYONE, line_problem
from chaosops.env.models import MAX_TEXT, SAY, ActionType, FrozenMap, RoleView
from chaosops.env.models.roles import ROLES
from chaosops.env.models.scope import INSTANCE, SCOPED, scope_problem
from chaosops.env.models.verbs import VERBS
from chaosops.errors import ChaosOpsError
from chaosops.play.action_form.choices import Field
from chaosops.play.action_form.fields import NO_OWN_CAUSES, Draft, OwnCauses
from chaosops.play.action_form.instance_choices import instance_written
from chaosops.play.action_form.picks import Offers, Pick, Speech, picks
from chaosops.play.action_form.teammate_moves import SUBJECT
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.wording import verb_word

_ALIASES: Final[Mapping[str, str]] = {"ask": "propose"} | {
    alias: spec.label or verb.value for verb, spec in VERBS.items() for alias in spec.aliases
}
FILLERS: Final = frozenset({"a", "and", "at", "for", "in", "of", "on", "the", "to", "with"})
"""Words that say nothing of an action."""
_EVERYBODY: Final = frozenset({"all", "everyone", "everybody"})
_LEAST = 3


class CommandError(ChaosOpsError):
    """Words that are not a valid action of the role; the text says why, and what would be."""


def is_verb(word: str) -> bool:
    """Return whether some role has a verb of that name, such as "pause"."""
    name = normal(word)
    return name in _ALIASES or any(name in (verb.value, spec.label) for verb, spec in VERBS.items())


def begins_command(line: str, view: RoleView) -> bool:
    """Whether the first word of a line names something that some role can do, or say."""
    first = normal(next(iter(line.split()), ""))
    said = (normal(pick.label) for pick in picks(view) if pick.speech is not None)
    return is_verb(first) or first in said


class _Match(NamedTuple):
    value: Any
    rest: tuple[str, ...]


def normal(word: str) -> str:
    """Normalize a word for comparison: lower case, with underscores between its parts."""
    return "_".join(word.lower().replace("-", " ").replace("_", " ").split())


def numbered(number: int, view: RoleView) -> Pick | None:
    """Return the menu entry of a number; 0 is passing."""
    menu = picks(view)
    for position, pick in enumerate(menu, 1):
        if number == (0 if pick.key == "0" else position):
            return pick
    return None


def begun(
    pick: Pick, view: RoleView, offers: Offers, own_causes: OwnCauses = NO_OWN_CAUSES
) -> Draft:
    """Start a draft of a menu entry.

    Raises:
        CommandError: It can't be picked now.
    """
    if pick.blocked:
        raise CommandError(f"{pick.label}: {pick.blocked}")
    return Draft(pick, view, offers, own_causes=own_causes)


def parse(
    line: str,
    view: RoleView,
    offers: Offers,
    also: Collection[str] = (),
    own_causes: OwnCauses = NO_OWN_CAUSES,
) -> Draft:
    """Parse the action in a line, as far as its words go.

    Args:
        also: Other possible commands, to be suggested for similar words.
        own_causes: The causes of authors among those that a diagnosis can name.

    Raises:
        CommandError: The role doesn't have the verb, or a word matches nothing.
    """
    words = tuple(line.split())
    pick, rest = _verb(words, view, also)
    draft = begun(pick, view, offers, own_causes)
    asks = pick.speech is Speech.PROPOSE or pick.verb.action_type is ActionType.ASSIGN
    if asks and rest:
        # Typed words give each part.
        draft = draft.answer(SUBJECT, None)
    if pick.speech is None:
        named = FILLERS | {argument.name for argument in pick.verb.arguments}
        if "proposal" in named:
            could = (verb for verbs in offers.values() for verb in verbs)
            named |= {argument.name for verb in could for argument in verb.arguments}
        rest = tuple(word for word in rest if word.lower() not in named)
    return _filled(draft, rest)


def with_line(line: str, view: RoleView, offers: Offers) -> tuple[str, dict[str, Any]]:
    """Split what is typed into an action and the argument for what is said with it.

    "restart cart; say share 3" is the action "restart cart", and shares a finding.

    Raises:
        CommandError: What is said leaves something open, or is no line.
    """
    action, mark, rest = line.partition(";")
    word, _, said = rest.strip().partition(" ")
    if not mark or word.lower() != "say" or is_speech(action, view):
        return line, {}
    return action, {SAY: _line_of(said.strip(), view, offers)}


def with_instance(line: str) -> tuple[str, dict[str, Any]]:
    """Split what is typed into an action and the one instance that it is for.

    "restart payments instance 2" is the action "restart payments", for its second instance.

    Raises:
        CommandError: It is no instance.
    """
    action, mark, said = line.partition(" instance ")
    word = action.split(" ")[0].lower()
    if not mark or word not in _SCOPED_WORDS:
        return line, {}
    wanted = instance_written(said)
    why = scope_problem(wanted)
    if why:
        raise CommandError(f"{why}: restart payments instance 2")
    return action, {INSTANCE: wanted}


def without_finding(line: str) -> tuple[str, bool]:
    """Split "; without" off the end of what is typed, which leaves a proposal's finding out."""
    action, mark, rest = line.rpartition(";")
    leaves = bool(mark) and " ".join(rest.lower().split()) in _WITHOUT
    return (action.strip(), True) if leaves else (line, False)


_WITHOUT: Final = frozenset({"without", "without finding", "without the finding"})

_SCOPED_WORDS: Final = frozenset(
    name for verb in SCOPED for name in (verb.value, *VERBS[verb].aliases)
)


def _line_of(said: str, view: RoleView, offers: Offers) -> dict[str, Any]:
    """Return the line that words mean: a finding to share, a proposal, or the words themselves."""
    if said.lower() in _ITS_OWN:
        return {"finding": len(view.findings)}
    is_words = said.partition(" ")[0].lower() not in _LINES
    draft = parse(f"say {said}" if is_words else said, view, offers)
    if draft.question is not None:
        raise CommandError(f"{draft.question.title}? Say it in full, such as {_LINES_SHOWN}")
    # A line carries one thing.
    if draft.pick.speech is Speech.PROPOSE:
        draft = draft.with_evidence(carried=False)
    args = draft.action().args
    line = {name: args[name] for name in _CARRIED if args.get(name) is not None}
    if not is_words:
        line.pop("text", None)
    why = line_problem(FrozenMap(line), view.role, len(view.findings))
    if why:
        raise CommandError(why)
    return line


_ITS_OWN: Final = frozenset({"share it", "share this"})
"""How a look shares what it finds itself."""

_LINES: Final = frozenset({"share", "propose", "ask"})
_LINES_SHOWN: Final = "'; say share 1', '; say propose dev restart cart' or '; say all is well'"
_CARRIED: Final = ("to", "text", "finding", "proposal")


def is_speech(line: str, view: RoleView) -> bool:
    """Whether a line is a message in the player's own words."""
    try:
        return _verb(tuple(line.split()), view, ())[0].speech is not None
    except CommandError:
        return False


def answered(draft: Draft, field: Field, line: str) -> Draft:
    """Return the draft with a typed answer to its question: a number or a name.

    Raises:
        CommandError: The answer is not one of the choices.
    """
    if not field.choices:
        text = line or field.prefill
        if field.required and not text:
            raise CommandError("type something, or 'back'")
        return draft.answer(field.name, _text(text))
    if not line and not field.required:
        return draft.answer(field.name, None)
    if line.isdecimal() and len(line) < 4 and not is_count(field):
        position = int(line) - 1
        if 0 <= position < len(field.choices):
            return draft.answer(field.name, field.choices[position].value)
        raise CommandError(f"there are {len(field.choices)} choices: type a number or a name")
    words = tuple(word for word in line.split() if word.lower() not in FILLERS)
    found = _match(field, words, anywhere=False)
    if found is None or found.rest:
        raise _no_choice(field, line)
    return draft.answer(field.name, found.value)


def is_count(field: Field) -> bool:
    """Whether the choices are numbers, so that a typed number means the value."""
    return all(type(choice.value) in (int, type(None)) for choice in field.choices) and (
        field.name != "finding"
    )


def _verb(
    words: Sequence[str], view: RoleView, also: Collection[str]
) -> tuple[Pick, tuple[str, ...]]:
    table: dict[str, Pick] = {}
    for pick in picks(view):
        table[normal(pick.label)] = pick
        if pick.speech is None:
            table.setdefault(pick.verb.action_type.value, pick)
    for length in (2, 1):
        name = normal(" ".join(words[:length]))
        name = _ALIASES.get(name, name)
        if len(words) >= length and name in table:
            return table[name], tuple(words[length:])
    typed = normal(words[0])
    close = [name for name in table if name.startswith(typed)] if len(typed) >= _LEAST else []
    if len({table[name] for name in close}) == 1:
        return table[close[0]], tuple(words[1:])
    raise CommandError(_no_verb(words, view, [*table, *_ALIASES, *also]))


def _no_verb(words: Sequence[str], view: RoleView, known: Sequence[str]) -> str:
    """Explain that the first word is not a verb of this role, and what to type instead."""
    for length in (2, 1):
        name = normal(" ".join(words[:length]))
        name = _ALIASES.get(name, name)
        for verb in ROLES[view.role].verbs:
            if name in (verb.value, normal(verb_word(verb))):
                return f"{verb_word(verb)} is not possible now"
        others = [
            role
            for role, spec in ROLES.items()
            if role is not view.role and any(verb.value == name for verb in spec.verbs)
        ]
        if others and name in set(ActionType):
            who = " and ".join(ROLE_NAMES[role] for role in others)
            rest = " ".join(shown(word, 40) for word in words[length:]) or "..."
            return (
                f"{ROLE_NAMES[view.role]} cannot {verb_word(name)}, {who} can: ask with "
                f"'propose {others[0].value} {verb_word(name)} {rest}'"
            )
    close = difflib.get_close_matches(normal(words[0])[:40], known, 1)
    meant = f", did you mean '{close[0].replace('_', ' ')}'?" if close else ";"
    return (
        f"'{shown(words[0], 40)}' is not a command{meant} 'menu' lists your actions, 'help' "
        "everything else"
    )


def _filled(draft: Draft, words: tuple[str, ...]) -> Draft:
    while (field := draft.question) is not None:
        if not field.choices:
            text = " ".join(words) or ("" if field.required else field.prefill)
            if field.required and not text:
                return draft
            draft, words = draft.answer(field.name, _text(text)), ()
            continue
        found = _found(draft, field, words)
        if found is None:
            if field.required and words:
                raise _no_choice(field, words[0])
            if field.required:
                return draft
            found = _Match(None, words)
        draft, words = draft.answer(field.name, found.value), found.rest
    words = tuple(word for word in words if word.casefold() not in draft.settled)
    if words and draft.pick.speech is not None:
        return draft.answer("text", _text(" ".join(words)))
    if words:
        raise CommandError(
            f"'{shown(' '.join(words), 60)}' doesn't fit after '{draft.summary()}': leave it out"
        )
    return draft


def _found(draft: Draft, field: Field, words: tuple[str, ...]) -> _Match | None:
    """Find a choice in the words; in messages only at their beginning, as the rest may be text."""
    if draft.pick.speech is None:
        return _match(field, words, anywhere=True)
    skipped = ("to", "with") if field.name == "to" else FILLERS
    while words and words[0].lower() in skipped:
        words = words[1:]
    if field.name == "finding":
        return _finding(field, words)
    found = _match(field, words, anywhere=False)
    if found is None and field.name == "to" and draft.pick.speech is not Speech.PROPOSE:
        return _Match(EVERYONE, words) if words or draft.answers else None
    return found


def _finding(field: Field, words: tuple[str, ...]) -> _Match | None:
    """Find a finding by its number, counted from 1."""
    for choice in field.choices:
        if words and words[0] == str(choice.value + 1):
            return _Match(choice.value, words[1:])
    return None


def _match(field: Field, words: tuple[str, ...], *, anywhere: bool) -> _Match | None:
    table: dict[str, Any] = {}
    for choice in field.choices:
        for name in (choice.value, choice.label):
            table[normal(str(name))] = choice.value
    for choice in field.choices:
        for name in choice.aliases:
            table.setdefault(normal(name), choice.value)
    if EVERYONE in table:
        table.update(dict.fromkeys(_EVERYBODY, EVERYONE))
    longest = max((name.count("_") + 1 for name in table), default=1)
    for start in range(len(words) if anywhere else min(1, len(words))):
        for length in range(min(longest, len(words) - start), 0, -1):
            typed = normal(" ".join(words[start : start + length]).strip("():,."))
            name, equals, value = typed.partition("=")
            if equals and name == normal(field.name):
                typed = value
            typed = typed if typed in table else _ALIASES.get(typed, typed)
            if typed in table:
                return _Match(table[typed], words[:start] + words[start + length :])
    return None


def _no_choice(field: Field, typed: str) -> CommandError:
    names = [str(choice.value if choice.value is not None else "") for choice in field.choices]
    if field.name == "finding":
        names = [str(choice.value + 1) for choice in field.choices]
    names = [name.replace("_", " ") for name in names if name]
    close = difflib.get_close_matches(typed.lower()[:40], names, 1)
    meant = f", did you mean {close[0]}? There are" if close else "; there are"
    some = ", ".join(names) if len(names) <= 14 else f"{', '.join(names[:8])} and others"
    return CommandError(f"{field.title}? '{shown(typed, 40)}' is not a choice{meant}: {some}")


def _text(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise CommandError(f"that is {len(text)} characters long: the limit is {MAX_TEXT}")
    return text
