"""Rates an episode: its quality as an example, the workload (NASA-TLX), a comment."""

from __future__ import annotations

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from chaosops.env.models import MAX_TEXT
from chaosops.play.formatting import MUTED
from chaosops.play.rating import SCALES, Rating
from tui.keys.labels import key_of
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.basic.text_line import TextLine

_LOAD: Final = "\nWorkload (optional; answer all six or none; NASA-TLX)"
_STEP: Final = 5
_MIDDLE: Final = 50
_CELLS: Final = 20


class Scale(Widget, can_focus=True):
    """A value from `low` to `high`, changed by the left and right arrows; empty at first."""

    DEFAULT_CSS = """
    Scale { height: 1; }
    Scale:focus { background: $accent 25%; }
    Scale:nocolor:focus { text-style: reverse; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "change(-1)", "Less", show=False, id="scale.less", tooltip="Less"),
        Binding("right", "change(1)", "More", show=False, id="scale.more", tooltip="More"),
        Binding("backspace", "forget", "Leave out", show=False, id="scale.out", tooltip="Skip"),
    ]

    def __init__(self, name: str, label: str, low: int, high: int, step: int, first: int) -> None:
        super().__init__(id=f"rate-{name}")
        self._label, self._low, self._high, self._step = label, low, high, step
        self._first = first
        self.value: int | None = None

    def render(self) -> Content:
        """Render the label, a bar and the value."""
        span = self._high - self._low
        cells = self._high if span < _CELLS else _CELLS
        filled = 0
        if self.value is not None:
            filled = self.value if span < _CELLS else round(self.value / span * cells)
        marks = "▰" * filled + "▱" * (cells - filled)
        said = "·" if self.value is None else str(self.value)
        return Content.assemble(f"{self._label:<34}", (marks, "$accent"), (f" {said:>3}", "bold"))

    def action_change(self, by: int) -> None:
        """Decrease or increase the value."""
        if self.value is None:
            self.value = self._first
        else:
            self.value = min(self._high, max(self._low, self.value + by * self._step))
        self.refresh()

    def action_forget(self) -> None:
        """Clear the value."""
        self.value = None
        self.refresh()

    def on_click(self) -> None:
        """Increase the value on a click; from the highest, go to the lowest."""
        if self.value is not None and self.value >= self._high:
            self.value = self._low
            self.refresh()
        else:
            self.action_change(1)


class RateScreen(Remeasured, ModalScreen[Rating]):
    """Asks for a quality from 1 to 5, six optional scales and a comment; Enter saves them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", id="rate.close", tooltip="Go back without saving"),
        Binding("enter", "keep", "Keep", id="rate.keep", tooltip="Save the rating"),
        Binding("up", "app.focus_previous", "Up", show=False, id="rate.up", tooltip="Line above"),
        Binding("down", "app.focus_next", "Down", show=False, id="rate.down", tooltip="Line below"),
    ]

    def compose(self) -> ComposeResult:
        """Compose the scales and the comment."""
        with VerticalScroll(id="rate-box", classes="box", can_focus=False) as box:
            box.border_title = Content("How was it?")
            quality = Scale("quality", "A good example? (1 to 5)", 1, 5, 1, 3)
            box.border_subtitle = Content(
                f"{key_of(quality, 'scale.less')} {key_of(quality, 'scale.more')} change, "
                f"{key_of(self, 'rate.up')} {key_of(self, 'rate.down')} move, "
                f"{key_of(self, 'rate.keep')} keeps, {key_of(self, 'rate.close')} leaves"
            )
            yield quality
            yield Static(Content.styled(_LOAD, MUTED))
            for name, label in SCALES.items():
                yield Scale(name, label, 0, 100, _STEP, _MIDDLE)
            yield Static(Content.styled("\nA comment", MUTED))
            yield TextLine(id="rate-comment", max_length=MAX_TEXT, compact=True)
            yield Static(id="rate-note", markup=False)

    def on_mount(self) -> None:
        """Focus the quality."""
        self.query_one("#rate-quality").focus()

    def action_keep(self) -> None:
        """Save the rating; of the six scales all or none."""
        quality = self.query_one("#rate-quality", Scale).value
        said = {name: self.query_one(f"#rate-{name}", Scale).value for name in SCALES}
        given = {name: value for name, value in said.items() if value is not None}
        comment = self.query_one(Input).value.strip() or None
        if given and len(given) < len(SCALES):
            left = len(SCALES) - len(given)
            key = key_of(self.query_one("#rate-quality", Scale), "scale.out")
            self._say(f"Answer all six or none: {left} left ({key} skips one).")
        elif quality is None and not given and comment is None:
            self.dismiss(None)
        else:
            self.dismiss(Rating(quality, given or None, comment))

    def _say(self, text: str) -> None:
        self.query_one("#rate-note", Static).update(Content.styled(text, "bold"))

    @on(TextLine.Full)
    def _on_full(self, message: TextLine.Full) -> None:
        message.stop()
        self._say(message.said)

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_keep()
