"""Asks for an action: what to do, on what, the details, and a confirmation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from chaosops.env.models import ChaosOpsAction, RoleView
from chaosops.play.action_form.choices import Choice
from chaosops.play.action_form.fields import NO_OWN_CAUSES, OwnCauses
from chaosops.play.action_form.objects import ObjectMove
from chaosops.play.action_form.picks import Offers, Pick
from chaosops.play.action_form.state import NEEDS_NO_CONFIRMATION, FormState, Stage
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.rationale import UNSAID, Thought
from chaosops.play.turn_digest import TurnDigest
from tui.keys.labels import key_if_any, key_of
from tui.widgets.key_guard import TOO_SMALL, TOO_SOON, HeldKey, KeyGuard
from tui.widgets.picker.layout import PickerLayout
from tui.widgets.picker.options import LINES, MOVE, RECORD, LastLook, options_for

_LAST_LOOK: Final = "confirm"
_ANYTHING: Final = "type to search: drain db, who paused deploy_bot, or words of a log line"
PASS_ON: Final = "pass on"
"""What the guard knows the key by that passes until something happens."""


class PickerFlow:
    """Offers what the view allows and posts `Submitted` once per turn.

    No key takes a turn unseen. It closes itself before it posts, so that a second Enter
    has no effect; at the start of a turn nothing is highlighted; offers, and
    the confirmation after an Enter, must have been in view for a moment; and a key that comes
    in one read with the key before it, as in a paste, takes none. A look and a diagnosis are taken
    with the last answer if that was a key, unless the key seems to be held down.

    Attributes:
        turn: The turn that it asks for; None while it is closed.
        guard: What has been in view, and for how long.
    """

    def __init__(self, layout: PickerLayout, clock: Callable[[], float]) -> None:
        """Create a closed picker.

        Args:
            layout: Its layout.
            clock: A monotonic clock in seconds, to tell what the player can have seen.
        """
        self._layout = layout
        self._form: FormState | None = None
        self.turn: int | None = None
        self.guard = KeyGuard(clock)
        self._enter_led_here = False
        self._held = HeldKey(clock)
        self._was_seen = True
        self._searching = False
        self._headline = ""
        self._wanted = ""

    @property
    def stage(self) -> Stage:
        """What the picker waits for."""
        return Stage.CLOSED if self._form is None else self._form.stage

    @property
    def picks(self) -> tuple[Pick, ...]:
        """The picks of this turn."""
        return () if self._form is None else self._form.picks

    @property
    def searching(self) -> bool:
        """Whether the list is filtered by typing."""
        return self._searching

    @property
    def is_seen(self) -> bool:
        """Whether there is room for the picker's text, and for its list if it is open.

        Otherwise keys do nothing.
        """
        return self._layout.has_room(listed=self.stage is not Stage.WRITE)

    def open_turn(
        self,
        turn: int,
        view: RoleView,
        offers: Offers,
        digest: TurnDigest,
        own_causes: OwnCauses = NO_OWN_CAUSES,
    ) -> None:
        """Begin a person's turn.

        Args:
            offers: What each role can be asked for in a proposal.
            digest: What has happened; the folded picker has room for its headline only.
            own_causes: The causes of authors among those that a diagnosis can name.
        """
        if self._layout.is_leaving:
            return
        self._form, self.turn = FormState(turn, view, offers, own_causes), turn
        self.guard.show(())
        self.guard.begin(PASS_ON)
        self._headline = shown(digest.headline, 600)
        self._layout.show_turn(view.role, digest.heading, digest.lines)
        self._to_start()
        self._layout.focus()

    def offer(self, wanted: Sequence[Offer], thinking: str = "") -> None:
        """Show what others want the role to do, without disturbing the form.

        Args:
            thinking: Who has not answered yet; empty for nobody.
        """
        if self._form is None or self._layout.is_leaving:
            return
        asked = self._form.offer(wanted)
        self.guard.show((*map(_named, asked), _LAST_LOOK, PASS_ON))
        self._layout.show_offers(asked, thinking)
        if self.stage is Stage.PICK and not self._searching:
            self.fill_list("")
            self._fill_summary()
        self._layout.refresh_bindings()

    def close(self, why: str) -> None:
        """Accept nothing until the next turn, and show what is waited for."""
        self._form, self.turn, self._searching = None, None, False
        if not self._layout.is_leaving:
            self._layout.show_closed(why)

    def cover(self) -> None:
        """Note that something covers the picker, so that changes are not seen."""
        self.guard.cover()

    def uncover(self) -> None:
        """Note that the picker is in view again."""
        self.guard.uncover()

    def resized(self) -> None:
        """Lay out the folded picks for the new width; what has no room is not seen."""
        if self._layout.screen.is_current and self.is_seen is not self._was_seen:
            self._was_seen = not self._was_seen
            (self.uncover if self._was_seen else self.cover)()
        if self.stage is Stage.PICK:
            self._fill_summary()
            if not self._searching:
                self._fill_trail()

    def press(self, key: str) -> bool:
        """Take a number or letter; return False if it has no meaning here."""
        found = None if self._form is None else self._form.find(key)
        if found is not None and not self.is_seen:
            self._layout.warn(TOO_SMALL)
        elif found is not None:
            self._enter_led_here = False
            self._take_up(found, at_once=True, confirms=self._held.is_held(key))
        return found is not None

    def begin(self, key: str) -> None:
        """Start over with a pick by its key, from any state."""
        if self._form is not None:
            self._to_start()
            self.press(key)
            self._enter_led_here = True

    def begin_at(self, move: ObjectMove) -> None:
        """Start over with a move at an object. A look is taken at once."""
        if self._form is None or not self.is_seen:
            return
        self._to_start()
        self._layout.post_message(PickerLayout.Touched())
        self._form.begin_at(move)
        self._enter_led_here = True
        action = self._form.action
        if move.is_look and action is not None and not self._layout.is_pasted:
            self._post(action)
        else:
            self._ask()

    def choose(self, option: str) -> None:
        """Choose an option of the list by its id."""
        if not self.is_seen:
            self._layout.warn(TOO_SMALL)
        elif self.stage is Stage.CONFIRM:
            self._at_last_look(option)
        elif self._form is not None and option.startswith(LINES):
            words = self._wanted
            self.search(False)
            self._layout.fold()
            self._layout.post_message(PickerLayout.LinesWanted(words))
        elif self._form is not None and option.startswith(RECORD):
            self.search(False)
            self._layout.fold()
            self._layout.post_message(PickerLayout.PaneWanted(option.rpartition(":")[2]))
        elif self._form is not None and option.startswith(MOVE):
            moves = self._form.found(self._wanted).moves
            place = int(option.removeprefix(MOVE))
            if place < len(moves):
                self.begin_at(moves[place])
        elif self._form is not None and option.isdigit():
            found = self._form.entry(int(option))
            if found is not None:
                self._enter_led_here = True
                self._take_up(found)

    def preview(self, option: str) -> None:
        """Show what an option of the list costs and who learns of it, before it is chosen."""
        if self._form is not None and option.isdigit():
            said = self._form.preview_of(int(option))
            if said:
                self._layout.show_preview(said)

    def write(self, text: str) -> None:
        """Take a written text."""
        if self._form is None or self.stage is not Stage.WRITE:
            return
        field, fault = self._form.field, self._form.problem(text)
        if fault:
            self._layout.show_preview(f"{fault[0].upper()}{fault[1:]}.")
            self._layout.post_message(PickerLayout.Refused())
        elif field is not None and field.required and not text:
            key = key_of(self._layout, "picker.back")
            self._layout.show_preview(f"Type something first, or go back with {key}.")
            self._layout.post_message(PickerLayout.Refused())
        else:
            self._enter_led_here = True
            self._answer(text)

    def back(self) -> None:
        """Leave the search, or undo the last answer, or fold the list."""
        if self._searching:
            self.search(False)
        elif self._form is None:
            return
        elif self._form.back():
            self._to_start(keep_open=True) if self.stage is Stage.PICK else self._ask()
        else:
            self._layout.fold()

    def search(self, on: bool) -> None:
        """Start or end filtering the list by typing."""
        self._searching = on
        self.fill_list("")
        self._layout.show_list()
        if on:
            at_start = self.stage is Stage.PICK
            self._layout.show_box(_ANYTHING if at_start else "type to search", "", alone=False)
        else:
            self._layout.focus_list()

    def fill_list(self, wanted: str) -> None:
        """List what can be chosen now.

        Args:
            wanted: Words that an entry must have.
        """
        self._wanted = wanted
        options = options_for(self._form, wanted, self._layout.keys_now)
        self._layout.show_options(options, first=bool(wanted))
        if wanted and all(option.disabled for option in options):
            self._layout.show_preview("")

    def allows(self, option: LastLook) -> bool:
        """Whether the confirmation offers a line, a finding, or that it is for one instance."""
        if self._form is None:
            return False
        if option is LastLook.FINDING:
            return self._form.evidence is not None
        return self._form.can_be_for_one if option is LastLook.ONE else self._form.can_say

    def _take_up(
        self, found: Pick | Choice, *, at_once: bool = False, confirms: bool = True
    ) -> None:
        """Continue with an entry.

        Args:
            at_once: Whether to accept an offer without a confirmation.
            confirms: Whether also what needs no confirmation is confirmed.
        """
        form = self._form
        if form is None:
            return
        if isinstance(found, Choice):
            confirms = confirms or form.is_adding or self._layout.is_pasted
            self._answer(found.value)
            made = form.action
            if made is not None and not confirms and made.action_type in NEEDS_NO_CONFIRMATION:
                self._post(made)
        elif at_once and found.offer is not None:
            if self.guard.seen(_named(found)) and not self._layout.is_pasted:
                self._layout.post_message(PickerLayout.Touched())
                self._post(found.offer.action)
            else:
                self._layout.warn(TOO_SOON)
        else:
            self._begin(found)

    def _begin(self, pick: Pick) -> None:
        self._layout.post_message(PickerLayout.Touched())
        if pick.blocked:
            self._layout.show_preview(f"{pick.label}: {pick.blocked}.")
            self._layout.post_message(PickerLayout.Refused())
        elif self._form is not None:
            self._form.begin(pick)
            self._ask()

    def _answer(self, value: object) -> None:
        if self._form is not None:
            self._form.answer(value)
            self._ask()

    def _ask(self) -> None:
        """Ask the current question, or show the confirmation."""
        form, layout = self._form, self._layout
        if form is None:
            return
        self._searching = False
        layout.add_class("-open")
        self._fill_trail()
        if form.field is not None and not form.field.choices:
            layout.show_preview("")
            layout.show_box("type, then Enter", form.field.prefill)
            return
        layout.show_list()
        # At once, since the confirmation names the keys that work in the list.
        layout.focus_list(at_once=True)
        self.fill_list("")
        layout.enter_list()
        if self.stage is Stage.CONFIRM:
            self.guard.begin(_LAST_LOOK)
            layout.call_after_refresh(self.guard.begin, _LAST_LOOK)
            layout.show_preview(form.preview)

    def _at_last_look(self, option: str) -> None:
        if self._form is None:
            return
        if option == LastLook.WHY:
            self._form.explain()
            self._ask()
        elif option == LastLook.ONE:
            self._form.choose_instance()
            self._ask()
        elif option == LastLook.SAY:
            self._form.say()
            self._ask()
        elif option == LastLook.FINDING:
            self._form.carry_evidence()
            self._layout.show_preview(self._form.preview)
        elif option == LastLook.SURE:
            self._form.be_surer()
            self._layout.show_preview(self._form.preview)
        elif self._form.action is not None:
            is_unseen = self._enter_led_here and not self.guard.seen(_LAST_LOOK)
            if self._layout.is_pasted or is_unseen:
                self._layout.warn(TOO_SOON)
            else:
                self._post(self._form.action, self._form.thought)

    def _post(self, action: ChaosOpsAction, thought: Thought = UNSAID) -> None:
        """Submit the action; this is the only way to take a turn."""
        if self._form is not None:
            turn = self._form.turn
            self.close("")
            self._layout.post_message(PickerLayout.Submitted(turn, action, thought))

    def _to_start(self, *, keep_open: bool = False) -> None:
        layout = self._layout
        if self._form is not None:
            self._form.start_over()
        self._searching = False
        layout.set_class(keep_open, "-open")
        self._fill_trail()
        self._fill_summary()
        layout.show_list()
        self.fill_list("")
        layout.show_preview("")
        if keep_open:
            layout.focus_list()
        layout.refresh_bindings()

    def _fill_summary(self) -> None:
        self._layout.show_summary(tuple(pick for pick in self.picks if pick.offer is None))

    def _fill_trail(self) -> None:
        """Show the current step; at the start of a turn, the headline."""
        if self._form is None or self._layout.is_leaving:
            return
        said, more = "Choose by key, arrows or mouse, or search.", ""
        if self._layout.is_folded:
            said = f"Your turn, {ROLE_NAMES[self._form.view.role]}. {self._headline}"
            key = key_if_any(self._layout, "incident.news")
            more = f"{key}: all of it" if key else "cut"
        self._layout.show_trail(self._form.trail or said, "" if self._form.trail else more)


def _named(pick: Pick) -> tuple[str, str]:
    """Return the key and the words of a pick, as the player sees them."""
    return pick.key, pick.label
