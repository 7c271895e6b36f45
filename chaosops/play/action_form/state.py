"""The state of the action form, from a pick to an action. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, Final

from chaosops.env.lines import words_problem
from chaosops.env.models import SAY, ActionType, ChaosOpsAction, RoleView
from chaosops.env.models.scope import INSTANCE
from chaosops.play.action_form.choices import Choice, Field, keyed
from chaosops.play.action_form.command_search import FoundCommands, commands_found
from chaosops.play.action_form.fields import (
    NO_OWN_CAUSES,
    Draft,
    OwnCauses,
    pick_preview,
)
from chaosops.play.action_form.instance_choices import (
    can_be_for_one,
    instance_field,
    instance_written,
    written_problem,
)
from chaosops.play.action_form.line_choices import WORDS, line_choices
from chaosops.play.action_form.objects import ObjectMove
from chaosops.play.action_form.picks import Offers, Pick, Speech, asks, picks
from chaosops.play.action_form.prefill import draft_of, offered
from chaosops.play.action_form.suggestions import Offer
from chaosops.play.rationale import UNSAID
from chaosops.play.wording import describe

NEEDS_NO_CONFIRMATION: Final = frozenset({ActionType.INVESTIGATE, ActionType.DIAGNOSE})
"""Actions that change nothing in the fleet: by keys, they are taken with the last answer."""

_WORDS: Final = "text"
"""The field of a message's words."""

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
        self._asks = asks(view, offers)
        self._draft: Draft | None = None
        self._whole: Pick | None = None
        self.thought = UNSAID
        self._is_explaining = False
        self._line: Mapping[str, Any] | None = None
        self._asks_for_line: Field | None = None
        self._asks_for_instance: Field | None = None

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
        if self._asks_for_line is not None:
            return self._asks_for_line
        if self._asks_for_instance is not None:
            return self._asks_for_instance
        if self._is_explaining:
            return Field("why", "why", (), required=False, prefill=self.thought.why)
        return None if self._draft is None else self._draft.question

    @property
    def is_adding(self) -> bool:
        """Whether the current question adds to an action that was already to be confirmed."""
        asked = self._asks_for_line or self._asks_for_instance
        return asked is not None or self._is_explaining

    @property
    def action(self) -> ChaosOpsAction | None:
        """The action to confirm; None before that, and while the reason is written."""
        if self.stage is not Stage.CONFIRM:
            return None
        made = self._made
        return replace(made, args={**made.args, SAY: self._line}) if made and self._line else made

    @property
    def _made(self) -> ChaosOpsAction | None:
        if self._whole is not None and self._whole.offer is not None:
            return self._whole.offer.action
        return None if self._draft is None else self._draft.action()

    @property
    def can_say(self) -> bool:
        """Whether a line can be said with the action to confirm, or its words changed."""
        made = self._made if self.stage is Stage.CONFIRM else None
        return made is not None and (made.action_type not in _SPEAKING or _has_words(self._draft))

    @property
    def evidence(self) -> bool | None:
        """Whether the proposal to confirm carries its finding; None if there is none."""
        draft = self._draft
        if self.stage is not Stage.CONFIRM or draft is None or draft.evidence is None:
            return None
        return None if draft.pick.offer is not None else draft.attached is not None

    def carry_evidence(self) -> None:
        """Leave the finding out that goes with the proposal, or attach it again."""
        carried = self.evidence
        if self._draft is not None and carried is not None:
            self._draft = self._draft.with_evidence(carried=not carried)

    @property
    def can_be_for_one(self) -> bool:
        """Whether the action to confirm can be for one instance instead of all."""
        made = self._made if self.stage is Stage.CONFIRM else None
        return self._draft is not None and made is not None and can_be_for_one(made, self.view)

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
            done = pick_preview(self._whole)
        else:
            done = "" if self._draft is None else self._draft.preview()
        said = [] if self._line is None else [_said(self.action, self.view)]
        return "\n".join([done, *said, *self.thought.lines(_REASON_SHOWN)])

    def preview_of(self, place: int) -> str:
        """Describe an entry of the list before it is chosen; empty if there is none."""
        if self.stage is Stage.PICK and place < len(self.picks):
            return pick_preview(self.picks[place])
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
        asked = self._asks if self.stage is Stage.PICK else ()
        known = (*wanted, *self._entries, *asked)
        return next((found for found in known if found.key == key), None)

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
            self._whole = None
            self._draft = Draft(pick, self.view, self._offers, pick.answers, self._own_causes)
        else:
            self._draft = draft_of(pick, self.view, self._offers)
            self._whole = pick if self._draft is None else None
            if self._draft is not None:
                self._line = pick.offer.action.args.get(SAY)

    def found(self, typed: str) -> FoundCommands:
        """Return the commands that are meant by a search."""
        return commands_found(self.view, typed, self._offers, self._own_causes)

    def begin_at(self, move: ObjectMove) -> None:
        """Begin with a move at an object, with the answers that it has."""
        self.begin(move.pick)
        if move.draft is not None:
            self._draft = move.draft
        for name, value in move.answers:
            if self._draft is not None:
                self._draft = self._draft.answer(name, value)

    def answer(self, value: object) -> None:
        """Answer the current question."""
        if self._asks_for_line is not None:
            self._take_line(value)
            return
        if self._asks_for_instance is not None:
            self._asks_for_instance = None
            wanted = instance_written(value) if isinstance(value, str) else value
            if self._draft is not None and wanted is not None:
                self._draft = self._draft.answer(INSTANCE, wanted)
            return
        if self._is_explaining:
            self.thought = self.thought._replace(why=str(value))
            self._is_explaining = False
            return
        field = self.field
        if self._draft is not None and field is not None:
            self._draft = self._draft.answer(field.name, value)

    def choose_instance(self) -> None:
        """Ask which instance the action is for. Works only at the confirmation."""
        made = self._made
        if self.can_be_for_one and made is not None:
            self._asks_for_instance = instance_field(str(made.target), self.view)

    def say(self) -> None:
        """Ask what to say with the action. Works only at the confirmation."""
        made = self._made
        if not self.can_say or made is None:
            return
        if _has_words(self._draft):
            self._asks_for_line = Field(_WORDS, "say", (), prefill=str(made.args.get("text", "")))
        else:
            choices = keyed(line_choices(made, self.view, self._offers))
            self._asks_for_line = Field(SAY, "say with it", choices)

    def _take_line(self, value: object) -> None:
        asked = self._asks_for_line
        if asked is not None and asked.name == _WORDS and self._draft is not None:
            self._asks_for_line = None
            self._draft = self._draft.answer(_WORDS, str(value))
            return
        if value == WORDS and asked is not None and asked.choices:
            self._asks_for_line = Field(SAY, "say", (), required=False)
            return
        self._asks_for_line = None
        self._line = value if isinstance(value, Mapping) else {"text": value} if value else None

    def problem(self, text: str) -> str:
        """Explain why a written text can't be taken; empty if it can."""
        if self._asks_for_instance is not None:
            return written_problem(text)
        return words_problem(text) if self._asks_for_line is not None and text else ""

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
        if self._asks_for_line is not None or self._line is not None:
            self._asks_for_line = self._line = None
            return True
        if self._asks_for_instance is not None:
            self._asks_for_instance = None
            return True
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

    def _forget(self) -> None:
        self.thought, self._is_explaining = UNSAID, False
        self._line = self._asks_for_line = None
        self._asks_for_instance = None


_SPEAKING: Final = frozenset({ActionType.COMMUNICATE, ActionType.ASSIGN})


def _has_words(draft: Draft | None) -> bool:
    """Whether a draft has words of its own that nobody asked for."""
    return draft is not None and draft.pick.speech in (Speech.PROPOSE, Speech.SHARE)


def _said(action: ChaosOpsAction | None, view: RoleView) -> str:
    """Describe an action with its line."""
    return "" if action is None else f"With it: {describe(action, findings=view.findings)}"
