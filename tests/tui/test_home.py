from __future__ import annotations

from pathlib import Path

from chaosops.env.models import AgentRole, FailureType
from chaosops.scenarios.loader import find_scenarios
from tests.tui.games import press, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.end import EndScreen
from tui.screens.home import HomeScreen
from tui.screens.incident import IncidentScreen

TURNS = 15
"""The most turns a role may have in an incident."""


def home(tmp_path: Path, folders: tuple[Path, ...] = ()) -> ChaosOpsApp:
    def first() -> HomeScreen:
        return HomeScreen(folders, tmp_path)

    return ChaosOpsApp(first, home=first, pace=0)


async def test_the_list_names_incidents_and_gives_nothing_away(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(120, 90)) as pilot:
        await settled(pilot)
        text = text_of(app)
    for source in find_scenarios():
        assert source.id in text
        assert source.render(0).title[:40] in text
    for failure in FailureType:
        assert failure.value not in text


async def test_enter_plays_the_first_incident_as_sre_on_seed_0(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        screen = app.screen
        assert isinstance(screen, IncidentScreen)
        assert screen.session.scenario.seed == 0
        assert screen.session.crew.people == {AgentRole.SRE}
        assert screen.session.crew.policy_name(AgentRole.DEV) == "expert"


async def test_seats_and_seed_are_chosen_below_the_list(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1", "2", "4", "s", "end", "4", "2", "enter", "enter")
        await settled(pilot)
        games = [screen for screen in app.screen_stack if isinstance(screen, IncidentScreen)]
        assert games[0].session.scenario.seed == 42
        assert games[0].session.crew.people == {AgentRole.OVERSIGHT, AgentRole.MANAGER}


async def test_a_seat_has_to_be_taken_and_a_seed_has_its_range(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1", "enter")
        assert "Take at least one seat" in text_of(app)
        await press(pilot, "1", "s", *"99999999999", "enter", "enter")
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
        assert "4294967295" in text_of(app)


async def test_a_broken_file_is_named_and_the_others_can_be_played(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "broken.yaml").write_text("id: [/]\n", encoding="utf-8")
    app = home(tmp_path, (tmp_path / "mine",))
    async with app.run_test(size=(200, 40)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "broken.yaml" in text
        assert find_scenarios()[0].id in text


async def test_after_the_end_comes_another_game_or_the_replay(tmp_path: Path) -> None:
    app = home(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        for _ in range(TURNS):
            if not isinstance(app.screen, EndScreen):
                await press(pilot, "0", "enter")
        assert "What it added up to" in text_of(app)
        await press(pilot, "r", "right", "escape")
        assert isinstance(app.screen, EndScreen)
        await press(pilot, "n")
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
