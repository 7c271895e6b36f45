"""The keys of the picker. Those of the confirmation are not picks (see `PICK_KEYS`)."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

PICKER_KEYS: Final[tuple[Binding, ...]] = (
    Binding("enter", "open", "Open", show=False, id="picker.open", tooltip="Open the list"),
    Binding("escape,left", "back", "Back", show=False, id="picker.back", tooltip="Back one step"),
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
        "equals_sign",
        "one",
        "One instance",
        show=False,
        key_display="=",
        id="picker.one",
        tooltip="Restart or roll back one instance only",
    ),
    Binding(
        "semicolon",
        "say",
        "Say with it",
        show=False,
        key_display=";",
        id="picker.say",
        tooltip="Say one thing with the action: share a finding, ask a teammate, or words",
    ),
    Binding(
        "minus",
        "finding",
        "With or without the finding",
        show=False,
        key_display="-",
        id="picker.finding",
        tooltip="Leave out the finding that goes with a proposal, or attach it again",
    ),
    Binding(
        "quotation_mark",
        "why",
        "Give a reason",
        show=False,
        key_display='"',
        id="picker.why",
        tooltip="Note why you do this; saved with the recording",
    ),
    Binding(
        "plus",
        "sure",
        "How sure",
        show=False,
        key_display="+",
        id="picker.sure",
        tooltip="Set how sure you are, one step per press; saved with the recording",
    ),
)
