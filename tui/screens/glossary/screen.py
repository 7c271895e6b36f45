"""The glossary: every signal, instrument, action, cause and term, to search and to read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, ClassVar, Final

from textual import events, on, work
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.play.formatting import MUTED, shown
from chaosops.play.reference.book import reference
from chaosops.play.reference.entries import GlossaryEntry, by_family, fitting, near
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.lines import Lines, Row
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.basic.text_line import TextLine
from tui.widgets.status.key_hints import KeyHints

_ROOMY: Final = 100
"""Columns from which the list and the text stand side by side."""
_LONGEST: Final = 60


class GlossaryScreen(Explained, Remeasured, Screen[None]):
    """Lists the entries that fit what was typed, and shows the highlighted one.

    It is the same for every incident, so it gives nothing away about the one at hand.
    """

    CSS_PATH: ClassVar[Any] = ["../../styles/glossary.tcss"]
    TITLE = "Glossary"
    EXPLAINED = (
        "Every signal, instrument, action, cause and term: for a cause, how it looks, what tells "
        "it from its twins, what eases it and what ends it. Type to search. It is the same in "
        "every incident. {glossary.back} goes back."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Next", show=False, id="glossary.down", tooltip="Next entry"),
        Binding("up", "move(-1)", "Previous", show=False, id="glossary.up", tooltip="Entry before"),
        Binding(
            "pagedown", "page(1)", "Page down", show=False, id="glossary.page_down", tooltip="Down"
        ),
        Binding("pageup", "page(-1)", "Page up", show=False, id="glossary.page_up", tooltip="Up"),
        Binding(
            "enter",
            "read",
            "Read",
            priority=True,
            id="glossary.read",
            tooltip="Read the highlighted entry",
        ),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            show=False,
            id="glossary.explain",
            tooltip="Explain this screen",
        ),
        Binding("escape", "back", "Back", id="glossary.back", tooltip="Back to where you were"),
    ]

    def __init__(self, words: str = "") -> None:
        """Create the glossary.

        Args:
            words: What to look up at once, and to read.
        """
        super().__init__()
        self._looks_up = words
        self._entries: tuple[GlossaryEntry, ...] = ()
        self._listed: dict[str, GlossaryEntry] = {}
        self._folded = False
        self._reading = False

    def compose(self) -> ComposeResult:
        """Compose the search, the list, the text and the keys."""
        yield Static(Content.styled("Glossary", "bold $accent"), id="glossary-title")
        yield TextLine(
            placeholder="Type to search, such as CPU, restart or row lock",
            compact=True,
            max_length=_LONGEST,
            id="glossary-search",
        )
        with Horizontal(id="glossary-body"):
            yield Menu(id="glossary-list", markup=False, compact=True)
            yield Lines("glossary-text")
        yield KeyHints()

    def on_mount(self) -> None:
        """Show the screen, then read the entries."""
        self._list.can_focus = False
        self._search.focus()
        self._note("reading…")
        self._arrange()
        self._read_entries()

    def on_resize(self, event: events.Resize) -> None:
        """Show the list or the text if there is no room for both."""
        self._folded = event.size.width < _ROOMY
        self._arrange()

    def more_commands(self) -> Iterable[SystemCommand]:
        """Yield the families for the palette."""
        for family in by_family(self._entries):
            find = partial(self._find, family)
            yield SystemCommand(f"Glossary: {family}", "List these entries", find)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide reading while the text has the focus."""
        return not self._reading if action == "read" else True

    def action_move(self, by: int) -> None:
        """Highlight the next or the previous entry."""
        if by > 0:
            self._list.action_cursor_down()
        else:
            self._list.action_cursor_up()

    def action_page(self, by: int) -> None:
        """Highlight the entry a page down or up."""
        listing: Any = self._list
        if self._listed:
            listing.action_page_down() if by > 0 else listing.action_page_up()

    def action_read(self) -> None:
        """Move to the text of the highlighted entry."""
        if self._chosen() is not None:
            self._read_now(True)
            self._text.focus()

    def action_back(self) -> None:
        """Go back from the text to the list, and from there to the screen below.

        Who looked one thing up goes straight back.
        """
        if self._reading and not self._looks_up:
            self._read_now(False)
            self._search.focus()
        else:
            self.dismiss()

    @property
    def _list(self) -> Menu:
        return self.query_one(Menu)

    @property
    def _text(self) -> Lines:
        return self.query_one(Lines)

    @property
    def _search(self) -> TextLine:
        return self.query_one(TextLine)

    @work(thread=True, group="glossary", exit_on_error=False)
    def _read_entries(self) -> None:
        entries = reference()
        self.app.call_from_thread(self._take_in, entries)

    def _take_in(self, entries: tuple[GlossaryEntry, ...]) -> None:
        if self.is_up:
            self._entries = entries
            if self._looks_up:
                self._search.value = shown(self._looks_up, _LONGEST)
            self._fill()
            if self._looks_up:
                self.action_read()

    def _find(self, words: str) -> None:
        self._looks_up = ""
        self._read_now(False)
        self._search.value = shown(words, _LONGEST)
        self._search.focus()

    @on(TextLine.Changed)
    def _on_changed(self, event: TextLine.Changed) -> None:
        event.stop()
        if self._entries:
            self._fill()

    @on(TextLine.Submitted)
    def _on_submitted(self, event: TextLine.Submitted) -> None:
        event.stop()
        self.action_read()

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._show()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_read()

    def _fill(self) -> None:
        """List what fits; without words by family, otherwise the best first."""
        words = self._search.value.strip()
        found = fitting(self._entries, words)
        self._listed = {entry.key: entry for entry in found}
        options: list[Option] = []
        for family, some in by_family(found).items():
            options.append(Option(Content.styled(shown(family, 60), "bold"), disabled=True))
            options += [Option(Content(f"  {shown(e.name, 60)}"), id=e.key) for e in some]
        if not found:
            close = near(self._entries, words)
            said = [f"Nothing fits '{shown(words, 20)}'."]
            said += ["Did you mean this?", *(f"  {name}" for name in close)] if close else []
            options += [Option(Content.styled(line, MUTED), disabled=True) for line in said]
        self._list.set_options(options)
        self._list.highlighted = 1 if found else None
        self._show()

    def _chosen(self) -> GlossaryEntry | None:
        option = self._list.highlighted_option
        return None if option is None or option.id is None else self._listed.get(option.id)

    def _show(self) -> None:
        entry = self._chosen()
        if entry is None:
            self._note("")
            return
        self._text.set_rows(entry_rows(entry))
        self._text.scroll_home(animate=False)

    def _note(self, text: str) -> None:
        self._text.set_rows([Row(Content.styled(text, MUTED))])

    def _read_now(self, reading: bool) -> None:
        self._reading = reading
        self._arrange()
        self.refresh_bindings()

    def _arrange(self) -> None:
        self.set_class(self._folded, "-folded")
        self.set_class(self._reading, "-reading")


def entry_rows(entry: GlossaryEntry) -> list[Row]:
    """Return an entry as rows."""
    rows = [
        Row(Content.assemble((shown(entry.name), "bold $accent"), (f"  {entry.family}", MUTED))),
        Row(Content(shown(entry.summary))),
    ]
    if entry.aliases:
        rows.append(Row(Content.styled(f"Also: {shown(', '.join(entry.aliases), 400)}", MUTED)))
    for fact in entry.facts:
        rows += [Row(Content("")), Row(Content.styled(_capital(fact.label), "bold"))]
        several = len(fact.lines) > 1
        rows += [
            Row(Content(f"- {shown(line)}" if several else shown(line)), 2 if several else 0)
            for line in fact.lines
        ]
    return rows


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
