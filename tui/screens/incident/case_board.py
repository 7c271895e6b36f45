"""The case board: causes that fit a service, marked, with readings pinned to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import ActionType, RoleView
from chaosops.play.action_form.objects import ObjectMove
from chaosops.play.action_form.picks import picks
from chaosops.play.case_board import CaseBoard, CaseMark, Noted, Suspect
from chaosops.play.formatting import MUTED, clock, shown
from chaosops.play.readings import KnownFinding, known_findings
from chaosops.play.service_tree import deepest_unhealthy, health_of
from chaosops.play.session import Session
from tui.game_app import game_app
from tui.keys.labels import key_of
from tui.screen_requests import OpenGlossary
from tui.widgets.basic.lines import Row, wrap_row
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.picker.picker import Picker

_LIST: Final = "case-list"
_WIDEST: Final = 100
_FRAME: Final = 6
"""The border, the padding and the scrollbar beside the list."""

_NAME: Final = 22
_INDENT: Final = 8
_SUPERSCRIPTS: Final = "¹²³⁴⁵⁶⁷⁸⁹"


def open_case_board(picker: Picker, session: Session, service: str) -> None:
    """Open the board of a service for the role whose turn it is; a seal begins the diagnosis."""

    def begin(move: ObjectMove | None) -> None:
        if move is not None and picker.is_attached:
            picker.flow.begin_at(move)

    view = session.observation.view
    services = [node.name for node in view.graph]
    if session.waits_for_person:
        wrong = sorted(deepest_unhealthy(view.graph, health_of(view)))
        begins = next((name for name in (service, *wrong) if name in services), services[0])
        helped = session.timing.help_opened
        picker.app.push_screen(CaseBoardScreen(session.board, view, begins, helped), begin)
    else:
        picker.notify("It isn't your turn.")


class CaseBoardScreen(Remeasured, ModalScreen[ObjectMove | None]):
    """Returns the diagnosis to begin; None if nothing is sealed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,b", "close", "Close", id="case.close", tooltip="Back to the game"),
        Binding("plus_sign", "mark('+')", "For", id="case.for", tooltip="Evidence speaks for it"),
        Binding(
            "minus", "mark('-')", "Against", id="case.against", tooltip="Evidence speaks against it"
        ),
        Binding("question_mark", "mark('?')", "Open", id="case.open", tooltip="It is open"),
        Binding("p", "pin", "Pin", id="case.pin", tooltip="Pin the newest reading, then others"),
        Binding("g", "look_up", "What is this?", id="case.look_up", tooltip="Look this cause up"),
        Binding("d", "seal", "Seal", id="case.seal", tooltip="Diagnose this cause here"),
        Binding(
            "left_square_bracket",
            "service(-1)",
            "Previous service",
            show=False,
            id="case.previous",
            tooltip="The board of the service before",
        ),
        Binding(
            "right_square_bracket",
            "service(1)",
            "Next service",
            show=False,
            id="case.next",
            tooltip="The board of the next service",
        ),
    ]

    def __init__(
        self, board: CaseBoard, view: RoleView, service: str, helped: Callable[[], None]
    ) -> None:
        """Create the board.

        Args:
            view: What the role sees, with the findings that can be pinned.
            service: The service that it begins with.
            helped: Told when a cause is looked up.
        """
        super().__init__()
        self._helped = helped
        self._board, self._view = board, view
        self._services = tuple(node.name for node in view.graph)
        self._service = service
        self._known = known_findings(view)[::-1]

    def compose(self) -> ComposeResult:
        """Compose the service, the causes and the keys."""
        with Vertical(id="case-box", classes="box") as box:
            box.border_title = Content("Case board")
            box.border_subtitle = Content(f"{key_of(self, 'case.close')} closes")
            yield Static(id="case-service")
            yield Menu(id=_LIST, markup=False, compact=True)
            yield Static(id="case-keys")

    def on_mount(self) -> None:
        """Begin with the list."""
        self.query_one(OptionList).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Wrap the lines for the width there is."""
        self._fill()

    @property
    def _suspects(self) -> tuple[Suspect, ...]:
        return self._board.suspects(self._service)

    @property
    def _chosen(self) -> Suspect | None:
        option = self.query_one(OptionList).highlighted_option
        return None if option is None or option.id is None else self._suspects[int(option.id)]

    def _fill(self) -> None:
        width = max(1, min(_WIDEST, self.size.width) - _FRAME)
        listing = self.query_one(OptionList)
        before = listing.highlighted
        listing.set_options(self._options(width))
        listing.highlighted = before
        said = f"{shown(self._service, 60)}: what may be behind what it shows. Free, and recorded."
        self.query_one("#case-service", Static).update(Content(said))
        self.query_one("#case-keys", Static).update(Content(self._keys()))

    def _keys(self) -> str:
        words = (
            ("case.for", "for"),
            ("case.against", "against"),
            ("case.open", "open"),
            ("case.pin", "pin"),
            ("case.seal", "diagnose"),
            ("case.look_up", "what is it?"),
        )
        keys = "  ".join(f"{key_of(self, name)} {what}" for name, what in words)
        before, after = key_of(self, "case.previous"), key_of(self, "case.next")
        return f"{keys}  {before} {after} services"

    def _options(self, width: int) -> list[Option]:
        options: list[Option] = []
        family = ""
        for number, suspect in enumerate(self._suspects):
            if suspect.family != family:
                family = suspect.family
                heading = Content.styled(family.capitalize(), "bold")
                options.append(Option(heading, disabled=True))
            noted = self._board.noted(self._service, suspect.cause)
            rows = (_row(suspect, noted), *_pins(noted, self._view))
            lines = [line for row in rows for line in wrap_row(row, width)]
            options.append(Option(Content("\n").join(lines), id=str(number)))
        if not options:
            options.append(Option("No cause fits here.", disabled=True))
        return options

    def action_mark(self, mark: str) -> None:
        """CaseMark the chosen cause, or take the mark back."""
        chosen = self._chosen
        if chosen is None:
            self.notify("Choose a cause first.")
        else:
            self._board.mark(self._view.role, self._service, chosen.cause, CaseMark(mark))
            self._fill()

    def action_pin(self) -> None:
        """Pin the newest reading that is not pinned to the chosen cause; once all are, none."""
        chosen = self._chosen
        if chosen is None or not self._known:
            self.notify("Choose a cause first." if self._known else "There is nothing to pin yet.")
            return
        pinned = self._board.noted(self._service, chosen.cause).pins
        left = [known for known in _here_first(self._known, self._service) if known not in pinned]
        for known in left[:1] or pinned:
            self._board.pin(self._view.role, self._service, chosen.cause, known)
        self._fill()

    def action_service(self, by: int) -> None:
        """Go to the board of another service."""
        place = self._services.index(self._service) + by
        self._service = self._services[place % len(self._services)]
        self.query_one(OptionList).highlighted = None
        self._fill()

    def action_seal(self) -> None:
        """Begin the diagnosis of the chosen cause at this service."""
        chosen = self._chosen
        move = None if chosen is None else diagnosis_of(self._view, chosen, self._service)
        if chosen is None:
            self.notify("Choose a cause first.")
        elif move is None:
            self.notify("Your role can't diagnose: mark it, and tell a teammate.")
        else:
            self.dismiss(move)

    def action_look_up(self) -> None:
        """Open the glossary at the chosen cause."""
        chosen = self._chosen
        if chosen is None:
            self.notify("Choose a cause first.")
        else:
            self._helped()
            game_app(self).router.open_once(OpenGlossary(chosen.name))

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_seal()

    def action_close(self) -> None:
        """Go back without a diagnosis."""
        self.dismiss(None)


def diagnosis_of(view: RoleView, suspect: Suspect, service: str) -> ObjectMove | None:
    """Return the diagnosis of a cause at a service, with its stake left open; None if not now."""
    for pick in picks(view):
        if pick.verb.action_type is ActionType.DIAGNOSE:
            answers = (("cause", str(suspect.cause)), ("place", service))
            return ObjectMove("", "diagnose", "", "", "", pick, answers, service)
    return None


def _here_first(known: Sequence[KnownFinding], service: str) -> list[KnownFinding]:
    """Order findings: those of the service first, the newest of each first."""
    return sorted(known, key=lambda one: one.finding.target != service)


def _row(suspect: Suspect, noted: Noted) -> Row:
    mark = " " if noted.mark is None else noted.mark.value
    head = Content.assemble((f" {mark}  ", "bold"), suspect.name.ljust(_NAME), " ")
    return Row(head + Content.styled(suspect.gist, MUTED), head.cell_length)


def _pins(noted: Noted, view: RoleView) -> Iterator[Row]:
    for number, pin in enumerate(noted.pins):
        found = pin.finding
        where = f"{found.source.value} of {shown(found.target, 40)}"
        at = clock(view.status, found.minute)
        yield Row(Content(f"      {_SUPERSCRIPTS[number]} {where} at {at}"), _INDENT)
