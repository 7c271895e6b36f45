"""Instruments in a game: how they are opened, who sees them, and what is recorded of it."""

from __future__ import annotations

from functools import cache
from itertools import count
from pathlib import Path

import pytest

from chaosops.agents.policies import pass_turn
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction, Source
from chaosops.env.models.readings import TableKind
from chaosops.env.world_sim import Scenario
from chaosops.play.readings import known_findings
from chaosops.play.replay_model import replay_of_session
from chaosops.play.session import Roster, Session
from chaosops.recording.reader import read_recording
from tests.tui.games import UI, press, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.incident.handover import HandoverScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.instrument.screen import InstrumentScreen
from tui.screens.replay.screen import ReplayScreen
from tui.widgets.panes.board import Board
from tui.widgets.panes.findings import FindingsPane

SRE, DEV = AgentRole.SRE, AgentRole.DEV
LOOK = ChaosOpsAction(SRE, ActionType.INVESTIGATE, "db", {"source": "runtime"})
SMALL, WIDE = (80, 24), (120, 40)
sizes = pytest.mark.parametrize("size", [SMALL, WIDE], ids=["80x24", "120x40"])


@cache
def situation() -> Scenario:
    """An incident in which a look shows a reading."""
    return Scenario.load("checkout-times-out", seed=3)


def game(*people: AgentRole, folder: Path | None = None) -> tuple[ChaosOpsApp, IncidentScreen]:
    mates = {role: pass_turn for role in TURN_ORDER if role not in people}
    roster = Roster(frozenset(people), mates, dict.fromkeys(mates, "noop"))
    ticks = count(1.0).__next__

    def begin() -> Session:
        return Session(situation(), roster, recordings=folder, ui=UI, monotonic=ticks)

    screen = IncidentScreen(situation(), roster, folder, begin=begin)
    return ChaosOpsApp(lambda: screen, pace=0), screen


async def look(screen: IncidentScreen) -> None:
    """Take a look, as the picker does when its last question is answered."""
    from chaosops.play.rationale import UNSAID
    from tui.widgets.picker.picker import Picker

    screen.post_message(Picker.Submitted(screen.session.turn, LOOK, UNSAID))


def test_a_role_sees_what_it_looked_at_in_the_turn_in_which_it_looked() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario=situation())
    after = env.step(LOOK)
    assert after.turn_role is not SRE
    (found,) = env.view_of(SRE).findings
    assert (found.source, found.target, found.minute) == (Source.RUNTIME, "db", 0)
    assert found.reading is not None
    assert found.reading.table(TableKind.INSTANCES) is not None


@pytest.mark.few(1)
@sizes
async def test_a_look_opens_in_the_turn_in_which_it_is_taken(size: tuple[int, int]) -> None:
    app, screen = game(SRE)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await look(screen)
        await settled(pilot)
        assert isinstance(app.screen, InstrumentScreen)
        assert "runtime of db" in text_of(app)
        assert "instances" in text_of(app)
        # Meanwhile the three teammates have played.
        assert screen.session.turn == 4
        await press(pilot, "escape")
        assert app.screen is screen
        assert screen.session.waits_for_person


@pytest.mark.slow
@sizes
async def test_a_finding_opens_from_its_pane_by_enter_and_by_a_click(size: tuple[int, int]) -> None:
    app, screen = game(SRE)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await look(screen)
        await settled(pilot)
        await press(pilot, "escape")
        screen.query_one(Board).open("findings")
        await settled(pilot)
        pane = screen.query_one(FindingsPane)
        pane.focus()
        await press(pilot, "up", "down", "enter")
        assert isinstance(app.screen, InstrumentScreen)
        await press(pilot, "escape")
        await pilot.click(pane, offset=(pane.gutter.left + 4, pane.gutter.top))
        await settled(pilot)
        assert isinstance(app.screen, InstrumentScreen)


@pytest.mark.few(1)
@sizes
async def test_space_selects_the_newest_finding_in_its_tab_and_enter_opens_it(
    size: tuple[int, int],
) -> None:
    app, screen = game(SRE)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await look(screen)
        await settled(pilot)
        await press(pilot, "escape")
        screen.query_one(Board).open("findings")
        await settled(pilot)
        await press(pilot, "space")
        pane = screen.query_one(FindingsPane)
        assert app.focused is pane
        assert pane.highlighted == 0
        assert "Open finding" in text_of(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, InstrumentScreen)


@pytest.mark.slow
async def test_what_one_person_looked_at_is_closed_before_the_next_one_sits_down() -> None:
    app, screen = game(SRE, DEV)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        for _ in range(3):
            if isinstance(app.screen, HandoverScreen):
                await press(pilot, "enter")
        assert app.screen is screen
        await look(screen)
        await settled(pilot)
        assert isinstance(app.screen, InstrumentScreen)
        assert screen.session.turn == 1
        await press(pilot, "escape")
        assert isinstance(app.screen, HandoverScreen)
        assert "instances" not in text_of(app)


@pytest.mark.slow
async def test_what_was_looked_at_is_in_the_recording_of_the_next_turn(tmp_path: Path) -> None:
    app, screen = game(SRE, folder=tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await look(screen)
        await settled(pilot)
        await press(pilot, "right", "right", "s", "escape")
        await press(pilot, "0", "enter")
        await settled(pilot)
        screen.session.close()
        path = screen.session.recording
    assert path is not None
    turns = read_recording(path).turns
    assert turns[0].human.instruments == ()
    looks = turns[4].human.instruments
    first = next(item for item in looks if item.title == "instances")
    assert (first.finding, first.source, first.target, first.taken_at) == (0, "runtime", "db", 0)
    assert (first.part, first.sorted_by, first.descending) == ("table", "build", False)
    assert first.in_view_ms > 0


@pytest.mark.slow
async def test_a_replay_opens_findings_too() -> None:
    app, screen = game(SRE)
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        await look(screen)
        await settled(pilot)
        await press(pilot, "escape", "0", "enter")
        replay = ReplayScreen(replay_of_session(screen.session))
        await app.push_screen(replay)
        await settled(pilot)
        replay.playback.go_to(4)
        replay.query_one(Board).open("findings")
        await settled(pilot)
        replay.query_one(FindingsPane).focus()
        await press(pilot, "enter")
        assert isinstance(app.screen, InstrumentScreen)
        assert "runtime of db" in text_of(app)


def test_the_pane_and_the_instrument_know_the_same_findings() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario=situation())
    env.step(LOOK)
    view = env.view_of(SRE)
    assert FindingsPane.count(view) == len(known_findings(view)) == 1
