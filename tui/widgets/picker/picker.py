"""The action picker: pick, target, arguments, then a last look before it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.binding import BindingType
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, OptionList

from chaosops.env.models import ChaosOpsAction, RoleView
from chaosops.play.action_form.fields import Choice, Offers, Pick
from chaosops.play.action_form.state import Choosing, Stage
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.turn_digest import News
from tui.keys.labels import key_of
from tui.widgets.key_guard import TOO_SMALL, TOO_SOON, Glance, is_drawn
from tui.widgets.picker.keys import PICKER_KEYS
from tui.widgets.picker.layout import PickerFace
from tui.widgets.picker.options import (
    LastLook,
    choice_options,
    last_look_options,
    nothing_found,
    pick_options,
)

__all__ = ["Picker", "Stage"]

_LAST_LOOK: Final = "last look"
_TOLD: Final = 1.0
"""Seconds that the picker says why a key came too soon."""


class Picker(PickerFace, can_focus=True):
    """Offers what the view allows and posts `Submitted`, once a turn.

    No key takes a turn unseen. It closes itself before it posts, so that a second press of Enter
    finds nothing to press; at the start of a turn nothing is highlighted; what others want, and
    the last look that Enter has led to, must have been in view for a moment; and a key that comes
    in one read with the key before it, as in a paste, takes none.
    """

    BINDINGS: ClassVar[list[BindingType]] = list(PICKER_KEYS)

    class Submitted(Message):
        """The player decided."""

        def __init__(self, turn: int, action: ChaosOpsAction, thought: Thought = UNSAID) -> None:
            super().__init__()
            self.turn, self.action, self.thought = turn, action, thought

    class Touched(Message):
        """The player did something."""

    class Refused(Message):
        """Something was tried that cannot be done."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """A closed picker.

        Args:
            clock: Seconds that only grow, by which it tells what can have been seen.
        """
        super().__init__(id="picker", classes="-waiting", disabled=True)
        self._choosing: Choosing | None = None
        self._glance = Glance(clock)
        self._enter_led_here = False
        self._was_drawn = True
        self._told: Timer | None = None
        self._searching = False
        self._headline = ""

    def on_mount(self) -> None:
        """Begin closed."""
        self.close("")

    @property
    def stage(self) -> Stage:
        """What the picker waits for."""
        return Stage.CLOSED if self._choosing is None else self._choosing.stage

    @property
    def picks(self) -> tuple[Pick, ...]:
        """What can be picked in this turn."""
        return () if self._choosing is None else self._choosing.picks

    def open_turn(self, turn: int, view: RoleView, offers: Offers, news: News) -> None:
        """Begin a person's turn.

        Args:
            offers: What each role could be asked for in a proposal.
            news: What has happened; the folded picker has room for its headline alone.
        """
        if self.is_leaving:
            return
        self._choosing = Choosing(turn, view, offers)
        self._glance.show(())
        self._headline = shown(news.headline, 600)
        self.show_turn(view.role, news.heading, news.lines)
        self._to_start()
        self.focus()

    def offer(self, wanted: Sequence[Offer], thinking: str = "") -> None:
        """Show what others want the role to do; what is being filled in stays as it is.

        Args:
            thinking: Who is still to say something, empty for nobody.
        """
        if self._choosing is None or self.is_leaving:
            return
        asked = self._choosing.offer(wanted)
        self._glance.show((*map(_named, asked), _LAST_LOOK))
        self.show_offers(asked, thinking)
        if self.stage is Stage.PICK and not self._searching:
            self._list("")
            self._fill_summary()
        self.refresh_bindings()

    def close(self, why: str) -> None:
        """Take nothing until the next turn, and say what is waited for."""
        self._choosing, self._searching = None, False
        if not self.is_leaving:
            self.show_closed(why)

    def cover(self) -> None:
        """Something is in front of the picker: what comes up meanwhile is not seen."""
        self._glance.cover()

    def uncover(self) -> None:
        """The picker is in view again."""
        self._glance.uncover()

    @property
    def is_seen(self) -> bool:
        """Whether there is room for what the picker says, and for what it lists where it is open.

        Where there is not, a key does nothing.
        """
        listed = self.has_class("-open") and self.stage is not Stage.WRITE
        return is_drawn(self.query_one("#picker-trail")) and (
            not listed or is_drawn(self.query_one(OptionList))
        )

    def press(self, key: str) -> bool:
        """Take a number or letter; False where it means nothing here."""
        found = None if self._choosing is None else self._choosing.find(key)
        if found is not None and not self.is_seen:
            self.too_small()
        elif found is not None:
            self._enter_led_here = False
            self._take_up(found, at_once=True)
        return found is not None

    def begin(self, key: str) -> None:
        """Start afresh with a pick by its key, from wherever the picker is."""
        if self._choosing is not None:
            self._to_start()
            self.press(key)
            self._enter_led_here = True

    def too_soon(self) -> None:
        """Say that a key was pressed before what it does can have been seen."""
        self._tell(TOO_SOON)

    def too_small(self) -> None:
        """Say that a key was pressed where what it does cannot be seen."""
        self._tell(TOO_SMALL)

    def _tell(self, why: str) -> None:
        self.show_trail(why)
        if self._told is not None:
            self._told.stop()
        self._told = self.set_timer(_TOLD, self._fill_trail)

    def action_open(self) -> None:
        """Open the folded list."""
        if self.stage is Stage.PICK:
            self._touch()
            self.add_class("-open")
            self.query_one(OptionList).focus()

    def action_into_list(self) -> None:
        """Open, and highlight the first entry."""
        self.action_open()
        if self.stage is Stage.PICK:
            self.enter_list()

    def action_back(self) -> None:
        """Leave the search, else take the last answer back, else fold."""
        if self._searching:
            self._search(False)
        elif self._choosing is None:
            return
        elif self._choosing.back():
            self._to_start(keep_open=True) if self.stage is Stage.PICK else self._ask()
        else:
            self.remove_class("-open")
            self.focus()

    def action_search(self) -> None:
        """Filter the list by typing."""
        if self.stage in (Stage.PICK, Stage.CHOOSE):
            self._touch()
            self.add_class("-open")
            self._search(True)

    def action_why(self) -> None:
        """Open a line for the reason."""
        if self._choosing is not None:
            self._choosing.explain()
            self._ask()

    def action_sure(self) -> None:
        """Be a step surer."""
        if self._choosing is not None:
            self._choosing.be_surer()
            self.show_preview(self._choosing.preview)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Searching needs a list; what is said of a decision needs one."""
        if action == "search":
            return self.stage in (Stage.PICK, Stage.CHOOSE)
        return action not in ("why", "sure") or self.stage is Stage.CONFIRM

    def on_key(self, event: events.Key) -> None:
        """Down leaves the search box for the list."""
        box = self.query_one(Input)
        if event.key == "down" and box.has_focus and self._searching:
            event.stop()
            self.enter_list()

    def on_click(self, event: events.Click) -> None:
        """A click on the folded picker opens it."""
        if self.stage is Stage.PICK and not self.has_class("-open"):
            self.action_open()

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        name = event.option_id or ""
        if not self.is_seen:
            self.too_small()
        elif self.stage is Stage.CONFIRM:
            self._at_last_look(name)
        elif self._choosing is not None and name.isdigit():
            found = self._choosing.entry(int(name))
            if found is not None:
                self._enter_led_here = True
                self._take_up(found)

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Say what the highlighted entry costs and who will know, before it is chosen."""
        event.stop()
        name = event.option_id or ""
        said = ""
        if self._choosing is not None and name.isdigit():
            said = self._choosing.preview_of(int(name))
        if said:
            self.show_preview(said)

    @on(Input.Changed)
    def _on_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._searching:
            self._list(event.value)

    @on(Input.Submitted)
    def _on_entered(self, event: Input.Submitted) -> None:
        event.stop()
        text = event.value.strip()
        if self._searching:
            self.take_first()
        elif self._choosing is not None and self.stage is Stage.WRITE:
            field = self._choosing.field
            if field is not None and field.required and not text:
                self.show_preview(
                    f"Write something first, or go back with {key_of(self, 'picker.back')}."
                )
                self.post_message(self.Refused())
            else:
                self._enter_led_here = True
                self._answer(text)

    def _take_up(self, found: Pick | Choice, *, at_once: bool = False) -> None:
        """Go on with an entry.

        Args:
            at_once: Do what others want, rather than look at it first.
        """
        if isinstance(found, Choice):
            self._answer(found.value)
        elif at_once and found.offer is not None:
            if self._glance.seen(_named(found)) and not self._is_pasted:
                self._touch()
                self._post(found.offer.action)
            else:
                self.too_soon()
        else:
            self._begin(found)

    def _begin(self, pick: Pick) -> None:
        self._touch()
        if pick.blocked:
            self.show_preview(f"{pick.label}: {pick.blocked}.")
            self.post_message(self.Refused())
        elif self._choosing is not None:
            self._choosing.begin(pick)
            self._ask()

    def _answer(self, value: object) -> None:
        if self._choosing is not None:
            self._choosing.answer(value)
            self._ask()

    def _ask(self) -> None:
        """Ask what is open, or show the last look."""
        choosing = self._choosing
        if choosing is None:
            return
        self._searching = False
        self.add_class("-open")
        self._fill_trail()
        if choosing.field is not None and not choosing.field.choices:
            self.show_preview("")
            self.show_box("type, then Enter", choosing.field.prefill)
            return
        self.show_list()
        # At once: the last look names the keys that work in the list.
        self.screen.set_focus(self.query_one(OptionList))
        self._list("")
        self.enter_list()
        if self.stage is Stage.CONFIRM:
            self._glance.begin(_LAST_LOOK)
            self.show_preview(choosing.preview)

    def _at_last_look(self, name: str) -> None:
        if name == LastLook.WHY:
            self.action_why()
        elif name == LastLook.SURE:
            self.action_sure()
        else:
            self._submit()

    def _submit(self) -> None:
        action = None if self._choosing is None else self._choosing.action
        if self._choosing is None or action is None:
            return
        if self._is_pasted or (self._enter_led_here and not self._glance.seen(_LAST_LOOK)):
            self.too_soon()
        else:
            self._post(action, self._choosing.thought)

    @property
    def _is_pasted(self) -> bool:
        """Whether the key came together with the one before, so that nobody looked in between."""
        gate = getattr(self.app, "gate", None)
        return gate is not None and bool(gate.came_with_the_last)

    def _post(self, action: ChaosOpsAction, thought: Thought = UNSAID) -> None:
        """The one way in which a turn is taken."""
        if self._choosing is not None:
            turn = self._choosing.turn
            self.close("")
            self.post_message(self.Submitted(turn, action, thought))

    def _to_start(self, *, keep_open: bool = False) -> None:
        if self._choosing is not None:
            self._choosing.start_over()
        self._searching = False
        self.set_class(keep_open, "-open")
        self._fill_trail()
        self._fill_summary()
        self.show_list()
        self._list("")
        self.show_preview("")
        if keep_open:
            self.query_one(OptionList).focus()
        self.refresh_bindings()

    def _search(self, on: bool) -> None:
        self._searching = on
        self._list("")
        self.show_list()
        if on:
            self.show_box("type to search", "", alone=False)
        else:
            self.query_one(OptionList).focus()

    def _list(self, wanted: str) -> None:
        field = None if self._choosing is None else self._choosing.field
        if self.stage is Stage.PICK:
            options = pick_options(self.picks, wanted)
        elif self.stage is Stage.CONFIRM:
            options = last_look_options(self.keys_now())
        else:
            options = [] if field is None else choice_options(field, wanted)
        if wanted and not options:
            options = [nothing_found(wanted)]
        self.show_options(options, first=bool(wanted))

    def on_resize(self, event: events.Resize) -> None:
        """Lay the folded picks out for the new width; what has no room is not seen meanwhile."""
        if self.screen.is_current and self.is_seen is not self._was_drawn:
            self._was_drawn = not self._was_drawn
            (self.uncover if self._was_drawn else self.cover)()
        if self.stage is Stage.PICK:
            self._fill_summary()
            if not self._searching:
                self._fill_trail()

    def _fill_summary(self) -> None:
        self.show_summary(tuple(pick for pick in self.picks if pick.offer is None))

    def _fill_trail(self) -> None:
        """Say where the player is; at the start of a turn, what there is to do."""
        if self._choosing is None or self.is_leaving:
            return
        said = "By key, arrows or mouse, or search."
        if self.query_one("#picker-summary").display:
            said = f"Your turn, {ROLE_NAMES[self._choosing.view.role]}. {self._headline}"
        self.show_trail(self._choosing.trail or said)

    def _touch(self) -> None:
        self.post_message(self.Touched())


def _named(pick: Pick) -> tuple[str, str]:
    """A pick as the player sees it: its key and its words."""
    return pick.key, pick.label
