"""Sets up a shift: its level, its length, who plays, or somebody's code."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from chaosops.env.models import TURN_ORDER, Difficulty
from chaosops.env.models.roles import ROLES
from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.setup import SeatChoice, Setup, choices, default_setup
from tui.game_app import game_app
from tui.keys.labels import key_of
from tui.screen_requests import OpenShift
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.choice import ChoiceLine
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints

if TYPE_CHECKING:
    from chaosops.play.shifts.codes import ShiftPlan
    from chaosops.play.shifts.files import KeptShift, KeptShifts
    from chaosops.play.shifts.shift import Shift

_LEVELS: Final = (Difficulty.EASY, Difficulty.MEDIUM, Difficulty.HARD)
_THREE: Final = "3 incidents"
_EIGHT: Final = "8, a marathon"
_LENGTHS: Final = {_THREE: 3, _EIGHT: 8}


class ShiftSetupScreen(Explained, Remeasured, Screen[None]):
    """Sets up a shift; Enter begins it, or continues the one that was left."""

    TITLE = "A shift"
    CSS_PATH = "../../styles/shift.tcss"
    EXPLAINED = (
        "A shift is three incidents on one fleet and one error budget, 20 to 25 minutes; eight are "
        "a marathon. Between two incidents, you choose an action item that changes the fleet for "
        "the next one. It is saved after each step: leave whenever you like, and continue here "
        "with {shift.resume}.\n\n"
        "The incidents are drawn from seeds that are proven to be fair. The code of a shift gives "
        "somebody else the same one; type it here, and level and length don't matter. Where a "
        "fleet has too few incidents of a level, another level lends some; the hardest comes last."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "begin",
            "Begin",
            priority=True,
            id="shift.begin",
            tooltip="Begin a new shift with these seats",
        ),
        Binding(
            "r",
            "resume",
            "Continue",
            id="shift.resume",
            tooltip="Continue the shift that you left last",
        ),
        Binding("1", "seat(0)", "Seats", id="shift.sre", tooltip="Change the SRE"),
        Binding("2", "seat(1)", "Oversight", show=False, id="shift.oversight", tooltip="Oversight"),
        Binding("3", "seat(2)", "Dev", show=False, id="shift.dev", tooltip="Change the Dev"),
        Binding("4", "seat(3)", "Manager", show=False, id="shift.manager", tooltip="The Manager"),
        Binding("l", "level", "Level", show=False, id="shift.level", tooltip="Change the level"),
        Binding(
            "m",
            "length",
            "Length",
            show=False,
            id="shift.length",
            tooltip="Three incidents or eight",
        ),
        Binding("c", "code", "Code", id="shift.code", tooltip="Type somebody's code"),
        Binding("up", "app.focus_previous", "Up", show=False, id="shift.up", tooltip="Line up"),
        Binding("down", "app.focus_next", "Down", show=False, id="shift.down", tooltip="Next line"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="shift.explain",
            tooltip="Explain this screen",
        ),
        Binding("escape", "back", "Back", id="shift.back", tooltip="Back to the incidents"),
    ]

    def __init__(self, recordings: Path, setup: Setup | None = None) -> None:
        """Create the setup.

        Args:
            recordings: The folder of the recordings.
            setup: The initial seats; by default one person as SRE.
        """
        super().__init__()
        self._recordings = recordings
        self._setup = setup or default_setup()
        self._left: KeptShift | None = None

    def compose(self) -> ComposeResult:
        """Compose the choices, the code and a note."""
        now = (seat.policy for seat in self._setup.seats.values() if seat.policy is not None)
        words = [choice.word for choice in choices((*game_app(self).policies.extra, *now))]
        with VerticalScroll(id="shift-setup"):
            yield Static(
                Content.assemble(
                    ("A shift", "bold $accent"),
                    ("   several incidents, one fleet, one error budget", MUTED),
                    "\n",
                ),
                id="shift-setup-head",
            )
            yield ChoiceLine(
                "shift-level",
                "Level",
                [level.value for level in _LEVELS],
                Difficulty.MEDIUM.value,
                key="shift.level",
            )
            yield ChoiceLine("shift-length", "Length", list(_LENGTHS), _THREE, key="shift.length")
            for role in TURN_ORDER:
                yield ChoiceLine(
                    f"shift-{role.value}",
                    ROLE_NAMES[role],
                    words,
                    self._setup.seats.get(role, SeatChoice(False)).word,
                    note=ROLES[role].summary,
                    key=f"shift.{role.value}",
                )
            with Horizontal(id="shift-code-row"):
                yield Static(id="shift-code-label")
                yield Input(
                    placeholder="a colleague's, or none",
                    max_length=80,
                    compact=True,
                    id="shift-code",
                )
            yield Static(id="shift-setup-note", markup=False)
        yield KeyHints()

    def on_mount(self) -> None:
        """Begin at the level, and look for shifts that were left."""
        self.keys_changed()
        self.query_one("#shift-level").focus()
        self.call_after_refresh(self._read)

    def keys_changed(self) -> None:
        """Update the key of the code."""
        key = key_of(self, "shift.code")
        label = Content.assemble((f"{key:<2}", MUTED), f"{'Code':<14}")
        self.query_one("#shift-code-label", Static).update(label)

    @work(thread=True, group="shift", exclusive=True)
    def _read(self) -> None:
        from chaosops.play.shifts.files import kept_shifts

        self.app.call_from_thread(self._take_in, kept_shifts(self._recordings))

    def _take_in(self, kept: KeptShifts) -> None:
        from chaosops.play.shifts.words import seat_lines, shift_line

        if not self.is_up:
            return
        self._left = kept.unfinished
        lines = list(seat_lines([one.state for one in kept.shifts]))
        if self._left is not None:
            key = key_of(self, "shift.resume")
            lines.append(f"{key} continues {shift_line(self._left.state)}")
        self._say("\n".join((*lines, *kept.troubles[:2])))
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable continuing if no shift was left."""
        return action != "resume" or self._left is not None

    def action_begin(self) -> None:
        """Begin a shift, the one of the code if there is one."""
        from chaosops.evaluation.proven_seeds import shipped_seeds
        from chaosops.play.shifts.codes import ShiftPlan, plan_of, random_seed

        setup = self._chosen()
        if not setup.has_person:
            keys = " or ".join(key_of(self, f"shift.{role.value}") for role in TURN_ORDER)
            self._say(f"Take at least one seat: press {keys} until it says 'you'.")
            return
        code = self.query_one("#shift-code", Input).value.strip()
        level = Difficulty(self.query_one("#shift-level", ChoiceLine).value)
        length = _LENGTHS[self.query_one("#shift-length", ChoiceLine).value]
        try:
            plan = (
                plan_of(code, shipped_seeds()) if code else ShiftPlan(level, length, random_seed())
            )
        except ChaosOpsError as error:
            self._say(str(error))
            if code:
                self.query_one("#shift-code").focus()
            return
        game_app(self).change_settings(setup=setup)
        self._open(partial(_begun, plan, setup, self._recordings))

    def action_resume(self) -> None:
        """Continue the shift that was left last."""
        from chaosops.play.shifts.shift import Shift

        if self._left is not None:
            self._open(partial(Shift.reopened, self._left.path))

    def _open(self, take: Callable[[], Shift]) -> None:
        game_app(self).router.replace(OpenShift(take))

    def _chosen(self) -> Setup:
        seats = {
            role: SeatChoice.of(self.query_one(f"#shift-{role.value}", ChoiceLine).value)
            for role in TURN_ORDER
        }
        return Setup(seats, self._setup.shot_clock)

    def action_seat(self, at: int) -> None:
        """Change who sits in a seat."""
        self._step(f"#shift-{TURN_ORDER[at].value}")

    def action_level(self) -> None:
        """Change the level."""
        self._step("#shift-level")

    def action_length(self) -> None:
        """Change the number of incidents."""
        self._step("#shift-length")

    def _step(self, name: str) -> None:
        choice = self.query_one(name, ChoiceLine)
        choice.focus()
        choice.action_step(1)

    def action_code(self) -> None:
        """Go to the code."""
        self.query_one("#shift-code").focus()

    def action_back(self) -> None:
        """Go back to the incidents; from the code, first to the level."""
        if isinstance(self.focused, Input):
            self.query_one("#shift-level").focus()
        else:
            game_app(self).router.go_home()

    def _say(self, text: str) -> None:
        if self.is_up:
            lines = [shown(line, 400) for line in text.splitlines()]
            self.query_one("#shift-setup-note", Static).update(
                Content.styled("\n".join(lines), "bold")
            )


def _begun(plan: ShiftPlan, setup: Setup, recordings: Path) -> Shift:
    from chaosops.play.shifts.shift import Shift

    return Shift.new(plan, setup, recordings)
