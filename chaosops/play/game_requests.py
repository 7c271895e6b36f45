"""Requests for games: new ones, resumed ones, and forks of recorded ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from chaosops.agents.registry import PolicyNameError
from chaosops.play.setup import SeatChoice, Setup, roster_of, setup_of

if TYPE_CHECKING:
    from chaosops.agents.registry import Policies
    from chaosops.env.models import AgentRole
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
    title: str,
    load: Callable[[], Scenario],
    setup: Setup,
    recordings: Path | None,
    policies: Policies | None = None,
) -> GameRequest:
    """Request a game from its beginning.

    Args:
        policies: Makes the policies by name; see `roster_of`.
    """

    def prepare() -> PreparedGame:
        scenario = load()
        return PreparedGame(scenario, roster_of(setup, scenario, policies))

    return GameRequest(title, prepare, recordings)


def old_game(
    title: str,
    take_up: Callable[[], Resumed],
    recordings: Path | None,
    policies: Policies | None = None,
    changed: Mapping[AgentRole, SeatChoice] = MappingProxyType({}),
) -> GameRequest:
    """Request an unfinished game, to resume it.

    Args:
        policies: Makes the policies by name; see `roster_of`.
        changed: Who takes some of its seats, by role.
    """

    def prepare() -> PreparedGame:
        resumed = take_up()
        roster = resumed_roster(resumed, policies, changed)
        return PreparedGame(resumed.stepper.scenario, roster, resumed)

    return GameRequest(title, prepare, recordings)


def resumed_roster(
    resumed: Resumed,
    policies: Policies | None = None,
    changed: Mapping[AgentRole, SeatChoice] = MappingProxyType({}),
) -> Roster:
    """Return the seats of an unfinished game; its file is closed if they can't be made.

    Args:
        policies: Makes the policies by name; see `roster_of`.
        changed: Who takes some of its seats, by role.

    Raises:
        ChaosOpsError: A policy that sat there can't be found here.
    """
    past = resumed.recording
    setup = setup_of(past.header, past.turns, past.notes).with_seats(changed)
    try:
        return roster_of(setup, resumed.stepper.scenario, policies)
    except PolicyNameError as error:
        resumed.writer.close()
        raise PolicyNameError(
            f"{error}; or choose another one: 'chaosops resume {past.path} --policy ROLE=POLICY' "
            "or '--copilot POLICY'"
        ) from error


def forked_game(
    recording: Recording,
    turn: int,
    recordings: Path | None,
    folders: tuple[Path, ...] = (),
    policies: Policies | None = None,
) -> GameRequest:
    """Request a fork of a recorded game at a turn; the recording stays as it is.

    Args:
        turn: The first one to be played, counted from 0.
        recordings: The folder for the new recording; by default the user's own.
        folders: Where scenarios are, besides the built-in set.
        policies: Makes the policies by name; see `roster_of`.
    """
    from chaosops.recording.folders import default_folder, writable_folder

    folder = default_folder() if recordings is None else recordings

    def prepare() -> PreparedGame:
        from chaosops.play.forks import fork_of

        fork = fork_of(recording, turn, folders, policies)
        writable_folder(folder)
        return PreparedGame(fork.scenario, fork.roster, fork=fork)

    return GameRequest(f"{recording.header.current_scenario} from turn {turn + 1}", prepare, folder)
