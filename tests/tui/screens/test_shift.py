"""A shift on screens: its setup, the half screen between two incidents, its end, and leaving it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from chaosops.env.models import AgentRole, Difficulty
from chaosops.evaluation.proven_seeds import shipped_seeds
from chaosops.play.setup import Setup
from chaosops.play.shifts.codes import ShiftPlan, code_of
from chaosops.play.shifts.files import kept_shifts
from chaosops.play.shifts.results import ShiftResult
from chaosops.play.shifts.shift import Shift
from chaosops.play.shifts.state import ShiftState
from chaosops.recording.consent import ConsentStore
from chaosops.recording.events import ConsentScope
from chaosops.recording.reader import read_recording
from chaosops.recording.verify import verify
from chaosops.scenarios.carryover import Improvement
from tests.tui.games import press, settled, text_of
from tui.app import ChaosOpsApp
from tui.fixtures import fixture
from tui.screens.debrief.screen import DebriefScreen
from tui.screens.dialogs.consent import ConsentScreen
from tui.screens.dialogs.notice import NoticeScreen
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.shift.between import ShiftBetweenScreen
from tui.screens.shift.end import ShiftEndScreen
from tui.screens.shift.loading import ShiftLoadingScreen
from tui.screens.shift.setup import ShiftSetupScreen

PLAN = ShiftPlan(Difficulty.MEDIUM, 3, 7)
SETUP = Setup.of((AgentRole.OVERSIGHT,), "expert")
SMALL = (80, 24)


def on_shift(
    folder: Path, take: Callable[[], Shift] | None = None, *, asks: bool = False
) -> ChaosOpsApp:
    """An app that opens with a shift, by default a new one that can be won by passing."""

    def begun() -> Shift:
        return Shift.new(PLAN, SETUP, folder)

    return ChaosOpsApp(
        lambda: ShiftLoadingScreen(take or begun),
        home=lambda: HomeScreen((), folder),
        pace=0,
        recordings=folder,
        consents=(lambda: ConsentStore(folder / "config")) if asks else None,
    )


def after_one(folder: Path) -> Shift:
    """A shift whose first incident is over."""
    shift = Shift.new(PLAN, SETUP, folder)
    shift.finish(
        ShiftResult(
            recording="",
            resolved=True,
            minutes=20,
            score=50.0,
            budget=71,
            stars={AgentRole.OVERSIGHT: ("clean",)},
            glyphs="··○",
        )
    )
    return shift


def state_in(folder: Path) -> ShiftState:
    (kept,) = kept_shifts(folder).shifts
    return kept.state


async def play_on(pilot: Pilot[int]) -> None:
    """Pass until the incident is over."""
    screen = pilot.app.screen
    assert isinstance(screen, IncidentScreen)
    for _turn in range(80):
        if not isinstance(pilot.app.screen, IncidentScreen):
            return
        await press(pilot, "0", "enter")
        await settled(pilot)
    raise AssertionError(f"the incident goes on: {text_of(pilot.app)}")


@pytest.mark.slow
async def test_a_whole_shift_is_played_on_screens(tmp_path: Path) -> None:
    app = on_shift(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        for number, key in ((1, "2"), (2, "3")):
            await play_on(pilot)
            await settled(pilot)
            assert isinstance(app.screen, ShiftBetweenScreen)
            text = text_of(app)
            assert f"Incident {number} of 3 is over" in text
            assert "It cost " in text
            assert "The lesson" in text
            assert f"Next, {number + 1} of 3" in text
            assert [f"{k} {name}" in text for k, name in ((1, "Retry budget"), (3, "Headroom"))]
            await press(pilot, key)
            await settled(pilot)
        await play_on(pilot)
        await settled(pilot)
        assert isinstance(app.screen, ShiftEndScreen)
        text = text_of(app)
        assert "The shift is over" in text
        assert code_of(PLAN, shipped_seeds()) in text
        assert "Oversight rated" in text
        await press(pilot, "s")
        assert app.clipboard.startswith(f"ChaosOps shift {code_of(PLAN, shipped_seeds())} · ")
        await press(pilot, "c")
        assert app.clipboard == code_of(PLAN, shipped_seeds())
        await press(pilot, "n")
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
    state = state_in(tmp_path)
    assert state.is_over
    assert state.choices == (Improvement.DEPLOY_FREEZE, Improvement.HEADROOM)
    for result in state.played:
        assert verify(tmp_path / result.recording).ok


@pytest.mark.slow
async def test_a_shift_that_was_left_goes_on_where_it_was(tmp_path: Path) -> None:
    app = on_shift(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
        turn = app.screen.session.turn
        assert turn > 1
        await press(pilot, "ctrl+q")
    assert f"To continue: chaosops shift {code_of(PLAN, shipped_seeds())}" in app.farewell
    (kept,) = kept_shifts(tmp_path).shifts
    assert kept.state.playing
    app = on_shift(tmp_path, lambda: Shift.reopened(kept.path))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
        assert app.screen.session.turn == turn
        assert app.screen.session.began_at == turn
    assert len(list(tmp_path.glob("*.jsonl"))) == 1


@pytest.mark.slow
async def test_a_shift_that_was_left_before_a_choice_asks_again(tmp_path: Path) -> None:
    app = on_shift(tmp_path, lambda: after_one(tmp_path))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, ShiftBetweenScreen)
        await press(pilot, "escape")
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
        await press(pilot, "t")
        await settled(pilot)
        assert "r continues" in text_of(app)
        assert "incident 2 of 3 next, 1 resolved" in " ".join(text_of(app).split())
        await press(pilot, "r")
        await settled(pilot)
        assert isinstance(app.screen, ShiftBetweenScreen)
        assert app.screen.check_action("debrief", ()) is False


@pytest.mark.slow
async def test_the_debrief_of_the_last_incident_opens_and_closes(tmp_path: Path) -> None:
    app = on_shift(tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await play_on(pilot)
        await settled(pilot)
        await press(pilot, "d")
        await settled(pilot)
        assert isinstance(app.screen, DebriefScreen)
        await press(pilot, "escape")
        await settled(pilot)
        assert isinstance(app.screen, ShiftBetweenScreen)


async def test_enter_takes_the_highlighted_action_item(tmp_path: Path) -> None:
    app = on_shift(tmp_path, lambda: after_one(tmp_path))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "down", "enter")
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
        carried = app.screen.session.scenario.carryover
        assert carried is not None
        assert carried.improvement is Improvement.DEPLOY_FREEZE
        assert carried.budget == state_in(tmp_path).budget


async def test_the_setup_begins_the_shift_of_a_code(tmp_path: Path) -> None:
    code = code_of(ShiftPlan(Difficulty.HARD, 8, 11), shipped_seeds())
    app = ChaosOpsApp(lambda: HomeScreen((), tmp_path), pace=0, recordings=tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "t")
        await settled(pilot)
        assert isinstance(app.screen, ShiftSetupScreen)
        await press(pilot, "c")
        app.screen.query_one("#shift-code", Input).value = code.lower()
        await press(pilot, "enter")
        await settled(pilot)
        assert isinstance(app.screen, IncidentScreen)
    state = state_in(tmp_path)
    assert (state.code, state.incidents) == (code, 8)


@pytest.mark.slow
async def test_the_setup_has_level_length_and_seats(tmp_path: Path) -> None:
    app = ChaosOpsApp(lambda: HomeScreen((), tmp_path), pace=0, recordings=tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "t", "l", "m", "1", "1", "1")
        await settled(pilot)
        await press(pilot, "enter")
        assert "Take at least one seat" in text_of(app)
        await press(pilot, *["3"] * 7, "enter")
        await settled(pilot)
    state = state_in(tmp_path)
    assert state.code.split("-")[1] == "H8"
    assert (state.seats[AgentRole.SRE], state.seats[AgentRole.DEV]) == ("steady", "you")


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("code", "told"),
    [("tomorrow", "is no shift code"), ("0.1.0-M3-7-ZZZZZ", "has a typo: copy it again")],
)
async def test_a_code_that_gives_no_shift_is_told_and_can_be_corrected(
    code: str, told: str, tmp_path: Path
) -> None:
    app = ChaosOpsApp(lambda: ShiftSetupScreen(tmp_path), pace=0, recordings=tmp_path)
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        app.screen.query_one("#shift-code", Input).value = code
        await press(pilot, "enter")
        assert told in " ".join(text_of(app).split())
        assert isinstance(app.focused, Input)
        assert app.screen.query_one("#shift-code", Input).value == code
    assert not kept_shifts(tmp_path).shifts


async def test_a_file_that_was_edited_by_hand_is_told_in_the_setup(tmp_path: Path) -> None:
    shift = Shift.new(PLAN, SETUP, tmp_path)
    shift.path.write_text('{"format": 1', "utf-8")
    app = ChaosOpsApp(lambda: ShiftSetupScreen(tmp_path), pace=0, recordings=tmp_path)
    async with app.run_test(size=(160, 45)) as pilot:
        await settled(pilot)
        assert "it is not JSON" in text_of(app)
        assert not app.screen.check_action("resume", ())


async def test_a_shift_that_can_not_be_opened_says_why_and_leaves_the_list(tmp_path: Path) -> None:
    shift = Shift.new(PLAN, SETUP, tmp_path)
    shift._save(shift.state.begun("a-game.jsonl"))
    (tmp_path / "a-game.jsonl").write_text("no recording\n", "utf-8")
    app = ChaosOpsApp(
        lambda: HomeScreen((), tmp_path),
        home=lambda: HomeScreen((), tmp_path),
        pace=0,
        recordings=tmp_path,
    )
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
        await press(pilot, "t", "r")
        await settled(pilot)
        await settled(pilot)
        assert isinstance(app.screen, NoticeScreen)
        assert "to start this incident over" in " ".join(text_of(app).split())
        await press(pilot, "enter")
        assert isinstance(app.screen, HomeScreen)


async def test_a_shift_that_can_not_be_opened_ends_an_app_without_a_list(tmp_path: Path) -> None:
    path = Shift.new(PLAN, SETUP, tmp_path).path
    path.write_text("[]", "utf-8")
    app = on_shift(tmp_path, lambda: Shift.reopened(path))
    async with app.run_test(size=SMALL) as pilot:
        await settled(pilot)
    assert "correct it, or remove the file" in app.failure


@pytest.mark.slow
async def test_consent_is_asked_after_the_first_shift_and_covers_its_incidents(
    tmp_path: Path,
) -> None:
    app = on_shift(tmp_path, asks=True)
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        for key in ("1", "1", ""):
            await play_on(pilot)
            await settled(pilot)
            if key:
                await press(pilot, key)
                await settled(pilot)
        await press(pilot, "n")
        await settled(pilot)
        assert isinstance(app.screen, ConsentScreen)
        app.screen.dismiss(ConsentStore(tmp_path / "config").give([ConsentScope.ACTIONS]))
        await settled(pilot)
        assert isinstance(app.screen, HomeScreen)
    paths = [tmp_path / result.recording for result in state_in(tmp_path).played]
    assert all(any(note.consent for note in read_recording(path).notes) for path in paths)


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (60, 20), (120, 40), (200, 60)])
@pytest.mark.parametrize("name", ["between", "ending"])
async def test_nothing_is_cut_off_at_the_right(
    name: str, size: tuple[int, int], tmp_path: Path
) -> None:
    app = fixture(name).app(tmp_path)
    async with app.run_test(size=size) as pilot:
        await fixture(name).set_up(pilot)
        for part in app.screen.query("#shift-between Static, #shift-end Static"):
            assert part.region.right <= size[0]


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_an_items_effect_stands_below_its_name(size: tuple[int, int], tmp_path: Path) -> None:
    app = fixture("between").app(tmp_path)
    async with app.run_test(size=size) as pilot:
        await fixture("between").set_up(pilot)
        await settled(pilot)
        lines = text_of(app).split("\n")
    at = next(line.index("1  Retry budget") for line in lines if "1  Retry budget" in line)
    row = next(number for number, line in enumerate(lines) if "1  Retry budget" in line)
    assert lines[row + 1][at : at + 10] == "   a full "
    assert lines[row + 2][at : at + 3] in ("   ", "2  ")
    assert "What it cost" in "\n".join(lines)
