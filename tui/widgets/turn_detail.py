"""What a role did with the turn that is looked at, and what came of it: the replay's side pane."""

from __future__ import annotations

from typing import NamedTuple

from textual.content import Content

from chaosops.agents.runner import EpisodeStep
from tui.widgets.lines import Lines, Row
from tui.words import MUTED, ROLE_NAMES, components, describe, shown, signed


class TurnNotes(NamedTuple):
    """What a recording knows of a turn besides its frame.

    Attributes:
        source: Who decided: "human", or the policy's name.
        seconds: How long it took, None where it is not known.
        hints: Levels of the hints that were read.
    """

    source: str = ""
    seconds: float | None = None
    hints: tuple[int, ...] = ()


class TurnDetail(Lines):
    """Action, outcome, reward by component, and how the decision came about."""

    EXPLAINED = (
        "The action that was taken on what the board shows, what came of it in words everyone "
        "could read, and what the turn paid. The board shows what the acting role saw."
    )

    def __init__(self) -> None:
        super().__init__("turn-detail")
        self.border_title = Content("The turn")

    def show(self, step: EpisodeStep, notes: TurnNotes, place: str) -> None:
        """Take in a turn."""
        self.border_subtitle = Content(place)
        self.set_rows(detail_rows(step, notes))


def detail_rows(step: EpisodeStep, notes: TurnNotes) -> list[Row]:
    """The turn as rows."""
    by = f" ({shown(notes.source, 60)})" if notes.source else ""
    rows = [
        Row(Content.assemble((f"{ROLE_NAMES[step.role]}{by}", "bold"))),
        Row(Content.styled(describe(step.action), "bold $accent"), 2),
        Row(Content("")),
        Row(Content(shown(step.message))),
        Row(Content("")),
    ]
    for word, value in components(step.breakdown):
        rows.append(Row(Content(f"{word:<18}{signed(value):>8}")))
    rows.append(Row(Content.styled(f"{'this turn':<18}{signed(step.reward):>8}", "bold")))
    if notes.seconds is not None:
        rows.append(Row(Content.styled(f"decided in {notes.seconds:.1f} s", MUTED)))
    if notes.hints:
        levels = ", ".join(str(level) for level in notes.hints)
        rows.append(Row(Content.styled(f"hints read: level {levels}", MUTED)))
    if step.done:
        rows += [Row(Content("")), Row(Content.styled("The episode ends here.", "bold"))]
    return rows
