"""The shot clock of a person's turn in the plain mode."""

from __future__ import annotations

from chaosops.play.session import Session


class ShotClock:
    """Checks how long a session's turn has been in view, if there is a time limit.

    A line is always read to its end; only then is it checked whether it came in time.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def limit(self) -> int:
        """Seconds for a turn; 0 for no limit."""
        return self._session.roster.shot_clock

    @property
    def is_over(self) -> bool:
        """Whether the time for this turn is up."""
        return bool(self.limit) and self._session.timing.seconds > self.limit

    def beside(self, word: str) -> str:
        """Append the time that is left for the turn to a word, if there is a limit."""
        if not self.limit:
            return word
        left = max(0, round(self.limit - self._session.timing.seconds))
        return f"{word} ({left} of {self.limit} s left)"
