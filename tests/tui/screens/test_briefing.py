from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.agents.duties import Duty, duties_of
from chaosops.env.models import AgentRole, Difficulty
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.play.formatting import in_words
from chaosops.play.settings import SettingsFile
from chaosops.play.setup import CHOICES, SeatChoice, Setup, default_setup, roster_of, setup_of
from chaosops.play.wording import verb_word
from chaosops.recording.consent import ConsentStore
from chaosops.recording.events import SeatKind
from chaosops.recording.reader import read_recording
from chaosops.scenarios.summaries import scenario_summaries
from tests.tui.games import press, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.briefing.screen import BriefingScreen
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.basic.choice import ChoiceLine

INCIDENT = next(seen for seen in scenario_summaries() if seen.id == "paying-ends-in-an-error")


def briefing(tmp_path: Path, *, consent: ConsentStore | None = None) -> ChaosOpsApp:
    def home() -> HomeScreen:
        return HomeScreen((), tmp_path)

    def first() -> BriefingScreen:
        return BriefingScreen(INCIDENT, 0, None, tmp_path)

    return ChaosOpsApp(
        first,
        home=home,
        pace=0,
        preferences=SettingsFile(tmp_path / "settings.toml"),
        consents=None if consent is None else lambda: consent,
        recordings=tmp_path,
    )


def game_of(app: ChaosOpsApp) -> IncidentScreen:
    (game,) = (screen for screen in app.screen_stack if isinstance(screen, IncidentScreen))
    return game


async def test_the_page_is_told_and_nothing_of_the_cause(tmp_path: Path) -> None:
    app, scenario = briefing(tmp_path), Scenario.load(INCIDENT.id)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "Checkout availability below SLO" in text
        assert "12 services" in text
        assert f"for {scenario.incident.hold} minutes" in text
        assert in_words(scenario.failure_type) not in text


async def test_enter_begins_as_sre_beside_the_default_teammates(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        session = game_of(app).session
        assert session.scenario.seed == 0
        assert session.roster.people == {AgentRole.SRE}
        assert session.roster.policy_name(AgentRole.DEV) == "steady"


async def test_beside_a_person_are_steady_teammates_unless_others_are_chosen(
    tmp_path: Path,
) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert app.screen.query_one("#briefing-dev", ChoiceLine).value == "steady"
        await press(pilot, "4", "4")
        await settled(pilot)
        assert "Tries the obvious in a hurry." in text_of(app)
        await press(pilot, "enter")
        await settled(pilot)
        roster = game_of(app).session.roster
        names = [roster.policy_name(role) for role in (AgentRole.OVERSIGHT, AgentRole.MANAGER)]
        assert names == ["steady", "hurried"]
    kept = SettingsFile(tmp_path / "settings.toml").settings.setup
    assert kept.seats[AgentRole.OVERSIGHT].word == "steady"
    assert kept.seats[AgentRole.MANAGER].word == "hurried"


@pytest.mark.slow
async def test_seats_copilot_clock_and_seed_are_chosen_by_keys(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1", *"2222", "c", "s", "end", "4", "2", "enter")
        await settled(pilot)
        session = game_of(app).session
        assert session.scenario.seed == 42
        assert session.roster.words() == {
            AgentRole.SRE: "you + expert",
            AgentRole.OVERSIGHT: "random",
            AgentRole.DEV: "steady",
            AgentRole.MANAGER: "steady",
        }
        path = session.recording
    assert path is not None
    assert read_recording(path).header.seats[AgentRole.SRE].kind is SeatKind.COPILOT
    kept = SettingsFile(tmp_path / "settings.toml").settings.setup
    assert kept.seats[AgentRole.OVERSIGHT] == SeatChoice(False, "random")
    assert kept.shot_clock == 60


async def test_seats_are_chosen_by_the_mouse(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        dev = app.screen.query_one("#briefing-dev", ChoiceLine)
        await pilot.click(dev, offset=(20, 0))
        await settled(pilot)
        assert dev.value == "expert"
        await pilot.click(dev, offset=(15, 0))
        await settled(pilot)
        assert dev.value == "steady"


@pytest.mark.slow
async def test_a_person_has_to_play_and_a_seed_has_its_range(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "1", "1", "1", "enter")
        assert "Take at least one seat" in text_of(app)
        await press(pilot, "left", "left", "left", "s", *"99999999999", "enter")
        assert "4294967295" in text_of(app)
        assert isinstance(app.screen, BriefingScreen)
        await press(pilot, "escape", "n", "enter")
        await settled(pilot)
        assert game_of(app).session.roster.people == {AgentRole.SRE}


async def test_a_drawn_seed_is_one_that_can_be_typed(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "n", "enter")
        await settled(pilot)
        assert 0 <= game_of(app).session.scenario.seed < 10_000


async def test_five_fast_enters_begin_one_game(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press(*["enter"] * 5)
        await settled(pilot)
        assert game_of(app).session.turn == 0
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


@pytest.mark.slow
async def test_a_file_that_broke_meanwhile_is_named_and_leads_back(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(INCIDENT.path.read_text(encoding="utf-8"), encoding="utf-8")
    app = ChaosOpsApp(
        lambda: BriefingScreen(INCIDENT._replace(path=path), 0, None, tmp_path),
        home=lambda: HomeScreen((), tmp_path),
    )
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot)
        assert "mine.yaml:3: id" in text_of(app)
        await press(pilot, "enter")
        await settled(pilot)
        assert "mine.yaml:3: id" in text_of(app)
        assert isinstance(app.screen, BriefingScreen)
        await press(pilot, "escape")
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)


async def test_a_consent_file_that_is_broken_does_not_stop_the_game(tmp_path: Path) -> None:
    (tmp_path / "consent.toml").write_text("format = [\n", encoding="utf-8")
    app = briefing(tmp_path, consent=ConsentStore(tmp_path))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        assert game_of(app).session.turn == 0
        assert any("consent.toml is broken" in str(n.message) for n in app._notifications)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.word)
def test_a_choice_is_its_word(choice: SeatChoice) -> None:
    assert SeatChoice.of(choice.word) == choice


def test_settings_that_name_a_former_policy_still_seat_it(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("[seats]\ndev = 'heuristic'\nmanager = 'expert'\noversight = 'default'\n")
    seats = SettingsFile(path).settings.setup.seats
    words = [seats[role].word for role in (AgentRole.DEV, AgentRole.MANAGER, AgentRole.OVERSIGHT)]
    assert words == ["heuristic", "expert", "steady"]


@pytest.mark.parametrize("word", ["", "me", "you + nobody", "expert + you", "you +", "[/]"])
def test_what_names_nobody_is_refused_with_the_names(word: str) -> None:
    with pytest.raises(ChaosOpsError, match="choose from you, nobody, random"):
        SeatChoice.of(word)


@pytest.mark.slow
def test_a_setup_comes_back_from_the_recording_of_its_game(tmp_path: Path) -> None:
    from chaosops.play.session import Session
    from tests.tui.games import UI

    scenario = Scenario.load(INCIDENT.id)
    for choice in CHOICES:
        seats = {**default_setup().seats, AgentRole.DEV: choice}
        session = Session(scenario, roster_of(Setup(seats), scenario), recordings=tmp_path, ui=UI)
        session.close()
        assert session.recording is not None
        header = read_recording(session.recording).header
        assert setup_of(header).seats == seats


async def test_the_fleet_is_drawn_as_a_tree_with_what_each_service_is(tmp_path: Path) -> None:
    app, topology = briefing(tmp_path), Scenario.load(INCIDENT.id).source.topology
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        lines = text_of(app).splitlines()
        for service in topology.services:
            assert any(service.name in line and service.kind.value in line for line in lines)
        assert any("└ bank" in line and "external" in line for line in lines)
        assert any("edge" in line and "users come in here" in line for line in lines)


async def test_each_seat_is_told_what_it_will_have_to_do(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        text = " ".join(text_of(app).split())
        assert "SRE, you" in text
        assert "You run the services" in text
        assert "Manager, steady" in text
        assert "Looks and tells, and acts when you ask." in text
        await press(pilot, "4", "4", "4", "4", "4")
        await settled(pilot)
        seat = app.screen.query_one("#briefing-manager", ChoiceLine).value
        assert f"Manager, {seat}" in " ".join(text_of(app).split())


@pytest.mark.parametrize(
    ("level", "approves", "permits"),
    [("tutorial", False, False), ("easy", False, True), ("medium", True, True)],
)
def test_only_the_duties_that_a_level_has_are_told(
    level: str, approves: bool, permits: bool
) -> None:
    duties = [duty for role in AgentRole for duty in duties_of(role, Difficulty(level))]
    assert (Duty.DECIDE in duties) is approves
    assert (Duty.PERMIT in duties) is permits
    assert Duty.UPDATE in duties


async def test_what_each_star_needs_is_told(tmp_path: Path) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        text = text_of(app)
        assert "☆ Users  resolved with at least 50 % of the error budget left" in text
        assert "☆ Clean  resolved, and no order" in text


async def test_a_tall_wide_briefing_tells_each_move_and_instrument_with_its_seats(
    tmp_path: Path,
) -> None:
    app = briefing(tmp_path)
    async with app.run_test(size=(250, 70)) as pilot:
        await settled(pilot)
        text = " ".join(text_of(app).split())
        for verb, spec in VERBS.items():
            assert not spec.does or f"{spec.key} {verb_word(verb)} " in text
        for source, shown in SOURCES.items():
            assert f"{shown.key} {source.value} " in text
        assert "r restart SRE, Dev" in text
        used = [bool(line.strip()) for line in text_of(app).split("\n")]
        assert max(place for place, has_words in enumerate(used[:-1]) if has_words) >= 52
        assert "error budget How many requests the objective allows to fail." in text
        await pilot.resize_terminal(120, 40)
        await settled(pilot)
        assert "Instruments" not in text_of(app)
