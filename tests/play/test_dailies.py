"""The incident of the day counts once a day, and days in a row make a streak."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.agents.policies import pass_turn
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.proven_seeds import shipped_seeds
from chaosops.play import daily as daily_module
from chaosops.play.dailies import Dailies, DailyResult, note_daily, read_dailies
from chaosops.play.daily import daily, daily_of, days_of, required_daily
from chaosops.play.earned_stars import stars_in
from chaosops.play.session import Session, ask
from chaosops.scenarios.carryover import Carryover
from chaosops.scenarios.summaries import scenario_summaries
from tests.cli.helpers import run_here
from tests.tui.games import UI, roster

DAY = date(2026, 3, 2)
DAYS = st.dates(date(2020, 1, 1), date(2100, 1, 1))
RESULT = DailyResult(resolved=True, stars=("users",), budget=70, glyphs="○●")


def scenario(day: date = DAY) -> Scenario:
    today = daily(scenario_summaries(), day)
    assert today is not None
    return Scenario.load(today.incident.id, today.seed)


def played(folder: Path, scenario: Scenario) -> Session:
    """A short game in which a person as SRE passes."""
    game = Session(scenario.lasting(24), roster(AgentRole.SRE), recordings=folder, ui=UI)
    _pass_all(game)
    return game


def _pass_all(game: Session) -> None:
    while not game.done:
        if game.waits_for_person:
            game.submit(game.turn, pass_turn(game.observation, game.role))
        else:
            game.take_answer(game.turn, ask(pass_turn, game.observation, game.role))
    game.close()


@given(DAYS)
def test_only_the_pick_of_a_day_is_that_days_incident(day: date) -> None:
    known = scenario_summaries()
    today = daily(known, day)
    assert today is not None
    assert today.seed in shipped_seeds().situations[today.incident.id].seeds
    assert daily_of(today.incident.id, today.seed, known, days_of(day)) == day
    assert daily_of(today.incident.id, today.seed + 1_000_000, known, days_of(day)) is None
    assert daily_of("not-an-incident", today.seed, known, days_of(day)) is None


def test_a_game_may_be_finished_after_midnight() -> None:
    known, game = scenario_summaries(), scenario()
    after = DAY + timedelta(days=1)
    assert daily_of(game.id, game.seed, known, days_of(after)) == DAY
    assert daily_of(game.id, game.seed, known, days_of(after + timedelta(days=1))) is None


def test_a_finished_game_of_the_day_is_noted_with_its_glyphs(tmp_path: Path) -> None:
    game = played(tmp_path, scenario())
    noted = note_daily(game, stars_in(game), DAY)
    assert noted is not None
    assert (noted.day, noted.streak, noted.is_first, noted.trouble) == (DAY, 1, True, "")
    assert noted.result.glyphs == "·" * 6
    assert read_dailies(tmp_path).days == {DAY: noted.result}


def test_the_first_game_of_a_day_counts(tmp_path: Path) -> None:
    first = played(tmp_path, scenario())
    second = played(tmp_path, scenario())
    one = note_daily(first, stars_in(first), DAY)
    other = note_daily(second, frozenset(), DAY)
    assert one is not None
    assert other is not None
    assert not other.is_first
    assert other.result == one.result


def test_other_games_are_not_noted(tmp_path: Path) -> None:
    other = played(tmp_path, Scenario.load("first-shift-1-product-pages"))
    assert note_daily(other, stars_in(other), DAY) is None
    shift = played(tmp_path, scenario().carrying(Carryover(budget=100, worth=180)))
    assert note_daily(shift, stars_in(shift), DAY) is None
    game = played(tmp_path, scenario())
    assert note_daily(game, None, DAY) is None
    fork = game.fork(4)
    assert note_daily(fork, frozenset(), DAY) is None
    _pass_all(fork)
    assert note_daily(fork, frozenset(), DAY) is None
    assert not (tmp_path / "dailies.json").exists()


def test_days_in_a_row_up_to_today_or_yesterday_are_a_streak() -> None:
    days = {DAY - timedelta(days=back): RESULT for back in (0, 1, 2, 4)}
    assert Dailies(days).streak(DAY) == 3
    assert Dailies(days).streak(DAY + timedelta(days=1)) == 3
    assert Dailies(days).streak(DAY + timedelta(days=2)) == 0
    assert Dailies().streak(DAY) == 0


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'{"format": 1,\n', "dailies.json:2: it is not JSON"),
        (b'{"format": 2}', "format: input should be 1"),
        (b'{"format": 1, "days": {"2026-13-01": {}}}', "days.2026-13-01"),
        (b'{"format": 1, "days": {"2026-03-01": {"resolved": 1}}}', "days.2026-03-01.resolved"),
        (b'"\xff"', "not JSON text in UTF-8"),
        (b"[" * 50_000, "it is not JSON"),
    ],
)
def test_a_file_that_was_edited_by_hand_is_told_and_never_overwritten(
    text: bytes, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "dailies.json"
    path.write_bytes(text)
    trouble = read_dailies(tmp_path).trouble
    assert told in trouble
    assert "correct it, or remove the file" in trouble
    assert "\n" not in trouble
    game = played(tmp_path, scenario())
    noted = note_daily(game, stars_in(game), DAY)
    assert noted is not None
    assert noted.trouble == trouble
    assert path.read_bytes() == text


def test_the_command_plays_the_incident_of_the_day(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[tuple[str, int]] = []

    def open_incident(name: str, seed: int, **_options: object) -> int:
        opened.append((name, seed))
        return 0

    monkeypatch.setattr("chaosops.cli.game.open_incident", open_incident)
    monkeypatch.setattr(daily_module, "today_in_utc", lambda: DAY)
    assert run_here(capsys, "play", "--daily").code == 0
    assert opened == [(scenario().id, scenario().seed)]
    done = run_here(capsys, "play", "checkout-times-out", "--daily")
    assert done.code == 2
    assert "--daily chooses the incident and its seed" in done.err


def test_seeds_of_another_engine_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stale = shipped_seeds()._replace(engine=1)
    monkeypatch.setattr(daily_module, "shipped_seeds", lambda: stale)
    with pytest.raises(ChaosOpsError, match="install chaosops again"):
        required_daily(DAY)
    assert daily(scenario_summaries(), DAY) is None
