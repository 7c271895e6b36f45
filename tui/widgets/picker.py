"""The action picker: pick, target, arguments, then a last look before it is done."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import MAX_TEXT, ChaosOpsAction, RoleView
from tui.picking import Draft, Offers, Pick, picks
from tui.widgets.picker_options import choice_options, pick_options, summary
from tui.words import MUTED, ROLE_NAMES, shown

_DO_IT = "do it"


class Stage(Enum):
    """What the picker waits for."""

    CLOSED = "closed"
    PICK = "pick"
    CHOOSE = "choose"
    WRITE = "write"
    CONFIRM = "confirm"


class Picker(Vertical, can_focus=True):
    """Offers what the view allows and posts `Submitted`, once a turn.

    It closes itself before it posts, so that a second press of Enter finds nothing to press. At
    the start of a turn nothing is highlighted, so that a late press does not begin an action.
    """

    EXPLAINED = (
        "What your role may do now. Press the number or letter, or choose with the arrows and "
        "Enter, or click. / searches. Then comes what to act on, then the details, then a last "
        "look: when it lands and who will know. Escape goes one step back.\n\n"
        "look: investigate, the answer comes with your next turn, under Findings.\n"
        "talk: message; propose asks a teammate for an action; share hands on a finding.\n"
        "fix: changes the world. One that neither clears nor helps anything is charged.\n"
        "decide: diagnose, flag, resolve, or pass."
    )

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
        Binding("down", "into_list", show=False, id="picker.down", tooltip="Into the list"),
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
        self._searching = False
        self._headline = ""

    def compose(self) -> ComposeResult:
        """Trail, news, search or text, list, summary when folded, preview."""
        yield Static(id="picker-trail", markup=False)
        yield Static(id="picker-summary", markup=False)
        yield Input(id="picker-input", max_length=MAX_TEXT, compact=True)
        yield OptionList(id="picker-list", markup=False, compact=True)
        yield Static(id="picker-preview", markup=False)
        yield Static(id="picker-news", markup=False)

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

    def open_turn(
        self, turn: int, view: RoleView, offers: Offers, news: Sequence[str], heading: str
    ) -> None:
        """Begin a person's turn.

        Args:
            news: What has happened, a line each; the folded picker has room for the last alone.
            heading: What the news is.
        """
        self.disabled = False
        self._turn, self._view, self._offers = turn, view, offers
        self._picks = picks(view)
        self.border_title = Content(f"Your turn, {ROLE_NAMES[view.role]}")
        self._headline = shown(news[-1], 300) if news else ""
        told = [Content.styled(heading, MUTED), *(Content(f"· {shown(line)}") for line in news)]
        self.query_one("#picker-news", Static).update(Content("\n").join(told))
        self.remove_class("-waiting")
        self._to_start()
        self.focus()

    def close(self, why: str) -> None:
        """Take nothing until the next turn, and say what is waited for."""
        self._stage, self._turn, self._view, self._draft = Stage.CLOSED, -1, None, None
        self._picks = ()
        self._searching = False
        self.remove_class("-open")
        self.add_class("-waiting")
        self.border_title = Content("Not your turn")
        self.query_one("#picker-trail", Static).update(Content.styled(shown(why), MUTED))
        self._preview("")
        for name in ("summary", "news"):
            self.query_one(f"#picker-{name}", Static).update("")
        self.query_one(OptionList).clear_options()
        self.query_one(Input).display = False
        self.disabled = True

    def press(self, key: str) -> bool:
        """Take a number or letter; False where it means nothing here."""
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

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._searching:
            self._list(event.value)

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._searching:
            self._take_first()
        elif self._stage is Stage.WRITE and self._draft is not None:
            field = self._draft.question
            if field is not None and field.required and not event.value.strip():
                self._preview("Write something first, or go back with Escape.")
                self.post_message(self.Refused("empty text"))
            elif field is not None:
                self._answer(event.value.strip())

    def _take_first(self) -> None:
        listing = self.query_one(OptionList)
        for i in range(listing.option_count):
            option = listing.get_option_at_index(i)
            if not option.disabled:
                listing.highlighted = i
                listing.action_select()
                return

    def _begin(self, pick: Pick) -> None:
        self._touch()
        if pick.blocked:
            self._preview(f"{pick.label}: {pick.blocked}.")
            self.post_message(self.Refused(pick.blocked))
        elif self._view is not None:
            self._draft = Draft(pick, self._view, self._offers)
            self._ask()

    def _answer(self, value: object) -> None:
        field = self._draft.question if self._draft is not None else None
        if self._draft is not None and field is not None:
            self._draft = self._draft.answer(field.name, value)
            self._ask()

    def _ask(self) -> None:
        draft = self._draft
        if draft is None:
            return
        self._searching = False
        self.add_class("-open")
        field = draft.question
        trail = draft.summary() + (f" › {field.title}?" if field is not None else "")
        self._trail(trail)
        box, listing = self.query_one(Input), self.query_one(OptionList)
        writing = field is not None and not field.choices
        box.display, listing.display = writing, not writing
        if writing and field is not None:
            self._stage = Stage.WRITE
            box.placeholder = "type, then Enter"
            box.value = field.prefill
            self._preview("")
            box.focus()
            box.cursor_position = len(box.value)
            return
        self._stage = Stage.CONFIRM if field is None else Stage.CHOOSE
        self._list("")
        listing.focus()
        listing.action_first()
        self._preview(draft.preview() if field is None else "")

    def _submit(self) -> None:
        draft, turn = self._draft, self._turn
        if draft is not None and draft.question is None:
            action = draft.action()
            self.close("")
            self.post_message(self.Submitted(turn, action))

    def _to_start(self, *, keep_open: bool = False) -> None:
        self._stage, self._draft, self._searching = Stage.PICK, None, False
        self.set_class(keep_open, "-open")
        self._trail(self._invitation())
        self._fill_summary()
        self.query_one(Input).display = False
        self.query_one(OptionList).display = True
        self._list("")
        self._preview("")
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
        listing = self.query_one(OptionList)
        if self._stage is Stage.PICK:
            options = pick_options(self._picks, wanted)
        elif self._stage is Stage.CONFIRM:
            options = [Option(Content.styled("Enter  " + _DO_IT, "bold $accent"), id=_DO_IT)]
        else:
            field = self._draft.question if self._draft is not None else None
            options = [] if field is None else choice_options(field, wanted)
        listing.set_options(options)
        listing.highlighted = None
        if wanted:
            listing.action_first()

    def _trail(self, text: str) -> None:
        self.query_one("#picker-trail", Static).update(Content.styled(text, MUTED))

    def _preview(self, text: str) -> None:
        preview = self.query_one("#picker-preview", Static)
        preview.update(Content.styled(text, "bold"))
        preview.set_class(not text, "-empty")

    def on_resize(self, event: events.Resize) -> None:
        """Lay the folded picks out for the new width."""
        if self._stage is Stage.PICK:
            self._fill_summary()
            if self._draft is None and not self._searching:
                self._trail(self._invitation())

    def _fill_summary(self) -> None:
        room = max(1, self.size.width - 2)
        self.query_one("#picker-summary", Static).update(summary(self._picks, room))

    def _invitation(self) -> str:
        if self._view is not None and self.query_one("#picker-summary").display:
            return f"Your turn, {ROLE_NAMES[self._view.role]}. {self._headline}"
        return "By key, arrows or mouse; / searches."

    def _touch(self) -> None:
        self.post_message(self.Touched())
