"""Text from files that strangers may have written: it is shown as it is, and does nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from textual.widgets import OptionList

from chaosops.agents.policies import expert_policy
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.play.seats import Roster
from chaosops.play.session import PolicyAnswer, Session
from chaosops.play.settings import SettingsFile
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import Header, Note, Ui
from chaosops.recording.reader import read_recording
from chaosops.recording.upkeep import add_note
from chaosops.scenarios.folders import builtin_folder
from tests.tui.games import HOSTILE, UI, frames, press, roster, scenario, text_of
from tui.app import ChaosOpsApp
from tui.fixtures import settled
from tui.screens.briefing.screen import BriefingScreen
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.recordings.screen import RecordingsScreen
from tui.screens.replay.screen import ReplayScreen
from tui.screens.settings.screen import SettingsScreen
from tui.widgets.debrief.panes import DebriefPane

MARKUP = "[/] [/x] [@click=app.quit]press[/] [bold red]$error \\["
CONTROL = ("\x1b", "\x9b", "\u202e", "\u2066", "\ud800", "\x07")
SIZES = [(120, 40), (80, 24)]

_FREE = {
    "title",
    "text",
    "reason",
    "approval",
    "author",
    "happened",
    "misleading",
    "lesson",
    "same_kind",
    "nudge",
    "direction",
    "answer",
    "duty",
}


def poisoned(value: Any, key: str = "") -> Any:
    """A scenario with markup in every text that is shown."""
    if isinstance(value, dict):
        return {name: poisoned(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [poisoned(item) for item in value]
    return f"{MARKUP} {value[:60]}" if key in _FREE and isinstance(value, str) else value


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one incident, full of markup."""
    source = builtin_folder() / "medium" / "orders-fail-at-the-last-step.yaml"
    data = poisoned(yaml.safe_load(source.read_text(encoding="utf-8")))
    data |= {"id": "poisoned", "max_steps": 6}
    made = tmp_path / "incidents"
    made.mkdir()
    (made / "poisoned.yaml").write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return made


def shows_markup(app: ChaosOpsApp) -> bool:
    shown = text_of(app)
    assert not any(char in shown for char in CONTROL)
    return "[/]" in shown or "[/x]" in shown or "[@click" in shown


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_an_incident_full_of_markup_is_listed_briefed_played_and_debriefed(
    folder: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    recordings = tmp_path / "recordings"
    recordings.mkdir()
    app = ChaosOpsApp(lambda: HomeScreen((folder,), recordings), pace=0)
    async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        listing = app.screen.query_one(OptionList)
        listing.highlighted = listing.get_option_index("play:poisoned")
        await settled(pilot)
        assert shows_markup(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, BriefingScreen)
        assert shows_markup(app)
        await press(pilot, "enter")
        await settled(pilot)
        incident = app.screen
        assert isinstance(incident, IncidentScreen)
        seen = 0
        for key in ("0", "enter", "h", "1", "escape", *["right_square_bracket"] * 6):
            await press(pilot, key)
            seen += shows_markup(app)
        assert seen
        while isinstance(app.screen, IncidentScreen):
            await press(pilot, "0", "enter")
            await settled(pilot)
        assert isinstance(app.screen, DebriefScreen)
        seen = 0
        for _ in range(5):
            await press(pilot, "right_square_bracket", "question_mark", "escape")
            seen += shows_markup(app)
        for row in range(0, 60, 6):
            for pane in app.screen.query(DebriefPane):
                pane.scroll_to(y=row, animate=False)
            await settled(pilot)
            seen += shows_markup(app)
        assert seen
        await press(pilot, "r", "right", "question_mark", "escape")
        assert app.is_running


def recorded(folder: Path) -> Path:
    """A recording whose header, policies, words and comment are markup."""

    def rude(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        text = HOSTILE[observation.step % len(HOSTILE)]
        return ChaosOpsAction(role, text, text, {"to": "all", "text": text})

    def begin(place: Path, header: Header) -> EventLogWriter:
        ui = Ui(name=MARKUP, version=MARKUP, theme=MARKUP)
        made = header.model_copy(update={"chaosops": MARKUP, "python": MARKUP, "ui": ui})
        return EventLogWriter.create(place, made)

    seats = Roster(frozenset(), dict.fromkeys(TURN_ORDER, rude), dict.fromkeys(TURN_ORDER, MARKUP))
    game = Session(scenario(rounds=4), seats, recordings=folder, ui=UI, begin_log=begin)
    while not game.done:
        game.take_answer(game.turn, PolicyAnswer(rude(game.observation, game.role)))
    game.close()
    assert game.recording is not None
    add_note(game.recording, Note(at_ms=1, comment=MARKUP))
    return game.recording


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
async def test_a_recording_full_of_markup_is_listed_and_replayed(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    from chaosops.play.replay_model import replay_of

    path = recorded(tmp_path)
    screen = ReplayScreen(replay_of(read_recording(path)))
    app = ChaosOpsApp(lambda: screen, pace=0)
    async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        for _ in range(14):
            await press(pilot, "right", "right_square_bracket")
            assert not any(char in text_of(app) for char in CONTROL)
        app.push_screen(RecordingsScreen(tmp_path))
        await settled(pilot)
        await press(pilot, "down", "up", "question_mark", "escape")
        assert shows_markup(app)


async def test_settings_full_of_markup_are_named_and_not_used(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text(
        'theme = "[/x]"\n"[/]" = 1\npace = "[@click=app.quit]press[/]"\n'
        '[keys]\n"[/]" = "f5"\n"app.theme" = "[/x]"\n',
        encoding="utf-8",
    )
    preferences = SettingsFile(path)
    app = ChaosOpsApp(lambda: HomeScreen((), None), preferences=preferences)
    async with app.run_test(size=(120, 40), tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(SettingsScreen())
        await settled(pilot)
        assert shows_markup(app)
        await press(pilot, "escape", "f2", "k")
        assert app.is_running


class Talker:
    """An expert with a reason that is markup."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._expert = expert_policy(1)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return self._expert(observation, role)

    def explain(self, observation: ChaosOpsObservation, role: AgentRole) -> str:
        return self._reason


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for text in HOSTILE if text])
async def test_a_copilots_reason_and_name_are_shown_and_do_nothing(text: str) -> None:
    seats = roster(AgentRole.SRE).with_copilot(AgentRole.SRE, Talker(text), text[:190])
    screen = IncidentScreen(Scenario.load("paying-ends-in-an-error"), seats, None)
    app = ChaosOpsApp(lambda: screen, pace=0)
    async with app.run_test(size=(120, 40), tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        assert screen.session.copilot.offers
        assert not any(char in text_of(app) for char in CONTROL)
        await press(pilot, "t", "escape", "0", "enter")
        assert screen.session.turn == 4


def test_the_corpus_reaches_every_column_of_a_frame() -> None:
    assert len(HOSTILE) > 10
    assert frames(turns=1)[0].observation.view.alerts
