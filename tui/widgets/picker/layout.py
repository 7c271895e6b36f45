"""The layout of the picker: its parts and their content, without any logic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import MAX_TEXT, AgentRole, ChaosOpsAction
from chaosops.play.action_form.picks import Pick
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.rationale import UNSAID, Thought
from tui.keys.labels import key_if_any
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.taken_down import QuietWhenTakenDown
from tui.widgets.basic.text_line import TextLine
from tui.widgets.key_guard import is_drawn
from tui.widgets.picker.options import summary
from tui.widgets.picker.suggestions import OfferLines

_PARTS: Final = frozenset(
    {
        "picker-trail",
        "picker-summary",
        "picker-input",
        "picker-list",
        "picker-preview",
        "picker-digest",
    }
)
"""The ids of its parts, which are removed one by one."""

_TRAIL_LINES: Final = 3
"""The lines of the trail of a folded picker, as in its style sheet."""
_WARNED: Final = 1.0
"""Seconds for which a warning replaces the trail."""


def cut_to(text: str, width: int, lines: int, end: str) -> str:
    """Return as many words of a text as fit into some lines, and an end if some do not fit."""
    if len(Content(text).wrap(width)) <= lines:
        return text
    words = text.split(" ")
    while len(words) > 1 and len(Content(" ".join(words) + end).wrap(width)) > lines:
        words.pop()
    return " ".join(words) + end


class PickerLayout(QuietWhenTakenDown, Vertical):
    """A trail, offers, an input, a list, a preview, and what has happened."""

    TERMS = ("mitigation", "blast radius", "root cause", "hypothesis")
    EXPLAINED = (
        "What your role can do now. Press the number or letter, choose with the arrows and "
        "Enter, click, or search. Next you choose the target, then the details, then you "
        "confirm: the last step shows when the action lands and who will know. A look and a "
        "diagnosis change nothing in the fleet, so by keys they are taken with the last one; "
        "with Enter or a click you confirm them too. The key of a verb that only a teammate has "
        "asks them for it. {picker.back} "
        "goes back one step. A whole command can be typed in the search: restart payments; "
        "log lines are found by their words.\n\n"
        "Or begin with the object: {incident.select} goes to the services, the audit log or "
        "another list, arrows highlight a row, and Enter or a click lists what you can do "
        "there. A look from that list is taken at once.\n\n"
        "When you confirm, you can add your reason and how sure you are. That is free, "
        "teammates can't read it, and it is saved with the recording. {picker.say} says something "
        "with the action, which teammates do read.\n\n"
        "What your copilot and your teammates propose is at the top: y, u and i do the first "
        "three at once. To review one first, choose it in the list; {picker.back} then lets you "
        "change it.\n\n"
        "look: investigate; the result opens at once, and stays under Findings.\n"
        "talk: send messages; propose asks a teammate for an action: first at what, then who does "
        "what there. Your newest finding about it goes with it, unless {picker.finding} leaves it "
        "out. share passes on a finding.\n"
        "fix: change the system. A fix that neither clears nor mitigates a fault costs points.\n"
        "decide: diagnose, flag, resolve, or pass. {incident.pass_on} passes until something "
        "happens, three rounds at most."
    )

    class Submitted(Message):
        """Posted when the player decided."""

        def __init__(self, turn: int, action: ChaosOpsAction, thought: Thought = UNSAID) -> None:
            super().__init__()
            self.turn, self.action, self.thought = turn, action, thought

    class PassedOn(Message):
        """Posted when the player passes until something happens."""

        def __init__(self, turn: int) -> None:
            super().__init__()
            self.turn = turn

    class LinesWanted(Message):
        """Posted when the player wants to see the log lines with some words."""

        def __init__(self, words: str) -> None:
            super().__init__()
            self.words = words

    class PaneWanted(Message):
        """Posted when the player wants to see a pane."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    class Touched(Message):
        """Posted when the player did something."""

    class Refused(Message):
        """Posted when the player tried something impossible."""

    def __init__(self) -> None:
        """Create the picker for nobody's turn."""
        super().__init__(id="picker", classes="-waiting", disabled=True)
        self._trail = ""
        self._warning: Timer | None = None

    def compose(self) -> ComposeResult:
        """Compose trail, offers, input, list, summary, preview and digest."""
        yield Static(id="picker-trail", markup=False)
        yield OfferLines()
        yield Static(id="picker-summary", markup=False)
        yield TextLine(id="picker-input", max_length=MAX_TEXT, compact=True)
        yield Menu(id="picker-list", markup=False, compact=True)
        yield Static(id="picker-preview", markup=False)
        yield Static(id="picker-digest", markup=False)

    @on(TextLine.Full)
    def _on_full(self, message: TextLine.Full) -> None:
        message.stop()
        self.show_preview(message.said)

    @property
    def is_leaving(self) -> bool:
        """Whether the screen is being removed, its parts before the game that fills them."""
        return not (self.query(OfferLines) and {child.id for child in self.children} >= _PARTS)

    @property
    def is_folded(self) -> bool:
        """Whether a few lines replace the list."""
        return self.query_one("#picker-summary").display

    @property
    def is_pasted(self) -> bool:
        """Whether the key came together with the previous one, as in a paste."""
        gate = getattr(self.app, "gate", None)
        return gate is not None and bool(gate.came_with_the_last)

    def has_room(self, *, listed: bool) -> bool:
        """Whether the trail is readable, and the list if it is open.

        Args:
            listed: Whether the list has entries.
        """
        is_listed = listed and self.has_class("-open")
        return is_drawn(self.query_one("#picker-trail")) and (
            not is_listed or is_drawn(self.query_one(OptionList))
        )

    def show_turn(self, role: AgentRole, heading: str, digest: Sequence[str]) -> None:
        """Show a person's turn, and what has happened, a line each."""
        self.disabled = False
        self.border_title = Content(f"Your turn, {ROLE_NAMES[role]}")
        key = key_if_any(self, "incident.news") if len(digest) > 1 else ""
        head = f"{heading} ({key}: all of it)" if key else heading
        told = [Content.styled(head, MUTED), *(Content(f"· {shown(line)}") for line in digest)]
        self.query_one("#picker-digest", Static).update(Content("\n").join(told))
        self.query_one(OfferLines).show((), "")
        self.remove_class("-waiting", "-offered")

    def show_closed(self, why: str) -> None:
        """Show nobody's turn, and what is waited for."""
        self.disabled = True
        self.border_title = Content("Not your turn")
        self.show_trail(shown(why))
        self.show_preview("")
        for name in ("summary", "digest"):
            self.query_one(f"#picker-{name}", Static).update("")
        self.query_one(OfferLines).show((), "")
        self.query_one(OptionList).clear_options()
        self.query_one(Input).display = False
        self.remove_class("-offered", "-open")
        self.add_class("-waiting")

    def show_offers(self, asked: Sequence[Pick], thinking: str) -> None:
        """Show what others want, and who has not answered yet (empty for nobody)."""
        self.query_one(OfferLines).show(asked, thinking)
        self.set_class(bool(asked or thinking), "-offered")

    def show_box(self, invitation: str, text: str, *, alone: bool = True) -> None:
        """Show the input with a text, alone or above the list."""
        box = self.query_one(Input)
        box.display = True
        if alone:
            self.query_one(OptionList).display = False
        else:
            self._unhide_list()
        box.placeholder, box.value = invitation, text
        box.focus()
        box.cursor_position = len(box.value)

    def show_list(self) -> None:
        """Show the list if the picker is open, and hide the input."""
        self.query_one(Input).display = False
        self._unhide_list()

    def _unhide_list(self) -> None:
        """Leave it to the style sheet to hide the list of a folded picker."""
        listing = self.query_one(OptionList)
        listing.styles.clear_rule("display")
        listing.refresh(layout=True)

    def focus_list(self, *, at_once: bool = False) -> None:
        """Focus the list.

        Args:
            at_once: Whether to do it before pending messages.
        """
        listing = self.query_one(OptionList)
        if at_once:
            self.screen.set_focus(listing)
        else:
            listing.focus()

    def fold(self) -> None:
        """Fold the list if there is little room, and take the focus."""
        self.remove_class("-open")
        self.focus()

    def enter_list(self) -> None:
        """Focus the first entry of the list."""
        listing = self.query_one(OptionList)
        listing.focus()
        listing.action_first()

    def show_trail(self, text: str, more: str = "") -> None:
        """Show the trail, cut to the lines that a folded picker has for it.

        Args:
            more: Where the rest can be read, if it is cut.
        """
        if self.is_folded and more:
            text = cut_to(text, max(1, self.size.width - 2), _TRAIL_LINES, f"… ({more})")
        self._trail = text
        self.query_one("#picker-trail", Static).update(Content.styled(text, MUTED))

    def warn(self, why: str) -> None:
        """Show for a moment why a key does nothing."""
        self.query_one("#picker-trail", Static).update(Content.styled(why, MUTED))
        if self._warning is not None:
            self._warning.stop()
        self._warning = self.set_timer(_WARNED, self._end_warning)

    def _end_warning(self) -> None:
        if not self.is_leaving:
            self.show_trail(self._trail)

    def show_preview(self, text: str) -> None:
        """Show what an action costs and who sees it; empty hides it."""
        preview = self.query_one("#picker-preview", Static)
        preview.update(Content.styled(text, "bold"))
        preview.set_class(not text, "-empty")
        self.set_class(bool(text), "-weighing")

    def show_options(self, options: Sequence[Option], *, first: bool) -> None:
        """Fill the list, and highlight its first entry or none."""
        listing = self.query_one(OptionList)
        listing.set_options(options)
        listing.highlighted = None
        if first:
            listing.action_first()

    def show_summary(self, entries: tuple[Pick, ...]) -> None:
        """Fill the lines of a folded picker."""
        room = max(1, self.size.width - 2)
        self.query_one("#picker-summary", Static).update(summary(entries, room))

    def keys_now(self) -> dict[str, str]:
        """Return the names of the keys that work now, by the binding's id."""
        bindings = (active.binding for active in self.screen.active_bindings.values())
        return {found.id: self.app.get_key_display(found) for found in bindings if found.id}

    def take_first(self) -> None:
        """Choose the first enabled entry of the list."""
        listing = self.query_one(OptionList)
        for i in range(listing.option_count):
            option = listing.get_option_at_index(i)
            if not option.disabled:
                listing.highlighted = i
                listing.action_select()
                return
