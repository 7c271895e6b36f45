"""The channel pane: what was said to all, and to this role alone."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import Message, RoleView
from chaosops.play.formatting import MUTED, ROLE_NAMES, clock, proposal_words, shown
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class ChannelPane(Pane):
    """Public and private messages in one stream."""

    NAME = "channel"
    TITLE = "Channel"
    NOTHING = "Nobody has said anything. Messages, proposals and shared findings appear here."
    TERMS = ("incident commander", "hypothesis")
    EXPLAINED = (
        "Messages to all, and those to you alone (marked private). A proposal asks its receiver "
        "for an action; teammates weigh it against what they see, answer, and act on a good one. "
        "A shared finding carries what an investigation showed."
    )

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Messages so far."""
        return len(view.channel) + len(view.inbox)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, who to whom, text; then what the message carries."""
        messages = sorted([*view.channel, *view.inbox], key=lambda message: message.minute)
        rows: list[Row] = []
        for message in messages:
            rows += _message_rows(view, message)
        return rows


def _message_rows(view: RoleView, message: Message) -> list[Row]:
    time = f"{clock(view.status, message.minute)} "
    who = ROLE_NAMES[message.sender]
    if message.to is not None:
        to = "you" if message.to is view.role else ROLE_NAMES[message.to]
        who += f" to {to}, private"
    indent = len(time)
    mine = message.to is view.role
    rows = [
        Row(
            Content.assemble(
                (time, MUTED),
                (f"{who}: ", "bold $accent" if mine else "bold"),
                shown(message.text),
            ),
            indent,
        )
    ]
    if message.proposal is not None:
        text = f"→ proposes: {proposal_words(message.proposal)}"
        rows.append(Row(Content.assemble(" " * indent, (text, "bold")), indent + 2))
    if message.finding is not None:
        found = message.finding
        text = f"→ found at {shown(found.target, 60)} ({found.source.value}): {shown(found.text)}"
        rows.append(Row(Content.assemble(" " * indent, text), indent + 2))
    return rows
