"""Opens the game from the command line. Nothing else in the command line does.

Slow imports wait until the screen is up, so that it appears at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from chaosops.cli.errors import is_terminal
from chaosops.cli.models import ModelOptions
from chaosops.cli.options import load_scenario, tell_new_id
from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError, TerminalError
from chaosops.output import say
from chaosops.recording.folders import writable_folder
from chaosops.scenarios.problems import shown_path
from chaosops.scenarios.renamed_ids import current_id
from chaosops.scenarios.summaries import file_of, summary_of

if TYPE_CHECKING:
    from chaosops.env.world_sim import Scenario
    from chaosops.play.setup import Setup
    from chaosops.play.shifts.codes import ShiftPlan

_BY_DEFAULT = ModelOptions()
_NO_SCREEN = frozenset({"dumb", "unknown"})


def require_terminal() -> None:
    """Check that the terminal can show the game and take input.

    Raises:
        TerminalError: A standard stream is not a terminal, or the terminal can't position text.
    """
    streams = {"standard input": sys.stdin, "standard output": sys.stdout, "stderr": sys.stderr}
    for name, stream in streams.items():
        if not is_terminal(stream):
            raise TerminalError(
                f"{name} is not a terminal: start the game in a terminal, without a pipe, or use "
                "'chaosops play SCENARIO --plain' or 'chaosops run', which don't need one"
            )
    kind = os.environ.get("TERM", "")
    if kind in _NO_SCREEN:
        raise TerminalError(
            f"this terminal (TERM={kind}) can't show the game: use another one, or "
            "'chaosops play SCENARIO --plain'"
        )


def open_home(
    *,
    folders: Sequence[Path],
    recordings: Path | None,
    theme: str | None = None,
    plain: bool = False,
    models: ModelOptions = _BY_DEFAULT,
) -> int:
    """Open the list of incidents and return the exit code."""
    if not plain:
        require_terminal()
    folder = writable_folder(recordings)
    from tui import entry_points as launch

    with models.opened() as asked:
        return launch.home(
            tuple(folders), folder, theme=theme, plain=plain, policies=asked.policies()
        )


def open_incident(
    name: str,
    seed: int,
    *,
    humans: Sequence[AgentRole],
    teammates: Mapping[AgentRole, str],
    folders: Sequence[Path],
    recordings: Path | None,
    copilot: str | None = None,
    shot_clock: int = 0,
    curtain: bool | None = None,
    theme: str | None = None,
    plain: bool = False,
    models: ModelOptions = _BY_DEFAULT,
) -> int:
    """Play an incident.

    Args:
        name: Its id, or the path of its file.
        teammates: The policy of each role that no human plays.
        copilot: The policy that suggests actions to the humans; None for no copilot.
        shot_clock: Seconds allowed per turn; 0 for no limit.
        curtain: Whether to hide the board between two roles that people play; None for the
            setting.
        plain: Play as lines of text, without a screen.
        models: How language models are asked.

    Raises:
        click.UsageError: There is no such incident.
        ChaosOpsError: It cannot be played.
    """

    def load() -> Scenario:
        return load_scenario(name, seed, folders)

    path = None if plain else file_of(name, folders)
    seen = None if path is None else summary_of(path)
    if seen is not None and seen.id == current_id(name):
        tell_new_id(name, seen.id)
    # A file with a title is most likely fine: show the screen first, and errors afterwards.
    loaded = load() if seen is None else None
    if not plain:
        require_terminal()
    folder = writable_folder(recordings)
    from chaosops.play.setup import SeatChoice, Setup
    from tui import entry_points as launch

    people = Setup.of(tuple(humans), copilot=copilot, shot_clock=shot_clock)
    setup = people.with_seats(
        {role: SeatChoice(False, name) for role, name in teammates.items() if role not in humans}
    )
    seated = (seat.policy for seat in setup.seats.values())
    names = [name for name in seated if name is not None]
    with models.opened() as asked:
        policies = asked.policies(names)
        for each in names:
            policies.check(each)
        return launch.play(
            load if loaded is None else lambda: loaded,
            setup,
            title=seen.title if seen is not None else name,
            recordings=folder,
            folders=tuple(folders),
            theme=theme,
            curtain=curtain,
            plain=plain,
            policies=policies,
        )


def open_resumed(
    path: Path | None,
    *,
    folders: Sequence[Path],
    recordings: Path | None,
    plain: bool = False,
    seats: Mapping[AgentRole, str] = MappingProxyType({}),
    copilot: str | None = None,
    models: ModelOptions = _BY_DEFAULT,
) -> int:
    """Resume an unfinished game, by default the one started last.

    Args:
        seats: The policies that take some of its seats, by role.
        copilot: Another copilot for each person; empty for none, and None to change nothing.
        models: How language models are asked.

    Raises:
        RecordingError: There is none, or it cannot be resumed.
        ChaosOpsError: A policy that sat there can't be found here.
    """
    from chaosops.play.game_requests import resumed_roster
    from chaosops.play.setup import SeatChoice, setup_of
    from chaosops.recording.library import newest_unfinished
    from chaosops.recording.resume import reopen

    if not plain:
        require_terminal()
    folder = writable_folder(recordings)
    if path is None:
        path = newest_unfinished(folder)
    if path is None:
        raise RecordingError(
            f"no unfinished game in {folder}: start one with 'chaosops play', or give its file"
        )
    resumed = reopen(path, folders)
    if resumed.repaired:
        say(f"repaired {shown_path(path)}: {resumed.repaired}", err=True)
    if resumed.stepper.done:
        return open_replay(path, folders=folders, recordings=folder, plain=plain)
    kept = resumed.recording
    changed: dict[AgentRole, SeatChoice] = {}
    if copilot is not None:
        people = setup_of(kept.header, kept.turns, kept.notes).seats.items()
        changed = {role: SeatChoice(True, copilot or None) for role, was in people if was.person}
    changed |= {role: SeatChoice(False, name) for role, name in seats.items()}
    from tui import entry_points as launch

    with models.opened() as asked:
        policies = asked.policies()
        # Before the screen opens, so that an error is told where it can be read.
        resumed_roster(resumed, policies, changed)
        return launch.resume(
            resumed,
            recordings=folder,
            folders=tuple(folders),
            plain=plain,
            policies=policies,
            changed=changed,
        )


def open_shift(
    path: Path | None,
    plan: ShiftPlan | None,
    setup: Setup,
    *,
    recordings: Path,
    plain: bool = False,
    theme: str | None = None,
    models: ModelOptions = _BY_DEFAULT,
) -> int:
    """Continue a shift, or begin one.

    Args:
        path: The file of the shift to continue; None to begin one.
        plan: What a new one is drawn from.
        setup: Who sits where in a new one.

    Raises:
        ChaosOpsError: It can't be drawn, continued or saved.
    """
    if not plain:
        require_terminal()
    from chaosops.play.shifts.shift import Shift
    from tui import entry_points as launch

    with models.opened() as asked:
        if path is not None:
            played = Shift.reopened(path)
            names = [seat.policy for seat in played.state.setup.seats.values() if seat.policy]
        else:
            names = [seat.policy for seat in setup.seats.values() if seat.policy]
        policies = asked.policies(names)
        for each in names:
            policies.check(each)
        if path is None:
            assert plan is not None
            played = Shift.new(plan, setup, recordings)
        return launch.shift(played, plain=plain, theme=theme, policies=policies)


def open_replay(
    path: Path,
    *,
    folders: Sequence[Path],
    recordings: Path | None,
    plain: bool = False,
) -> int:
    """Step through a recording; a game continued from it is recorded in `recordings`."""
    if not plain:
        require_terminal()
    from tui import entry_points as launch

    with ModelOptions().opened() as asked:
        return launch.replay(
            path,
            recordings=recordings,
            folders=tuple(folders),
            plain=plain,
            policies=asked.policies(),
        )


def write_cast(
    path: Path,
    out: Path,
    *,
    size: tuple[int, int],
    seconds: float,
    plain: bool = False,
    force: bool = False,
    folders: Sequence[Path] = (),
) -> int:
    """Write the replay of a recording as an asciinema cast.

    Args:
        size: Of the terminal, in columns and lines.
        seconds: How long each turn is shown.
        plain: Show lines of text instead of the screen.
        force: Whether a file that exists is replaced.

    Raises:
        RecordingError: The recording can't be read.
        ChaosOpsError: The file exists, or can't be written.
    """
    from chaosops.cli.bar import moving
    from chaosops.play.new_files import refuse_existing, write_new
    from chaosops.recording.reader import read_recording

    if not force:
        refuse_existing(out)
    recording = read_recording(path)
    from tui.entry_points import cast

    with moving(len(recording.turns), "drawing") as advance:
        text = cast(recording, size, seconds, advance, plain=plain, folders=folders)
    write_new(out, text, force=force)
    say(f"wrote {shown_path(out)}")
    return 0
