"""The key that passes until something happens."""

from __future__ import annotations

from tui.widgets.key_guard import TOO_SMALL, TOO_SOON
from tui.widgets.picker.flow import PASS_ON, PickerFlow
from tui.widgets.picker.layout import PickerLayout


def pass_on(flow: PickerFlow, layout: PickerLayout) -> None:
    """Pass until something happens, if the player can have seen whose turn it is."""
    turn = flow.turn
    if turn is None:
        return
    if not flow.is_seen:
        layout.warn(TOO_SMALL)
    elif layout.is_pasted or not flow.guard.seen(PASS_ON):
        layout.warn(TOO_SOON)
    else:
        flow.close("")
        layout.post_message(PickerLayout.Touched())
        layout.post_message(PickerLayout.PassedOn(turn))
