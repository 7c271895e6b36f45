"""The findings pane: what this role's own investigations showed."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import RoleView
from chaosops.play.formatting import MUTED, clock, shown
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class FindingsPane(Pane):
    """Findings, oldest first."""

    NAME = "findings"
    TITLE = "Findings"
    NOTHING = "Nothing looked at yet. What you investigate is answered here, for you alone."
    TERMS = ("hypothesis", "root cause")
    EXPLAINED = (
        "What your investigations showed, and when. Only you see it until you share it. The words "
        "in brackets are the runbook's: facts that several causes may share, so one of them alone "
        "seldom settles anything."
    )

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Findings so far."""
        return len(view.findings)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, where it was looked, text and signs."""
        rows = []
        for found in view.findings:
            head = f"{clock(view.status, found.minute)} "
            where = f"{shown(found.target, 40)} {found.source.value}: "
            signs = ", ".join(sign.value.replace("_", " ") for sign in found.signs)
            content = Content.assemble(
                (head, MUTED),
                (where, "bold"),
                shown(found.text),
                (f"  [{signs}]" if signs else "", MUTED),
            )
            rows.append(Row(content, len(head)))
        return rows
