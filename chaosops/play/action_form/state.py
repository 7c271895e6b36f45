"""The state of the action form, from a pick to an action. Needs no screen."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from chaosops.env.models import ChaosOpsAction, RoleView
from chaosops.play.action_form.fields import (
    NO_OWN_CAUSES,
    Choice,
    Draft,
    Field,
    Offers,
    OwnCauses,
    Pick,
    pick_preview,
    picks,
)
from chaosops.play.action_form.prefill import draft_of, offered
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.rationale import UNSAID

_REASON_SHOWN: Final = 200
"""How many characters of a reason the confirmation has room for."""


class Stage(Enum):
    """What the picker waits for."""

    CLOSED = "closed"
    PICK = "pick"
    CHOOSE = "choose"
    WRITE = "write"
    CONFIRM = "confirm"


class FormState:
    """The form of one turn: the picks, and what was picked and answered so far.

    Attributes:
        turn: The turn it is for.
        view: What the role sees.
        picks: The entries of the picker; offers come first.
        thought: The player's rationale for the pick; reset when they go back.
    """

    def __init__(
        self,
        turn: int,
        view: RoleView,
        offers: Offers,
        own_causes: OwnCauses = NO_OWN_CAUSES,
    ) -> None:
        """Start with nothing picked.

        Args:
            offers: What each role can be asked for in a proposal.
            own_causes: The causes of authors among those that a diagnosis can name.
        """
        self.turn, self.view = turn, view
        self.picks = picks(view)
        self._offers, self._own_causes = offers, own_causes
        self._draft: Draft | None = None
        self._whole: Pick | None = None
        self.thought = UNSAID
        self._is_explaining = False

    @property
    def stage(self) -> Stage:
        """What it waits for; never `CLOSED`."""
        if self._draft is None and self._whole is None:
            return Stage.PICK
        field = self.field
        if field is None:
            return Stage.CONFIRM
        return Stage.CHOOSE if field.choices else Stage.WRITE

    @property
    def field(self) -> Field | None:
        """The current question; None before a pick and at the confirmation."""
        if self._is_explaining:
            return Field("why", "why", (), required=False, prefill=self.thought.why)
        return None if self._draft is None else self._draft.question

    @property
    def action(self) -> ChaosOpsAction | None:
        """The action to confirm; None before that, and while the reason is written."""
        if self.stage is not Stage.CONFIRM:
            return None
        if self._whole is not None and self._whole.offer is not None:
            return self._whole.offer.action
        return None if self._draft is None else self._draft.action()

    @property
    def trail(self) -> str:
        """The answers so far and the question, such as "restart › on what?"; empty at the start."""
        if self._whole is not None:
            so_far = self._whole.label
        elif self._draft is not None:
            so_far = self._draft.summary()
        else:
            return ""
        return so_far + (f" › {self.field.title}?" if self.field is not None else "")

    @property
    def preview(self) -> str:
        """The description of the action to confirm, with the player's rationale.

        Empty before the confirmation.
        """
        if self.stage is not Stage.CONFIRM:
            return ""
        if self._whole is not None:
            done = pick_preview(self._whole, self.view)
        else:
            done = "" if self._draft is None else self._draft.preview()
        return "\n".join([done, *self.thought.lines(_REASON_SHOWN)])

    def preview_of(self, place: int) -> str:
        """Describe an entry of the list before it is chosen; empty if there is none."""
        if self.stage is Stage.PICK and place < len(self.picks):
            return pick_preview(self.picks[place], self.view)
        field = self.field
        if self._draft is None or field is None or place >= len(field.choices):
            return ""
        return self._draft.answer(field.name, field.choices[place].value).preview()

    def entry(self, place: int) -> Pick | Choice | None:
        """Return the entry at an index of the list; None if there is none."""
        entries: Sequence[Pick | Choice] = self._entries
        return entries[place] if 0 <= place < len(entries) else None

    def find(self, key: str) -> Pick | Choice | None:
        """Return the entry of a key. Offers can be accepted even while a question is open."""
        if self.stage not in (Stage.PICK, Stage.CHOOSE):
            return None
        wanted = [pick for pick in self.picks if pick.offer is not None]
        return next((found for found in (*wanted, *self._entries) if found.key == key), None)

    @property
    def _entries(self) -> Sequence[Pick | Choice]:
        if self.stage is Stage.PICK:
            return self.picks
        field = self.field
        return () if field is None else field.choices

    def offer(self, wanted: Sequence[Offer]) -> tuple[Pick, ...]:
        """Put what others want the role to do first among the picks, and return those picks."""
        asked = offered(self.view, wanted)
        self.picks = (*asked, *picks(self.view))
        return asked

    def begin(self, pick: Pick) -> None:
        """Begin with a pick. An offer is complete, and can be changed by going back."""
        self._forget()
        if pick.offer is None:
            self._draft, self._whole = self._new_draft(pick), None
        else:
            self._draft = draft_of(pick, self.view, self._offers)
            self._whole = pick if self._draft is None else None

    def answer(self, value: object) -> None:
        """Answer the current question."""
        if self._is_explaining:
            self.thought = self.thought._replace(why=str(value))
            self._is_explaining = False
            return
        field = self.field
        if self._draft is not None and field is not None:
            self._draft = self._draft.answer(field.name, value)

    def explain(self) -> None:
        """Ask for the optional reason. Works only at the confirmation."""
        self._is_explaining = self.stage is Stage.CONFIRM

    def be_surer(self) -> None:
        """Raise the player's confidence by a step. Works only at the confirmation."""
        if self.stage is Stage.CONFIRM:
            self.thought = self.thought.surer()

    def back(self) -> bool:
        """Undo the last answer or the pick; False if there is nothing to undo."""
        if self.stage is Stage.PICK:
            return False
        if self._is_explaining:
            self._is_explaining = False
            return True
        self._draft, self._whole = None if self._draft is None else self._draft.back(), None
        if self._draft is None:
            self._forget()
        return True

    def start_over(self) -> None:
        """Undo everything."""
        self._draft = self._whole = None
        self._forget()

    def _new_draft(self, pick: Pick) -> Draft:
        return Draft(pick, self.view, self._offers, own_causes=self._own_causes)

    def _forget(self) -> None:
        self.thought, self._is_explaining = UNSAID, False
