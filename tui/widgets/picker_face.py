"""What the picker looks like: its parts, and how each is filled. It decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import MAX_TEXT
from tui.picking import Pick
from tui.widgets.offer_lines import OfferLines
from tui.widgets.picker_options import summary
from tui.words import MUTED


class PickerFace(Vertical):
    """A trail, what others want, a box to type in, a list, a preview, and the news."""

    TERMS = ("mitigation", "blast radius", "root cause", "hypothesis")
    EXPLAINED = (
        "What your role may do now. Press the number or letter, or choose with the arrows and "
        "Enter, or click. / searches. Then comes what to act on, then the details, then a last "
        "look: when it lands and who will know. Escape goes one step back.\n\n"
        "What a teammate or your copilot asks for stands on top: y does the first at once; "
        "choose it in the list to look at it first, and Escape there changes it.\n\n"
        "look: investigate, the answer comes with your next turn, under Findings.\n"
        "talk: message; propose asks a teammate for an action; share hands on a finding.\n"
        "fix: changes the world. One that neither clears nor helps anything is charged.\n"
        "decide: diagnose, flag, resolve, or pass."
    )

    def compose(self) -> ComposeResult:
        """Trail, news, search or text, list, summary when folded, preview."""
        yield Static(id="picker-trail", markup=False)
        yield OfferLines()
        yield Static(id="picker-summary", markup=False)
        yield Input(id="picker-input", max_length=MAX_TEXT, compact=True)
        yield OptionList(id="picker-list", markup=False, compact=True)
        yield Static(id="picker-preview", markup=False)
        yield Static(id="picker-news", markup=False)

    def show_trail(self, text: str) -> None:
        """Say where the player is."""
        self.query_one("#picker-trail", Static).update(Content.styled(text, MUTED))

    def show_preview(self, text: str) -> None:
        """Say what an action costs and who sees it; empty hides it."""
        preview = self.query_one("#picker-preview", Static)
        preview.update(Content.styled(text, "bold"))
        preview.set_class(not text, "-empty")

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

    def take_first(self) -> None:
        """Choose the first entry of the list that can be chosen."""
        listing = self.query_one(OptionList)
        for i in range(listing.option_count):
            option = listing.get_option_at_index(i)
            if not option.disabled:
                listing.highlighted = i
                listing.action_select()
                return
