"""The action picker: pick, target, arguments, then a last look before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import ChaosOpsAction, RoleView
from tui.drafts import draft_of, offered
from tui.offers import Offer
from tui.picking import Draft, Offers, Pick, pick_preview, picks
from tui.widgets.offer_lines import OfferLines
from tui.widgets.picker_face import PickerFace
from tui.widgets.picker_options import choice_options, pick_options
from tui.words import MUTED, ROLE_NAMES, shown


class Stage(Enum):
    """What the picker waits for."""

    CLOSED = "closed"
    PICK = "pick"
    CHOOSE = "choose"
    WRITE = "write"
    CONFIRM = "confirm"


class Picker(PickerFace, can_focus=True):
    """Offers what the view allows and posts `Submitted`, once a turn.

    It closes itself before it posts, so that a second press of Enter finds nothing to press. At
    the start of a turn nothing is highlighted, so that a late press does not begin an action.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open", show=False, id="picker.open", tooltip="Open the list"),
        Binding(
            "escape,left", "back", "Back", show=False, id="picker.back", tooltip="One step back"
        ),
        Binding(
            "slash",
            "search",
            "Search",
            key_display="/",
            id="picker.search",
            tooltip="Search the list by typing",
        ),
        Binding(
            "down",
            "into_list",
            "Into the list",
            show=False,
            id="picker.down",
            tooltip="Open the list at its first entry",
        ),
    ]

    class Submitted(Message):
        """The player decided."""

        def __init__(self, turn: int, action: ChaosOpsAction) -> None:
            super().__init__()
            self.turn = turn
            self.action = action

    class Touched(Message):
        """The player did something for the first time in this turn."""

    class Refused(Message):
        """Something was tried that cannot be done."""

        def __init__(self, why: str) -> None:
            super().__init__()
            self.why = why

    def __init__(self) -> None:
        super().__init__(id="picker")
        self._stage = Stage.CLOSED
        self._turn = -1
        self._view: RoleView | None = None
        self._offers: Offers = {}
        self._picks: tuple[Pick, ...] = ()
        self._draft: Draft | None = None
        self._ready: Pick | None = None
        self._searching = False
        self._headline = ""

    def on_mount(self) -> None:
        """Begin closed."""
        self.close("")

    @property
    def stage(self) -> Stage:
        """What the picker waits for."""
        return self._stage

    @property
    def picks(self) -> tuple[Pick, ...]:
        """What can be picked in this turn."""
        return self._picks

    @property
    def _is_leaving(self) -> bool:
        """Whether the screen is being taken down, parts of it before the game that fills them."""
        return not self.query(OfferLines)

    def open_turn(
        self, turn: int, view: RoleView, offers: Offers, news: Sequence[str], heading: str
    ) -> None:
        """Begin a person's turn.

        Args:
            news: What has happened, a line each; the folded picker has room for the last alone.
            heading: What the news is.
        """
        if self._is_leaving:
            return
        self.disabled = False
        self._turn, self._view, self._offers = turn, view, offers
        self._picks = picks(view)
        self.query_one(OfferLines).show((), "")
        self.remove_class("-offered")
        self.border_title = Content(f"Your turn, {ROLE_NAMES[view.role]}")
        self._headline = shown(news[-1], 300) if news else ""
        told = [Content.styled(heading, MUTED), *(Content(f"· {shown(line)}") for line in news)]
        self.query_one("#picker-news", Static).update(Content("\n").join(told))
        self.remove_class("-waiting")
        self._to_start()
        self.focus()

    def offer(self, wanted: Sequence[Offer], thinking: str = "") -> None:
        """Show what others want the role to do; what is being filled in stays as it is.

        Args:
            thinking: Who is still to say something, empty for nobody.
        """
        if self._view is None or self._stage is Stage.CLOSED or self._is_leaving:
            return
        asked = offered(self._view, wanted)
        self._picks = (*asked, *picks(self._view))
        self.query_one(OfferLines).show(asked, thinking)
        self.set_class(bool(asked or thinking), "-offered")
        if self._stage is Stage.PICK and not self._searching:
            self._list("")
            self._fill_summary()
        self.refresh_bindings()

    def close(self, why: str) -> None:
        """Take nothing until the next turn, and say what is waited for."""
        self._stage, self._turn, self._view, self._draft = Stage.CLOSED, -1, None, None
        self._picks, self._ready = (), None
        if self._is_leaving:
            return
        self.query_one(OfferLines).show((), "")
        self.remove_class("-offered")
        self._searching = False
        self.remove_class("-open")
        self.add_class("-waiting")
        self.border_title = Content("Not your turn")
        self.show_trail(shown(why))
        self.show_preview("")
        for name in ("summary", "news"):
            self.query_one(f"#picker-{name}", Static).update("")
        self.query_one(OptionList).clear_options()
        self.query_one(Input).display = False
        self.disabled = True

    def press(self, key: str) -> bool:
        """Take a number or letter; False where it means nothing here."""
        if self._stage in (Stage.PICK, Stage.CHOOSE):
            for pick in self._picks:
                if pick.key == key and pick.offer is not None:
                    self._accept(pick)
                    return True
        if self._stage is Stage.PICK:
            for pick in self._picks:
                if pick.key == key:
                    self._begin(pick)
                    return True
        elif self._stage is Stage.CHOOSE and self._draft is not None:
            field = self._draft.question
            for choice in field.choices if field is not None else ():
                if choice.key == key:
                    self._answer(choice.value)
                    return True
        return False

    def begin(self, key: str) -> None:
        """Start afresh with a pick by its key, from wherever the picker is."""
        if self._stage is not Stage.CLOSED:
            self._to_start()
            self.press(key)

    def action_open(self) -> None:
        """Open the folded list."""
        if self._stage is Stage.PICK:
            self._touch()
            self.add_class("-open")
            self.query_one(OptionList).focus()

    def action_into_list(self) -> None:
        """Open, and highlight the first entry."""
        self.action_open()
        if self._stage is Stage.PICK:
            self.query_one(OptionList).action_first()

    def action_back(self) -> None:
        """Leave the search, else take the last answer back, else fold."""
        if self._searching:
            self._search(False)
        elif self._draft is not None:
            self._draft = self._draft.back()
            self._ask() if self._draft is not None else self._to_start(keep_open=True)
        elif self._ready is not None:
            self._to_start(keep_open=True)
        elif self._stage is Stage.PICK:
            self.remove_class("-open")
            self.focus()

    def action_search(self) -> None:
        """Filter the list by typing."""
        if self._stage in (Stage.PICK, Stage.CHOOSE):
            self._touch()
            self.add_class("-open")
            self._search(True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Searching needs a list."""
        if action == "search":
            return self._stage in (Stage.PICK, Stage.CHOOSE)
        return True

    def on_key(self, event: events.Key) -> None:
        """Down leaves the search box for the list."""
        box = self.query_one(Input)
        if event.key == "down" and box.has_focus and self._searching:
            event.stop()
            listing = self.query_one(OptionList)
            listing.focus()
            listing.action_first()

    def on_click(self, event: events.Click) -> None:
        """A click on the folded picker opens it."""
        if self._stage is Stage.PICK and not self.has_class("-open"):
            self.action_open()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = event.option_id or ""
        if self._stage is Stage.CONFIRM:
            self._submit()
        elif self._stage is Stage.PICK and name.isdigit():
            self._begin(self._picks[int(name)])
        elif self._stage is Stage.CHOOSE and name.isdigit() and self._draft is not None:
            field = self._draft.question
            if field is not None:
                self._answer(field.choices[int(name)].value)

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the highlighted entry costs and who will know, before it is chosen."""
        event.stop()
        name = event.option_id or ""
        if not name.isdigit():
            return
        if self._stage is Stage.PICK and int(name) < len(self._picks):
            self.show_preview(pick_preview(self._picks[int(name)]))
        elif self._stage is Stage.CHOOSE and self._draft is not None:
            field = self._draft.question
            if field is not None and int(name) < len(field.choices):
                chosen = self._draft.answer(field.name, field.choices[int(name)].value)
                self.show_preview(chosen.preview())

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._searching:
            self._list(event.value)

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._searching:
            self.take_first()
        elif self._stage is Stage.WRITE and self._draft is not None:
            field = self._draft.question
            if field is not None and field.required and not event.value.strip():
                self.show_preview("Write something first, or go back with Escape.")
                self.post_message(self.Refused("empty text"))
            elif field is not None:
                self._answer(event.value.strip())

    def _begin(self, pick: Pick) -> None:
        self._touch()
        if pick.blocked:
            self.show_preview(f"{pick.label}: {pick.blocked}.")
            self.post_message(self.Refused(pick.blocked))
        elif self._view is not None and pick.offer is not None:
            self._draft = draft_of(pick, self._view, self._offers)
            if self._draft is None:
                self._ready = pick
            self._ask()
        elif self._view is not None:
            self._draft = Draft(pick, self._view, self._offers)
            self._ask()

    def _accept(self, pick: Pick) -> None:
        if pick.offer is not None:
            self._touch()
            self._post(pick.offer.action)

    def _answer(self, value: object) -> None:
        field = self._draft.question if self._draft is not None else None
        if self._draft is not None and field is not None:
            self._draft = self._draft.answer(field.name, value)
            self._ask()

    def _ask(self) -> None:
        draft = self._draft
        self._searching = False
        self.add_class("-open")
        field = None if draft is None else draft.question
        if draft is not None:
            self.show_trail(draft.summary() + (f" › {field.title}?" if field is not None else ""))
        box, listing = self.query_one(Input), self.query_one(OptionList)
        writing = field is not None and not field.choices
        box.display, listing.display = writing, not writing
        if writing and field is not None:
            self._stage = Stage.WRITE
            box.placeholder = "type, then Enter"
            box.value = field.prefill
            self.show_preview("")
            box.focus()
            box.cursor_position = len(box.value)
            return
        self._stage = Stage.CONFIRM if field is None else Stage.CHOOSE
        self._list("")
        listing.focus()
        listing.action_first()
        if draft is not None and field is None:
            self.show_preview(draft.preview())
        elif self._ready is not None:
            self.show_trail(self._ready.label)
            self.show_preview(pick_preview(self._ready))

    def _submit(self) -> None:
        if self._draft is not None and self._draft.question is None:
            self._post(self._draft.action())
        elif self._ready is not None and self._ready.offer is not None:
            self._post(self._ready.offer.action)

    def _post(self, action: ChaosOpsAction) -> None:
        turn = self._turn
        self.close("")
        self.post_message(self.Submitted(turn, action))

    def _to_start(self, *, keep_open: bool = False) -> None:
        self._stage, self._draft, self._searching = Stage.PICK, None, False
        self._ready = None
        self.set_class(keep_open, "-open")
        self.show_trail(self._invitation())
        self._fill_summary()
        self.query_one(Input).display = False
        self.query_one(OptionList).display = True
        self._list("")
        self.show_preview("")
        if keep_open:
            self.query_one(OptionList).focus()
        self.refresh_bindings()

    def _search(self, on: bool) -> None:
        self._searching = on
        box, listing = self.query_one(Input), self.query_one(OptionList)
        box.display = on
        self._list("")
        if on:
            box.value = ""
            box.placeholder = "type to search"
            box.focus()
        else:
            listing.focus()

    def _list(self, wanted: str) -> None:
        if self._stage is Stage.PICK:
            options = pick_options(self._picks, wanted)
        elif self._stage is Stage.CONFIRM:
            options = [Option(Content.styled("Enter  do it", "bold $accent"), id="do-it")]
        else:
            field = self._draft.question if self._draft is not None else None
            options = [] if field is None else choice_options(field, wanted)
        self.show_options(options, first=bool(wanted))

    def on_resize(self, event: events.Resize) -> None:
        """Lay the folded picks out for the new width."""
        if self._stage is Stage.PICK:
            self._fill_summary()
            if self._draft is None and not self._searching:
                self.show_trail(self._invitation())

    def _fill_summary(self) -> None:
        self.show_summary(tuple(pick for pick in self._picks if pick.offer is None))

    def _invitation(self) -> str:
        if self._view is not None and self.query_one("#picker-summary").display:
            return f"Your turn, {ROLE_NAMES[self._view.role]}. {self._headline}"
        return "By key, arrows or mouse; / searches."

    def _touch(self) -> None:
        self.post_message(self.Touched())
