"""The logs pane: the tail of the logs the role reads, filtered and searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from chaosops.env.models import LogLevel, LogLine, RoleView, Status
from chaosops.play.formatting import MUTED, clock, shown
from tui.keys.labels import key_of
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane

_STYLES = {LogLevel.INFO: MUTED, LogLevel.WARN: "", LogLevel.ERROR: "bold"}
_SHOWN = (
    ("all levels", frozenset(LogLevel)),
    ("warnings and errors", frozenset({LogLevel.WARN, LogLevel.ERROR})),
    ("errors", frozenset({LogLevel.ERROR})),
)
_NAME = 16


class LogsPane(Pane):
    """One line an entry, the newest at the end."""

    NAME = "logs"
    TITLE = "Logs"
    NOTHING = "Log lines of the services you can read appear here."
    TERMS = ("root cause", "red herring", "retry storm")
    EXPLAINED = (
        "The tail of the logs that your role can read, newest at the end. A line says what a "
        "service noticed, which may not be what is wrong: callers log the failures of their "
        "dependencies.\n\n"
        "Search logs shows lines that contain the words you type (a service, a level), Filter "
        "shows warnings and errors only, Everything clears both."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "slash",
            "search",
            "Search logs",
            key_display="/",
            id="logs.search",
            tooltip="Show only lines with the words you type",
        ),
        Binding(
            "f",
            "level",
            "Filter",
            id="logs.level",
            tooltip="All lines, warnings and above, or errors only",
        ),
        Binding(
            "escape", "everything", "Everything", show=False, id="logs.all", tooltip="No filter"
        ),
    ]

    class SearchWanted(Message):
        """The player wants to type words to search for."""

    class Emptied(Message):
        """The search is over."""

    def __init__(self) -> None:
        super().__init__()
        self._level = 0
        self._words = ""
        self._made: dict[LogLine, Row] = {}
        self._made_for = (-1, 0)

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role reads logs."""
        return view.logs is not None

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Lines in the tail."""
        return len(view.logs or ())

    @property
    def words(self) -> str:
        """What is searched for."""
        return self._words

    def search(self, words: str) -> None:
        """Show only lines with all of these words."""
        self._words = words.casefold()
        self._fill()

    def action_search(self) -> None:
        """Ask for words."""
        self.post_message(self.SearchWanted())

    def action_level(self) -> None:
        """Show other levels."""
        self._level = (self._level + 1) % len(_SHOWN)
        self._fill()

    def action_everything(self) -> None:
        """Show everything again."""
        self._level, self._words = 0, ""
        self.post_message(self.Emptied())
        self._fill()

    def commands(self) -> Iterator[SystemCommand]:
        """Search and filters too."""
        yield from super().commands()
        for title, tooltip, run in (
            ("Search logs", "Show only lines with the words you type", self.action_search),
            ("Filter logs", "All lines, warnings and above, or errors only", self.action_level),
            ("Everything in the logs", "No filter", self.action_everything),
        ):
            yield SystemCommand(title, tooltip, run)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time, service, level, text; above them the filter, where there is one."""
        lines = view.logs or ()
        room = min(max((len(line.service) for line in lines), default=0), _NAME)
        made = self._rows_of(lines, view.status, room)
        if not self._level and not self._words:
            return [made[line] for line in lines]
        name, levels = _SHOWN[self._level]
        wanted = self._words.split()
        kept = [
            line
            for line in lines
            if line.level in levels
            and all(
                word in f"{line.service} {line.level.value} {line.text}".casefold()
                for word in wanted
            )
        ]
        said = f', with "{shown(self._words, 40)}"' if self._words else ""
        key = key_of(self, "logs.all") if self.is_attached else "Escape"
        everything = f"{key} shows everything."
        head = f"{len(kept)} of {len(lines)}: {name}{said}. {everything}"
        return [Row(Content.styled(head, MUTED)), *(made[line] for line in kept)]

    def _rows_of(self, lines: tuple[LogLine, ...], status: Status, room: int) -> dict[LogLine, Row]:
        """A row for each line; those that were made before are the same objects."""
        fits = self._made_for == (status.paged_at, room)
        before, self._made_for = self._made if fits else {}, (status.paged_at, room)
        self._made = {line: before.get(line) or _row(line, status, room) for line in lines}
        return self._made


def _row(line: LogLine, status: Status, room: int) -> Row:
    name = shown(line.service, room).ljust(room)
    head = f"{clock(status, line.minute)} {name} "
    style = _STYLES[line.level]
    content = Content.assemble(
        (head, MUTED), (f"{line.level.value:<5} ", style), (shown(line.text), style)
    )
    return Row(content, len(head) + 6)
