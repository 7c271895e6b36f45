"""Screens and widgets that are being taken down: parts of them are gone before they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual import events
from textual.message import Message

if TYPE_CHECKING:
    from textual.widget import Widget as _Base
else:
    # Textual takes a widget's default style from its first base that is one.
    _Base = object

_NEEDS_PARTS: Final = (
    events.Resize,
    events.ScreenResume,
    events.InputEvent,
    events.Paste,
)


class QuietWhenTakenDown(_Base):
    """A base before Textual's own, of what has parts and listens to them.

    What the parts have sent may arrive after they are gone, and a handler that looks for one of
    them would find nothing. Nobody can see any more what it would do, so it is not called.
    """

    @property
    def is_up(self) -> bool:
        """Whether all parts are there: it is composed, and is not being taken down."""
        return self.is_mounted and self.is_attached and not self._is_going

    @property
    def _is_going(self) -> bool:
        """Whether it is being removed, or the app is ending."""
        return self._pruning or self._closing

    async def _on_message(self, message: Message) -> None:
        """Handle a message, unless its handler may need parts that are gone."""
        of_a_part = message.bubble and not isinstance(message, events.Event)
        if not (self._is_going and (of_a_part or isinstance(message, _NEEDS_PARTS))):
            await super()._on_message(message)
