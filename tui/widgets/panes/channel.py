"""The channel pane: what was said to all and to this role alone, named, and measured."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from chaosops.env.models import Message, RoleView
from chaosops.play.formatting import MUTED, ROLE_NAMES, clock, proposal_words, shown
from chaosops.play.plain_dialect import PLAIN
from chaosops.text import diagnosis_words, landed_words, landing_words
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class ChannelPane(Pane):
    """Public and private messages, diagnoses and landings in one stream."""

    NAME = "channel"
    TITLE = "Channel"
    NOTHING = "No messages yet. Messages, proposals and shared findings appear here."
    TERMS = ("incident commander", "hypothesis")
    EXPLAINED = (
        "Messages to everyone, and messages to you only (marked private). A proposal asks its "
        "recipient for an action; teammates weigh it against what they see, answer, and act on "
        "good ones. A shared finding shows what an investigation found. Diagnoses are listed "
        "between the messages, and so is what was measured when an action landed."
    )

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Messages so far."""
        return len(view.channel) + len(view.inbox)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, who to whom, text; then what the message carries."""
        entries = [
            (said.minute, _message_rows(view, said)) for said in (*view.channel, *view.inbox)
        ]
        for minute, words in _deeds(view):
            time = f"{clock(view.status, minute)} "
            row = Row(Content.assemble((time, MUTED), shown(words)), len(time))
            entries.append((minute, [row]))
        entries.sort(key=lambda entry: entry[0])
        return [row for _minute, rows in entries for row in rows]


def _deeds(view: RoleView) -> Iterator[tuple[int, str]]:
    """Diagnoses, and actions that landed with what was measured, each with its minute."""
    for made in view.diagnoses:
        yield made.minute, f"diagnosis by {diagnosis_words(made, PLAIN)}"
    for item in view.landed:
        if item.lands > item.taken:
            yield item.lands, f"landed: {landed_words(item, view.status, PLAIN)}"
    for landing in view.landings or ():
        yield landing.minute, f"measured: {landing_words(landing, PLAIN)}"


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
