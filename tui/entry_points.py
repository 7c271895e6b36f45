"""The entry points of the terminal game. Each returns the exit code."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from chaosops.errors import ChaosOpsError
from chaosops.output import say

if TYPE_CHECKING:
    from textual.screen import Screen

    from chaosops.agents.registry import Policies
    from chaosops.env.models import AgentRole
    from chaosops.env.world_sim import Scenario
    from chaosops.play.settings import Settings
    from chaosops.play.setup import SeatChoice, Setup
    from chaosops.play.shifts.shift import Shift
    from chaosops.recording.reader import Recording
    from chaosops.recording.resume import Resumed


def play(
    load: Callable[[], Scenario],
    setup: Setup,
    *,
    title: str,
    recordings: Path,
    folders: Sequence[Path] = (),
    theme: str | None = None,
    curtain: bool | None = None,
    plain: bool = False,
    policies: Policies | None = None,
) -> int:
    """Play an incident.

    Args:
        load: Opens the incident, in a thread, once the screen is visible.
        setup: Who sits in which seat, and the shot clock.
        title: The title to show until then.
        recordings: The folder for the recording.
        folders: Where the list of incidents looks besides the built-in set, after the game.
        theme: Overrides the one in the settings, without saving it.
        curtain: Whether the board is hidden between two roles that people play; overrides
            the settings, without saving it.
        plain: Whether to play as lines of text, without a screen.
        policies: Makes the policies by name; by default all but those of a family.

    Raises:
        ChaosOpsError: The incident can't be opened; the terminal is unchanged.
    """
    if plain:
        from tui import plain as lines

        settings = _said_settings()
        if curtain is not None:
            settings = replace(settings, curtain=curtain)
        return lines.play(
            load(),
            setup,
            recordings=recordings,
            folders=tuple(folders),
            settings=settings,
            policies=policies,
        )

    def first() -> Screen[Any]:
        from chaosops.play.game_requests import new_game
        from tui.screens.incident.start import StartScreen

        return StartScreen(new_game(title, load, setup, recordings, policies))

    return _run(first, folders, recordings, theme, curtain, policies)


def resume(
    resumed: Resumed,
    *,
    recordings: Path,
    folders: Sequence[Path] = (),
    plain: bool = False,
    policies: Policies | None = None,
    changed: Mapping[AgentRole, SeatChoice] = MappingProxyType({}),
) -> int:
    """Continue a resumed game.

    Args:
        resumed: The game, whose log is continued.
        plain: Whether to play as lines of text, without a screen.
        policies: Makes the policies by name; by default all but those of a family.
        changed: Who takes some of its seats, by role.
    """
    if plain:
        from tui import plain as lines

        return lines.resume(
            resumed,
            recordings=recordings,
            folders=tuple(folders),
            settings=_said_settings(),
            policies=policies,
            changed=changed,
        )

    def first() -> Screen[Any]:
        from chaosops.play.game_requests import old_game
        from tui.screens.incident.start import StartScreen

        header = resumed.recording.header
        game = old_game(header.current_scenario, lambda: resumed, recordings, policies, changed)
        return StartScreen(game)

    return _run(first, folders, recordings, None, policies=policies)


def shift(
    played: Shift,
    *,
    plain: bool = False,
    theme: str | None = None,
    policies: Policies | None = None,
) -> int:
    """Play a shift, from where it stands.

    Args:
        plain: Whether to play as lines of text, without a screen.
        policies: Makes the policies by name; by default all but those of a family.
    """
    if plain:
        from tui import plain as lines

        return lines.shift(played, settings=_said_settings(), policies=policies)

    def first() -> Screen[Any]:
        from tui.screens.shift.loading import ShiftLoadingScreen

        return ShiftLoadingScreen(lambda: played)

    return _run(first, (), played.recordings, theme, policies=policies)


def replay(
    path: Path,
    *,
    recordings: Path | None = None,
    folders: Sequence[Path] = (),
    theme: str | None = None,
    plain: bool = False,
    policies: Policies | None = None,
) -> int:
    """Step through a recording.

    Args:
        recordings: The folder for forks of it; by default the user's own.
        folders: Where scenarios are, besides the built-in set.
        plain: Whether to play as lines of text, without a screen.
        policies: Makes the policies by name; by default all but those of a family.

    Raises:
        RecordingError: It can't be read; nothing was shown.
    """
    from chaosops.recording.reader import read_recording

    recording = read_recording(path)
    if plain:
        from tui import plain as lines

        return lines.replay(
            recording,
            recordings=recordings,
            folders=tuple(folders),
            settings=_said_settings(),
            policies=policies,
        )

    def first() -> Screen[Any]:
        from chaosops.play.replay_model import replay_of
        from tui.screens.replay.screen import ReplayScreen

        return ReplayScreen(replay_of(recording), recordings=recordings, folders=tuple(folders))

    return _show(first, None, path.parent, None, theme, policies=policies)


def cast(
    recording: Recording,
    size: tuple[int, int],
    seconds: float,
    advance: Callable[[], None],
    *,
    plain: bool = False,
    folders: Sequence[Path] = (),
) -> str:
    """Return the replay of a recording as the text of an asciinema cast.

    Args:
        size: Of the terminal, in columns and lines.
        seconds: How long each turn is shown.
        advance: Called after each turn.
        plain: Whether it shows lines of text instead of the screen.
        folders: Where scenarios are, besides the built-in set.
    """
    from tui.cast import CastSize, plain_cast, screen_cast

    if plain:
        return plain_cast(recording, CastSize(*size), seconds, advance)
    return screen_cast(recording, CastSize(*size), seconds, advance, tuple(folders))


def home(
    folders: Sequence[Path],
    recordings: Path,
    *,
    theme: str | None = None,
    plain: bool = False,
    policies: Policies | None = None,
) -> int:
    """Open the list of incidents.

    Args:
        folders: Where to look for incidents besides the built-in set.
        recordings: The folder for the recordings of what is played.
        plain: Whether to play as lines of text, without a screen.
        policies: Makes the policies by name; by default all but those of a family.
    """
    if plain:
        from tui import plain as lines

        return lines.home(tuple(folders), recordings, settings=_said_settings(), policies=policies)
    return _run(None, folders, recordings, theme, policies=policies)


def _said_settings() -> Settings:
    """Read the player's settings; report problems of the file on stderr, a line each."""
    from chaosops.play.formatting import shown
    from chaosops.play.settings import SettingsFile, default_path

    preferences = SettingsFile(default_path())
    for trouble in preferences.troubles:
        rest = str(trouble).removeprefix(trouble.path.name)
        say(f"note: {shown(trouble.path, 1_000)}{rest}", err=True)
    return preferences.settings


def _run(
    first: Callable[[], Screen[Any]] | None,
    folders: Sequence[Path],
    recordings: Path,
    theme: str | None,
    curtain: bool | None = None,
    policies: Policies | None = None,
) -> int:
    def list_of_incidents() -> Screen[Any]:
        from tui.screens.home.screen import HomeScreen

        return HomeScreen(tuple(folders), recordings)

    return _show(
        first or list_of_incidents,
        list_of_incidents,
        recordings,
        recordings,
        theme,
        curtain,
        policies,
    )


def _show(
    first: Callable[[], Screen[Any]],
    list_of_incidents: Callable[[], Screen[Any]] | None,
    pictures: Path,
    recordings: Path | None,
    theme: str | None,
    curtain: bool | None = None,
    policies: Policies | None = None,
) -> int:
    # Until the first paint there is almost no garbage, and looking for it takes a
    # tenth of the time. The app resumes the collection once it is visible.
    gc.disable()
    from chaosops.play.settings import SettingsFile, default_path
    from tui.app import ChaosOpsApp
    from tui.terminal.signals import SignalWatch
    from tui.terminal.title import prepared

    def consents() -> Any:
        from chaosops.recording.consent import ConsentStore

        return ConsentStore()

    preferences = SettingsFile(default_path())
    app = ChaosOpsApp(
        first,
        home=list_of_incidents,
        pictures=pictures,
        recordings=recordings,
        preferences=preferences,
        consents=consents,
        policies=policies,
    )
    if theme is not None:
        app.use_theme_once(theme)
    if curtain is not None:
        app.use_curtain_once(curtain)
    try:
        with prepared() as give_back, SignalWatch(give_back) as app.signals:
            result = app.run(mouse=preferences.settings.mouse)
    finally:
        gc.enable()
    if app.failure:
        raise ChaosOpsError(app.failure)
    if app.farewell:
        # The terminal may have been closed.
        with suppress(OSError):
            say(app.farewell)
    if isinstance(result, int):
        return result
    return app.return_code or 1
