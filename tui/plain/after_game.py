"""After a game: rate it, comment on it, replay it, or play on from one of its turns."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from chaosops.env.models import MAX_TEXT
from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.play.formatting import shown
from chaosops.play.plain_dialect import sentence
from chaosops.play.rating import SCALES, Rating
from chaosops.play.session import Session
from chaosops.recording.reader import read_recording
from chaosops.recording.upkeep import add_note
from tui.plain.console import LEAVE, Console
from tui.plain.reference import looked_up
from tui.plain.replay import PlainReplay

_HIGHEST: Final = 100


class Afterwards:
    """Asks what to do with a finished game, until the player leaves or plays on."""

    def __init__(self, console: Console, session: Session, costliest: int | None = None) -> None:
        """Take a finished game.

        Args:
            costliest: The most expensive turn, counted from 0, as a suggestion to play on from.
        """
        self._console, self._session, self._costliest = console, session, costliest

    def ask(self) -> Session | None:
        """Return the next game to play; None if the player leaves."""
        self._console.say(*self._choices())
        while line := self._console.ask("After the game>"):
            word, _, rest = line.partition(" ")
            name, rest = word.lower(), rest.strip()
            if name in LEAVE:
                return None
            if (told := looked_up(line)) is not None:
                self._console.say(*told)
                continue
            if name == "again" and not rest:
                return self._session.fork(0)
            if name == "fork" and (not rest or rest.isdecimal()):
                turn = self._turn(rest)
            elif name == "replay" and not rest:
                turn = self._replay()
            elif name == "postmortem" and not rest:
                self._postmortem()
                continue
            else:
                self._say_of_it(line)
                continue
            if turn is not None:
                return self._session.fork(turn)
        return None

    def _choices(self) -> list[str]:
        at = 1 if self._costliest is None else self._costliest + 1
        play = f"fork {at}: play on from turn {at}, or any other. again: start over from the page."
        lines = [f"{play} glossary WORD: look something up. Enter leaves."]
        if self._session.recording is not None:
            lines.insert(
                0,
                "A number from 1 to 5 rates the game, load rates the workload, comment TEXT adds a "
                "comment. replay: step through the game. postmortem: write the post-mortem as "
                "Markdown.",
            )
        return lines

    def _turn(self, words: str) -> int | None:
        """Return the turn to play on from, counted from 0; None if there is none."""
        turns = len(self._session.steps)
        usual = "" if self._costliest is None else f", Enter for {self._costliest + 1}"
        if not words:
            words = self._console.ask(f"Play on from which turn? 1 to {turns}{usual}:") or ""
            if not words and self._costliest is not None:
                return self._costliest
        if words.isdecimal() and 1 <= int(words[:9]) <= turns:
            return int(words) - 1
        self._console.say(f"There are turns 1 to {turns}.")
        return None

    def _replay(self) -> int | None:
        path = self._session.recording
        if path is None:
            self._console.say("This game was not recorded.")
            return None
        try:
            recording = read_recording(path)
        except RecordingError as error:
            self._console.say(f"{shown(str(error), 400)}.")
            return None
        return PlainReplay(recording, self._console).tell()

    def _postmortem(self) -> None:
        path = self._session.recording
        if path is None:
            self._console.say("This game was not recorded, so there is no place to write it to.")
            return
        from chaosops.play.postmortem.files import write_beside
        from chaosops.play.postmortem.played import played_session

        try:
            written = write_beside(played_session(self._session), path)
        except ChaosOpsError as error:
            self._console.say(sentence(str(error)))
        else:
            self._console.say(f"The post-mortem is {shown(written, 1_000)}, with its charts.")

    def _say_of_it(self, line: str) -> None:
        path = self._session.recording
        word, _, rest = line.partition(" ")
        is_comment = word.lower() == "comment" and bool(rest.strip())
        if not (is_comment or line.isdecimal() or line.lower() == "load"):
            self._console.say(*self._choices())
        elif path is None:
            self._console.say("This game was not recorded, so there is nothing to save that with.")
        elif is_comment:
            self._keep(path, Rating(comment=rest.strip()[:MAX_TEXT]))
        elif line.lower() == "load":
            self._ask_load(path)
        elif 1 <= int(line[:3]) <= 5:
            self._keep(path, Rating(quality=int(line)))
        else:
            self._console.say("Rate from 1 to 5.")

    def _ask_load(self, path: Path) -> None:
        """Ask for the six scales; save all of them or none."""
        given: dict[str, int] = {}
        for name, question in SCALES.items():
            value = self._scale(f"{question} 0 to {_HIGHEST}:")
            if value is None:
                self._console.say("Skipped: answer all six or none.")
                return
            given[name] = value
        self._keep(path, Rating(workload=given))

    def _scale(self, question: str) -> int | None:
        while line := self._console.ask(question):
            if line.isdecimal() and int(line[:4]) <= _HIGHEST:
                return int(line)
            if line.lower() in LEAVE:
                return None
            self._console.say(f"A number from 0 to {_HIGHEST}; just Enter skips it.")
        return None

    def _keep(self, path: Path, rating: Rating) -> None:
        try:
            add_note(path, rating.note())
        except RecordingError as error:
            self._console.say(sentence(f"not saved: {error}"))
        else:
            self._console.say("Saved with the recording.")
