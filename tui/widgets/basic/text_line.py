"""An input that accepts as much of a long text as fits, and reports the rest."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Input


class TextLine(Input):
    """An `Input` with a `max_length` that accepts as much of a paste as fits."""

    class Full(Message):
        """Posted when not everything fitted."""

        def __init__(self, limit: int) -> None:
            super().__init__()
            self.limit = limit

        @property
        def said(self) -> str:
            """The notice for it."""
            return f"Cut off after {self.limit:,} characters."

    def on_paste(self, event: events.Paste) -> None:
        """Insert what fits, with lines joined."""
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        room = max(0, (self.max_length or len(event.text)) - len(self.value) + end - start)
        text = " ".join(event.text.splitlines())
        self.replace(text[:room], start, end)
        if len(text) > room:
            self.restricted()

    def restricted(self) -> None:
        """Report that there is no room."""
        self.post_message(self.Full(self.max_length or 0))
