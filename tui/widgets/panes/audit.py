"""The audit pane: what the automation did, and what it says about it."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import RoleView
from chaosops.play.formatting import MUTED, clock, shown
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class AuditPane(Pane):
    """The agents and how they stand, then their acts, oldest first."""

    NAME = "audit"
    TITLE = "Audit log"
    NOTHING = "No automation agent has acted yet."
    TERMS = ("rogue automation", "red herring")
    EXPLAINED = (
        "Everything the automation did: time, agent, act, target, the stated reason and "
        "approval. Agents are innocent until proven otherwise. Weigh their intent against "
        "policy, timing and reversibility; innocent agents use the same words.\n\n"
        "Pausing an agent is reversible and cheap. Flagging it is an accusation, and doesn't "
        "pause it."
    )

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role reads the audit log."""
        return view.audit is not None

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Acts on record."""
        return len(view.audit or ())

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """The agents' standing, then one entry an act."""
        rows = []
        standing = _standing(view)
        if standing:
            rows.append(Row(Content.assemble(("Agents  ", MUTED), standing), 8))
        for event in view.audit or ():
            head = f"{clock(view.status, event.minute)} "
            content = Content.assemble(
                (head, MUTED),
                (f"{shown(event.agent, 40)} ", "bold"),
                f"{shown(event.act)} ",
                (shown(event.target, 60), "bold"),
                (f"  reason: {shown(event.reason)}", ""),
                (f"  approval: {shown(event.approval)}", MUTED),
            )
            rows.append(Row(content, len(head)))
        return rows


def _standing(view: RoleView) -> str:
    paused, flagged = view.paused or (), view.flagged or ()
    words = []
    for agent in view.agents or ():
        state = ["paused"] if agent in paused else ["acting"]
        if agent in flagged:
            state.append("flagged")
        words.append(f"{shown(agent, 40)}: {', '.join(state)}")
    return " · ".join(words)
