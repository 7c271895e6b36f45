"""Language models beside a person on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from textual.pilot import Pilot

from chaosops.adapters.llm.models import LanguageModels
from chaosops.adapters.llm.settings import ModelSettings
from chaosops.agents.policies import pass_turn
from chaosops.env.models import AgentRole
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider
from tests.adapters.llm.server import KEY, Server, hangs, says, serving, status, turn
from tests.tui.games import game, press, roster, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.incident.screen import IncidentScreen

SRE, OVERSIGHT = AgentRole.SRE, AgentRole.OVERSIGHT
NAME = "openai:little-1"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with serving(says(turn("noop", reason="Nothing is certain."))) as running:
        yield running


def beside(
    server: Server, folder: Path, *, copilot: bool = False
) -> tuple[ChaosOpsApp, IncidentScreen]:
    """A game of an SRE with a model as Oversight or as copilot."""
    policies = LanguageModels(ModelSettings(timeout=20), server.environment).policies([NAME])
    seats = replace(roster(SRE, others=pass_turn), policies=policies)
    policy = policies.find(NAME)(0)
    seats = (
        seats.with_copilot(SRE, policy, NAME)
        if copilot
        else seats.with_policy(OVERSIGHT, policy, NAME)
    )
    return game(seats, folder=folder)


async def until(pilot: Pilot[int], holds: Callable[[], object]) -> None:
    for _ in range(600):
        if holds():
            return
        await pilot.pause(0.01)
    pytest.fail(text_of(pilot.app))


@pytest.mark.slow
async def test_the_screen_says_who_thinks_and_for_how_long_and_a_person_goes_on(
    server: Server, tmp_path: Path
) -> None:
    server.answers = [hangs]
    app, screen = beside(server, tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("0", "enter")
        for seconds in (1, 2):
            words = rf"Oversight \({NAME}\) is thinking: {seconds} s"
            await until(pilot, lambda words=words: re.search(words, text_of(app)))
        # The screen lives: help opens and closes meanwhile.
        await pilot.press("?")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("x")
        await until(pilot, lambda: screen.session.turn >= 4)
        await settled(pilot)
        assert screen.session.humans[1].policy == "nobody"
        assert len(server.asked) == 1
        server.released.set()
        server.answers = [says(turn("noop"))]
        await press(pilot, "0", "enter")
        assert screen.session.humans[5].source is Decider.LLM


@pytest.mark.slow
async def test_a_copilots_thinking_is_timed_and_no_turn_waits_for_it(
    server: Server, tmp_path: Path
) -> None:
    server.answers = [hangs]
    app, screen = beside(server, tmp_path, copilot=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await until(pilot, lambda: re.search(r"thinking: [1-9]\d* s", text_of(app)) is not None)
        assert f"copilot {NAME} is" in text_of(app)
        await pilot.press("0", "enter")
        await until(pilot, lambda: screen.session.turn >= 4)
        assert screen.session.humans[0].source is Decider.HUMAN
        assert screen.session.humans[0].suggestion is None
        server.released.set()


@pytest.mark.slow
async def test_a_models_proposal_has_its_reason_and_a_refusal_is_told(
    server: Server, tmp_path: Path
) -> None:
    server.answers = [says(turn("noop", reason="Nothing is certain.")), status(401)]
    app, screen = beside(server, tmp_path, copilot=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        (offer,) = screen.session.copilot.offers
        assert (offer.who, offer.why) == (f"copilot {NAME}", "Nothing is certain.")
        assert f"copilot {NAME}" in text_of(app)
        assert "Nothing is" in text_of(app)
        await press(pilot, "0", "enter")
        assert screen.session.humans[0].source is Decider.COPILOT
        assert "No proposal from the copilot" in " ".join(screen.session.trouble.split())
        assert "refused the key (status 401)" in screen.session.trouble
        assert KEY not in text_of(app)
        await press(pilot, "0", "enter")
        assert screen.session.turn >= 8


async def test_a_turn_that_a_model_lost_is_told_and_the_game_goes_on(
    server: Server, tmp_path: Path
) -> None:
    server.answers = [says("no idea")]
    app, screen = beside(server, tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "0", "enter")
        assert screen.session.turn == 4
        assert f"Oversight passed in turn 2: {NAME} gave no valid action" in screen.session.trouble
        assert "gave no valid action" in " ".join(text_of(app).split())
        assert len(server.asked) == 3
    (path,) = tmp_path.iterdir()
    assert read_recording(path).turns[1].human.policy == "nobody"


@pytest.mark.slow
async def test_a_model_takes_a_seat_by_its_name_and_a_wrong_name_changes_nothing(
    server: Server, tmp_path: Path
) -> None:
    app, screen = beside(server, tmp_path)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "t", "3", "down", "up", "end", "enter")
        await press(pilot, *"no", "enter")
        assert screen.session.roster.policy_name(AgentRole.DEV) == "noop"
        assert any("there is no policy 'no'" in str(note.message) for note in app._notifications)
        await press(pilot, "t", "3", "end", "enter", *"x7", "escape", "end", "enter")
        await press(pilot, *("colon" if key == ":" else key for key in "openai:q1"), "enter")
        assert screen.session.roster.policy_name(AgentRole.DEV) == "openai:q1"
        await press(pilot, "0", "enter")
        assert server.asked[-1]["model"] == "q1"
        assert screen.session.humans[2].source is Decider.LLM
