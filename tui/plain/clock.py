"""The shot clock of a person's turn, told and kept in lines."""

from __future__ import annotations

from chaosops.play.session import Session


class ShotClock:
    """Looks at how long a session's turn has been in view, where its seats have a limit.

    A line is read to its end however long that takes: whether it came in time is looked at then.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def limit(self) -> int:
        """Seconds for a turn; 0 for as long as one likes."""
        return self._session.roster.shot_clock

    @property
    def is_over(self) -> bool:
        """Whether the time for this turn is over."""
        return bool(self.limit) and self._session.timing.seconds > self.limit

    def beside(self, word: str) -> str:
        """A word with the seconds that are left for the turn, where there is a limit."""
        if not self.limit:
            return word
        left = max(0, round(self.limit - self._session.timing.seconds))
        return f"{word} ({left} of {self.limit} s left)"
