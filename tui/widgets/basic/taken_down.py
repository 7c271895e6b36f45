"""Screens and widgets whose parts are removed before they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import events
from textual.message import Message

if TYPE_CHECKING:
    from textual.widget import Widget as _Base
else:
    # Textual takes a widget's default style from its first base class that is a widget.
    _Base = object

_NEEDS_PARTS: Final = (
    events.Resize,
    events.ScreenResume,
    events.InputEvent,
    events.Paste,
)


class QuietWhenTakenDown(_Base):
    """A mixin for screens and widgets that handle messages of their parts.

    Messages may arrive after the parts are gone, and a handler that queries one of
    them would fail. Its effect would be invisible, so it is not called.
    """

    @property
    def is_up(self) -> bool:
        """Whether all parts exist: it is composed and is not being removed."""
        return self.is_mounted and self.is_attached and not self._is_going

    @property
    def _is_going(self) -> bool:
        """Whether it is being removed, or the app is closing."""
        return self._pruning or self._closing

    async def _on_message(self, message: Message) -> None:
        """Handle a message, unless its handler may need removed parts."""
        of_a_part = message.bubble and not isinstance(message, events.Event)
        if not (self._is_going and (of_a_part or isinstance(message, _NEEDS_PARTS))):
            await super()._on_message(message)
