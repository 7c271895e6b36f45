"""Consent is asked after the first game, and nothing may be used until it is given."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from chaosops.datasets.privacy import covers
from chaosops.env.models import AgentRole
from chaosops.play.consent_prompt import cover, should_ask
from chaosops.play.session import Session, ask
from chaosops.recording.consent import INTRODUCTION, VERSION, WORDS, ConsentStore
from chaosops.recording.events import ConsentScope
from chaosops.recording.library import look
from chaosops.recording.reader import read_recording
from chaosops.recording.upkeep import withdraw
from chaosops.recording.verify import verify
from chaosops.scenarios.summaries import scenario_summaries
from tests.tui.games import UI, press, roster, scenario, settled, text_of
from tests.tui.plain_games import Typed
from tui.app import ChaosOpsApp
from tui.plain import entry_points as doors
from tui.plain.console import Keyboard
from tui.screens.briefing.screen import BriefingScreen
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.dialogs.consent import ConsentScreen
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen

SRE = AgentRole.SRE
ACTIONS, WORDS_TOO = ConsentScope.ACTIONS, ConsentScope.FREE_TEXT

ANSWERS = [("1", (ACTIONS,)), ("2", (ACTIONS, WORDS_TOO)), ("3", None), ("escape", None)]


def ended(folder: Path | None, *people: AgentRole) -> Session:
    """A short game that is over; whoever plays passes."""
    game = Session(scenario(rounds=1), roster(*people), recordings=folder, ui=UI)
    while not game.done:
        if game.waits_for_person:
            game.timing.shown()
            game.time_out(game.turn)
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
    return game


def debrief(game: Session, store: ConsentStore, folder: Path) -> ChaosOpsApp:
    return ChaosOpsApp(
        lambda: DebriefScreen(game),
        home=lambda: HomeScreen((), folder),
        pace=0,
        consents=lambda: store,
        recordings=folder,
    )


def agreed_to(path: Path | None) -> tuple[ConsentScope, ...] | None:
    assert path is not None
    header = look(path).header
    assert header is not None
    return None if header.consent is None else header.consent.scopes


async def test_a_first_game_begins_without_a_question_and_names_nobody(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    app = ChaosOpsApp(
        lambda: BriefingScreen(scenario_summaries()[0], 0, None, tmp_path),
        pace=0,
        consents=lambda: store,
        recordings=tmp_path,
    )
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
        assert agreed_to(app.screen.session.recording) is None
        assert not store.asked


@pytest.mark.slow
@pytest.mark.parametrize(("key", "scopes"), ANSWERS)
@pytest.mark.parametrize("leave", ["n", "a", "q", "ctrl+q"])
async def test_it_is_asked_once_on_the_way_out_of_the_debrief_and_covers_that_game(
    leave: str, key: str, scopes: tuple[ConsentScope, ...] | None, tmp_path: Path
) -> None:
    store = ConsentStore(tmp_path / "config")
    game = ended(tmp_path, SRE)
    app = debrief(game, store, tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert not isinstance(app.screen, ConsentScreen)
        assert agreed_to(game.recording) is None
        await press(pilot, leave)
        assert isinstance(app.screen, ConsentScreen)
        await press(pilot, "enter")
        assert isinstance(app.screen, ConsentScreen)
        await pilot.press(key)
        await settled(pilot)
        if leave in ("q", "ctrl+q"):
            assert app.return_value == 0
    assert store.asked
    assert agreed_to(game.recording) == scopes
    assert game.recording is not None
    assert verify(game.recording).ok
    header = look(game.recording).header
    assert header is not None
    current = store.current
    assert header.pseudonym == (None if current is None else current.pseudonym)
    assert header.consent is None or header.consent.version == VERSION
    assert not should_ask(lambda: store, ended(tmp_path, SRE))


async def test_ctrl_c_leaves_at_once_and_the_question_waits_for_another_game(
    tmp_path: Path,
) -> None:
    store = ConsentStore(tmp_path / "config")
    app = debrief(ended(tmp_path, SRE), store, tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("ctrl+c")
    assert app.return_value == 0
    assert not store.asked
    assert should_ask(lambda: store, ended(tmp_path, SRE))


def test_nobody_is_asked_about_a_game_that_has_no_person_or_no_recording(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    assert should_ask(lambda: store, ended(tmp_path, SRE))
    assert not should_ask(lambda: store, ended(tmp_path))
    assert not should_ask(lambda: store, ended(None, SRE))
    assert not should_ask(None, ended(tmp_path, SRE))


def test_a_withdrawal_removes_a_game_that_was_agreed_to_after_it(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    first, other = ended(tmp_path, SRE), ended(tmp_path, SRE)
    agreement = store.give((ACTIONS,))
    assert cover(first, agreement) == ""
    assert first.recording is not None
    assert withdraw([tmp_path], agreement.pseudonym).removed == [first.recording]
    assert agreed_to(other.recording) is None


def test_a_later_agreement_does_not_replace_that_of_the_header(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    player = store.give((ACTIONS,)).player
    game = Session(scenario(rounds=1), roster(SRE), recordings=tmp_path, ui=UI, player=player)
    while not game.done:
        if game.waits_for_person:
            game.time_out(game.turn)
        else:
            game.take_answer(game.turn, ask(game.policy(), game.observation, game.role))
    assert cover(game, store.give((ACTIONS, WORDS_TOO))) == ""
    assert agreed_to(game.recording) == (ACTIONS,)


def test_turns_that_were_taken_again_from_another_game_are_not_covered(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    fork = ended(tmp_path, SRE).fork(2)
    while not fork.done:
        if fork.waits_for_person:
            fork.time_out(fork.turn)
        else:
            fork.take_answer(fork.turn, ask(fork.policy(), fork.observation, fork.role))
    assert cover(fork, store.give((ACTIONS,))) == ""
    assert agreed_to(fork.recording) is None


def test_what_is_played_again_after_agreeing_is_agreed_to(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    game = ended(tmp_path, SRE)
    assert cover(game, store.give((ACTIONS,))) == ""
    for turn in (0, 2):
        path = game.fork(turn).recording
        assert path is not None
        assert covers(read_recording(path).header, ACTIONS)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_question_has_all_the_words_of_the_consent_in_view(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    app = debrief(ended(tmp_path, SRE), ConsentStore(tmp_path / "config"), tmp_path)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "n")
        words = set(text_of(app).replace("│", " ").split())
    for text in (INTRODUCTION, *WORDS.values()):
        missing = {word for word in text.split() if word not in words}
        assert missing <= {"My"}


@pytest.mark.few(1)
@pytest.mark.parametrize("answer", ["yes", "no"])
def test_plain_mode_asks_after_the_first_game_and_covers_it(
    answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    out = io.StringIO()
    said: list[str] = []

    class Terminal(Typed):
        def ask(self, prompt: str) -> str | None:
            said.append(prompt)
            if "May this be used?" in prompt:
                return answer
            return "pass" if prompt.endswith("SRE>") else ""

    console = Terminal(Keyboard(0), out, typed=True)
    game = Session(scenario(rounds=1), roster(SRE), recordings=tmp_path, ui=UI)
    doors._play(console, game)
    asked = [prompt for prompt in said if "May this be used?" in prompt]
    assert len(asked) == (2 if answer == "yes" else 1)
    assert said.index(asked[0]) > said.index(next(line for line in said if line.endswith("SRE>")))
    assert ConsentStore().asked
    assert agreed_to(game.recording) == ((ACTIONS, WORDS_TOO) if answer == "yes" else None)
    said.clear()
    doors._play(console, Session(scenario(rounds=1), roster(SRE), recordings=tmp_path, ui=UI))
    assert not any("May this be used?" in prompt for prompt in said)
