"""The help of the plain mode: its commands, its terms, and the actions of a turn."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import RoleView, VerbChoice
from chaosops.play.action_form.choices import Field
from chaosops.play.action_form.fields import NO_OWN_CAUSES, OwnCauses
from chaosops.play.action_form.objects import about, moves_at, objects
from chaosops.play.action_form.picks import GROUPS, picks
from chaosops.play.action_form.typed import CommandError, is_count
from chaosops.play.formatting import HEALTH_SHAPES, ROLE_NAMES, shown, signed
from chaosops.play.glossary import TERMS, explained_causes
from chaosops.play.plain_dialect import on_one_line
from chaosops.play.session import Session
from tui.plain.board import visible_parts
from tui.plain.case import USAGE as CASES
from tui.plain.instruments import USAGE as FINDINGS

WAY_OUT: Final = "At a question, back returns to the previous one, and cancel cancels the action."
"""How to leave a question."""

HELP: Final = (
    (
        "A turn is one minute. Type an action to take your turn; commands that only show "
        "something are free."
    ),
    (
        "An action's words can be in any order, and it asks for what is missing: look runtime db. "
        "restart db. scale payments to 4. diagnose memory leak. say dev what changed? "
        "propose dev rollback payments. share 1 with dev. pass. Or type a number from the menu."
    ),
    (
        "An action may carry a line: restart cart; say share 1. look logs cart; say ask dev look "
        "cart changes. pass; say db is slow."
    ),
    (
        "A proposal carries your newest finding about what it is for. propose dev rollback "
        "payments; without: leaves it out."
    ),
    "pass on: pass until something happens, three rounds at most.",
    f"{WAY_OUT} help there lists what you can type.",
    "accept, or accept 2: do what your copilot or a teammate proposes.",
    (
        "why WORDS: your reason for the next action. sure 75: how sure you are, from 0 to 100. "
        "Both are saved with the recording, teammates can't read them, and they are free. why "
        "alone shows what you said, why off and sure off clear it."
    ),
    (
        "menu: what you can do now; menu db: what you can do there. state: everything you see. "
        "{parts}: one part of it; a word after it searches, such as logs db. score: the points of "
        "each turn."
    ),
    (
        "find WORDS: what happened and the log lines that have all the words, such as find db "
        "timeout. A question does too: who paused deploy_bot."
    ),
    f"finding: what you found, and what teammates shared. {FINDINGS}",
    f"case: your case board, which is free. {CASES}",
    "hint: the hints and their cost. hint 1, 2 or 3 takes one.",
    (
        "take dev: play that seat yourself. hand dev expert: give a seat to a policy. copilot "
        "expert: have a policy suggest up to three actions a turn, copilot off: stop that."
    ),
    (
        "curtain: if you play several seats, hide what one saw before the next one plays, or "
        "stop hiding it."
    ),
    (
        "explain WORD: what a term means, such as explain p95. glossary WORD: the same for "
        "signals, actions and causes, such as glossary row lock: how it looks, what tells it "
        "from its twins, what ends it. observation: the input for a program, which may answer "
        "with one JSON object per line."
    ),
    (
        "pause alone: stop the shot clock, if there is one. A line that comes too late isn't "
        "carried out: the turn passes."
    ),
    "quit: save and leave. The game is saved after each turn.",
)

_SHAPES: Final = "".join(HEALTH_SHAPES.values()) + " "
"""Symbols that a screen reader would spell out before a word with the same meaning."""


def help_lines(view: RoleView) -> list[str]:
    """Return how to play in this mode."""
    parts = ", ".join(visible_parts(view))
    return [line.replace("{parts}", parts) for line in HELP]


def explain_lines(word: str, own_causes: OwnCauses = NO_OWN_CAUSES) -> list[str]:
    """Explain a term, or the cause of an author; list all of them if it is unknown."""
    terms = {**TERMS, **explained_causes(own_causes)}
    wanted = " ".join(word.lower().replace("_", " ").split())
    found = [term for term in terms if wanted and wanted in term.lower()]
    if found:
        return [f"{term}: {terms[term]}" for term in found]
    return [f"Terms that can be explained: {', '.join(terms)}."]


def object_lines(words: str, view: RoleView) -> list[str]:
    """Return what can be done at a service or an agent, each with what it does and risks.

    Raises:
        CommandError: There is nothing of that name at which the role can do anything.
    """
    known = objects(view)
    target = next((name for name in known if name.casefold() == words.casefold()), None)
    if target is None:
        names = ", ".join(map(on_one_line, known))
        raise CommandError(f"you can do nothing at '{shown(words, 40)}': there is {names}")
    lines = [f"{on_one_line(', '.join(about(view, target)))}."]
    costs = ""
    for move in moves_at(view, target):
        if move.costs != costs:
            costs = move.costs
            lines.append(f"{costs[0].upper()}{costs[1:]}:")
        typed = f"look {move.words}" if move.is_look else move.words
        takes = "" if move.is_look else f" ({move.takes})"
        lines.append(f"- {typed}{takes}: {move.does}")
    return lines


def menu_lines(view: RoleView) -> list[str]:
    """List what the role may do now, by group, with numbers."""
    lines = []
    menu = list(enumerate(picks(view), 1))
    for group in GROUPS:
        entries = [
            f"{0 if pick.key == '0' else number} {pick.label}"
            + (f" ({pick.blocked})" if pick.blocked else _landing(pick.verb))
            for number, pick in menu
            if pick.group == group
        ]
        if entries:
            lines.append(f"{group.capitalize()}: {', '.join(entries)}.")
    return lines


def _landing(verb: VerbChoice) -> str:
    low, high = verb.minutes
    if not high:
        return ""
    return f" ({low} min)" if low == high else f" ({low} to {high} min)"


def question_lines(field: Field) -> list[str]:
    """Return a question and its choices with numbers, except for choices that are numbers."""
    title = f"{field.title[:1].upper()}{field.title[1:]}?"
    if not field.choices:
        usual = f" Enter alone says: {shown(field.prefill)}" if field.prefill else ""
        return [f"{title}{usual}"]
    entries = [
        (f"{choice.label}" if is_count(field) else f"{number} {choice.label}")
        + (f" ({choice.note.strip(_SHAPES)})" if choice.note else "")
        for number, choice in enumerate(field.choices, 1)
    ]
    return [f"{title} {', '.join(entries)}."]


def answer_lines(field: Field | None) -> list[str]:
    """Return what can be typed at a question; None stands for the confirmation."""
    if field is None:
        said = "Enter takes the last suggestion."
    elif field.choices:
        said = "Type one of these." if is_count(field) else "Type one of these numbers or names."
    elif field.prefill:
        said = "Type your message, or just Enter for the suggested text."
    else:
        said = "Type your message."
    return [f"{said} {WAY_OUT}"]


def hint_lines(session: Session) -> list[str]:
    """List the hints with their costs; those that were taken are free."""
    names = {1: "a nudge", 2: "the direction", 3: "the answer"}
    taken = session.hints.taken
    lines = []
    for level, price in session.hints.costs().items():
        cost = "taken, free to read again" if level in taken else f"{signed(price)} points"
        lines.append(f"- hint {level}: {names[level]}, {cost}")
    return ["The cost of a hint is part of your next action:", *lines]


def seat_line(session: Session) -> str:
    """Tell who plays which role."""
    words = session.roster.words()
    return f"Seats: {', '.join(f'{ROLE_NAMES[role]} {word}' for role, word in words.items())}."
