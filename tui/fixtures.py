"""Screens in fixed situations: the same incident, seed, turns and day, without animation.

The README's pictures and the snapshot tests show these.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from textual.screen import Screen
from textual.widgets import Input

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Difficulty,
    Source,
)
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.proven_seeds import ProvenSituation
from chaosops.play.policy_answers import PolicyAnswer
from chaosops.play.readings import known_findings
from chaosops.play.seats import Roster
from chaosops.play.session import Session
from chaosops.play.setup import TEAMMATE, default_setup
from chaosops.play.shifts.drawing import DrawnIncident
from chaosops.play.shifts.results import ShiftResult
from chaosops.play.shifts.state import ShiftState
from chaosops.recording.consent import ConsentStore
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import Footer, Header, HumanPart, Note, Ui
from chaosops.recording.reader import read_recording
from chaosops.scenarios.carryover import Improvement
from tui.app import ChaosOpsApp
from tui.themes import DARK, LIGHT

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from chaosops.play.shifts.shift import Shift

WIDE: Final = (120, 40)
SMALL: Final = (80, 24)
"""The two sizes in which every screen is tested."""

DAY: Final = date(2026, 3, 2)
"""The date of all fixtures."""

_INCIDENT: Final = "checkout-times-out"
_SEED: Final = 7
_READINGS_SEED: Final = 3
"""With it, the instruments of the incident have something to show in its first minutes."""

_TUTORIAL: Final = "first-shift-1-product-pages"
_UI: Final = Ui(name="chaosops-tui", version="0", columns=80, rows=24, theme=DARK.name)
_MATE: Final = "expert"
_SRE: Final = AgentRole.SRE
_PLAYED: Final = ((_TUTORIAL, 0), ("first-shift-2-carts-fail", 0), ("paying-ends-in-an-error", 3))
_SHIFT: Final = (_INCIDENT, "search-p99-high", "errors-come-and-go")
_REASON: Final = ("plus", "plus", "plus", "quotation_mark", *"pool", "space", *"full", "enter")
"""The rationale at a confirmation."""
_MORNING: Final = 1_772_438_400_000
"""Eight o'clock of the day, in milliseconds since the epoch, UTC."""
_HOUR: Final = 3_600_000


class Fixture(NamedTuple):
    """A screen in a fixed situation.

    Attributes:
        name: Its name in file names.
        begin: Makes the app's first screen, given an empty folder. Screens show its path, so
            it should be the same relative path each time.
        keys: The keys to press first.
    """

    name: str
    begin: Callable[[Path], Screen[Any]]
    keys: tuple[str, ...] = ()

    def app(self, folder: Path, *, light: bool = False) -> ChaosOpsApp:
        """Return an app that opens with it, in its dark or its light theme."""
        app = ChaosOpsApp(
            lambda: self.begin(folder),
            home=lambda: _home(folder),
            pace=0,
            consents=lambda: ConsentStore(folder / "config"),
        )
        app.theme = LIGHT.name if light else DARK.name
        app.animation_level = "none"
        return app

    async def set_up(self, pilot: Pilot[Any]) -> None:
        """Press the keys, and wait until everything has settled."""
        await settled(pilot)
        for key in self.keys:
            await pilot.press(key)
            await settled(pilot)
        for box in pilot.app.screen.query(Input):
            box.cursor_blink = False
        await settled(pilot)


async def settled(pilot: Pilot[Any]) -> None:
    """Wait for workers and for the screen."""
    await pilot.pause()
    while len(pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
    await pilot.pause()


@cache
def expert_steps(name: str) -> tuple[EpisodeStep, ...]:
    """Return the whole episode as experts play it."""
    scenario = Scenario.load(name, _SEED)
    stepper = Stepper(ChaosOpsEnvironment(), scenario)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, _MATE), scenario)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    return stepper.steps


def session(name: str, *people: AgentRole, turns: int = 0) -> Session:
    """Return a game after some turns by experts, who also take all seats without a person."""
    scenario = Scenario.load(name, _SEED)
    names = {role: _MATE for role in TURN_ORDER if role not in people}
    roster = Roster(frozenset(people), seat_policies(names, scenario), names)
    steps = expert_steps(name)[:turns]
    actions = [step.action for step in steps]
    return Session(scenario, roster, recordings=None, ui=_UI, replayed=actions)


def first_turn(scenario: Scenario) -> Screen[Any]:
    """Return the SRE's first turn beside teammates as a person has them by default."""
    from tui.screens.incident.screen import IncidentScreen

    names: dict[AgentRole, str] = {role: TEAMMATE for role in TURN_ORDER if role is not _SRE}
    roster = Roster(frozenset({_SRE}), seat_policies(names, scenario), names)
    game = Session(scenario, roster, recordings=None, ui=_UI)
    return IncidentScreen(scenario, roster, None, begin=lambda: game)


class _FixedLog:
    """A log with fixed times and a fixed name."""

    def __init__(self, folder: Path, header: Header) -> None:
        begun = _MORNING + len(list(folder.iterdir())) * _HOUR
        ids = sha256(f"{header.scenario} {header.seed}".encode()).hexdigest()[:32]
        fixed = header.model_copy(update={"episode_id": ids, "started_at_ms": begun})
        self._log = EventLogWriter.create(folder, fixed)
        self._ended = {"ended_at_ms": begun + _HOUR // 4}
        self.path = self._log.path

    def turn(self, frame: EpisodeStep, human: HumanPart) -> None:
        self._log.turn(frame, human)

    def note(self, note: Note) -> None:
        self._log.note(note)

    def finish(self, footer: Footer) -> None:
        self._log.finish(footer.model_copy(update=self._ended))

    def keep(self) -> bool:
        return self._log.keep()

    def close(self) -> None:
        self._log.close()


def _record(folder: Path, name: str, seed: int, turns: int | None = None) -> Session:
    """Record a game with the expert in the SRE's seat in place of a person."""
    scenario = Scenario.load(name, seed)
    names = dict.fromkeys(TURN_ORDER, _MATE)
    policies = seat_policies(names, scenario)
    roster = Roster(frozenset({_SRE}), policies, names)
    clock = count(_MORNING / 1000, 5).__next__
    game = Session(
        scenario,
        roster,
        recordings=folder,
        ui=_UI,
        begin_log=_FixedLog,
        monotonic=clock,
        wall=clock,
    )
    while not game.done and game.turn != turns:
        action = policies[game.role](game.observation, game.role)
        if game.waits_for_person:
            game.timing.shown()
            game.submit(game.turn, action)
        else:
            game.take_answer(game.turn, PolicyAnswer(action))
    game.close()
    return game


def _home(folder: Path) -> Screen[Any]:
    from tui.screens.home.screen import HomeScreen

    if not any(folder.iterdir()):
        for name, seed in _PLAYED:
            _record(folder, name, seed)
        _record(folder, _INCIDENT, _SEED, turns=9)
    return HomeScreen((), folder, today=lambda: DAY)


def _replay_of_a_game(folder: Path) -> Screen[Any]:
    from chaosops.play.replay_model import replay_of
    from tui.screens.replay.screen import ReplayScreen

    _record(folder, _INCIDENT, _SEED)
    (path,) = folder.iterdir()
    return ReplayScreen(replay_of(read_recording(path)))


def _incident(*people: AgentRole, name: str = _INCIDENT, turns: int = 0) -> Screen[Any]:
    from tui.screens.incident.screen import IncidentScreen

    game = session(name, *people, turns=turns)
    return IncidentScreen(game.scenario, game.roster, None, begin=lambda: game)


def _instrument(role: AgentRole, *looks: tuple[Source, str]) -> Screen[Any]:
    """Return findings of the first minutes of an incident, the first one in front."""
    from tui.screens.instrument.screen import InstrumentScreen

    env = ChaosOpsEnvironment()
    seen = env.reset(scenario=Scenario.load(_INCIDENT, _READINGS_SEED))
    for source, target in looks:
        while seen.turn_role is not role:
            seen = env.step(pass_turn(seen, seen.turn_role))
        args = {"source": source.value}
        seen = env.step(ChaosOpsAction(role, ActionType.INVESTIGATE, target, args))
    view = env.view_of(role)
    return InstrumentScreen(known_findings(view), 0, view.status)


def _debrief(folder: Path) -> Screen[Any]:
    from tui.screens.debrief.screen import DebriefScreen

    return DebriefScreen(_record(folder, _INCIDENT, _SEED))


def _consent(folder: Path) -> Screen[Any]:
    from tui.screens.dialogs.consent import ConsentScreen

    return ConsentScreen(ConsentStore(folder))


def _notice(folder: Path) -> Screen[Any]:
    from tui.screens.dialogs.notice import NoticeScreen

    return NoticeScreen("Can't resume", "the recording is of another version")


def _shift(folder: Path, *budgets: int) -> Shift:
    """Return a shift in which incidents were played, that left so much of its budget."""
    from chaosops.play.shifts.shift import Shift

    incidents = tuple(
        DrawnIncident(ProvenSituation(name, Difficulty.MEDIUM, "shop", "", (_SEED,)), _SEED)
        for name in _SHIFT
    )
    played = tuple(
        ShiftResult(
            recording="",
            resolved=True,
            minutes=22 + number,
            score=61.5 - number,
            budget=left,
            stars={_SRE: ("users", "clean")},
            glyphs="○○●·●◆·",
        )
        for number, left in enumerate(budgets)
    )
    state = ShiftState(
        code="0.1.0-M3-7-ABCDE",
        started_at_ms=_MORNING,
        incidents=len(_SHIFT),
        seats={role: seat.word for role, seat in default_setup().seats.items()},
        choices=(Improvement.HEADROOM,) * (len(budgets) - 1),
        played=played,
    )
    return Shift(folder / "shifts" / "shift.json", incidents, state)


def _between(folder: Path) -> Screen[Any]:
    from chaosops.play.shifts.words import between
    from tui.screens.shift.between import ShiftBetweenScreen

    shift = _shift(folder, 82)
    return ShiftBetweenScreen(shift, between(shift))


def _end_of_shift(folder: Path) -> Screen[Any]:
    from tui.screens.shift.end import ShiftEndScreen

    return ShiftEndScreen(_shift(folder, 82, 61, 47))


FIXTURES: Final = (
    Fixture("home", _home),
    Fixture("briefing", _home, ("down", "enter")),
    Fixture("shift", _home, ("t",)),
    Fixture("between", _between),
    Fixture("ending", _end_of_shift),
    Fixture("settings", _home, ("f2",)),
    Fixture("keys", _home, ("f2", "k")),
    Fixture("glossary", _home, ("ctrl+g", *"joyent")),
    Fixture("recordings", _home, ("l",)),
    Fixture("question", _home, ("l", "down", "x")),
    Fixture("notice", _notice),
    Fixture("consent", _consent),
    Fixture("tutorial", lambda folder: _incident(_SRE, name=_TUTORIAL)),
    Fixture("confirm", lambda folder: _incident(_SRE, name=_TUTORIAL), ("0",)),
    Fixture("incident", lambda folder: _incident(_SRE, turns=8)),
    Fixture("oversight", lambda folder: _incident(AgentRole.OVERSIGHT, turns=9)),
    Fixture("dev", lambda folder: _incident(AgentRole.DEV, turns=10)),
    Fixture("manager", lambda folder: _incident(AgentRole.MANAGER, turns=11)),
    Fixture("picker", lambda folder: _incident(_SRE, turns=8), ("1",)),
    Fixture("preview", lambda folder: _incident(_SRE, turns=8), ("s", "5", "4")),
    Fixture("instance", lambda folder: _incident(_SRE, turns=8), ("r", "5")),
    Fixture("reason", lambda folder: _incident(_SRE, turns=8), ("s", "5", "4", *_REASON)),
    Fixture("proposal", lambda folder: _incident(_SRE, turns=8), ("4", "5", "z")),
    Fixture("search", lambda folder: _incident(_SRE, turns=8), ("slash", "r", "e")),
    Fixture("hint", lambda folder: _incident(_SRE, turns=8), ("h",)),
    Fixture("case", lambda folder: _incident(_SRE, turns=8), ("b", "down", "plus_sign")),
    Fixture("object", lambda folder: _incident(_SRE, turns=8), ("space", "down", "enter")),
    Fixture("pause", lambda folder: _incident(_SRE, turns=8), ("p",)),
    Fixture("seats", lambda folder: _incident(_SRE, turns=8), ("t",)),
    Fixture("help", lambda folder: _incident(_SRE, turns=8), ("question_mark",)),
    Fixture("palette", lambda folder: _incident(_SRE, turns=8), ("ctrl+p", "r", "e")),
    Fixture("handover", lambda folder: _incident(_SRE, AgentRole.DEV, turns=8)),
    Fixture(
        "findings", lambda folder: _incident(_SRE, turns=8), ("left_square_bracket", *("tab",) * 2)
    ),
    Fixture(
        "chart",
        lambda folder: _instrument(_SRE, (Source.METRICS, "db"), (Source.LOGS, "db")),
        ("semicolon", "left", "left", "left"),
    ),
    Fixture("log", lambda folder: _instrument(_SRE, (Source.LOGS, "db")), ("l",)),
    Fixture("traces", lambda folder: _instrument(_SRE, (Source.TRACES, "checkout"))),
    Fixture("table", lambda folder: _instrument(_SRE, (Source.RUNTIME, "db")), ("comma",) * 3),
    Fixture("change", lambda folder: _instrument(AgentRole.DEV, (Source.CHANGES, "db"))),
    Fixture("debrief", _debrief),
    Fixture("rate", _debrief, ("v",)),
    Fixture("replay", _replay_of_a_game, ("right",) * 8),
    Fixture("jump", _replay_of_a_game, ("g",)),
)
"""Every screen, in a situation that shows most of it."""


def fixture(name: str) -> Fixture:
    """Return the fixture of a name; raises StopIteration if there is none."""
    return next(found for found in FIXTURES if found.name == name)
