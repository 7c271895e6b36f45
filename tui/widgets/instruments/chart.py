"""A chart with axes, marks, a cursor that reads values, and a window that can be narrowed."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.widget import Widget

from chaosops.env.models import Status
from chaosops.env.models.readings import Chart
from chaosops.play.readings import WINDOWS, Looking, last_minute
from tui.widgets.instruments.chart_face import ChartState, Face, draw_chart
from tui.widgets.instruments.part_view import PartView


class ChartCanvas(Widget, can_focus=True):
    """Draws a chart; the mouse moves its cursor and selects series."""

    class Pointed(Message):
        """Posted when the mouse selected a minute or a series."""

        def __init__(self, minute: int | None, series: int | None) -> None:
            super().__init__()
            self.minute, self.series = minute, series

    def __init__(self, state: ChartState, status: Status) -> None:
        super().__init__(classes="part-body")
        self._state, self._status = state, status
        self._face: Face | None = None

    def show(self, state: ChartState) -> None:
        """Draw another state of the chart."""
        self._state = state
        self.refresh()

    def render(self) -> Content:
        """Render all lines."""
        width, height = self.size
        if width < 1 or height < 1:
            return Content("")
        state = self._state._replace(has_cursor=self.has_focus or self._state.cursor is not None)
        self._face = draw_chart(state, self._status, width, height)
        return Content("\n").join(self._face.lines)

    def on_focus(self) -> None:
        """Show the cursor."""
        self.refresh()

    def on_blur(self) -> None:
        """Hide it, unless it was moved."""
        self.refresh()

    def on_click(self, event: Click) -> None:
        """Select the minute or the series under the mouse."""
        face = self._face
        if face is None:
            return
        series = face.series_at.get(event.y) if event.x >= face.legend_left else None
        x = event.x - face.left
        if series is None and face.plot is not None and 0 <= x < face.plot.width:
            self.post_message(self.Pointed(face.plot.minute(x), None))
        elif series is not None:
            self.post_message(self.Pointed(None, series))


class ChartView(PartView[Chart]):
    """Shows a chart; one series is highlighted, with similar ones on the same scale."""

    TITLE = "Chart"
    EXPLAINED = (
        "One value per minute for each series, newest at the right. The legend lists every series "
        "with its value at the cursor, its lowest and highest in the window, and its trend. Up "
        "and down highlight a series; it is drawn together with the series that share its unit, "
        "each with its letter at the end. Left and right move the cursor; Next mark and Previous "
        "mark jump between marks: ▼ is a deploy or another change, ◆ an act of the automation, ● "
        "one of your team's actions. You can make the window shorter or longer, and fit the scale "
        "to the data."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left", "cursor(-1)", "Earlier", show=False, id="chart.left", tooltip="A minute back"
        ),
        Binding(
            "right",
            "cursor(1)",
            "Read",
            key_display="← →",
            id="chart.right",
            tooltip="Move the cursor one minute forward",
        ),
        Binding(
            "shift+left",
            "cursor(-5)",
            "5 min back",
            show=False,
            id="chart.far_left",
            tooltip="Five minutes back",
        ),
        Binding(
            "shift+right",
            "cursor(5)",
            "5 min on",
            show=False,
            id="chart.far_right",
            tooltip="Five minutes on",
        ),
        Binding(
            "home",
            "edge(-1)",
            "Oldest",
            show=False,
            id="chart.home",
            tooltip="The oldest minute in the window",
        ),
        Binding(
            "end", "edge(1)", "Newest", show=False, id="chart.end", tooltip="The newest minute"
        ),
        Binding(
            "up",
            "series(-1)",
            "Series above",
            show=False,
            id="chart.up",
            tooltip="Highlight the series above",
        ),
        Binding(
            "down",
            "series(1)",
            "Series",
            key_display="↑ ↓",
            id="chart.down",
            tooltip="Highlight another series, with those that share its unit",
        ),
        Binding(
            "left_square_bracket",
            "window(1)",
            "Shorter window",
            show=False,
            id="chart.shorter",
            tooltip="Show fewer minutes",
        ),
        Binding(
            "right_square_bracket",
            "window(-1)",
            "Window",
            key_display="[ ]",
            id="chart.longer",
            tooltip="Show more minutes, up to the hour",
        ),
        Binding(
            "n",
            "mark(1)",
            "Next mark",
            show=False,
            id="chart.next_mark",
            tooltip="Jump to the next mark: a change or an act of the automation",
        ),
        Binding(
            "b",
            "mark(-1)",
            "Previous mark",
            show=False,
            id="chart.previous_mark",
            tooltip="Jump to the previous mark",
        ),
        Binding(
            "z",
            "fit",
            "Fit scale",
            show=False,
            id="chart.fit",
            tooltip="Start the scale at zero, or fit it to the data",
        ),
        Binding(
            "ctrl+y",
            "copy",
            "Copy chart",
            show=False,
            id="chart.copy",
            tooltip="Copy the figures of this chart",
        ),
    ]

    def __init__(self, part: Chart, status: Status) -> None:
        super().__init__(part, status)
        self.state = ChartState(part, WINDOWS[0])

    def compose(self) -> ComposeResult:
        """Compose a canvas."""
        yield ChartCanvas(self.state, self.status)

    def looking(self) -> Looking:
        """Return the window, the series and the cursor."""
        state = self.state
        names = [series.name for series in self.part.series]
        return Looking(
            "chart",
            self.part.title,
            minutes=last_minute(state.window) - state.window.start + 1,
            cursor=state.cursor,
            chosen=names[state.chosen] if names else None,
        )

    def action_cursor(self, by: int) -> None:
        """Move the cursor by some minutes."""
        self._read(self.state.reads + by)

    def action_edge(self, side: int) -> None:
        """Move the cursor to the oldest or the newest minute in the window."""
        self._read(None if side > 0 else self.state.window.start)

    def action_mark(self, by: int) -> None:
        """Move the cursor to the next or the previous mark, wrapping around."""
        minutes = sorted({mark.minute for mark in self.state.window.marks})
        if not minutes:
            self.notify("There are no marks in this window.")
            return
        at = self.state.reads
        if self.state.cursor is None:
            target = minutes[0] if by > 0 else minutes[-1]
        elif by > 0:
            target = next((minute for minute in minutes if minute > at), minutes[0])
        else:
            target = next((minute for minute in reversed(minutes) if minute < at), minutes[-1])
        self._read(target)

    def action_series(self, by: int) -> None:
        """Highlight another series, wrapping around."""
        if self.part.series:
            self._change(chosen=(self.state.chosen + by) % len(self.part.series))

    def action_window(self, by: int) -> None:
        """Show fewer or more minutes."""
        at = WINDOWS.index(self.state.minutes) + by
        if 0 <= at < len(WINDOWS):
            self._change(minutes=WINDOWS[at])

    def action_fit(self) -> None:
        """Switch between a scale from zero and one that fits the data."""
        self._change(from_zero=not self.state.from_zero)

    def on_chart_canvas_pointed(self, message: ChartCanvas.Pointed) -> None:
        """Follow the mouse."""
        message.stop()
        if message.series is not None:
            self._change(chosen=message.series)
        elif message.minute is not None:
            self._read(message.minute)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Show fewer minutes."""
        event.stop()
        self.action_window(1)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Show more minutes."""
        event.stop()
        self.action_window(-1)

    def _read(self, minute: int | None) -> None:
        window = self.state.window
        last = last_minute(window)
        if minute is not None:
            minute = max(window.start, minute)
        self._change(cursor=None if minute is None or minute >= last else minute)

    def _change(self, **changes: int | bool | None) -> None:
        self.state = self.state._replace(**changes)  # type: ignore[arg-type]
        self.query_one(ChartCanvas).show(self.state)
        self.tell()
