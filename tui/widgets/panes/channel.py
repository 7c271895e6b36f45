"""The channel pane: what was said to all and to this role alone, named, and measured."""

from __future__ import annotations

from functools import partial
from typing import Final

from textual.content import Content

from chaosops.env.models import AgentRole, RoleView
from chaosops.play.cells import CellPlace, placed
from chaosops.play.formatting import MUTED, ROLE_NAMES
from chaosops.presenter import Entry, Moment, Weight, entries, messages
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import Layout
from tui.widgets.panes.pane import Pane


class ChannelPane(Pane):
    """Public and private messages, diagnoses and landings in one stream."""

    NAME = "channel"
    TITLE = "Channel"
    IS_TALK = True
    NOTHING = "No messages yet. Messages, proposals and shared findings appear here."
    COUNTED = ("channel", "inbox")
    TERMS = ("incident commander", "hypothesis")
    EXPLAINED = (
        "Messages to everyone, and messages to you only (marked private). A proposal asks its "
        "recipient for an action; teammates weigh it against what they see, answer, and act on "
        "good ones. A shared finding shows what an investigation found. Diagnoses are listed "
        "between the messages, and so are moves that wait for the Manager's approval, status "
        "updates and what was measured when an action landed."
    )

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, who to whom, text; then what the message carries."""
        told = [(_minute(said, "time"), _message_rows(said, view.role)) for said in messages(view)]
        for part, section, layout in _DEEDS:
            for entry in entries(view, part, section):
                if entry.weight is not Weight.QUIET:
                    told.append((_minute(entry, layout.head[0].name), [layout.row(entry)]))
        told.sort(key=lambda timed: timed[0])
        return [row for _minute, rows in told for row in rows]


def _minute(entry: Entry, name: str) -> int:
    time = entry.find(name)
    return time.minute if isinstance(time, Moment) else 0


def _message_rows(said: Entry, role: AgentRole) -> list[Row]:
    """A message, then what came with it, each below its text."""
    style = "bold $accent" if said.find("to") is role else "bold"
    sender = CellPlace("sender", style=style)
    to = CellPlace("to", after=": ", style=style, say=partial(_receiver, role=role))
    layout = Layout((_TIME,), (sender, to, CellPlace("text")), without=("proposal", "finding"))
    rows = [layout.row(said)]
    indent = rows[0].indent
    found = said.find("finding")
    for pieces in (
        tuple(placed(said, (_PROPOSAL,))),
        _FOUND.pieces(found)[0] if isinstance(found, Entry) else (),
    ):
        if pieces:
            rows.append(Row(Content.assemble(" " * indent, *pieces), indent + 2))
    return rows


def _receiver(to: AgentRole | str, role: AgentRole) -> str:
    if not isinstance(to, AgentRole):
        return ""
    return f" to {'you' if to is role else ROLE_NAMES[to]}, private"


_TIME: Final = CellPlace("time", after=" ", style=MUTED)
_PROPOSAL: Final = CellPlace("proposal", "→ proposes: ", style="bold")
_FOUND: Final = Layout(
    (),
    (
        CellPlace("target", "→ found at ", limit=60),
        CellPlace("source", " (", ")"),
        CellPlace("text", ": "),
        CellPlace("signs", "  [", "]", style=MUTED),
    ),
    without=("time", "who"),
)
_DEEDS: Final = (
    (
        "flight",
        "requests",
        Layout(
            (_TIME,),
            (
                CellPlace("number", "request "),
                CellPlace("who", ", "),
                CellPlace("act", ": ", style="bold"),
                CellPlace("lapses", ", lapses "),
            ),
        ),
    ),
    (
        "flight",
        "due",
        Layout(
            (_TIME,),
            (
                CellPlace("draft", "status update due, draft: ", style="bold"),
                CellPlace("late", ", late from "),
                CellPlace("closes", ", closes "),
            ),
        ),
    ),
    (
        "flight",
        "updates",
        Layout(
            (_TIME,),
            (
                CellPlace("told", "users were told: "),
                CellPlace("effect", ", "),
                CellPlace("due", ", due "),
            ),
        ),
    ),
    (
        "diagnoses",
        "diagnoses",
        Layout(
            (_TIME,),
            (
                CellPlace("who", "diagnosis by "),
                CellPlace("cause", ": "),
                CellPlace("place", " at "),
                CellPlace("stake", ", "),
                CellPlace("verdict", ", "),
            ),
        ),
    ),
    (
        "diagnoses",
        "paid",
        Layout(
            (_TIME,),
            (
                CellPlace("amount", style="bold"),
                CellPlace("what", " "),
                CellPlace("who", ": "),
                CellPlace("ordered", ", ordered "),
                CellPlace("target", ", "),
            ),
        ),
    ),
    (
        "flight",
        "landed",
        Layout(
            (_TIME._replace(name="lands"),),
            (CellPlace("who", "landed: "), CellPlace("act", ": "), CellPlace("taken", ", taken ")),
        ),
    ),
    (
        "flight",
        "measured",
        Layout((_TIME,), (CellPlace("who", "measured: "), CellPlace("act", ": ", ": "))),
    ),
)
"""What is told between the messages, with its part and its section."""
