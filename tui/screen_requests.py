"""Requests for screens, so that no screen imports another one."""

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
    from chaosops.play.shifts.shift import Shift
    from chaosops.play.shifts.words import Between
    from chaosops.recording.events import Player
    from chaosops.recording.resume import Resumed
    from chaosops.scenarios.summaries import ScenarioSummary


class OpenBriefing(NamedTuple):
    """Create the briefing of an incident.

    Attributes:
        setup: The initial setup; by default one person as SRE.
        recordings: The folder for the recording; None to keep nothing.
        folders: Where scenarios are, besides the built-in set.
        note: Why the incident couldn't be started the last time; may be empty.
        saves: Whether the setup becomes the usual one.
    """

    incident: ScenarioSummary
    seed: int
    setup: Setup | None
    recordings: Path | None
    folders: Sequence[Path] = ()
    note: str = ""
    saves: bool = True


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
        failed: What to show, given the reason, if it can't be opened. Without it the app ends.
    """

    game: GameRequest
    failed: Callable[[str], ScreenRequest] | None = None


class GameCourse(NamedTuple):
    """What a game is part of, such as a shift.

    Attributes:
        begun: Called with its session once it has begun.
        ended: Returns what to show once it is over, instead of the debrief.
        command: What continues it on the command line.
    """

    begun: Callable[[Session], None]
    ended: Callable[[Session], ScreenRequest]
    command: str


class OpenGame(NamedTuple):
    """Create the screen of a game.

    Attributes:
        recordings: The folder for the recording; None to keep nothing.
        player: Who agreed to the use of the data; None if nobody did.
        resumed: A game to continue.
        begin: Makes the session once the screen is visible; by default a new one.
        course: What it is part of; None if it stands alone.
    """

    scenario: Scenario
    roster: Roster
    recordings: Path | None
    player: Player | None = None
    resumed: Resumed | None = None
    begin: Callable[[], Session] | None = None
    course: GameCourse | None = None


class OpenDebrief(NamedTuple):
    """The debrief of a game that is over.

    Attributes:
        closes: Whether it can be closed, to return to the screen below.
    """

    session: Session
    closes: bool = False


class OpenShiftSetup(NamedTuple):
    """The setup of a shift.

    Attributes:
        recordings: The folder of the recordings.
        setup: The initial seats; by default one person as SRE.
    """

    recordings: Path
    setup: Setup | None = None


class OpenShift(NamedTuple):
    """A shift, at the part where it stands.

    Attributes:
        take: Begins or reopens it, in a thread; may raise ChaosOpsError.
        sessions: The games of it that were played since the app began.
        title: What is shown meanwhile.
    """

    take: Callable[[], Shift]
    sessions: tuple[Session, ...] = ()
    title: str = ""


class OpenShiftBetween(NamedTuple):
    """What is told between two incidents of a shift."""

    shift: Shift
    told: Between
    sessions: tuple[Session, ...] = ()


class OpenShiftEnd(NamedTuple):
    """The end of a shift."""

    shift: Shift
    sessions: tuple[Session, ...] = ()


class OpenReplay(NamedTuple):
    """A replay.

    Attributes:
        closes: Whether closing returns to the screen below; otherwise it ends the app.
        fork: Plays on from a turn, counted from 0; by default from the replay's recording.
        recordings: The folder for recordings of forks; by default the user's.
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
        at: Which of them to show first.
        status: The current status, for times of day.
        watch: Called with what is in view whenever that changes; None to track nothing.
        helped: Called when an explanation is opened.
    """

    known: Sequence[KnownFinding]
    at: int
    status: Status
    watch: Callable[[Sequence[Watched]], None] | None = None
    helped: Callable[[], None] | None = None


class OpenGlossary(NamedTuple):
    """The glossary.

    Attributes:
        words: What to look up; empty for nothing.
    """

    words: str = ""


class OpenSettings(NamedTuple):
    """The settings."""


class OpenKeys(NamedTuple):
    """The key bindings."""


class OpenNotice(NamedTuple):
    """A notice."""

    heading: str
    text: str


ScreenRequest = (
    OpenBriefing
    | OpenRecordings
    | OpenStart
    | OpenGame
    | OpenDebrief
    | OpenShiftSetup
    | OpenShift
    | OpenShiftBetween
    | OpenShiftEnd
    | OpenReplay
    | OpenFindings
    | OpenGlossary
    | OpenSettings
    | OpenKeys
    | OpenNotice
)
