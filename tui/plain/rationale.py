"""The typed rationale of the next action: the reason, and the player's confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from chaosops.env.models import MAX_TEXT
from chaosops.play.action_form.typed import CommandError
from chaosops.play.formatting import shown
from chaosops.play.rationale import UNSAID
from tui.plain.console import Console

_OFF: Final = "off"
_SUREST: Final = 100


class Reasons:
    """Keeps the rationale of each turn.

    Attributes:
        thought: The rationale in this turn so far.
        by_word: The function of each command; takes the words after it, and raises CommandError
            if they make no sense.
    """

    by_word: Mapping[str, Callable[[str], None]]

    def __init__(self, console: Console) -> None:
        self._console = console
        self.thought = UNSAID
        self.by_word = {"why": self._why, "sure": self._sure}

    def begin_turn(self) -> None:
        """Reset the rationale."""
        self.thought = UNSAID

    def _why(self, words: str) -> None:
        if len(words) > MAX_TEXT:
            raise CommandError(f"that is {len(words)} characters long: the limit is {MAX_TEXT}")
        if words:
            self.thought = self.thought._replace(why="" if words.lower() == _OFF else words)
        self._tell()

    def _sure(self, words: str) -> None:
        number = words.removesuffix("%").strip()
        if words.lower() == _OFF:
            self.thought = self.thought._replace(sure=None)
        elif number.isdecimal() and len(number) < 4 and int(number) <= _SUREST:
            self.thought = self.thought._replace(sure=int(number))
        elif words:
            raise CommandError(
                f"'{shown(words, 20)}' is not a number from 0 to {_SUREST}: type sure 75"
            )
        self._tell()

    def _tell(self) -> None:
        said = "; ".join(self.thought.lines()) or "nothing said"
        self._console.say(f"With your next action: {said}.")
