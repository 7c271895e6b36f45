"""Sampled requests: how long each took, and the spans of one of them."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.widget import Widget

from chaosops.env.models import Status
from chaosops.env.models.readings import TraceView
from chaosops.play.formatting import shown
from chaosops.play.plain_dialect import PLAIN
from chaosops.play.readings import Looking
from chaosops.text.readings import longest_first, trace_lines
from tui.widgets.instruments.part_view import PartView
from tui.widgets.instruments.trace_face import TraceFace, TraceState, draw_traces


class TraceCanvas(Widget, can_focus=True):
    """Draws requests; the mouse selects them and their spans."""

    class SpanPointed(Message):
        """Posted when the mouse selected a request or a span."""

        def __init__(self, trace: int | None, span: int | None) -> None:
            super().__init__()
            self.trace, self.span = trace, span

    def __init__(self, state: TraceState, status: Status) -> None:
        super().__init__(classes="part-body")
        self._state, self._status = state, status
        self.face: TraceFace | None = None

    def show(self, state: TraceState) -> None:
        """Draw another state of them."""
        self._state = state
        self.refresh()

    def render(self) -> Content:
        """Render all lines."""
        width, height = self.size
        if width < 1 or height < 1:
            return Content("")
        self.face = draw_traces(self._state, self._status, width, height)
        return Content("\n").join(self.face.lines)

    def on_click(self, event: Click) -> None:
        """Select what is under the mouse."""
        if self.face is not None:
            trace, span = self.face.trace_at.get(event.y), self.face.span_at.get(event.y)
            self.post_message(self.SpanPointed(trace, span))


class TraceWaterfall(PartView[TraceView]):
    """Lists requests, the longest first, and shows the spans of one, beside those of another."""

    TITLE = "Traces"
    EXPLAINED = (
        "A few sampled requests, longest first, with bars on one scale. Below are the spans of "
        "the selected request as a waterfall: who called what, when it started and how long it "
        "took; ✖ marks a span that ended with an error. A gap in a span is time it didn't spend "
        "waiting for a dependency. Left and right select a request, up and down a span. On a wide "
        "screen a second request is shown beside it, by default the shortest; Keep pins the "
        "current one there. Both can share one time scale."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "left", "trace(-1)", "Longer", show=False, id="trace.left", tooltip="Longer request"
        ),
        Binding(
            "right",
            "trace(1)",
            "Request",
            key_display="← →",
            id="trace.right",
            tooltip="Show another request",
        ),
        Binding("up", "span(-1)", "Span above", show=False, id="trace.up", tooltip="A span up"),
        Binding(
            "down", "span(1)", "Span", key_display="↑ ↓", id="trace.down", tooltip="Another span"
        ),
        Binding("k", "keep", "Keep", id="trace.keep", tooltip="Keep this request beside others"),
        Binding("z", "scale", "Scale", id="trace.scale", tooltip="Both on one time scale, or not"),
        Binding(
            "ctrl+y",
            "copy",
            "Copy requests",
            show=False,
            id="trace.copy",
            tooltip="Copy the requests with their spans",
        ),
    ]

    def __init__(self, part: TraceView, status: Status) -> None:
        super().__init__(part, status)
        traces = longest_first(part)
        self.state = TraceState(traces, beside=max(0, len(traces) - 1))

    def compose(self) -> ComposeResult:
        """Compose a canvas."""
        yield TraceCanvas(self.state, self.status)

    def looking(self) -> Looking:
        """Return the request and the spans in view."""
        traces = self.state.traces
        face = self.query_one(TraceCanvas).face
        return Looking(
            "traces",
            self.part.title,
            chosen=traces[self.state.chosen].id if traces else None,
            rows=None if face is None else face.rows,
        )

    def text(self) -> str:
        """Return all requests with all spans as text."""
        lines = [
            line for trace in self.state.traces for line in trace_lines(trace, self.status, PLAIN)
        ]
        return "\n".join(shown(line) for line in lines)

    def action_trace(self, by: int) -> None:
        """Show another request, wrapping around."""
        if self.state.traces:
            self._change(chosen=(self.state.chosen + by) % len(self.state.traces), span=0)

    def action_span(self, by: int) -> None:
        """Highlight another span."""
        if self.state.traces:
            last = max(0, len(self.state.traces[self.state.chosen].spans) - 1)
            self._change(span=min(last, max(0, self.state.span + by)))

    def action_keep(self) -> None:
        """Keep the current request beside others."""
        self._change(beside=self.state.chosen)
        self.notify("It stays beside the next ones, if there is room for two.")

    def action_scale(self) -> None:
        """Put both waterfalls on one time scale, or each on its own."""
        self._change(one_scale=not self.state.one_scale)

    def on_trace_canvas_span_pointed(self, message: TraceCanvas.SpanPointed) -> None:
        """Follow the mouse."""
        message.stop()
        if message.trace is not None:
            self._change(chosen=message.trace, span=0)
        elif message.span is not None:
            self._change(span=message.span)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Highlight the span above."""
        event.stop()
        self.action_span(-1)

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Highlight the span below."""
        event.stop()
        self.action_span(1)

    def _change(self, **changes: int | bool) -> None:
        self.state = self.state._replace(**changes)  # type: ignore[arg-type]
        self.query_one(TraceCanvas).show(self.state)
        self.tell()
