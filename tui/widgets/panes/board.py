"""The board: all panes of a role's view, laid out for the room there is.

On a wide screen all of them stand side by side (`spread`). On a roomy one those of `UPPER` that the
role sees stand above the strip of tabs; on a small one the strip comes first and everything is
behind it. The panes never move in the tree: two strips at two places, a few classes and the places
of a wide screen do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult, SystemCommand
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from chaosops.env.models import AgentRole, RoleView
from chaosops.env.models.roles import ROLES
from chaosops.play.action_form.objects import objects
from tui.widgets.basic.taken_down import QuietWhenTakenDown
from tui.widgets.basic.text_line import TextLine
from tui.widgets.panes.alerts import AlertsPane
from tui.widgets.panes.audit import AuditPane
from tui.widgets.panes.changes import ChangesPane
from tui.widgets.panes.channel import ChannelPane
from tui.widgets.panes.findings import FindingsPane
from tui.widgets.panes.impact import ImpactPane
from tui.widgets.panes.logs import LogsPane
from tui.widgets.panes.object_pane import ObjectPane
from tui.widgets.panes.pane import Pane
from tui.widgets.panes.services import ServicesPane
from tui.widgets.panes.spread import LEAST_WIDTH, spread
from tui.widgets.panes.tabs import PaneTabs, Tab

UPPER: Final[tuple[type[Pane], ...]] = (ServicesPane, ImpactPane)
LOWER: Final[tuple[type[Pane], ...]] = (
    LogsPane,
    ChangesPane,
    AuditPane,
    AlertsPane,
    ChannelPane,
    FindingsPane,
)


class Board(QuietWhenTakenDown, Vertical):
    """Shows a `RoleView`; knows nothing of whose turn it is or how the view came about."""

    DEFAULT_CLASSES: ClassVar[str] = "-folded"

    class PanesShown(Message):
        """Panes came into view: chosen, or since there is a view or the room for them."""

    def __init__(self, *, can_choose: bool = False) -> None:
        """Create an empty board.

        Args:
            can_choose: Whether something can be done at what its panes show.
        """
        super().__init__(id="board")
        self._can_choose = can_choose
        self._panes: dict[str, Pane] = {}
        self._view: RoleView | None = None
        self._chosen: dict[tuple[AgentRole, bool], str] = {}
        self._places: dict[str, Region] = {}
        self._is_searching = False
        self._search = TextLine(
            id="logs-search", placeholder="search text", compact=True, max_length=200
        )

    def compose(self) -> ComposeResult:
        """Two strips around the upper panes, then the lower ones."""
        yield PaneTabs(id="tabs-first")
        for kind in UPPER:
            yield self._made(kind)
        yield PaneTabs(id="tabs-between")
        yield self._search
        for kind in LOWER:
            yield self._made(kind)

    def _made(self, kind: type[Pane]) -> Pane:
        pane = self._panes[kind.NAME] = kind()
        pane.display = False
        return pane

    @property
    def folded(self) -> bool:
        """Whether every pane is behind the strip of tabs."""
        return self.has_class("-folded")

    @property
    def is_spread(self) -> bool:
        """Whether all panes are shown at once."""
        return bool(self._places)

    @property
    def current(self) -> str:
        """The name of the pane at the front."""
        names = self._names()
        if self._view is None or not names:
            return ""
        chosen = self._chosen.get((self._view.role, self.folded), "")
        if chosen in names:
            return chosen
        wanted = [name for name in ROLES[self._view.role].first_parts if name in names]
        return wanted[0] if wanted else names[0]

    def fold(self, folded: bool) -> None:
        """Lay out for a small screen, or for a roomy one."""
        if folded is not self.folded:
            self.set_class(folded, "-folded")
            self._arrange()

    def on_resize(self, event: events.Resize) -> None:
        """Show all panes at once if there is room for it."""
        self._arrange()

    def show(self, view: RoleView) -> None:
        """Take in a view."""
        self._view = view
        doable = frozenset(objects(view) if self._can_choose else ())
        for pane in self._panes.values():
            if isinstance(pane, ObjectPane):
                pane.doable = doable
            pane.show(view)
        self._arrange()

    def clear(self) -> None:
        """Hide everything: the next person must not see what the last one did."""
        self._view = None
        for pane in self._panes.values():
            pane.clear()
        self._arrange()

    def open(self, name: str) -> None:
        """Bring a pane to the front; where all are shown, to it."""
        if name in self._places:
            self._panes[name].focus()
        elif self._view is not None and name in self._names():
            self._chosen[(self._view.role, self.folded)] = name
            self._arrange()

    def select(self) -> None:
        """Focus the next pane in view in which something can be selected.

        The first one is that of the chosen tab if that is of findings. If there is none in view,
        the first one behind a tab comes to the front.
        """
        panes = [self._panes[name] for name in self.open_panes()]
        found = [pane for pane in panes if pane.is_selectable]
        if not found:
            behind = next((n for n in self._names() if self._panes[n].is_selectable), "")
            if behind:
                self.open(behind)
                self._panes[behind].focus()
            return
        front = next(
            (
                at
                for at, pane in enumerate(found)
                if isinstance(pane, FindingsPane) and pane.id == self.current
            ),
            0,
        )
        now = next((at for at, pane in enumerate(found) if pane.has_focus), None)
        found[front if now is None else (now + 1) % len(found)].focus()

    def step(self, by: int) -> None:
        """Bring the pane that many tabs on to the front; where all are shown, focus it."""
        names = list(self._places) or self._names()
        if self._places:
            at = next((i for i, name in enumerate(names) if self._panes[name].has_focus), None)
            start = (-1 if by > 0 else 0) if at is None else at
            self.open(names[(start + by) % len(names)])
        elif names:
            self.open(names[(names.index(self.current) + by) % len(names)])

    def commands(self) -> Iterator[SystemCommand]:
        """What can be done with the panes that the role sees; it brings a pane to the front."""
        for name in (*self._upper(), *self._names()):
            for title, tooltip, run, *_ in self._panes[name].commands():
                yield SystemCommand(title, tooltip, partial(self._run, name, run))

    def _run(self, name: str, action: Callable[[], object]) -> None:
        self.open(name)
        action()

    def open_panes(self) -> tuple[str, ...]:
        """The names of the panes in view."""
        return tuple(name for name, pane in self._panes.items() if pane.display)

    @on(LogsPane.SearchWanted)
    def _on_search_wanted(self, message: LogsPane.SearchWanted) -> None:
        message.stop()
        self._is_searching = True
        if message.words:
            self._search.value = message.words
            self.open(LogsPane.NAME)
        self._arrange()
        (self.query_one(LogsPane) if message.words else self._search).focus()

    @on(LogsPane.Emptied)
    def _on_emptied(self, message: LogsPane.Emptied) -> None:
        message.stop()
        self._search.value = ""
        self._is_searching = False
        self._arrange()

    @on(Input.Changed, "#logs-search")
    def _on_searched(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(LogsPane).search(event.value)

    @on(TextLine.Full)
    def _on_full(self, message: TextLine.Full) -> None:
        message.stop()
        self.notify(message.said)

    @on(Input.Submitted, "#logs-search")
    def _on_found(self, event: Input.Submitted) -> None:
        event.stop()
        self._is_searching = bool(event.value)
        self.query_one(LogsPane).focus()
        self._arrange()

    def on_key(self, event: events.Key) -> None:
        """Escape in the search box ends the search, Down goes to what was found."""
        if self._search.has_focus and event.key in ("escape", "down"):
            event.stop()
            if event.key == "escape":
                self.query_one(LogsPane).action_everything()
            self.query_one(LogsPane).focus()

    def on_pane_tabs_chosen(self, message: PaneTabs.Chosen) -> None:
        """Follow the strip."""
        message.stop()
        self.open(message.name)

    def _upper(self) -> list[str]:
        if self._view is None or self.folded:
            return []
        return [kind.NAME for kind in UPPER if kind.sees(self._view)]

    def _names(self) -> list[str]:
        """The panes behind the strip, in its order."""
        view = self._view
        if view is None:
            return []
        upper = self._upper()
        kinds = [*UPPER, *LOWER]
        return [kind.NAME for kind in kinds if kind.sees(view) and kind.NAME not in upper]

    def _arrange(self) -> None:
        self._places = self._spread()
        names, current, upper = self._names(), self.current, self._upper()
        before = self.open_panes()
        self.set_class(self.is_spread, "-spread")
        for name, pane in self._panes.items():
            pane.set_class(name in upper and not self.is_spread, "-upper")
            _place(pane, self._places.get(name))
            shown = name in self._places if self.is_spread else name in upper or name == current
            pane.reveal(shown)
            pane.border_title = self._pane_title(name, is_upper=name in upper)
        if not set(self.open_panes()) <= set(before):
            self.post_message(self.PanesShown())
        self._arrange_search(current)
        tabs = tuple(self._tab(name) for name in names)
        for strip in self.query(PaneTabs):
            strip.tabs, strip.current = tabs, current
            strip.display = not self.is_spread and (strip.id == "tabs-first") is self.folded

    def _arrange_search(self, current: str) -> None:
        """Show the search of the logs while it is used, on the wide screen above their lines."""
        logs = self._places.get(LogsPane.NAME)
        self._search.display = self._is_searching and (logs is not None or current == LogsPane.NAME)
        if logs is None or not self._search.display:
            _place(self._search, None)
            return
        _place(self._search, logs.shrink((0, 0, logs.height - 1, 0)))
        _place(self._panes[LogsPane.NAME], logs.shrink((1, 0, 0, 0)))

    def _spread(self) -> dict[str, Region]:
        """Where each pane stands if all are shown at once; empty if they aren't."""
        view = self._view
        if view is None or self.folded or self.size.width < LEAST_WIDTH:
            return {}
        seen = [self._panes[kind.NAME] for kind in (*UPPER, *LOWER) if kind.sees(view)]
        return spread(self.size, [pane.needs(self.size) for pane in seen])

    def _pane_title(self, name: str, *, is_upper: bool) -> Content | None:
        if self.is_spread:
            return Content(self._tab(name).label)
        return Content(self._panes[name].TITLE) if is_upper else None

    def _tab(self, name: str) -> Tab:
        pane = self._panes[name]
        count = None if self._view is None else pane.count(self._view)
        return Tab(name, pane.TITLE, count)


def _place(widget: Widget, place: Region | None) -> None:
    """Put a widget at a place of the board; None leaves it to the style sheet."""
    styles = widget.styles
    if place is None:
        for rule in ("position", "offset", "width", "height"):
            if styles.has_rule(rule):
                styles.clear_rule(rule)
                widget.refresh(layout=True)
        return
    styles.position = "absolute"
    styles.offset = (place.x, place.y)
    styles.width, styles.height = place.width, place.height
