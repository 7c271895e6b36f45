"""Whose view a replay shows: the acting role's, one role's, or every role's at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import TURN_ORDER, AgentRole, RoleView
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.replay_model import seen_at, view_of, view_of_all


class Perspective(NamedTuple):
    """Whose view a replay shows.

    Attributes:
        word: Its name on the screen.
        role: The role whose view it is; None for the acting role's, or for every role's.
        all: Whether everything that any role saw is shown.
    """

    word: str
    role: AgentRole | None = None
    all: bool = False

    def view(self, steps: Sequence[EpisodeStep], at: int) -> RoleView | None:
        """Return the view of a turn; None if the role has not seen anything yet."""
        if self.all:
            return view_of_all(steps, at)
        return steps[at].observation.view if self.role is None else view_of(steps, at, self.role)

    def said(self, steps: Sequence[EpisodeStep], at: int) -> str:
        """Return its name in a turn, with the number of the earlier turn that is shown, if any."""
        if self.all:
            return ", ".join([self.word, *_seen_before(steps, at)])
        if self.role is None:
            return self.word
        seen = seen_at(steps, at, self.role)
        if seen is None:
            return f"{self.word}, who hasn't seen anything yet"
        return self.word if seen == at else f"as {self.word} last saw it, turn {seen + 1}"


def _seen_before(steps: Sequence[EpisodeStep], at: int) -> Iterator[str]:
    """Yield the earlier turns whose views are shown, oldest first."""
    turns = (seen_at(steps, at, role) for role in TURN_ORDER)
    form = "as {} saw it in turn {}"
    for turn in sorted(turn for turn in turns if turn is not None and turn != at):
        yield form.format(ROLE_NAMES[steps[turn].role], turn + 1)
        form = "{} in {}"


PERSPECTIVES: Final = (
    Perspective("who acts"),
    *(Perspective(ROLE_NAMES[role], role) for role in TURN_ORDER),
    Perspective("all roles", all=True),
)
"""Every perspective, in the order in which a key steps through them."""
