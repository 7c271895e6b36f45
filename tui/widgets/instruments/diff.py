"""A change with its diff: side by side if there is room, otherwise unified."""

from __future__ import annotations

from typing import Final

from textual.app import ComposeResult
from textual.content import Content

from chaosops.env.models import Status
from chaosops.env.models.readings import Diff
from chaosops.play.formatting import MUTED, clock, shown
from chaosops.play.readings import ComparedLine, Looking, paired
from tui.widgets.basic.lines import Lines, Row
from tui.widgets.instruments.part_view import PartView

SIDE_BY_SIDE_FROM: Final = 100
"""The width from which a diff has two sides; a terminal with 120 columns has it."""


class DiffLines(Lines):
    """The lines of a diff."""

    def __init__(self, part: Diff, status: Status) -> None:
        super().__init__(None, classes="part-body")
        self._part, self._status = part, status

    def on_mount(self) -> None:
        """Show it."""
        self.width_changed()

    def width_changed(self) -> None:
        """Lay it out for the width."""
        width = self.scrollable_content_region.width
        two = width >= SIDE_BY_SIDE_FROM
        body = _two_sides(paired(self._part), width) if two else _one_side(self._part)
        self.set_rows([*_head(self._part, self._status), *body])


class DiffView(PartView[Diff]):
    """Shows a change: who made it, when, with which ticket, and its lines."""

    TITLE = "Change"
    EXPLAINED = (
        "Who changed what, when, and under which ticket, followed by the diff: - is a removed "
        "line, + an added one; other lines are unchanged. From 120 columns, before and after are "
        "side by side."
    )

    def compose(self) -> ComposeResult:
        """Compose its lines."""
        yield DiffLines(self.part, self.status)

    def looking(self) -> Looking:
        """Return the rows in view."""
        return Looking("diff", self.part.version, rows=self.query_one(DiffLines).rows_in_view)


def _head(diff: Diff, status: Status) -> list[Row]:
    ticket = shown(diff.ticket, 60) if diff.ticket else "no ticket"
    ago = status.minute - diff.minute
    when = f"{clock(status, diff.minute)}, {ago} min ago"
    facts = (
        (
            "changed",
            f"{shown(diff.kind, 30)} {shown(diff.version, 60)} of {shown(diff.service, 60)}",
        ),
        ("when", when),
        ("by", shown(diff.author, 60)),
        ("under", ticket),
        ("why", shown(diff.text, 400)),
    )
    rows = [Row(Content.assemble((f"{name:<9}", MUTED), text), 9) for name, text in facts]
    return [*rows, Row(Content(""))]


def _one_side(diff: Diff) -> list[Row]:
    if not diff.lines:
        return [Row(Content.styled("No lines changed.", MUTED))]
    styles = {"+": "bold $accent", "-": "$secondary"}
    return [
        Row(Content.styled(shown(line, 400) or " ", styles.get(line[:1], "")), 2)
        for line in diff.lines
    ]


def _two_sides(pairs: tuple[ComparedLine, ...], width: int) -> list[Row]:
    if not pairs:
        return [Row(Content.styled("No lines changed.", MUTED))]
    side = (width - 3) // 2
    heads = Content.assemble(
        (_cut("  before", side), MUTED), (" │ ", MUTED), (_cut("  after", side), MUTED)
    )
    rows = [Row(heads)]
    for pair in pairs:
        before, after = _side(pair.before, "-", pair), _side(pair.after, "+", pair)
        rows.append(
            Row(
                Content.assemble(
                    (_cut(before, side), "$secondary" if pair.is_changed else ""),
                    (" │ ", MUTED),
                    (_cut(after, side), "bold $accent" if pair.is_changed else ""),
                )
            )
        )
    return rows


def _side(text: str | None, sign: str, pair: ComparedLine) -> str:
    if text is None:
        return ""
    return f"{sign if pair.is_changed else ' '} {shown(text, 400)}"


def _cut(text: str, width: int) -> str:
    return Content(text).truncate(width, ellipsis=True, pad=True).plain
