"""The entry points of the plain mode. Each returns the exit code, and none needs a terminal."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from chaosops.agents.registry import Policies
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.play.farewell import where_it_is
from chaosops.play.forks import Fork, fork_of
from chaosops.play.formatting import shown
from chaosops.play.game_requests import resumed_roster
from chaosops.play.plain_dialect import sentence
from chaosops.play.seats import Roster
from chaosops.play.session import Session
from chaosops.play.settings import Settings
from chaosops.play.setup import SeatChoice, Setup, roster_of
from chaosops.play.shifts.shift import Shift
from chaosops.recording.folders import writable_folder
from chaosops.recording.reader import Recording
from chaosops.recording.resume import Resumed
from chaosops.version import __version__
from tui.plain.after_game import Afterwards
from tui.plain.consent import ask_once, player_of
from tui.plain.console import Console, IdleInputError, Keyboard
from tui.plain.debrief import tell_debrief
from tui.plain.front_end import plain_ui
from tui.plain.game import PlainGame
from tui.plain.guide import seat_line
from tui.plain.replay import PlainReplay

_STDIN: Final = 0
_CLOSED: Final = 1
_BY_DEFAULT: Final = Settings()


def play(
    scenario: Scenario,
    setup: Setup,
    *,
    recordings: Path,
    folders: tuple[Path, ...] = (),
    settings: Settings = _BY_DEFAULT,
    policies: Policies | None = None,
) -> int:
    """Play an incident on standard input and output.

    Args:
        setup: The seats and the shot clock.
        recordings: The folder for the recording.
        folders: Not used; the terminal game takes the same.
        settings: The player's settings: the coach, the curtain, and the default setup.
        policies: Makes the policies by name; see `roster_of`.
    """
    roster = roster_of(setup, scenario, policies)
    return _on_console(
        lambda console: _begin(console, scenario, roster, recordings, settings=settings)
    )


def resume(
    resumed: Resumed,
    *,
    recordings: Path,
    folders: tuple[Path, ...] = (),
    settings: Settings = _BY_DEFAULT,
    policies: Policies | None = None,
    changed: Mapping[AgentRole, SeatChoice] = MappingProxyType({}),
) -> int:
    """Continue a resumed game, with its seats and its shot clock; see `resumed_roster`."""
    scenario = resumed.stepper.scenario
    roster = resumed_roster(resumed, policies, changed)

    def go_on(console: Console) -> None:
        session = Session(
            scenario,
            roster,
            recordings=recordings,
            ui=plain_ui(),
            player=player_of(console),
            resumed=resumed,
        )
        console.say(f"{shown(scenario.title)}. {shown(scenario.id)} continues.")
        console.say(seat_line(session))
        _play(console, session, settings=settings)

    return _on_console(go_on)


def replay(
    recording: Recording,
    *,
    recordings: Path | None = None,
    folders: tuple[Path, ...] = (),
    settings: Settings = _BY_DEFAULT,
    policies: Policies | None = None,
) -> int:
    """Print a recording turn by turn, or all of it without input; or play on from a turn.

    Args:
        recordings: The folder for forks; by default the user's own.
        folders: Where scenarios are, besides the built-in set.
        policies: Makes the policies by name; see `roster_of`.
    """

    def tell(console: Console) -> None:
        steps = PlainReplay(recording, console, folders)
        turn = steps.tell()
        while turn is not None:
            try:
                fork = fork_of(recording, turn, folders, policies)
                folder = writable_folder(recordings)
            except ChaosOpsError as error:
                console.say(sentence(shown(str(error), 400)))
                turn = steps.ask()
                continue
            _begin(console, fork.scenario, fork.roster, folder, fork, settings=settings)
            return

    return _on_console(tell)


def home(
    folders: tuple[Path, ...],
    recordings: Path,
    *,
    settings: Settings = _BY_DEFAULT,
    policies: Policies | None = None,
) -> int:
    """Choose an incident from the list, and play it."""
    from tui.plain.home import chosen

    def choose(console: Console) -> None:
        choice = chosen(console, folders, settings.setup)
        if choice is not None:
            roster = roster_of(choice.setup, choice.scenario, policies)
            _begin(console, choice.scenario, roster, recordings, settings=settings)

    return _on_console(choose)


def shift(
    played: Shift,
    *,
    settings: Settings = _BY_DEFAULT,
    policies: Policies | None = None,
) -> int:
    """Play a shift, from where it stands."""
    from tui.plain.shift_game import PlainShift

    return _on_console(lambda console: PlainShift(console, played, settings, policies).play())


def _on_console(work: Callable[[Console], None]) -> int:
    """Run on the standard streams; end quietly if the reader has gone."""
    typed = os.isatty(_STDIN) and sys.stdout.isatty()
    console = Console(Keyboard(_STDIN, _input_encoding()), sys.stdout, typed=typed)
    try:
        work(console)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _CLOSED
    return 0


def _input_encoding() -> str:
    """Return the encoding of standard input, from the locale or PYTHONIOENCODING."""
    return sys.stdin.encoding if sys.stdin is not None else locale.getencoding()


def _begin(
    console: Console,
    scenario: Scenario,
    roster: Roster,
    recordings: Path,
    fork: Fork | None = None,
    *,
    settings: Settings,
) -> None:
    player = player_of(console)
    console.say(
        f"ChaosOps {__version__}. {shown(scenario.title)}. "
        f"{shown(scenario.id)}, seed {scenario.seed}, {scenario.difficulty.value}."
    )
    session = Session(
        scenario,
        roster,
        recordings=recordings,
        ui=plain_ui(),
        player=player if fork is None else fork.player(player),
        replayed=() if fork is None else fork.replayed,
    )
    console.say(seat_line(session))
    console.say("Type help for the commands, menu for your actions, quit to save and leave.")
    _play(console, session, settings=settings)


def _play(console: Console, session: Session, *, settings: Settings = _BY_DEFAULT) -> None:
    """Play a game, and its forks."""
    following = _play_one(console, session, settings)
    while following is not None:
        console.say(f"From turn {following.turn + 1} on. {seat_line(following)}")
        following = _play_one(console, following, settings)


def _play_one(console: Console, session: Session, settings: Settings) -> Session | None:
    """Play a game to its end or until the player leaves; return the next one, if any."""
    try:
        if session.trouble:
            console.say(f"Note: {shown(session.trouble, 400)}")
        game = PlainGame(session, console, coach=settings.coach, curtain=settings.curtain)
        if game.play():
            console.gap()
            costliest = tell_debrief(console, session)
            ask_once(console, session)
            return Afterwards(console, session, costliest).ask()
        console.say(where_it_is(session, "--plain"))
        return None
    except KeyboardInterrupt:
        console.gap()
        console.say(where_it_is(session, "--plain"))
        raise
    except IdleInputError:
        console.gap()
        if not session.done:
            console.say(where_it_is(session, "--plain"))
        raise
    finally:
        session.close()
