"""A game that is asked for: a new one, one that was left, or one that begins in a recording."""

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
    """A game that can begin.

    Attributes:
        resumed: The game to continue; None for a new one.
        fork: The game whose first turns are taken again; None if it is played from the page.
    """

    scenario: Scenario
    roster: Roster
    resumed: Resumed | None = None
    fork: Fork | None = None


class GameRequest(NamedTuple):
    """A game that is to be opened.

    Attributes:
        title: What is shown while it is opened.
        prepare: Opens it; may take a while, and raises ChaosOpsError.
        recordings: The folder for the recording; None keeps nothing.
    """

    title: str
    prepare: Callable[[], PreparedGame]
    recordings: Path | None


def new_game(
    title: str, load: Callable[[], Scenario], setup: Setup, recordings: Path | None
) -> GameRequest:
    """A game from its beginning."""

    def prepare() -> PreparedGame:
        scenario = load()
        return PreparedGame(scenario, roster_of(setup, scenario))

    return GameRequest(title, prepare, recordings)


def old_game(title: str, take_up: Callable[[], Resumed], recordings: Path | None) -> GameRequest:
    """A game that was left before its end."""

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
    """A game that begins at a turn of a recorded one; that one stays as it is.

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
