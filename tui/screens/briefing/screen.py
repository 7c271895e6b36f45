"""The briefing: what is known about an incident, who takes which seat, and the shot clock."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Input, Static

from chaosops.agents.duties import SHEETS, told
from chaosops.env.models import TURN_ORDER
from chaosops.env.models.roles import ROLES
from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.game_requests import new_game
from chaosops.play.setup import CLOCKS, SeatChoice, Setup, choices, default_setup
from chaosops.play.stars import STARS
from chaosops.scenarios.summaries import ScenarioSummary
from tui.game_app import game_app
from tui.keys.labels import key_of
from tui.screen_requests import OpenBriefing, OpenStart
from tui.screens.briefing.texts import (
    duty_lines,
    fleet_lines,
    look_lines,
    move_lines,
    star_lines,
    term_lines,
)
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.choice import ChoiceLine
from tui.widgets.basic.lines import Row, wrap_row
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints

if TYPE_CHECKING:
    from chaosops.env.world_sim import Scenario
    from chaosops.scenarios.rendering import ScenarioSource

_ROOMY: Final = 120
"""The width from which the fleet stands beside the rest."""
_FACT: Final = 7
"""The cells of a fact's name, below whose text it goes on."""
_SIDE: Final = 0.4
_TALL: Final = 55
"""The share of the width that it takes then."""
_AROUND: Final = 8
"""Cells of padding and scrollbar."""

MAX_SEED: Final = 2**32 - 1

CURTAIN: Final = "hide the board between seats"
NO_CURTAIN: Final = "none: you play your seats alone"


def clock_word(seconds: int) -> str:
    """Format a shot clock."""
    return f"{seconds} s a turn" if seconds else "no limit"


class BriefingScreen(Explained, Remeasured, Screen[None]):
    """Sets up a game; Enter begins it, and the setup is saved for the next one if it may be."""

    CSS_PATH = "../../styles/briefing.tcss"
    EXPLAINED = (
        "The page is all you know at first, and the fleet as it is on a good day. Take one or more "
        "seats; policies play the others, and consider what you propose. 'you + expert' gives you "
        "the expert as copilot: it suggests up to three actions each turn, and you "
        "decide.\n\n"
        + "\n".join(f"{name}: {sheet.summary}" for name, sheet in SHEETS.items() if name != "noop")
        + "\nnobody: Passes.\n\n"
        "Change a seat to read what its policy does unasked, what it does when you ask, and what "
        "it never does. steady is the default.\n\n"
        "Three stars can be earned, by what you do yourself:\n"
        + "\n".join(f"{star.value.capitalize()}: {needs}." for star, needs in STARS.items())
        + "\n\n"
        "The seed selects the variant: the same seed gives the same incident, down to the last "
        "log line. With a shot clock, a turn that isn't taken in time passes. The curtain hides "
        "the board between seats that different people play; leave it off if you play them all."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "begin",
            "Begin",
            priority=True,
            id="briefing.begin",
            tooltip="Begin with these seats",
        ),
        Binding("1", "seat(0)", "Seats", id="briefing.sre", tooltip="Change the SRE"),
        Binding(
            "2", "seat(1)", "Oversight", show=False, id="briefing.oversight", tooltip="Oversight"
        ),
        Binding("3", "seat(2)", "Dev", show=False, id="briefing.dev", tooltip="Change the Dev"),
        Binding(
            "4", "seat(3)", "Manager", show=False, id="briefing.manager", tooltip="The Manager"
        ),
        Binding(
            "c",
            "clock",
            "Clock",
            show=False,
            id="briefing.clock",
            tooltip="Change the shot clock",
        ),
        Binding(
            "h",
            "curtain",
            "Curtain",
            show=False,
            id="briefing.curtain",
            tooltip="Hide the board between seats that people play, or don't",
        ),
        Binding("s", "seed", "Seed", id="briefing.seed", tooltip="Type a seed"),
        Binding(
            "n",
            "new_seed",
            "New seed",
            show=False,
            id="briefing.new_seed",
            tooltip="Draw a random seed",
        ),
        Binding("up", "app.focus_previous", "Up", show=False, id="briefing.up", tooltip="Line up"),
        Binding("down", "app.focus_next", "Down", show=False, id="briefing.down", tooltip="Next"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="briefing.explain",
            tooltip="Explain this screen",
        ),
        Binding("escape", "back", "Back", id="briefing.back", tooltip="Back to the incidents"),
    ]

    def __init__(
        self,
        incident: ScenarioSummary,
        seed: int,
        setup: Setup | None,
        recordings: Path | None,
        folders: Sequence[Path] = (),
        *,
        note: str = "",
        saves: bool = True,
    ) -> None:
        """Create the briefing of an incident.

        Args:
            setup: The initial setup; by default one person as SRE.
            recordings: The folder for the recording; None to keep nothing.
            folders: Where scenarios are, besides the built-in set.
            note: What went wrong at the last attempt to begin it.
            saves: Whether the setup becomes the usual one.
        """
        super().__init__()
        self.title = incident.title
        self._incident = incident
        self._seed = seed
        self._setup = setup or default_setup()
        self._recordings, self._folders = recordings, tuple(folders)
        self._source: ScenarioSource | None = None
        self._note, self._saves = note, saves

    def compose(self) -> ComposeResult:
        """Compose the page, the seats, the clock and the seed."""
        now = (seat.policy for seat in self._setup.seats.values() if seat.policy is not None)
        words = [choice.word for choice in choices((*game_app(self).policies.extra, *now))]
        with VerticalScroll(id="briefing"), Container(id="briefing-columns"):
            with Vertical(id="briefing-main"):
                yield Static(id="briefing-page", markup=False)
                yield from self._choices(words)
                yield Static(id="briefing-note", markup=False)
                yield Static(Content.styled("Three stars", "bold"), classes="briefing-head")
                yield Static(id="briefing-stars", markup=False)
                with Vertical(classes="briefing-more"):
                    yield Static(Content.styled("Moves", "bold"), classes="briefing-head")
                    yield Static(id="briefing-moves", markup=False)
            with Vertical(id="briefing-side"):
                yield Static(id="briefing-fleet", markup=False)
                yield Static(Content.styled("What each seat does", "bold"), classes="briefing-head")
                yield Static(id="briefing-duties", markup=False)
                with Vertical(classes="briefing-more"):
                    yield Static(Content.styled("Instruments", "bold"), classes="briefing-head")
                    yield Static(id="briefing-looks", markup=False)
                    yield Static(Content.styled("Terms", "bold"), classes="briefing-head")
                    yield Static(id="briefing-terms", markup=False)
        yield KeyHints()

    def _choices(self, words: Sequence[str]) -> ComposeResult:
        """Compose the lines with what can be chosen."""
        yield Static(Content.styled("Who plays", "bold"), classes="briefing-head")
        for role in TURN_ORDER:
            yield ChoiceLine(
                f"briefing-{role.value}",
                ROLE_NAMES[role],
                words,
                self._setup.seats.get(role, SeatChoice(False)).word,
                note=ROLES[role].summary,
                key=f"briefing.{role.value}",
            )
        yield Static(Content.styled("How", "bold"), classes="briefing-head")
        yield ChoiceLine(
            "briefing-clock",
            "Clock",
            [clock_word(seconds) for seconds in CLOCKS],
            clock_word(self._setup.shot_clock),
            key="briefing.clock",
        )
        yield ChoiceLine(
            "briefing-curtain",
            "Curtain",
            [CURTAIN, NO_CURTAIN],
            CURTAIN if self._has_curtain else NO_CURTAIN,
            key="briefing.curtain",
        )
        with Horizontal(id="briefing-seed-row"):
            yield Static(id="briefing-seed-label")
            yield Input(
                str(self._seed), type="integer", max_length=10, compact=True, id="briefing-seed"
            )
            yield Static(id="briefing-seed-note")

    def on_resize(self, event: Resize) -> None:
        """Show the fleet beside the rest if there is room, otherwise below it.

        What every incident has in common is told where nothing has to make room for it.
        """
        is_roomy = event.size.width >= _ROOMY
        self.set_class(is_roomy, "-roomy")
        self.set_class(is_roomy and event.size.height >= _TALL, "-tall")
        self._show_page()
        self._show_fleet()

    def on_mount(self) -> None:
        """Show what is known, and read the rest."""
        self.keys_changed()
        self._show_page()
        self._show_duties()
        self._say(self._note)
        self.query_one(f"#briefing-{TURN_ORDER[0].value}").focus()
        self.call_after_refresh(self._open)

    def keys_changed(self) -> None:
        """Update the keys of the seed."""
        label = Content.assemble((f"{key_of(self, 'briefing.seed'):<2}", MUTED), f"{'Seed':<14}")
        self.query_one("#briefing-seed-label", Static).update(label)
        said = f"{key_of(self, 'briefing.new_seed')} draws one; one seed, one game"
        self.query_one("#briefing-seed-note", Static).update(Content.styled(said, MUTED))

    @property
    def _has_curtain(self) -> bool:
        return game_app(self).curtain

    @work(thread=True, group="briefing", exclusive=True)
    def _open(self) -> None:
        from chaosops.scenarios.loader import open_scenario

        try:
            source = open_scenario(self._incident.path, self._folders)
        except ChaosOpsError as error:
            self.app.call_from_thread(self._say, str(error))
        else:
            self.app.call_from_thread(self._take_in, source)

    def _take_in(self, source: ScenarioSource) -> None:
        self._source = source
        if self.is_up:
            self._show_page()
            self._show_fleet()

    def _show_page(self) -> None:
        seen = self._incident
        lines = [
            Content.assemble((shown(seen.title, 200), "bold $accent")),
            Content.styled(
                f"{seen.level.value.capitalize()}, at most {seen.max_steps * 4} minutes, "
                f"par {seen.par}",
                MUTED,
            ),
        ]
        if self._source is None:
            lines.append(Content.styled("Reading the page…", MUTED))
        else:
            lines += self._facts(self._source)
        share = 1 - _SIDE if self.has_class("-roomy") else 1.0
        room = max(1, int(self.size.width * share) - _AROUND)
        rows = (wrapped for line in lines for wrapped in wrap_row(Row(line, _FACT), room))
        self.query_one("#briefing-page", Static).update(Content("\n").join(rows))
        self.query_one("#briefing-stars", Static).update(star_lines(room))
        self.query_one("#briefing-moves", Static).update(move_lines(room))
        beside = max(1, int(self.size.width * _SIDE) - _AROUND)
        self.query_one("#briefing-looks", Static).update(look_lines(beside))
        self.query_one("#briefing-terms", Static).update(term_lines(beside))

    def _facts(self, source: ScenarioSource) -> list[Content]:
        topology = source.topology
        incident = source.render(0)
        entries = ", ".join(entry.service for entry in topology.entries)
        return [
            Content.assemble(
                ("Page   ", MUTED), (shown(topology.pages[incident.page], 200), "bold")
            ),
            Content.assemble(
                ("Fleet  ", MUTED),
                f"{shown(topology.title, 100)}: {len(topology.services)} services",
            ),
            Content.assemble(
                ("Users  ", MUTED),
                f"come in at {shown(entries, 60)}",
            ),
            Content.assemble(
                ("Goal   ", MUTED),
                f"fix the cause, and keep availability above {topology.slo:.1%} for "
                f"{incident.hold} minutes",
            ),
        ]

    def _show_fleet(self) -> None:
        if self._source is not None:
            share = _SIDE if self.has_class("-roomy") else 1.0
            width = int(self.size.width * share) - _AROUND
            lines = fleet_lines(self._source.topology, width)
            self.query_one("#briefing-fleet", Static).update(lines)

    def _show_duties(self) -> None:
        lines = duty_lines(self._chosen().seats, self._incident.level)
        self.query_one("#briefing-duties", Static).update(lines)

    def action_begin(self) -> None:
        """Begin the game."""
        setup, seed = self._chosen(), self._typed_seed()
        if seed is None:
            self._say(f"The seed is a whole number from 0 to {MAX_SEED}.")
            self.query_one("#briefing-seed").focus()
        elif not setup.has_person:
            keys = " or ".join(key_of(self, f"briefing.{role.value}") for role in TURN_ORDER)
            self._say(f"Take at least one seat: press {keys} until it says 'you'.")
        else:
            app = game_app(self)
            if self._saves:
                app.change_settings(setup=setup)
            app.curtain = self.query_one("#briefing-curtain", ChoiceLine).value == CURTAIN
            self._start(setup, seed)

    def _start(self, setup: Setup, seed: int) -> None:
        def load() -> Scenario:
            from chaosops.env.world_sim import Scenario as World
            from chaosops.scenarios.loader import open_scenario

            source = self._source or open_scenario(self._incident.path, self._folders)
            return World.of(source, seed)

        failed = partial(
            OpenBriefing,
            self._incident,
            seed,
            setup,
            self._recordings,
            self._folders,
            saves=self._saves,
        )
        game = new_game(
            self._incident.title, load, setup, self._recordings, game_app(self).policies
        )
        game_app(self).router.replace(OpenStart(game, failed))

    def _chosen(self) -> Setup:
        seats = {
            role: SeatChoice.of(self.query_one(f"#briefing-{role.value}", ChoiceLine).value)
            for role in TURN_ORDER
        }
        word = self.query_one("#briefing-clock", ChoiceLine).value
        clock = next((seconds for seconds in CLOCKS if clock_word(seconds) == word), 0)
        return Setup(seats, clock)

    def _typed_seed(self) -> int | None:
        text = self.query_one("#briefing-seed", Input).value.strip() or "0"
        seed = int(text) if text.isascii() and text.isdecimal() else -1
        return seed if 0 <= seed <= MAX_SEED else None

    def action_seat(self, at: int) -> None:
        """Change who sits in a seat."""
        choice = self.query_one(f"#briefing-{TURN_ORDER[at].value}", ChoiceLine)
        choice.focus()
        choice.action_step(1)

    def action_clock(self) -> None:
        """Change the shot clock."""
        choice = self.query_one("#briefing-clock", ChoiceLine)
        choice.focus()
        choice.action_step(1)

    def action_curtain(self) -> None:
        """Change whether the board is hidden between seats."""
        choice = self.query_one("#briefing-curtain", ChoiceLine)
        choice.focus()
        choice.action_step(1)

    def action_seed(self) -> None:
        """Go to the seed."""
        self.query_one("#briefing-seed").focus()

    def action_new_seed(self) -> None:
        """Draw a seed."""
        self.query_one("#briefing-seed", Input).value = str(secrets.randbelow(10_000))

    def action_back(self) -> None:
        """Go back to the incidents; from the seed, first to the seats."""
        if isinstance(self.focused, Input):
            self.query_one(f"#briefing-{TURN_ORDER[0].value}").focus()
        else:
            game_app(self).router.go_home()

    @on(ChoiceLine.Changed)
    def _on_changed(self, event: ChoiceLine.Changed) -> None:
        changed = (role for role in TURN_ORDER if event.choice.id == f"briefing-{role.value}")
        role = next(changed, None)
        policy = "" if role is None else SeatChoice.of(event.value).policy
        self._say(told(policy, role) if role is not None and policy else "")
        self._show_duties()

    def _say(self, text: str) -> None:
        if self.is_up:
            note = self.query_one("#briefing-note", Static)
            note.display = bool(text)
            note.update(Content.styled(shown(text, 400), "bold"))
