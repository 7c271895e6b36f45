"""The case board as lines: causes that fit a service, marked, with findings pinned to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from chaosops.play.action_form.typed import CommandError, normal
from chaosops.play.case_board import MARK_WORDS, CaseMark, Noted, Suspect
from chaosops.play.formatting import clock, in_words, shown
from chaosops.play.session import Session
from chaosops.scenarios.problems import instead
from tui.plain.console import Console
from tui.plain.instruments import named_finding

USAGE: Final = (
    "case db: the causes that fit db. case db + row lock: mark one, with + (speaks for it), - "
    "(against it) or ? (open); the same again takes it back. case db pin 2 row lock: pin finding 2 "
    "to it. case: everything that you marked."
)
"""What can be typed after the word "case"."""

_PIN: Final = "pin"


class CaseLines:
    """Prints and changes the case board for the role whose turn it is.

    Attributes:
        by_word: The function of each command; takes the words after it, and raises CommandError
            if they make no sense.
    """

    by_word: Mapping[str, Callable[[str], None]]

    def __init__(self, session: Session, console: Console) -> None:
        self._session, self._console = session, console
        self.by_word = {"case": self._case}

    def _case(self, words: str) -> None:
        name, _, rest = words.strip().partition(" ")
        if not name:
            self._tell_all()
            return
        services = [node.name for node in self._session.observation.view.graph]
        service = next((one for one in services if normal(one) == normal(name)), None)
        if service is None:
            raise CommandError(f"no service '{shown(name, 40)}'; {instead(name, services)}")
        sign, _, wanted = rest.strip().partition(" ")
        if not sign:
            self._tell(service)
        elif sign in tuple(CaseMark):
            suspect = self._suspect(service, wanted)
            self._session.board.mark(self._session.role, service, suspect.cause, CaseMark(sign))
            self._say(service, suspect)
        elif sign.lower() == _PIN:
            number, _, cause = wanted.strip().partition(" ")
            found = named_finding(number, self._session.observation.view)
            suspect = self._suspect(service, cause)
            self._session.board.pin(self._session.role, service, suspect.cause, found)
            self._say(service, suspect)
        else:
            raise CommandError(f"'{shown(sign, 40)}' marks nothing: {USAGE}")

    def _suspect(self, service: str, words: str) -> Suspect:
        suspects = self._session.board.suspects(service)
        wanted = normal(words)
        for suspect in suspects:
            if normal(suspect.name) == wanted:
                return suspect
        cure = instead(words.strip(), [suspect.name for suspect in suspects])
        raise CommandError(f"no cause '{shown(words, 40)}' fits {shown(service, 40)}; {cure}")

    def _tell_all(self) -> None:
        marks = self._session.board.marks()
        if not marks:
            self._console.say(f"The case board is empty. {USAGE}")
        for service, cause, noted in marks:
            self._console.say(f"{shown(service, 60)}: {in_words(cause)}{self._noted(noted)}")

    def _tell(self, service: str) -> None:
        suspects = self._session.board.suspects(service)
        self._console.say(f"Causes that fit {shown(service, 60)}: {len(suspects)}.")
        family = ""
        for suspect in suspects:
            if suspect.family != family:
                family = suspect.family
                self._console.say(f"{family.capitalize()}:")
            noted = self._noted(self._session.board.noted(service, suspect.cause))
            self._console.say(f"- {suspect.name}{noted}: {suspect.gist}")

    def _say(self, service: str, suspect: Suspect) -> None:
        noted = self._noted(self._session.board.noted(service, suspect.cause))
        self._console.say(f"{shown(service, 60)}: {suspect.name}{noted or ', nothing noted'}.")

    def _noted(self, noted: Noted) -> str:
        status = self._session.observation.view.status
        parts = [] if noted.mark is None else [f" ({noted.mark.value}) {MARK_WORDS[noted.mark]}"]
        for pin in noted.pins:
            found = pin.finding
            at = clock(status, found.minute)
            parts.append(f"{found.source.value} of {shown(found.target, 40)} at {at}")
        return ", ".join(parts)
