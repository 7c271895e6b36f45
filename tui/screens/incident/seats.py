"""Changes seats during an episode: take over a seat, or hand it to a policy."""

from __future__ import annotations

from typing import ClassVar, Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.agents.names import POLICY_NAMES, may_be_policy
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.seats import Roster
from chaosops.recording.events import SeatKind
from tui.keys.labels import key_of
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.basic.text_line import TextLine


class SeatChange(NamedTuple):
    """A change of a seat, from its next decision on."""

    role: AgentRole
    kind: SeatKind
    policy: str = ""


_OPTIONS: Final[tuple[tuple[str, SeatKind, str], ...]] = (
    ("you", SeatKind.HUMAN, ""),
    ("you, with the expert as copilot", SeatKind.COPILOT, "expert"),
    ("you, with the hurried one as copilot", SeatKind.COPILOT, "hurried"),
    ("expert", SeatKind.SCRIPTED, "expert"),
    ("steady", SeatKind.SCRIPTED, "steady"),
    ("hurried", SeatKind.SCRIPTED, "hurried"),
    ("junior", SeatKind.SCRIPTED, "junior"),
    ("random", SeatKind.SCRIPTED, "random"),
    ("nobody: the seat passes", SeatKind.SCRIPTED, "noop"),
)


_NUMBERED: Final = 10
"""How many entries have a key; that of the tenth is 0."""

_TYPED: Final = "?"
"""Stands for a policy whose name is typed."""


def _options(roster: Roster) -> tuple[tuple[str, SeatKind, str], ...]:
    """Return what a seat can be set to; policies that are not built in come last."""
    names = dict.fromkeys((*roster.policies.extra, *roster.names.values()))
    more = [name for name in names if name not in POLICY_NAMES and may_be_policy(name)]
    return (
        *_OPTIONS,
        *((shown(name, 40), SeatKind.SCRIPTED, name) for name in more),
        *((f"you, with {shown(name, 40)} as copilot", SeatKind.COPILOT, name) for name in more),
        ("another policy, by its name", SeatKind.SCRIPTED, _TYPED),
    )


class SeatsScreen(Remeasured, ModalScreen[SeatChange]):
    """Asks for a seat, then who sits there; Escape goes back one step."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back", id="seats.back", tooltip="Back one step"),
        *(
            Binding(
                str(number % 10),
                f"choose({number})",
                f"Choose {number}",
                show=False,
                id=f"seats.choose_{number}",
                tooltip=f"Choose entry {number}",
            )
            for number in range(1, _NUMBERED + 1)
        ),
    ]

    def __init__(self, roster: Roster) -> None:
        super().__init__()
        self._roster = roster
        self._options = _options(roster)
        self._role: AgentRole | None = None

    def compose(self) -> ComposeResult:
        """Compose a list and a note."""
        with Vertical(id="seats-box", classes="box") as box:
            box.border_title = Content("Seats")
            box.border_subtitle = Content(f"{key_of(self, 'seats.back')} closes")
            yield Menu(id="seats-list", markup=False, compact=True)
            yield TextLine(
                id="seats-name",
                placeholder="MODULE:FUNCTION or openai:MODEL",
                max_length=160,
                compact=True,
            )
            yield Static(
                Content.styled(
                    "A change applies from the seat's next decision. "
                    "The recording keeps who decided each turn.",
                    MUTED,
                )
            )

    def on_mount(self) -> None:
        """Show the seats."""
        self._fill()

    def action_back(self) -> None:
        """Go back a step."""
        if self._role is None:
            self.dismiss(None)
        else:
            # From the name of a policy back to the policies.
            self._role = self._role if self.query_one(TextLine).display else None
            self._fill()

    def action_choose(self, number: int) -> None:
        """Choose an entry by its number."""
        if self._role is None:
            if number <= len(TURN_ORDER):
                self._role = TURN_ORDER[number - 1]
                self._fill()
            return
        if number <= len(self._options):
            _, kind, policy = self._options[number - 1]
            if policy == _TYPED:
                self._ask_name()
            else:
                self.dismiss(SeatChange(self._role, kind, policy))

    def _ask_name(self) -> None:
        self.query_one("#seats-box").border_title = Content("Which policy? Enter seats it.")
        self.query_one(OptionList).display = False
        line = self.query_one(TextLine)
        line.display = True
        line.focus()

    @on(TextLine.Submitted)
    def _on_named(self, event: TextLine.Submitted) -> None:
        event.stop()
        name = event.value.strip()
        if name and self._role is not None:
            self.dismiss(SeatChange(self._role, SeatKind.SCRIPTED, name))

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_choose(int(event.option_id or "1"))

    def _fill(self) -> None:
        listing = self.query_one(OptionList)
        box = self.query_one("#seats-box")
        if self._role is None:
            box.border_title = Content("Which seat do you want to change?")
            entries = [
                (ROLE_NAMES[role], shown(self._roster.word(role), 40)) for role in TURN_ORDER
            ]
        else:
            box.border_title = Content(f"Who plays {ROLE_NAMES[self._role]}?")
            entries = [(label, "") for label, _, _ in self._options]
        listing.set_options(
            Option(
                Content.assemble(
                    (f" {self._key(i)}  ", "bold"),
                    label.ljust(12),
                    (note, MUTED),
                ),
                id=str(i),
            )
            for i, (label, note) in enumerate(entries, start=1)
        )
        listing.highlighted = 0
        listing.display = True
        listing.focus()
        self.query_one(TextLine).display = False

    def _key(self, number: int) -> str:
        return key_of(self, f"seats.choose_{number}") if number <= _NUMBERED else " "
