"""`chaosops shift`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from chaosops.cli.models import ModelOptions, model_options
from chaosops.cli.options import PolicyName, RoleName, Seed
from chaosops.cli.recording_options import recordings_option
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.output import say
from chaosops.play.shifts.codes import LENGTHS, USUAL

if TYPE_CHECKING:
    from chaosops.play.shifts.codes import ShiftPlan

_LEVELS = ("easy", "medium", "hard")


@click.command(epilog="Example: chaosops shift --level easy --role sre")
@click.argument("code", required=False)
@click.option(
    "--level",
    type=click.Choice(_LEVELS),
    help="The level of a new shift; medium by default. A fleet that has too few incidents of a "
    "level lends some of another one.",
)
@click.option("--seed", metavar="N", type=Seed(), help="The seed of a new shift; random if none.")
@click.option(
    "--incidents",
    type=click.Choice([str(length) for length in LENGTHS]),
    help="How many incidents it has; 8 are a marathon.",
)
@click.option(
    "--role",
    "roles",
    metavar="ROLE",
    multiple=True,
    type=RoleName(),
    help="A role that you play: sre, oversight, dev or manager. Repeatable; sre by default.",
)
@click.option(
    "--teammates",
    metavar="POLICY",
    type=PolicyName(models=True),
    help="The policy for the other roles; steady by default.",
)
@click.option("--new", "anew", is_flag=True, help="Begin anew, also if one is unfinished.")
@click.option("--list", "listed", is_flag=True, help="List your shifts, and the seats' ratings.")
@click.option("--plain", is_flag=True, help="Play as lines of text, for screen readers and pipes.")
@click.option("--theme", metavar="NAME", help="Theme for this game only; overrides the setting.")
@model_options
@recordings_option
def shift(
    code: str | None,
    level: str | None,
    seed: int | None,
    incidents: str | None,
    roles: tuple[AgentRole, ...],
    teammates: str | None,
    anew: bool,
    listed: bool,
    plain: bool,
    theme: str | None,
    models: ModelOptions,
    recordings: Path | None,
) -> int:
    """Play a shift: three incidents on one fleet and one error budget.

    Between two incidents, you choose an action item that changes the fleet for the next one. You
    can leave at any time: without a CODE and options, the shift that you left is continued.

    CODE, as it is shown at the end of a shift, gives the same incidents to everyone who has the
    same version.
    """
    from chaosops.cli.game import open_shift
    from chaosops.evaluation.proven_seeds import shipped_seeds
    from chaosops.play.setup import Setup
    from chaosops.play.shifts.codes import ShiftPlan, plan_of, random_seed
    from chaosops.recording.folders import writable_folder

    folder = writable_folder(recordings)
    if listed:
        return _list(folder)
    drawn_anew = level is not None or seed is not None or incidents is not None
    if code is not None and drawn_anew:
        raise click.UsageError("a code says it all: leave out --level, --seed and --incidents")
    plan: ShiftPlan | None = None
    if code is not None:
        plan = plan_of(code, shipped_seeds())
    elif drawn_anew or anew:
        number = random_seed() if seed is None else seed
        plan = ShiftPlan(Difficulty(level or "medium"), int(incidents or USUAL), number)
    people = tuple(role for role in TURN_ORDER if role in (roles or (AgentRole.SRE,)))
    setup = Setup.of(people) if teammates is None else Setup.of(people, teammates)
    path = None if anew else _unfinished(folder, plan)
    if path is None and plan is None:
        plan = ShiftPlan(Difficulty.MEDIUM, USUAL, random_seed())
    if path is not None and (roles or teammates):
        raise click.UsageError(
            "this shift is under way with its own seats: leave out --role and --teammates, or "
            "begin it anew with --new"
        )
    return open_shift(path, plan, setup, recordings=folder, plain=plain, theme=theme, models=models)


def _unfinished(folder: Path, plan: ShiftPlan | None) -> Path | None:
    """Return the file of the unfinished shift to continue: the one of a plan, or any.

    Files that can't be read are reported, and left alone.
    """
    from chaosops.evaluation.proven_seeds import shipped_seeds
    from chaosops.play.shifts.codes import code_of
    from chaosops.play.shifts.files import kept_shifts

    kept = kept_shifts(folder)
    for trouble in kept.troubles:
        say(f"note: {trouble}", err=True)
    if plan is None:
        return None if kept.unfinished is None else kept.unfinished.path
    code = code_of(plan, shipped_seeds())
    same = [one.path for one in kept.shifts if one.state.code == code and not one.state.is_over]
    return same[-1] if same else None


def _list(folder: Path) -> int:
    from chaosops.play.shifts.files import kept_shifts
    from chaosops.play.shifts.ratings import EXPLAINED
    from chaosops.play.shifts.words import seat_lines, shift_line

    kept = kept_shifts(folder)
    for trouble in kept.troubles:
        say(f"note: {trouble}", err=True)
    if not kept.shifts:
        say(f"no shifts in {folder}: begin one with 'chaosops shift'")
        return 0
    for one in kept.shifts:
        say(shift_line(one.state))
    lines = seat_lines([one.state for one in kept.shifts])
    for line in (*lines, *([EXPLAINED] if lines else [])):
        say(line)
    return 0
