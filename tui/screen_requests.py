"""What a screen can ask to be shown next, so that no screen imports another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from chaosops.env.models import Status
    from chaosops.env.world_sim import Scenario
    from chaosops.play.game_requests import GameRequest
    from chaosops.play.instrument_use import Watched
    from chaosops.play.readings import KnownFinding
    from chaosops.play.replay_model import Replay
    from chaosops.play.seats import Roster
    from chaosops.play.session import Session
    from chaosops.play.setup import Setup
    from chaosops.recording.events import Player
    from chaosops.recording.resume import Resumed
    from chaosops.scenarios.summaries import ScenarioSummary


class OpenBriefing(NamedTuple):
    """The briefing of an incident.

    Attributes:
        setup: What is chosen at first; by default one person as SRE.
        recordings: The folder for the recording; None keeps nothing.
        folders: Where scenarios are, besides the built-in set.
        note: Why the incident could not be started the last time; may be empty.
    """

    incident: ScenarioSummary
    seed: int
    setup: Setup | None
    recordings: Path | None
    folders: Sequence[Path] = ()
    note: str = ""


class OpenRecordings(NamedTuple):
    """The recordings in a folder.

    Attributes:
        folders: Where scenarios are, besides the built-in set.
    """

    folder: Path
    folders: Sequence[Path] = ()


class OpenStart(NamedTuple):
    """What is shown while a game is being opened.

    Attributes:
        failed: What to show, with the reason, where it cannot be opened. Without it the app ends.
    """

    game: GameRequest
    failed: Callable[[str], ScreenRequest] | None = None


class OpenGame(NamedTuple):
    """A game to be played.

    Attributes:
        recordings: The folder for the recording; None keeps nothing.
        player: Who agreed to the use of the data; None if nobody did.
        resumed: A game to continue.
        begin: Makes the session once the screen is there; by default a new one.
    """

    scenario: Scenario
    roster: Roster
    recordings: Path | None
    player: Player | None = None
    resumed: Resumed | None = None
    begin: Callable[[], Session] | None = None


class OpenDebrief(NamedTuple):
    """The debrief of a game that is over."""

    session: Session


class OpenReplay(NamedTuple):
    """A replay.

    Attributes:
        closes: Closing returns to the screen below; else it leaves the app.
        fork: Plays on from a turn, counted from 0; by default from the replay's recording.
        recordings: The folder for the recording of what is played on; by default the user's.
        folders: Where scenarios are, besides the built-in set.
    """

    replay: Replay
    closes: bool = False
    fork: Callable[[int], None] | None = None
    recordings: Path | None = None
    folders: tuple[Path, ...] = ()


class OpenFindings(NamedTuple):
    """The findings of a role.

    Attributes:
        at: Which of them is shown first.
        status: Where the incident stands, for times of day.
        watch: Is told what is in view, whenever that changes; None keeps no account.
        helped: Is called when an explanation is asked for.
    """

    known: Sequence[KnownFinding]
    at: int
    status: Status
    watch: Callable[[Sequence[Watched]], None] | None = None
    helped: Callable[[], None] | None = None


class OpenSettings(NamedTuple):
    """The settings."""


class OpenKeys(NamedTuple):
    """The key bindings."""


class OpenNotice(NamedTuple):
    """A box with something to know."""

    heading: str
    text: str


ScreenRequest = (
    OpenBriefing
    | OpenRecordings
    | OpenStart
    | OpenGame
    | OpenDebrief
    | OpenReplay
    | OpenFindings
    | OpenSettings
    | OpenKeys
    | OpenNotice
)
