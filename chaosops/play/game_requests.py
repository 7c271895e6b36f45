"""Requests for games: new ones, resumed ones, and forks of recorded ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chaosops.play.setup import Setup, roster_of, setup_of

if TYPE_CHECKING:
    from chaosops.env.world_sim import Scenario
    from chaosops.play.forks import Fork
    from chaosops.play.seats import Roster
    from chaosops.recording.reader import Recording
    from chaosops.recording.resume import Resumed


class PreparedGame(NamedTuple):
    """A game that is ready to begin.

    Attributes:
        resumed: The game to continue; None for a new one.
        fork: The game whose first turns are repeated; None to play from the page.
    """

    scenario: Scenario
    roster: Roster
    resumed: Resumed | None = None
    fork: Fork | None = None


class GameRequest(NamedTuple):
    """A game to be opened.

    Attributes:
        title: The title to show while it is being opened.
        prepare: Opens it; may take a while and raise ChaosOpsError.
        recordings: The folder for the recording; None keeps nothing.
    """

    title: str
    prepare: Callable[[], PreparedGame]
    recordings: Path | None


def new_game(
    title: str, load: Callable[[], Scenario], setup: Setup, recordings: Path | None
) -> GameRequest:
    """Request a game from its beginning."""

    def prepare() -> PreparedGame:
        scenario = load()
        return PreparedGame(scenario, roster_of(setup, scenario))

    return GameRequest(title, prepare, recordings)


def old_game(title: str, take_up: Callable[[], Resumed], recordings: Path | None) -> GameRequest:
    """Request an unfinished game, to resume it."""

    def prepare() -> PreparedGame:
        resumed = take_up()
        scenario = resumed.stepper.scenario
        past = resumed.recording
        setup = setup_of(past.header, past.turns, past.notes)
        return PreparedGame(scenario, roster_of(setup, scenario), resumed)

    return GameRequest(title, prepare, recordings)


def forked_game(
    recording: Recording, turn: int, recordings: Path | None, folders: tuple[Path, ...] = ()
) -> GameRequest:
    """Request a fork of a recorded game at a turn; the recording stays as it is.

    Args:
        turn: The first one to be played, counted from 0.
        recordings: The folder for the new recording; by default the user's own.
        folders: Where scenarios are, besides the built-in set.
    """
    from chaosops.recording.folders import default_folder, writable_folder

    folder = default_folder() if recordings is None else recordings

    def prepare() -> PreparedGame:
        from chaosops.play.forks import fork_of

        fork = fork_of(recording, turn, folders)
        writable_folder(folder)
        return PreparedGame(fork.scenario, fork.roster, fork=fork)

    return GameRequest(f"{recording.header.current_scenario} from turn {turn + 1}", prepare, folder)
