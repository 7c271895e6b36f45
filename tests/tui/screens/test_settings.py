from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from chaosops.env.models import AgentRole
from chaosops.play.session import Session
from chaosops.play.settings import DEFAULT_THEME, PACES, Settings, SettingsFile
from chaosops.play.setup import CLOCKS, Setup
from chaosops.recording.consent import ConsentStore
from chaosops.recording.events import ConsentScope
from tests.tui.games import UI, game, press, roster, scenario, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.home.screen import HomeScreen
from tui.screens.settings.screen import keys_words

RICH = """\
# mine
theme = "nord"  # blue
future = [1,
  2]

[seats]
sre = "you + expert"

[keys]
"incident.hint" = "f4"

[[plugins]]
name = "x"
"""


def settings(tmp_path: Path, text: str | None = None) -> SettingsFile:
    path = tmp_path / "settings.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    return SettingsFile(path)


def test_without_a_file_everything_has_its_default_and_nothing_is_written(tmp_path: Path) -> None:
    loaded = settings(tmp_path)
    assert loaded.settings == Settings()
    assert loaded.troubles == ()
    assert list(tmp_path.iterdir()) == []


def test_what_is_changed_is_there_at_the_next_start(tmp_path: Path) -> None:
    setup = Setup.of((AgentRole.DEV,), "heuristic", copilot="expert", shot_clock=60)
    first = settings(tmp_path)
    assert first.change(theme="nord", mouse=False) == ""
    assert first.change(setup=setup, pace="fast", keys={"incident.hint": "f4"}) == ""
    again = settings(tmp_path)
    assert again.troubles == ()
    assert again.settings == Settings(
        theme="nord", mouse=False, pace="fast", setup=setup, keys={"incident.hint": "f4"}
    )
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]


@pytest.mark.parametrize(
    ("text", "place", "cure"),
    [
        ("mouse = 1\n", "settings.toml:1: mouse: ", "true or false"),
        ("\n\npace = 'slowly'\n", "settings.toml:3: pace: ", "slow, normal"),
        ("escape_wait = 61\n", "settings.toml:1: escape_wait: ", "0, 50, 100"),
        ("shot_clock = 61\n", "settings.toml:1: shot_clock: ", "0, 60, 90, 120"),
        ("theme = 5\n", "settings.toml:1: theme: ", "the default is used"),
        ("teme = 'x'\n", "settings.toml:1: teme: ", "did you mean theme?"),
        ("keys = 5\n", "settings.toml:1: keys: ", "[keys]"),
        ("[seats]\nsre = 'me'\n", "settings.toml:2: seats.sre: ", "choose from you"),
        ("[seats]\nboss = 'you'\n", "settings.toml:2: seats.boss: ", "roles are"),
        ("[keys]\n'incident.hint' = 5\n", "settings.toml:2: keys.incident.hint: ", "not a key"),
        ("[keys]\nincident.hint = 'x'\n", "settings.toml:2: keys.incident: ", "in quotes"),
        ("theme = \n", "settings.toml:1: ", "fix the line"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_a_cure(
    tmp_path: Path, text: str, place: str, cure: str
) -> None:
    loaded = settings(tmp_path, text)
    (trouble,) = loaded.troubles
    assert str(trouble).startswith(place)
    assert cure in str(trouble)
    assert "\n" not in str(trouble)
    assert loaded.settings == Settings()


def test_a_wrong_value_leaves_the_others_in_force(tmp_path: Path) -> None:
    loaded = settings(tmp_path, 'theme = "nord"\nmouse = "off"\npace = "fast"\n')
    assert loaded.settings == Settings(theme="nord", pace="fast")
    assert len(loaded.troubles) == 1


def test_what_is_not_understood_stays_in_the_file(tmp_path: Path) -> None:
    loaded = settings(tmp_path, RICH)
    loaded.change(theme="gruvbox", mouse=False, keys={"incident.explain": "f1"})
    text = (tmp_path / "settings.toml").read_text(encoding="utf-8")
    assert text.startswith('# mine\ntheme = "gruvbox"  # blue\nfuture = [1,\n  2]\n')
    data = tomllib.loads(text)
    assert data["future"] == [1, 2]
    assert data["plugins"] == [{"name": "x"}]
    assert data["seats"] == {"sre": "you + expert"}
    assert data["keys"] == {"incident.explain": "f1"}
    assert data["mouse"] is False


@pytest.mark.parametrize("text", ["theme = [\n", "mouse = = true\n", "\x00\n"])
def test_a_file_that_cannot_be_edited_is_put_aside_whole(tmp_path: Path, text: str) -> None:
    loaded = settings(tmp_path, text)
    said = loaded.change(theme="nord")
    assert "settings.old1.toml" in said
    assert (tmp_path / "settings.old1.toml").read_text(encoding="utf-8") == text
    assert settings(tmp_path).settings.theme == "nord"


def test_a_folder_that_cannot_be_written_is_said_and_the_change_is_in_force(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    loaded = SettingsFile(tmp_path / "file" / "settings.toml")
    assert "cannot be read" in str(loaded.troubles[0])
    assert "cannot write" in loaded.change(theme="nord")
    assert loaded.settings.theme == "nord"


def app_with(tmp_path: Path, text: str | None = None, **more: Any) -> ChaosOpsApp:
    def first() -> HomeScreen:
        return HomeScreen((), tmp_path / "recordings")

    (tmp_path / "recordings").mkdir(exist_ok=True)
    return ChaosOpsApp(
        first,
        home=first,
        preferences=settings(tmp_path, text),
        recordings=tmp_path / "recordings",
        **more,
    )


async def test_the_theme_is_kept_between_runs(tmp_path: Path) -> None:
    app = app_with(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.theme == DEFAULT_THEME
        await press(pilot, "ctrl+t")
    again = app_with(tmp_path)
    async with again.run_test(size=(80, 24)):
        assert again.theme == "chaosops-light"


async def test_a_theme_that_is_not_there_is_said_and_stays_in_the_file(tmp_path: Path) -> None:
    app = app_with(tmp_path, 'theme = "nrod"\n')
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        assert app.theme == DEFAULT_THEME
        assert any("settings.toml:1: theme" in str(n.message) for n in app._notifications)
        assert any("did you mean nord?" in str(n.message) for n in app._notifications)
    assert (tmp_path / "settings.toml").read_text(encoding="utf-8") == 'theme = "nrod"\n'


async def test_each_line_of_the_settings_is_kept_at_once(tmp_path: Path) -> None:
    app = app_with(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "s", "down", "space", "down", "right", "down", "left")
        assert "Kept in" in text_of(app)
        await press(pilot, "escape")
        assert isinstance(app.screen, HomeScreen)
    assert settings(tmp_path).settings == Settings(mouse=False, pace="fast", coach=False)
    assert app.pace == PACES["fast"]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("", "defaults"),
        ("'incident.hint' = 'f4'", "1 changed"),
        ("'incident.hint' = 'nonsense'\nnobody = 'f5'", "defaults; 2 cannot be used"),
        ("'incident.hint' = 'f4'\nnobody = 'f5'", "1 changed; 1 cannot be used"),
    ],
)
def test_only_keys_that_are_in_force_are_called_changed(
    tmp_path: Path, keys: str, words: str
) -> None:
    assert keys_words(settings(tmp_path, f"[keys]\n{keys}\n").settings.keys) == words


async def test_the_settings_open_over_a_game_and_give_it_back(tmp_path: Path) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "f2", "f2")
        assert "Settings" in text_of(app)
        await press(pilot, "escape")
        assert app.screen is screen


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [True, False])
async def test_the_coach_comes_only_where_it_is_wanted(tmp_path: Path, wanted: bool) -> None:
    app = app_with(tmp_path, f"coach = {str(wanted).lower()}\n")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        assert "Your turn, SRE" in text_of(app)
        assert ("Coach" in text_of(app)) is wanted


async def test_consent_can_be_taken_back_with_its_recordings(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path)
    player = store.give([ConsentScope.ACTIONS]).player
    app = app_with(tmp_path, consents=lambda: store)
    folder, seats = tmp_path / "recordings", roster(AgentRole.SRE)
    kept = Session(scenario(), seats, recordings=folder, ui=UI)
    kept.close()
    Session(scenario(), seats, recordings=folder, ui=UI, player=player).close()
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "s")
        assert player.pseudonym in text_of(app)
        await press(pilot, "d", "3", "y")
        await settled(pilot)
        assert "not used" in text_of(app)
    assert store.current is None
    assert list(folder.iterdir()) == [kept.recording]


async def test_leaving_the_question_changes_no_answer(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path)
    store.give([ConsentScope.ACTIONS])
    app = app_with(tmp_path, consents=lambda: store)
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        await press(pilot, "s", "d", "escape", "escape")
    assert store.current is not None


@pytest.mark.parametrize("clock", CLOCKS)
def test_every_clock_can_be_kept(tmp_path: Path, clock: int) -> None:
    settings(tmp_path).change(setup=Setup.of((AgentRole.SRE,), shot_clock=clock))
    assert settings(tmp_path).settings.setup.shot_clock == clock
