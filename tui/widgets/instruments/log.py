"""A log with a filter, and with counts by template."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import Status
from chaosops.env.models.readings import LogEntry, LogView
from chaosops.play.formatting import MUTED, clock, shown, sparkline
from chaosops.play.plain_dialect import PLAIN
from chaosops.play.readings import (
    LogFilter,
    Looking,
    filtered,
    instances_of,
    levels_of,
)
from chaosops.text.readings import TemplateCount, entry_line, template_counts
from tui.keys.labels import key_of
from tui.widgets.basic.lines import Lines, Row
from tui.widgets.basic.text_line import TextLine
from tui.widgets.instruments.part_view import PartView

_STYLES: Final = {"ERROR": "bold", "INFO": MUTED}
_INSTANCE: Final = 22
_TREND: Final = 6


class LogLines(Lines):
    """The filtered lines, the newest at the end."""


class TemplateList(OptionList):
    """Counts by template; selecting one shows only its lines."""

    class TemplateChosen(Message):
        """Posted when a template was selected."""

        def __init__(self, count: TemplateCount) -> None:
            super().__init__()
            self.count = count

    def __init__(self) -> None:
        super().__init__(classes="part-templates", markup=False, compact=True)
        self._counts: tuple[TemplateCount, ...] = ()
        self._first, self._last = 0, 0

    def show(self, entries: Sequence[LogEntry], everything: Sequence[LogEntry]) -> None:
        """Count lines.

        Args:
            everything: All lines of the log, for the time span of the sparklines.
        """
        self._counts = template_counts(entries)
        minutes = [entry.minute for entry in everything] or [0]
        self._first, self._last = min(minutes), max(minutes)
        width = max((len(str(count.lines)) for count in self._counts), default=1)
        highlighted = self.highlighted
        self.set_options(
            Option(self._row(count, entries, width), id=str(place))
            for place, count in enumerate(self._counts)
        )
        if highlighted is not None and self._counts:
            self.highlighted = min(highlighted, len(self._counts) - 1)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.TemplateChosen(self._counts[int(event.option_id or "0")]))

    def _row(self, count: TemplateCount, entries: Sequence[LogEntry], width: int) -> Content:
        by_minute = [0.0] * (self._last - self._first + 1)
        for entry in entries:
            if (entry.level, entry.template) == (count.level, count.template):
                by_minute[entry.minute - self._first] += entry.times
        course = sparkline(by_minute, 0.0, max(*by_minute, 1.0), min(_TREND, len(by_minute)))
        return Content.assemble(
            (f"{count.lines:>{width}}", "bold"),
            (f" {course} ", MUTED),
            (f"{shown(count.level, 8):<5} ", _STYLES.get(count.level, "")),
            shown(count.template, 140),
        )


class LogPart(PartView[LogView]):
    """Shows a log: its filtered lines, and beside them the counts by template."""

    TITLE = "Log"
    EXPLAINED = (
        "A service's log lines of the last minutes, newest at the end; ×5 stands for five similar "
        "lines in that minute. Level hides lower levels, Instance shows one instance at a time, "
        "Search finds the words you type, and Everything clears the filters. Templates shows "
        "counts by template: the number of lines, their trend, their level and the text, with * "
        "for the parts that vary. Enter on a template shows only its lines."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "l", "level", "Level", id="log.level", tooltip="All levels, or more severe ones only"
        ),
        Binding("i", "instance", "Instance", id="log.instance", tooltip="One instance, or all"),
        Binding(
            "slash",
            "search",
            "Search",
            key_display="/",
            id="log.search",
            tooltip="Show only lines with the words you type",
        ),
        Binding(
            "t",
            "templates",
            "Templates",
            id="log.templates",
            tooltip="Counts by template, or lines",
        ),
        Binding(
            "escape", "everything", "Everything", show=False, id="log.all", tooltip="No filter"
        ),
        Binding(
            "ctrl+y",
            "copy",
            "Copy log",
            show=False,
            id="log.copy",
            tooltip="Copy the lines that are shown",
        ),
    ]

    def __init__(self, part: LogView, status: Status) -> None:
        super().__init__(part, status)
        self.filter = LogFilter()

    def compose(self) -> ComposeResult:
        """Compose the filter, the lines, the templates, and an input for words."""
        yield Static(classes="log-filter", markup=False)
        with Horizontal(classes="log-body"):
            yield LogLines(None, classes="part-body")
            yield TemplateList()
        yield TextLine(placeholder="search text", classes="log-words", compact=True, max_length=200)

    def on_mount(self) -> None:
        """Show everything."""
        self.query_one(TextLine).display = False
        self._fill()

    def looking(self) -> Looking:
        """Return the filter and the lines in view."""
        lines = self.query_one(LogLines)
        return Looking("logs", self.part.title, filter=self.filter, rows=lines.rows_in_view)

    def text(self) -> str:
        """Return the filtered lines."""
        entries = filtered(self.part, self.filter).entries
        return "\n".join(shown(entry_line(entry, self.status, PLAIN)) for entry in entries)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave Escape to the screen if there is no filter."""
        return not self.filter.is_open if action == "everything" else True

    def action_level(self) -> None:
        """Show only more severe levels, or all."""
        self._narrow(level=_next(self.filter.level, ("", *reversed(levels_of(self.part)[:-1]))))

    def action_instance(self) -> None:
        """Show one instance after another, or all."""
        self._narrow(instance=_next(self.filter.instance, ("", *instances_of(self.part))))

    def action_search(self) -> None:
        """Ask for words."""
        box = self.query_one(TextLine)
        box.display = True
        box.focus()

    def action_templates(self) -> None:
        """Go to the counts by template, or back to the lines."""
        templates = self.query_one(TemplateList)
        at_templates = self.has_class("-templates") or templates.has_focus
        self.set_class(not at_templates, "-templates")
        (self.query_one(LogLines) if at_templates else templates).focus()

    def action_everything(self) -> None:
        """Show everything again."""
        box = self.query_one(TextLine)
        box.value = ""
        box.display = False
        self.filter = LogFilter()
        self._fill()
        self.query_one(LogLines).focus()

    @on(TemplateList.TemplateChosen)
    def _on_template(self, message: TemplateList.TemplateChosen) -> None:
        message.stop()
        self.remove_class("-templates")
        self._narrow(template=message.count.template)
        self.query_one(LogLines).focus()

    @on(Input.Changed)
    def _on_words(self, event: Input.Changed) -> None:
        event.stop()
        self._narrow(words=event.value)

    @on(Input.Submitted)
    def _on_found(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one(LogLines).focus()

    def on_key(self, event: events.Key) -> None:
        """End the search with Escape, go to the results with Down."""
        box = self.query_one(TextLine)
        if box.has_focus and event.key in ("escape", "down"):
            event.stop()
            event.prevent_default()
            if event.key == "escape":
                box.value = ""
                box.display = False
            self.query_one(LogLines).focus()

    def on_resize(self) -> None:
        """Show the counts beside the lines if there is room, otherwise instead of them."""
        self.set_class(self.size.width < 100, "-narrow")

    def _narrow(self, **changes: str) -> None:
        changed = self.filter._replace(**changes)
        if changed != self.filter:
            self.filter = changed
            self._fill()

    def _fill(self) -> None:
        entries = filtered(self.part, self.filter).entries
        room = min(_INSTANCE, max((len(entry.instance) for entry in entries), default=0))
        rows = [_row(entry, self.status, room) for entry in entries]
        if not rows:
            rows = [Row(Content.styled("No line.", MUTED))]
        self.query_one(LogLines).set_rows(rows, follow=True)
        wanted = self.filter._replace(template="")
        self.query_one(TemplateList).show(filtered(self.part, wanted).entries, self.part.entries)
        self.query_one(".log-filter", Static).update(self._head(entries))
        self.refresh_bindings()
        self.tell()

    def _head(self, entries: Sequence[LogEntry]) -> Content:
        """Describe how many lines are shown, and which."""
        wanted = self.filter
        total = sum(entry.times for entry in self.part.entries)
        count = sum(entry.times for entry in entries)
        parts = [
            "all levels" if not wanted.level else f"{wanted.level} and above",
            "all instances" if not wanted.instance else shown(wanted.instance, 40),
        ]
        if wanted.words:
            parts.append(f'with "{shown(wanted.words, 40)}"')
        if wanted.template:
            parts.append(f"template {shown(wanted.template, 60)}")
        of = f"{total} lines" if wanted.is_open else f"{count} of {total} lines"
        end = "" if wanted.is_open else f". {key_of(self, 'log.all')} shows everything."
        return Content.assemble((of, "bold"), (f": {', '.join(parts)}{end}", MUTED))


def _next(now: str, choices: Sequence[str]) -> str:
    return choices[(choices.index(now) + 1) % len(choices)] if now in choices else ""


def _row(entry: LogEntry, status: Status, room: int) -> Row:
    name = Content(shown(entry.instance, 60)).truncate(room, ellipsis=True, pad=True).plain
    head = f"{clock(status, entry.minute)} {name} "
    style = _STYLES.get(entry.level, "")
    level = f"{shown(entry.level, 8):<5} "
    times = f"  ×{entry.times}" if entry.times > 1 else ""
    return Row(
        Content.assemble((head, MUTED), (level, style), (shown(entry.text, 400), style), times),
        len(head) + 6,
    )
