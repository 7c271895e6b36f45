"""A line to type in that takes what fits of a text that is too long, and says so."""

from __future__ import annotations

from textual import events
from textual.message import Message
from textual.widgets import Input


class TextLine(Input):
    """An `Input` with a `max_length`, into which as much of a paste goes as there is room for."""

    class Full(Message):
        """Not everything went in."""

        def __init__(self, limit: int) -> None:
            super().__init__()
            self.limit = limit

        @property
        def said(self) -> str:
            """That, in words."""
            return f"Cut off after {self.limit:,} characters."

    def on_paste(self, event: events.Paste) -> None:
        """Take in what fits, lines one after another."""
        event.stop()
        event.prevent_default()
        start, end = sorted(self.selection)
        room = max(0, (self.max_length or len(event.text)) - len(self.value) + end - start)
        text = " ".join(event.text.splitlines())
        self.replace(text[:room], start, end)
        if len(text) > room:
            self.restricted()

    def restricted(self) -> None:
        """Say that there is no room."""
        self.post_message(self.Full(self.max_length or 0))
