"""`chaosops run`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import click

from chaosops.agents.registry import Policies
from chaosops.cli.bar import over
from chaosops.cli.ending import cleaned_up
from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.jobs import jobs_option
from chaosops.cli.models import ModelOptions, has_model, model_options
from chaosops.cli.options import (
    ScenarioName,
    SeatPolicy,
    Seeds,
    check_isolated,
    isolated_option,
    json_option,
    load_scenario,
    scenarios_option,
    seat_names,
)
from chaosops.cli.played_episodes import EpisodePlayer, Row
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import ProcessFigures, ProcessMeans
from chaosops.output import print_data, say
from chaosops.scenarios.loader import find_scenarios
from chaosops.worker_pool import WorkerPool


@click.command(
    epilog="Example: chaosops run sign-in-errors --policy all=hurried --policy sre=random"
)
@click.argument("names", metavar="SCENARIO...", nargs=-1, required=True, type=ScenarioName())
@click.option(
    "--policy",
    "seats",
    metavar="ROLE=POLICY",
    multiple=True,
    type=SeatPolicy(),
    default=["all=expert"],
    help="The policy for a role: random, hurried, junior, steady, expert, oracle or noop, one of "
    "an installed package, MODULE:FUNCTION, or openai:MODEL. ROLE is sre, oversight, dev, "
    "manager, or all for the others. "
    "Repeatable; all=expert by default. A role without a policy passes.",
)
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    default="0",
    help="Seeds: 7, or 1,2,5, or 0:20 for 0 to 19; 0 by default.",
)
@click.option(
    "--recordings",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also record every episode in this folder; if a policy fails, up to that turn.",
)
@isolated_option
@jobs_option
@model_options
@json_option
@scenarios_option
def run(
    names: tuple[str, ...],
    seats: tuple[tuple[tuple[AgentRole, ...], str], ...],
    seeds: tuple[int, ...],
    recordings: Path | None,
    isolated: bool,
    jobs: int,
    models: ModelOptions,
    as_json: bool,
    folders: tuple[Path, ...],
) -> int:
    """Let policies play incidents without a screen.

    SCENARIO is an id from 'chaosops scenarios list', the path of a file, or all. Each episode
    prints a line when it ends, and a summary follows.

    With --json, each line is an object: one per episode (kind "episode", with scenario, seed,
    resolved, mttr, turns, reward, wrong_fixes, flags, diagnosis, process figures and error), then
    one of kind "summary". mttr is in turns, and null if the incident wasn't resolved. The process
    figures are grounded, coverage, looks, redundant_looks, time_to_ease and time_to_diagnose, see
    docs/evaluation.md. After a policy raises
    an error, everyone passes; the means count that episode as unresolved. With --jobs, so it is if
    a policy ends its process, which leaves no recording of that episode. With --isolated, a policy
    can only end its own process, and the turns before are recorded. Where language models play,
    the summary has their turns, calls, tokens, repairs and lost turns under "models".

    The exit code is 1 if a policy raised an error; the other episodes are still played.
    """
    if recordings is not None:
        from chaosops.recording.folders import writable_folder

        recordings = writable_folder(recordings)
    scenarios = _load(names, seeds[0], folders)
    policies = seat_names(seats)
    if jobs > 1 and has_model(policies.values()):
        raise click.UsageError("language models play in one process: leave out --jobs")
    rows: list[Row] = []
    if isolated:
        check_isolated(policies.values())
    episodes = ((number, seed) for number in range(len(scenarios)) for seed in seeds)
    with cleaned_up(), WorkerPool(jobs) as pool, models.opened() as asked, ExitStack() as stack:
        # Models stay in this process, and so does a registry that has them.
        registry = asked.policies() if has_model(policies.values()) else Policies()
        if not isolated:
            for name in policies.values():
                registry.check(name)
        player = EpisodePlayer(tuple(scenarios), policies, recordings, registry, isolated=isolated)
        stack.enter_context(closing(player))
        played = pool.spread(player, episodes, lost=player.passed)
        for row in over(played, len(scenarios) * len(seeds), "playing"):
            rows.append(row)
            print_data(json.dumps(row)) if as_json else say(_line(row, scenarios))
            if row["error"]:
                complain(row["error"])
        costs = asked.usage.figures()
    summary = _summary(rows) | ({"models": costs} if costs else {})
    print_data(json.dumps(summary)) if as_json else say(_summary_line(summary))
    return FAILURE if summary["errors"] else SUCCESS


def _load(names: Sequence[str], seed: int, folders: Sequence[Path]) -> list[Scenario]:
    if "all" in names:
        return [Scenario.of(source, seed) for source in find_scenarios(folders)]
    return [load_scenario(name, seed, folders) for name in names]


def _line(row: Row, scenarios: Sequence[Scenario]) -> str:
    width = max(len(scenario.id) for scenario in scenarios)
    outcome = "failed" if row["error"] else "resolved" if row["resolved"] else "unresolved"
    mttr = "-" if row["mttr"] is None else row["mttr"]
    return (
        f"{row['scenario']:<{width}}  seed {row['seed']:<4} {outcome:<10}  mttr {mttr:>3}  "
        f"reward {row['reward']:>9.2f}  wrong fixes {row['wrong_fixes']:>2}  "
        f"flags {','.join(row['flags']) or '-'}  diagnosis {row['diagnosis'] or '-'}"
    )


def _summary(rows: Sequence[Row]) -> Row:
    resolved = [row for row in rows if row["resolved"]]
    return {
        "kind": "summary",
        "episodes": len(rows),
        "errors": sum(1 for row in rows if row["error"]),
        "resolved": len(resolved),
        "resolved_share": _mean([float(row["resolved"]) for row in rows]),
        "mean_reward": _mean([row["reward"] for row in rows]),
        "mean_mttr": _mean([row["mttr"] for row in resolved]),
        "mean_wrong_fixes": _mean([row["wrong_fixes"] for row in rows]),
        **_process(rows),
    }


def _process(rows: Sequence[Row]) -> dict[str, float | None]:
    means = ProcessMeans()
    for row in rows:
        means.add(ProcessFigures(**{name: row[name] for name in ProcessFigures._fields}))
    figures = means.figures()
    return {
        name if name == "grounded_share" else f"mean_{name}": value
        for name, value in figures.items()
    }


def _summary_line(summary: Row) -> str:
    def figure(name: str, form: str) -> str:
        return "-" if summary[name] is None else format(summary[name], form)

    errors = f" ({summary['errors']} failed)" if summary["errors"] else ""
    return (
        f"{summary['episodes']} episodes{errors}: resolved {figure('resolved_share', '.0%')}, "
        f"mean reward {figure('mean_reward', '.2f')}, mean mttr {figure('mean_mttr', '.1f')}, "
        f"wrong fixes {figure('mean_wrong_fixes', '.2f')} per episode\n"
        f"process: diagnoses grounded {figure('grounded_share', '.0%')}, "
        f"telling looks taken {figure('mean_coverage', '.0%')}, "
        f"looks {figure('mean_looks', '.1f')}, redundant {figure('mean_redundant_looks', '.1f')}, "
        f"minutes to ease {figure('mean_time_to_ease', '.1f')}, "
        f"to diagnose {figure('mean_time_to_diagnose', '.1f')}"
    )


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
