"""With whose eyes a replay is looked at: the acting role's, one role's, or those of all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import TURN_ORDER, AgentRole, RoleView
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.replay_model import seen_at, view_of, view_of_all


class Eyes(NamedTuple):
    """A way to look.

    Attributes:
        word: What it is called.
        role: Whose eyes; None for those of whoever acts, or of all.
        all: Whether everything that any role saw is seen.
    """

    word: str
    role: AgentRole | None = None
    all: bool = False

    def view(self, steps: Sequence[EpisodeStep], at: int) -> RoleView | None:
        """What is seen in a turn; None where it is nothing yet."""
        if self.all:
            return view_of_all(steps, at)
        return steps[at].observation.view if self.role is None else view_of(steps, at, self.role)

    def said(self, steps: Sequence[EpisodeStep], at: int) -> str:
        """What it is called in a turn, with the turns that are seen where they are earlier ones."""
        if self.all:
            return ", ".join([self.word, *_seen_before(steps, at)])
        if self.role is None:
            return self.word
        seen = seen_at(steps, at, self.role)
        if seen is None:
            return f"{self.word}, who hasn't seen anything yet"
        return self.word if seen == at else f"as {self.word} last saw it, turn {seen + 1}"


def _seen_before(steps: Sequence[EpisodeStep], at: int) -> Iterator[str]:
    """The turns before this one in which the roles saw what is shown of theirs, oldest first."""
    turns = (seen_at(steps, at, role) for role in TURN_ORDER)
    form = "as {} saw it in turn {}"
    for turn in sorted(turn for turn in turns if turn is not None and turn != at):
        yield form.format(ROLE_NAMES[steps[turn].role], turn + 1)
        form = "{} in {}"


EYES: Final = (
    Eyes("who acts"),
    *(Eyes(ROLE_NAMES[role], role) for role in TURN_ORDER),
    Eyes("all roles", all=True),
)
"""All ways to look, in the order in which they are gone through."""
