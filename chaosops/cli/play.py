"""`chaosops play`."""

from __future__ import annotations

from pathlib import Path

import click

from chaosops.cli.models import ModelOptions, model_options
from chaosops.cli.options import (
    PolicyName,
    RoleName,
    ScenarioName,
    SeatPolicy,
    Seed,
    scenarios_option,
    seat_names,
)
from chaosops.env.models import TURN_ORDER, AgentRole

CLOCKS = ("60", "90", "120")


@click.command(
    epilog="Example: chaosops play paying-ends-in-an-error --role sre --teammates expert --seed 7"
)
@click.argument("scenario", required=False, type=ScenarioName())
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
    help="The policy for the other roles: random, hurried, junior, steady, expert, oracle or noop, "
    "one of an installed package, MODULE:FUNCTION, or openai:MODEL; steady by default.",
)
@click.option(
    "--policy",
    "seats",
    metavar="ROLE=POLICY",
    multiple=True,
    type=SeatPolicy(),
    help="The policy for one of the other roles; all=POLICY is the same as --teammates POLICY. "
    "Repeatable.",
)
@click.option(
    "--copilot",
    metavar="POLICY",
    type=PolicyName(models=True),
    help="A policy that suggests up to three actions in each of your turns; you decide.",
)
@click.option("--seed", metavar="N", type=Seed(), help="The incident's variant; 0 by default.")
@click.option("--daily", is_flag=True, help="Play the incident of the day, the same for everyone.")
@click.option(
    "--clock",
    metavar="SECONDS",
    type=click.Choice(CLOCKS),
    help="Pass automatically if you don't act within 60, 90 or 120 seconds.",
)
@click.option(
    "--curtain/--no-curtain",
    default=None,
    help="Hide the board between your roles, or not, for this game only; overrides the setting.",
)
@click.option("--plain", is_flag=True, help="Play as lines of text, for screen readers and pipes.")
@click.option("--theme", metavar="NAME", help="Theme for this game only; overrides the setting.")
@click.option(
    "--recordings",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to keep the recording, instead of your data folder.",
)
@model_options
@scenarios_option
def play(
    scenario: str | None,
    roles: tuple[AgentRole, ...],
    teammates: str | None,
    seats: tuple[tuple[tuple[AgentRole, ...], str], ...],
    copilot: str | None,
    seed: int | None,
    daily: bool,
    clock: str | None,
    curtain: bool | None,
    plain: bool,
    theme: str | None,
    recordings: Path | None,
    models: ModelOptions,
    folders: tuple[Path, ...],
) -> int:
    """Play an incident in the terminal.

    SCENARIO is an id from 'chaosops scenarios list' or the path of a file. Without it, the list
    of incidents opens.
    """
    if daily:
        if scenario is not None or seed is not None:
            raise click.UsageError("--daily chooses the incident and its seed: leave them out")
        from chaosops.play.daily import required_daily, today_in_utc

        today = required_daily(today_in_utc())
        scenario, seed = today.incident.id, today.seed
    if scenario is None:
        is_named = bool(roles or teammates or seats or copilot or clock)
        if is_named or seed is not None or curtain is not None:
            names = "--role, --teammates, --policy, --copilot, --seed, --clock and --curtain"
            raise click.UsageError(f"{names} need a SCENARIO: add one")
        from chaosops.cli.game import open_home

        return open_home(
            folders=folders, recordings=recordings, theme=theme, plain=plain, models=models
        )
    humans = [role for role in TURN_ORDER if role in (roles or (AgentRole.SRE,))]
    for named, policy in seats:
        if len(named) == 1 and named[0] in humans:
            raise click.UsageError(
                f"you play {named[0].value}: take another role with --role, or use "
                f"--copilot {policy}"
            )
    from chaosops.cli.game import open_incident
    from chaosops.play.setup import TEAMMATE

    return open_incident(
        scenario,
        seed or 0,
        humans=humans,
        teammates={**dict.fromkeys(TURN_ORDER, teammates or TEAMMATE), **seat_names(seats)},
        copilot=copilot,
        shot_clock=int(clock or 0),
        curtain=curtain,
        plain=plain,
        theme=theme,
        folders=folders,
        recordings=recordings,
        models=models,
    )
