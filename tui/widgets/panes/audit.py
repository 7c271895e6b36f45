"""The audit pane: what the automation did, and what it says about it."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from chaosops.env.models import RoleView
from chaosops.play.cells import CellPlace, clock_of
from chaosops.play.formatting import MUTED
from chaosops.play.plain_dialect import ON_SCREEN
from chaosops.presenter import entries
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import Layout
from tui.widgets.panes.object_pane import ObjectPane


class AuditPane(ObjectPane):
    """The agents and how they stand, what they request, then their acts, oldest first."""

    NAME = "audit"
    TITLE = "Audit log"
    NOTHING = "No automation agent has acted yet."
    COUNTED = ("audit",)
    TERMS = ("rogue automation", "red herring")
    EXPLAINED = (
        "Everything the automation did: time, agent, act, target, the stated reason and "
        "approval. Agents are innocent until proven otherwise. Weigh their intent against "
        "policy, timing and reversibility; innocent agents use the same words.\n\n"
        "What an agent may not do by its policy it requests: grant it, deny it, or ask for the "
        "evidence first. A request that lapses is not done.\n\n"
        "Pausing an agent is reversible and cheap. Flagging it is an accusation, and doesn't "
        "pause it."
    )

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """The agents' standing, their open requests, then one entry an act."""
        rows = []
        standing = _standing(view)
        if standing:
            rows.append(Row(Content.assemble(("Agents  ", MUTED), standing), 8))
        rows += [_ASKED.row(entry) for entry in entries(view, "audit", "asked")]
        return [*rows, *(_LAYOUT.row(entry) for entry in entries(view, "audit", "audit"))]


def _standing(view: RoleView) -> str:
    paused = entries(view, "audit", "paused")
    flagged = entries(view, "audit", "flagged")
    words = []
    for agent in entries(view, "audit", "automation"):
        state = ["paused"] if agent in paused else ["acting"]
        if agent in flagged:
            state.append("flagged")
        words.append(f"{ON_SCREEN.line(agent)}: {', '.join(state)}")
    return " · ".join(words)


_ASKED: Final = Layout(
    head=(CellPlace("time", after=" ", style=MUTED, say=clock_of),),
    body=(
        CellPlace("number", "request ", style="bold $accent"),
        CellPlace("agent", " by ", style="bold", limit=40),
        CellPlace("act", ": "),
        CellPlace("target", " ", style="bold", limit=60),
        CellPlace("signal", ", measured "),
        CellPlace("value", " "),
        CellPlace("unit", " "),
        CellPlace("gates", ", gates passed "),
        CellPlace("share", ", ", " % of its traffic"),
        CellPlace("policy", "; policy: ", style=MUTED),
        CellPlace("lapses", "; lapses ", ", then it is not done"),
    ),
    subject="agent",
)
_LAYOUT: Final = Layout(
    head=(CellPlace("time", after=" ", style=MUTED, say=clock_of),),
    body=(
        CellPlace("agent", after=" ", style="bold", limit=40),
        CellPlace("act", after=" "),
        CellPlace("target", style="bold", limit=60),
        CellPlace("reason", "  reason: "),
        CellPlace("approval", "  approval: ", style=MUTED),
    ),
    subject="agent",
)
