"""The instrument screen by itself, over findings made by hand."""

from __future__ import annotations

from collections.abc import Sequence

from textual.pilot import Pilot

from chaosops.env.models.readings import Part
from chaosops.play.instrument_use import Watched
from chaosops.play.readings import KnownFinding
from tests.readings import STATUS, finding
from tui.app import ChaosOpsApp
from tui.screens.instrument.screen import InstrumentScreen
from tui.widgets.instruments.part_view import PartView

SMALL, WIDE, WIDEST = (80, 24), (120, 40), (160, 45)


class Shown:
    """An app that opens on findings, and what it told of what is looked at."""

    def __init__(self, *findings: Sequence[Part], at: int = 0) -> None:
        self.told: list[Sequence[Watched]] = []
        known = [KnownFinding(finding(*parts), place) for place, parts in enumerate(findings)]
        self.screen = InstrumentScreen(known, at, STATUS, watch=self.told.append)
        self.app = ChaosOpsApp(lambda: self.screen, pace=0)

    @property
    def view(self) -> PartView[Part]:
        """The first part in view."""
        return next(view for view in self.screen.query(PartView) if view.display)


async def point(pilot: Pilot[int], column: int, row: int) -> None:
    """Click on a place of the screen."""
    await pilot.click(offset=(column, row))
    await pilot.pause()
