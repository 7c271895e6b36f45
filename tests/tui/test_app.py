from __future__ import annotations

from pathlib import Path

import pytest
from textual.css.stylesheet import Stylesheet

from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError, ScenarioError
from chaosops.play.game_requests import GameRequest, new_game
from chaosops.play.settings import SettingsFile
from chaosops.play.setup import default_setup
from tests.tui.games import game, press, roster, scenario, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.incident.start import StartScreen


def home(folder: Path) -> HomeScreen:
    return HomeScreen((), folder)


def starting(game: GameRequest, folder: Path) -> ChaosOpsApp:
    return ChaosOpsApp(
        lambda: StartScreen(game), home=lambda: home(folder), pace=0, recordings=folder
    )


async def test_something_is_on_the_screen_before_the_incident_is_opened(tmp_path: Path) -> None:
    seen: list[str] = []

    def load() -> Scenario:
        seen.append(text_of(app))
        return scenario()

    app = starting(new_game("Orders stall", load, default_setup(), tmp_path), tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
    assert "Orders stall" in seen[0]


async def test_an_incident_that_cannot_be_opened_ends_the_app_with_the_reason(
    tmp_path: Path,
) -> None:
    def load() -> Scenario:
        raise ScenarioError("mine.yaml:3: no")

    app = starting(new_game("Mine", load, default_setup(), tmp_path), tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
    assert app.failure == "mine.yaml:3: no"
    assert app.return_code == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
async def test_from_a_game_the_way_leads_home_and_from_home_to_the_next(tmp_path: Path) -> None:
    app = starting(new_game("x", scenario, default_setup(), tmp_path), tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for _ in range(2):
            app.router.go_home()
            await settled(pilot)
            assert isinstance(app.screen, HomeScreen)
            await press(pilot, "down", "enter")
            await settled(pilot)
            await press(pilot, "enter")
            await settled(pilot)
            assert isinstance(app.screen, IncidentScreen)
        assert sum(isinstance(screen, HomeScreen) for screen in app.screen_stack) == 1
        assert sum(isinstance(screen, IncidentScreen) for screen in app.screen_stack) == 1


async def test_the_palette_has_themes_and_settings_everywhere(tmp_path: Path) -> None:
    app = ChaosOpsApp(lambda: home(tmp_path))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        commands = {command.title: command for command in app.get_system_commands(app.screen)}
        assert {"Theme", "Settings", "Screenshot", "Light or dark", "Quit"} <= set(commands)
        assert all(command.help for command in commands.values())
        commands["Settings"].callback()
        await settled(pilot)
        assert "Pace" in text_of(app)


LINES = tuple(enumerate("abcde", start=1))


async def test_several_troubles_are_one_notice_and_listed_in_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("".join(f"{name} = 1\n" for _, name in LINES), encoding="utf-8")
    app = ChaosOpsApp(lambda: home(tmp_path), preferences=SettingsFile(path))
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        said = [str(notice.message) for notice in app._notifications]
        assert said == ["5 problems in settings.toml, see Settings"]
        await press(pilot, "f2")
        assert all(f"settings.toml:{line}: {name}: " in text_of(app) for line, name in LINES)


async def test_a_theme_for_once_is_not_kept(tmp_path: Path) -> None:
    preferences = SettingsFile(tmp_path / "settings.toml")
    app = ChaosOpsApp(lambda: home(tmp_path), preferences=preferences)
    app.use_theme_once("nord")
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.theme == "nord"
    assert not (tmp_path / "settings.toml").exists()
    with pytest.raises(ChaosOpsError, match=r"no theme 'nrod': choose from .*nord"):
        app.use_theme_once("nrod")


async def test_a_theme_that_the_environment_names_is_not_kept_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEXTUAL_THEME", "gruvbox")
    app = ChaosOpsApp(lambda: home(tmp_path), preferences=SettingsFile(tmp_path / "settings.toml"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+t")
    assert not (tmp_path / "settings.toml").exists()


@pytest.mark.few(1)
@pytest.mark.parametrize("theme", ["chaosops-dark", "chaosops-light", "nord"])
async def test_the_theme_of_the_settings_is_there_from_the_start_without_parsing_styles_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    parsed: list[Stylesheet] = []
    monkeypatch.setattr(Stylesheet, "reparse", parsed.append)
    path = tmp_path / "settings.toml"
    path.write_text(f'theme = "{theme}"\n', encoding="utf-8")
    app = ChaosOpsApp(lambda: home(tmp_path), preferences=SettingsFile(path))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.theme == theme
        assert app.has_class("-light-mode") is not app.current_theme.dark
        assert app.screen.styles.background.hex.lower() == app.current_theme.background.lower()
        assert parsed == []


@pytest.mark.slow
async def test_keys_before_anything_is_mounted_do_no_harm(tmp_path: Path) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("enter", "0", "enter", "question_mark", "escape", "ctrl+t")
        await settled(pilot)
        assert screen.session.turn >= 0
        assert "SRE" in text_of(app)
