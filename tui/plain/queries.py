"""Queries, which cost no turn: parts of the view, the score, hints, help, the menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from chaosops.env.models import RoleView
from chaosops.play.action_form.suggestions import Offer, proposals_to
from chaosops.play.action_form.typed import CommandError
from chaosops.play.formatting import shown, signed
from chaosops.play.log_search import lines_found
from chaosops.play.plain_dialect import on_one_line, sentence
from chaosops.play.record_search import is_question, records_found, who_sees_more
from chaosops.play.session import Session
from chaosops.play.wording import describe
from chaosops.presenter import PARTS
from chaosops.text import render_observation
from tui.plain.board import part_lines, visible_parts
from tui.plain.console import Console
from tui.plain.guide import (
    explain_lines,
    help_lines,
    hint_lines,
    menu_lines,
    object_lines,
    seat_line,
)
from tui.plain.reference import COMMAND, glossary_lines
from tui.plain.score import score_lines

_LAST_TURNS: Final = 12


def offers_now(session: Session) -> list[Offer]:
    """Return what can be accepted in this turn, the copilot's candidates first."""
    return [*session.copilot.offers, *proposals_to(session.observation.view)]


def offer_lines(session: Session) -> list[str]:
    """Return a line for each of those, with its reason and the word that takes it."""
    lines = []
    for number, offer in enumerate(offers_now(session), 1):
        why = f" {sentence(on_one_line(offer.why, 400))}" if offer.why else ""
        accept = "accept" if number == 1 else f"accept {number}"
        who, what = sentence(offer.who)[:-1], describe(offer.action)
        lines.append(f"{who} proposes: {what}.{why} Type {accept} to do it.")
    return lines


class Inquiries:
    """Answers queries of the role whose turn it is.

    Attributes:
        by_word: The function of each command; takes the words after it, and raises CommandError
            if they make no sense.
    """

    by_word: Mapping[str, Callable[[str], None]]

    def __init__(self, session: Session, console: Console) -> None:
        self._session, self._console = session, console
        self.by_word = {
            "state": self._state,
            "board": self._state,
            "score": self._score,
            "hint": self._hint,
            "hints": self._hint,
            "help": self._help,
            "explain": self._explain,
            COMMAND: self._glossary,
            "menu": self._menu,
            "find": self._find,
            "who": lambda words: self._find(f"who {words}".strip()),
            "observation": self._observation,
            "seats": self.seats,
            "proposals": self._proposals,
            **{name: partial(self._part, name) for name in PARTS},
        }

    @property
    def _view(self) -> RoleView:
        return self._session.observation.view

    def seats(self, words: str = "") -> None:
        """Tell who plays which role."""
        self._console.say(seat_line(self._session))

    def _part(self, name: str, words: str) -> None:
        self._session.timing.panes_opened([name])
        self._console.say(*part_lines(name, self._view, words))

    def _state(self, words: str) -> None:
        for name in visible_parts(self._view):
            self._part(name, "")

    def _score(self, words: str) -> None:
        steps, late = self._session.steps, self._session.late
        last = len(steps) if words == "all" else _LAST_TURNS
        self._console.say(*score_lines(steps, self._view.role, last, late))

    def _hint(self, words: str) -> None:
        levels = self._session.hints.costs()
        if not words:
            self._console.say(*hint_lines(self._session))
        elif words.isdecimal() and int(words[:2]) in levels:
            level = int(words)
            if level in self._session.hints.taken or self._is_wanted(level):
                self._session.timing.touched()
                self._console.say(f"Hint {level}: {on_one_line(self._session.hints.read(level))}")
        else:
            raise CommandError(f"no hint '{shown(words, 20)}': choose hint 1, 2 or 3")

    def _is_wanted(self, level: int) -> bool:
        """Confirm the cost of a hint; a program can't be asked, so it counts as confirmed."""
        price = signed(self._session.hints.costs()[level])
        costs = f"Hint {level} costs {price} points with your next action"
        if not self._console.by_person:
            self._console.say(f"{costs}.")
            return True
        answer = self._console.ask(f"{costs}. Type yes to take it, or Enter to cancel:")
        return answer is not None and answer.strip().lower() in ("yes", "y")

    def _help(self, words: str) -> None:
        if words:
            self._explain(words)
        else:
            self._session.timing.help_opened()
            self._console.say(*help_lines(self._view))

    def _explain(self, words: str) -> None:
        self._session.timing.help_opened()
        self._console.say(*explain_lines(words, self._session.own_causes))

    def _glossary(self, words: str) -> None:
        self._session.timing.help_opened()
        self._console.say(*glossary_lines(words))

    def _menu(self, words: str) -> None:
        self._console.say(*(object_lines(words, self._view) if words else menu_lines(self._view)))

    def _find(self, words: str) -> None:
        if not words or words == "who":
            raise CommandError("find what? Such as find deploy_bot, or who paused deploy_bot")
        found = records_found(self._view, words)
        for record in found.records:
            self._console.say(f"- {on_one_line(record.words, 400)}")
        lines = lines_found(self._view, words)
        for line in lines.lines:
            self._console.say(f"- log: {on_one_line(line, 400)}")
        left = found.total + lines.total - len(found.records) - len(lines.lines)
        if left:
            self._console.say(f"{left} more, older.")
        if not found.total and not lines.total:
            more = f" {who_sees_more(self._view)}" if is_question(words) else ""
            self._console.say(f"Nothing that you see matches '{shown(words, 60)}'.{more}".rstrip())

    def _observation(self, words: str) -> None:
        self._console.say(*render_observation(self._session.observation).splitlines())

    def _proposals(self, words: str) -> None:
        offers = offers_now(self._session)
        if not offers:
            self._console.say("You have no proposals now.")
        for number, offer in enumerate(offers, 1):
            why = f". {sentence(on_one_line(offer.why, 400))}" if offer.why else ""
            what = f"{offer.who}, {describe(offer.action)}"
            self._console.say(f"- accept {number}: {what}{why}")
