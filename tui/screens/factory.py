"""Makes requested screens, and imports each only when it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any, assert_never

from textual.screen import Screen

from tui.screen_requests import (
    OpenBriefing,
    OpenDebrief,
    OpenFindings,
    OpenGame,
    OpenGlossary,
    OpenKeys,
    OpenNotice,
    OpenRecordings,
    OpenReplay,
    OpenSettings,
    OpenShift,
    OpenShiftBetween,
    OpenShiftEnd,
    OpenShiftSetup,
    OpenStart,
    ScreenRequest,
)


class LazyScreenFactory:
    """Makes screens and imports them lazily, so that the first one appears soon."""

    def make(self, request: ScreenRequest) -> Screen[Any]:
        """Make the requested screen."""
        match request:
            case OpenBriefing():
                from tui.screens.briefing.screen import BriefingScreen

                return BriefingScreen(
                    request.incident,
                    request.seed,
                    request.setup,
                    request.recordings,
                    request.folders,
                    note=request.note,
                    saves=request.saves,
                )
            case OpenRecordings():
                from tui.screens.recordings.screen import RecordingsScreen

                return RecordingsScreen(request.folder, request.folders)
            case OpenStart():
                from tui.screens.incident.start import StartScreen

                return StartScreen(request.game, request.failed)
            case OpenGame():
                from tui.screens.incident.screen import IncidentScreen

                return IncidentScreen(
                    request.scenario,
                    request.roster,
                    request.recordings,
                    player=request.player,
                    resumed=request.resumed,
                    begin=request.begin,
                    course=request.course,
                )
            case OpenDebrief():
                from tui.screens.debrief.screen import ClosingDebriefScreen, DebriefScreen

                kind = ClosingDebriefScreen if request.closes else DebriefScreen
                return kind(request.session)
            case OpenShiftSetup():
                from tui.screens.shift.setup import ShiftSetupScreen

                return ShiftSetupScreen(request.recordings, request.setup)
            case OpenShift():
                from tui.screens.shift.loading import ShiftLoadingScreen

                return ShiftLoadingScreen(request.take, request.sessions, request.title)
            case OpenShiftBetween():
                from tui.screens.shift.between import ShiftBetweenScreen

                return ShiftBetweenScreen(request.shift, request.told, request.sessions)
            case OpenShiftEnd():
                from tui.screens.shift.end import ShiftEndScreen

                return ShiftEndScreen(request.shift, request.sessions)
            case OpenReplay():
                from tui.screens.replay.screen import ReplayScreen

                return ReplayScreen(
                    request.replay,
                    closes=request.closes,
                    fork=request.fork,
                    recordings=request.recordings,
                    folders=request.folders,
                )
            case OpenFindings():
                from tui.screens.instrument.screen import InstrumentScreen

                return InstrumentScreen(
                    request.known,
                    request.at,
                    request.status,
                    watch=request.watch,
                    helped=request.helped,
                )
            case OpenGlossary(words):
                from tui.screens.glossary.screen import GlossaryScreen

                return GlossaryScreen(words)
            case OpenSettings():
                from tui.screens.settings.screen import SettingsScreen

                return SettingsScreen()
            case OpenKeys():
                from tui.screens.settings.keys import KeysScreen

                return KeysScreen()
            case OpenNotice():
                from tui.screens.dialogs.notice import NoticeScreen

                return NoticeScreen(request.heading, request.text)
        assert_never(request)

    def preload(self) -> None:
        """Import ahead of time what a game needs. Any thread may call it."""
        for name in ("briefing", "incident"):
            import_module(f"tui.screens.{name}.screen")
        # What finds the policies of installed packages.
        import_module("importlib.metadata")
