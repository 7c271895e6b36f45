"""The incident screen, where a diagnosis can name causes of an author."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from chaosops.env.models import ActionType, AgentRole
from chaosops.play.session import Session
from tests.own_folder import ALIAS, drawing, write_folder
from tests.tui.games import UI, press, roster, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.picker.picker import Picker


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(80, 24), (140, 45)])
async def test_an_authors_cause_is_found_by_its_alias_and_explained(
    size: tuple[int, int], tmp_path: Path
) -> None:
    write_folder(tmp_path)
    world, seats = drawing(tmp_path), roster(AgentRole.SRE)

    def begin() -> Session:
        ticks = count(1.0).__next__
        return Session(world, seats, recordings=None, ui=UI, monotonic=ticks)

    screen = IncidentScreen(world, seats, None, begin=begin)
    app = ChaosOpsApp(lambda: screen, pace=0)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        picks = screen.query_one(Picker).flow._form.picks  # type: ignore[union-attr]
        diagnose = next(p for p in picks if p.verb.action_type is ActionType.DIAGNOSE)
        letters = ["space" if letter == " " else letter for letter in ALIAS]
        await press(pilot, diagnose.key, "slash", *letters)
        shown = text_of(app)
        assert "vacuum lock" in shown
        assert "access rule" not in shown
        await press(pilot, "enter")
        await press(pilot, "question_mark")
        assert "Causes that this incident adds" in "\n".join(
            str(widget.render()) for widget in app.screen.query("Static")
        )
