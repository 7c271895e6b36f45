"""The logs pane: the tail of the logs the role reads, filtered and searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from chaosops.env.models import RoleView
from chaosops.play.cells import CellPlace
from chaosops.play.formatting import MUTED, shown
from chaosops.play.log_search import searched
from chaosops.presenter import Entry, Weight, entries
from tui.keys.labels import key_of
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import KeptRows, Layout
from tui.widgets.panes.object_pane import ObjectPane

_STYLES: Final = {Weight.QUIET: MUTED, Weight.NORMAL: "", Weight.URGENT: "bold"}
_SHOWN: Final = (
    ("all levels", frozenset(Weight)),
    ("warnings and errors", frozenset({Weight.NORMAL, Weight.URGENT})),
    ("errors", frozenset({Weight.URGENT})),
)
_NAME: Final = 16


class LogsPane(ObjectPane):
    """One line an entry, the newest at the end."""

    NAME = "logs"
    TITLE = "Logs"
    NOTHING = "Log lines of the services you can read appear here."
    COUNTED = ("logs",)
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
        """The player wants to see the lines with some words, or to type them if there are none."""

        def __init__(self, words: str = "") -> None:
            super().__init__()
            self.words = words

    class Emptied(Message):
        """The search is over."""

    def __init__(self) -> None:
        super().__init__()
        self._level = 0
        self._words = ""
        self._kept = KeptRows()

    @property
    def words(self) -> str:
        """What is searched for."""
        return self._words

    def search(self, words: str) -> None:
        """Show only lines with all of these words."""
        self._words = words.casefold()
        self._fill()

    def find(self, words: str) -> None:
        """Come to the front with the lines that have all of these words."""
        self.post_message(self.SearchWanted(words))

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
        lines = entries(view, "logs", "logs")
        made = self._kept.rows(lines, _layout(lines))
        if not self._level and not self._words:
            return made
        name, levels = _SHOWN[self._level]
        wanted = self._words.split()
        kept = [
            row
            for line, row in zip(lines, made, strict=True)
            if line.weight in levels and all(word in searched(line) for word in wanted)
        ]
        said = f', with "{shown(self._words, 40)}"' if self._words else ""
        key = key_of(self, "logs.all") if self.is_attached else "Escape"
        everything = f"{key} shows everything."
        head = f"{len(kept)} of {len(lines)}: {name}{said}. {everything}"
        return [Row(Content.styled(head, MUTED)), *kept]


def _layout(lines: Sequence[Entry]) -> Layout:
    """The columns, that of the services as wide as the longest name there is."""
    room = min(max((len(str(line.find("service"))) for line in lines), default=0), _NAME)
    return Layout(
        head=(
            CellPlace("time", after=" ", style=MUTED),
            CellPlace(
                "service", after=" ", style=MUTED, say=lambda name: shown(name, room).ljust(room)
            ),
            CellPlace("level", style=_STYLES, say=lambda level: f"{level.value:<5} "),
        ),
        body=(CellPlace("text", style=_STYLES),),
        subject="service",
    )
