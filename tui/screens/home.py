"""The home screen: a plain list of incidents, and who plays which role on which seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static
from textual.widgets.option_list import Option

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.errors import ChaosOpsError
from tui.widgets.seat_toggle import SeatToggle
from tui.words import MUTED, shown

if TYPE_CHECKING:
    from chaosops.scenarios.loader import ScenarioSource

_TEAMMATES = "expert"


class Listed:
    """What the list says of an incident: nothing that gives it away."""

    def __init__(self, source: ScenarioSource) -> None:
        incident = source.render(0)
        self.source = source
        self.level = incident.level.value
        self.title = shown(incident.title, 120)
        self.id = source.id

    def label(self) -> Content:
        """Level, title, id."""
        return Content.assemble(
            (f"{self.level:<9} ", MUTED),
            (self.title, "bold"),
            (f"  {self.id}", MUTED),
        )


class HomeScreen(Screen[None]):
    """Enter on an incident plays it with the seats and the seed that are chosen below."""

    EXPLAINED = (
        "Choose an incident and press Enter. The seats you take are yours, the others are played "
        "by the expert policy. The seed decides the variant: the same seed is the same incident."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "play", "Play", id="home.play", tooltip="Play the chosen incident"),
        Binding("s", "seed", "Seed", id="home.seed", tooltip="Choose the seed"),
        Binding("1", "seat(0)", "Seats", key_display="1-4", id="home.sre", tooltip="Take SRE"),
        Binding(
            "2", "seat(1)", "Oversight", show=False, id="home.oversight", tooltip="Take Oversight"
        ),
        Binding("3", "seat(2)", "Dev", show=False, id="home.dev", tooltip="Take Dev"),
        Binding("4", "seat(3)", "Manager", show=False, id="home.manager", tooltip="Take Manager"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            key_display="?",
            id="home.explain",
            tooltip="Explain this screen",
        ),
        Binding("q", "app.leave", "Quit", id="home.quit", tooltip="Leave the game"),
    ]

    def __init__(self, folders: Sequence[Path], recordings: Path | None) -> None:
        super().__init__()
        self._folders = tuple(folders)
        self._recordings = recordings
        self._listed: tuple[Listed, ...] = ()
        self._starting = False

    def compose(self) -> ComposeResult:
        """Title, list, seats and seed."""
        yield Static(
            Content.assemble(
                ("ChaosOps", "bold $accent"),
                ("  You are on call. Choose an incident.", MUTED),
            ),
            id="home-title",
        )
        yield OptionList(id="home-list", markup=False, compact=True)
        yield Static(id="home-note", markup=False)
        with Vertical(id="home-form"):
            with Horizontal(id="home-seats"):
                yield Static(Content.styled("You play", MUTED), classes="label")
                for i, role in enumerate(TURN_ORDER):
                    yield SeatToggle(str(i + 1), role, role is AgentRole.SRE)
            with Horizontal(id="home-seed-row"):
                yield Static(Content.styled("Seed", MUTED), classes="label")
                yield Input("0", type="integer", max_length=10, compact=True, id="home-seed")
                yield Static(
                    Content.styled(f"The other seats: {_TEAMMATES}.", MUTED),
                    id="home-rest",
                )
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Show the screen first, then read the files."""
        self.query_one("#home-note", Static).update(Content.styled("Reading…", MUTED))
        self.query_one(OptionList).focus()
        self.call_after_refresh(self._read)

    @work(thread=True, group="home", exit_on_error=True)
    def _read(self) -> None:
        from chaosops.scenarios.loader import scan

        try:
            found, problems = scan(self._folders)
            listed = tuple(Listed(source) for source in found)
            notes = [str(problem) for problem in problems]
        except ChaosOpsError as error:
            listed, notes = (), [str(error)]
        self.app.call_from_thread(self._fill, listed, notes)

    def _fill(self, listed: tuple[Listed, ...], notes: list[str]) -> None:
        if not self.is_attached:
            return
        self._listed = listed
        listing = self.query_one("#home-list", OptionList)
        listing.set_options([Option(item.label(), id=str(i)) for i, item in enumerate(listed)])
        listing.highlighted = 0 if listed else None
        if not listed and not notes:
            notes = ["No incident was found: name a folder with --scenarios DIR."]
        more = f"  (and {len(notes) - 1} more)" if len(notes) > 1 else ""
        self._say(notes[0] + more if notes else "")

    def action_play(self) -> None:
        """Play what is highlighted."""
        at = self.query_one("#home-list", OptionList).highlighted
        if at is not None and at < len(self._listed) and not self._starting:
            seed = self.query_one("#home-seed", Input).value.strip() or "0"
            roles = tuple(seat.role for seat in self.query(SeatToggle) if seat.taken)
            if not roles:
                self._say("Take at least one seat: press 1, 2, 3 or 4.")
            elif not seed.isdecimal():
                self._say("The seed is a whole number from 0 to 4294967295.")
            else:
                self._starting = True
                self._start(self._listed[at].source, int(seed), roles)

    def action_seed(self) -> None:
        """Go to the seed."""
        self.query_one("#home-seed", Input).focus()

    def action_seat(self, at: int) -> None:
        """Take a seat, or leave it."""
        self.query(SeatToggle)[at].action_toggle_seat()

    def action_explain(self) -> None:
        """Explain the screen."""
        from tui.screens.help import HelpScreen, explanation_for

        self.app.push_screen(HelpScreen(explanation_for(self), self))

    @on(OptionList.OptionSelected, "#home-list")
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_play()

    @on(Input.Submitted, "#home-seed")
    def _on_seed(self, event: Input.Submitted) -> None:
        event.stop()
        self.query_one("#home-list", OptionList).focus()

    @work(thread=True, group="home")
    def _start(self, source: ScenarioSource, seed: int, roles: tuple[AgentRole, ...]) -> None:
        from chaosops.agents.seats import seat_policies
        from chaosops.env.world_sim import Scenario
        from tui.screens.incident import IncidentScreen
        from tui.session import Crew

        names = {role: _TEAMMATES for role in TURN_ORDER if role not in roles}
        try:
            scenario = Scenario.of(source, seed)
            crew = Crew(frozenset(roles), seat_policies(names, scenario), names)
        except ChaosOpsError as error:
            self.app.call_from_thread(self._failed, str(error))
            return
        self.app.call_from_thread(
            self.app.switch_screen, IncidentScreen(scenario, crew, self._recordings)
        )

    def _failed(self, why: str) -> None:
        self._starting = False
        self._say(why)

    def _say(self, text: str) -> None:
        self.query_one("#home-note", Static).update(Content.styled(shown(text, 400), "bold"))
