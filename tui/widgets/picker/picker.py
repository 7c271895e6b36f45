"""The action picker: passes keys, list events and typed text to its flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.binding import BindingType
from textual.widgets import Input, OptionList

from chaosops.play.action_form.state import Stage
from tui.widgets.picker.flow import PickerFlow
from tui.widgets.picker.keys import PICKER_KEYS
from tui.widgets.picker.layout import PickerLayout
from tui.widgets.picker.options import LastLook


class Picker(PickerLayout, can_focus=True):
    """Passes the player's input to its flow, which decides what follows.

    Attributes:
        flow: Asks for the action, step by step.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(PICKER_KEYS)

    def __init__(self, clock: Callable[[], float]) -> None:
        """Create a closed picker.

        Args:
            clock: A monotonic clock in seconds, to tell what the player can have seen.
        """
        super().__init__()
        self.flow = PickerFlow(self, clock)

    def on_mount(self) -> None:
        """Begin closed."""
        self.flow.close("")

    def action_open(self) -> None:
        """Open the folded list."""
        if self.flow.stage is Stage.PICK:
            self.post_message(self.Touched())
            self.add_class("-open")
            self.query_one(OptionList).focus()

    def action_into_list(self) -> None:
        """Open, and highlight the first entry."""
        self.action_open()
        if self.flow.stage is Stage.PICK:
            self.enter_list()

    def action_back(self) -> None:
        """Leave the search, or undo the last answer, or fold the list."""
        self.flow.back()

    def action_search(self) -> None:
        """Filter the list by typing."""
        if self.flow.stage in (Stage.PICK, Stage.CHOOSE):
            self.post_message(self.Touched())
            self.add_class("-open")
            self.flow.search(True)

    def action_why(self) -> None:
        """Open a line for the reason."""
        self.flow.choose(LastLook.WHY)

    def action_sure(self) -> None:
        """Raise the confidence by a step."""
        self.flow.choose(LastLook.SURE)

    def action_one(self) -> None:
        """Choose the one instance that the action is for."""
        self.flow.choose(LastLook.ONE)

    def action_finding(self) -> None:
        """Leave the finding of a proposal out, or attach it again."""
        self.flow.choose(LastLook.FINDING)

    def action_say(self) -> None:
        """Choose a line to say with the action."""
        self.flow.choose(LastLook.SAY)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable searching without a list, and the rationale without a decision."""
        if action == "search":
            return self.flow.stage in (Stage.PICK, Stage.CHOOSE)
        if action == "say":
            return self.flow.allows(LastLook.SAY)
        if action == "finding":
            return self.flow.allows(LastLook.FINDING)
        if action == "one":
            return self.flow.allows(LastLook.ONE)
        return action not in ("why", "sure") or self.flow.stage is Stage.CONFIRM

    def on_key(self, event: events.Key) -> None:
        """Go from the search to the list with Down."""
        box = self.query_one(Input)
        if event.key == "down" and box.has_focus and self.flow.searching:
            event.stop()
            self.enter_list()

    def on_click(self, event: events.Click) -> None:
        """Open the folded picker on a click."""
        if self.flow.stage is Stage.PICK and not self.has_class("-open"):
            self.action_open()

    def on_resize(self, event: events.Resize) -> None:
        """Lay it out for the new width."""
        self.flow.resized()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.flow.choose(event.option_id or "")

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.flow.preview(event.option_id or "")

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.flow.searching:
            self.flow.fill_list(event.value)

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self.flow.searching:
            self.take_first()
        else:
            self.flow.write(event.value.strip())
