"""The doors to the terminal game. Each returns the exit code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chaosops.env.models import AgentRole

if TYPE_CHECKING:
    from textual.screen import Screen

    from chaosops.agents.policies import Policy
    from chaosops.env.world_sim import Scenario


def play(
    scenario: Scenario,
    human_roles: tuple[AgentRole, ...],
    teammates: Mapping[AgentRole, Policy],
    *,
    teammate_names: Mapping[AgentRole, str],
    recordings: Path,
    folders: Sequence[Path] = (),
) -> int:
    """Play an incident.

    Args:
        human_roles: The seats people take; the others are `teammates`', or pass.
        recordings: The folder for the recording.
        folders: Where the list of incidents looks besides the built-in set, once this is over.
    """
    from tui.session import Crew

    crew = Crew(frozenset(human_roles), dict(teammates), dict(teammate_names))

    def first() -> Screen[Any]:
        from tui.screens.incident import IncidentScreen

        return IncidentScreen(scenario, crew, recordings)

    return _run(first, folders, recordings)


def replay(path: Path) -> int:
    """Step through a recording.

    Raises:
        RecordingError: It cannot be read; nothing was shown.
    """
    from chaosops.recording.reader import read_recording

    recording = read_recording(path)

    def first() -> Screen[Any]:
        from tui.screens.replay import ReplayScreen, reel_of

        return ReplayScreen(reel_of(recording))

    from tui.app import ChaosOpsApp

    return _code(ChaosOpsApp(first))


def home(folders: Sequence[Path], recordings: Path) -> int:
    """Open the list of incidents.

    Args:
        folders: Where to look for incidents besides the built-in set.
        recordings: The folder for the recordings of what is played.
    """
    return _run(None, folders, recordings)


def _run(first: Callable[[], Screen[Any]] | None, folders: Sequence[Path], recordings: Path) -> int:
    from tui.app import ChaosOpsApp

    def list_of_incidents() -> Screen[Any]:
        from tui.screens.home import HomeScreen

        return HomeScreen(tuple(folders), recordings)

    app = ChaosOpsApp(first or list_of_incidents, home=list_of_incidents, pictures=recordings)
    return _code(app)


def _code(app: Any) -> int:
    result = app.run()
    if isinstance(result, int):
        return result
    return int(app.return_code or 0)
