"""The keys of the picker. Those of the last look are no picks (see `PICK_KEYS`)."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

PICKER_KEYS: Final[tuple[Binding, ...]] = (
    Binding("enter", "open", "Open", show=False, id="picker.open", tooltip="Open the list"),
    Binding("escape,left", "back", "Back", show=False, id="picker.back", tooltip="One step back"),
    Binding(
        "slash",
        "search",
        "Search",
        key_display="/",
        id="picker.search",
        tooltip="Search the list by typing",
    ),
    Binding(
        "down",
        "into_list",
        "Into the list",
        show=False,
        id="picker.down",
        tooltip="Open the list at its first entry",
    ),
    Binding(
        "quotation_mark",
        "why",
        "Say why",
        show=False,
        key_display='"',
        id="picker.why",
        tooltip="Write down why you do this; kept with the recording",
    ),
    Binding(
        "plus",
        "sure",
        "How sure",
        show=False,
        key_display="+",
        id="picker.sure",
        tooltip="Say how sure you are, a step more each time; kept with the recording",
    ),
)
