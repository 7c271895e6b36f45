"""The replay's side pane: what a role did in the shown turn, and the result."""

from __future__ import annotations

from textual.content import Content

from chaosops.agents.runner import EpisodeStep
from chaosops.play.costs import paid
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown, signed
from chaosops.play.replay_model import TurnNotes
from chaosops.play.wording import describe_in
from tui.widgets.basic.lines import Lines, Row


class TurnDetail(Lines):
    """Shows the action, its result, its points by component, and how and why it was decided."""

    EXPLAINED = (
        "The action, its result as everyone could read it, the turn's reward, and the player's "
        "reason if they gave one. The board shows what the acting role saw before."
    )

    def __init__(self) -> None:
        super().__init__("turn-detail")
        self.border_title = Content("The turn")

    def show(
        self, step: EpisodeStep, notes: TurnNotes, place: str, looks: str, *, folded: bool = False
    ) -> None:
        """Show a turn.

        Args:
            place: The number of the turn, and of how many.
            looks: Whose view it is, and what the keys jump to.
            folded: Whether there is no border for the place, and room for a few lines only.
        """
        self.border_subtitle = Content(place)
        rows = detail_rows(step, notes)
        if folded:
            first = Row(Content.styled(f"{place}   {looks}", MUTED))
            self.set_rows([first, *(row for row in rows if row.content.plain)])
        else:
            self.set_rows([*rows, Row(Content("")), Row(Content.styled(looks, MUTED))])


def detail_rows(step: EpisodeStep, notes: TurnNotes) -> list[Row]:
    """Return the turn as rows."""
    by = f" ({shown(notes.source, 60)})" if notes.source else ""
    rows = [
        Row(Content.assemble((f"{ROLE_NAMES[step.role]}{by}", "bold"))),
        Row(
            Content.styled(describe_in(step.observation.view, step.action), "bold $accent"),
            2,
        ),
        Row(Content("")),
        Row(Content(shown(step.message))),
        Row(Content("")),
    ]
    for part in paid(step):
        rows.append(Row(Content(f"{part.word:<18}{signed(part.amount):>8}")))
        rows.append(Row(Content.styled(f"  {part.why}", MUTED), 2))
    rows.append(Row(Content.styled(f"{'this turn':<18}{signed(step.reward):>8}", "bold")))
    if notes.seconds is not None:
        rows.append(Row(Content.styled(f"decided in {notes.seconds:.1f} s", MUTED)))
    rows += [Row(Content(said), 2) for said in notes.thought.lines()]
    if notes.proposed:
        rows.append(Row(Content.styled(shown(notes.proposed, 300), MUTED), 2))
    if notes.hints:
        levels = ", ".join(str(level) for level in notes.hints)
        rows.append(Row(Content.styled(f"hints read: level {levels}", MUTED)))
    if step.done:
        rows += [Row(Content("")), Row(Content.styled("The episode ends here.", "bold"))]
    return rows
