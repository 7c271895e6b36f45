"""`chaosops run`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from chaosops.agents.policies import Policy, answered_by_program
from chaosops.agents.registry import Policies
from chaosops.agents.runner import EpisodeResult, PolicyError, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.cli.errors import FAILURE, SUCCESS, complain, progress
from chaosops.cli.options import (
    ScenarioName,
    SeatPolicy,
    Seeds,
    json_option,
    load_scenario,
    scenarios_option,
    seat_names,
)
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.env.world_sim import Scenario
from chaosops.output import print_data, say
from chaosops.scenarios.loader import find_scenarios
from chaosops.version import __version__

Row = dict[str, Any]

Answers = dict[int, bool]
"""For each turn that a policy decided, whether the policy consulted another program."""

_NOBODY = "noop"
"""The policy recorded for turns that nobody decided."""


@click.command(
    epilog="Example: chaosops run orders-hang --policy all=heuristic --policy sre=random "
    "--seeds 0:20"
)
@click.argument("names", metavar="SCENARIO...", nargs=-1, required=True, type=ScenarioName())
@click.option(
    "--policy",
    "seats",
    metavar="ROLE=POLICY",
    multiple=True,
    type=SeatPolicy(),
    default=["all=expert"],
    help="The policy for a role: random, heuristic, expert, oracle or noop, one of an installed "
    "package, or MODULE:FUNCTION. ROLE is sre, oversight, dev, manager, or all for the others. "
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
@json_option
@scenarios_option
def run(
    names: tuple[str, ...],
    seats: tuple[tuple[tuple[AgentRole, ...], str], ...],
    seeds: tuple[int, ...],
    recordings: Path | None,
    as_json: bool,
    folders: tuple[Path, ...],
) -> int:
    """Let policies play incidents without a screen.

    SCENARIO is an id from 'chaosops scenarios list', the path of a file, or all. Each episode
    prints a line when it ends, and a summary follows.

    With --json, each line is an object: one per episode (kind "episode", with scenario, seed,
    resolved, mttr, turns, reward, wrong_fixes, flags, diagnosis and error), then one of kind
    "summary". mttr is in turns, and null if the incident wasn't resolved. After a policy raises
    an error, everyone passes; the means count that episode as unresolved.

    The exit code is 1 if a policy raised an error; the other episodes are still played.
    """
    if recordings is not None:
        from chaosops.recording.folders import writable_folder

        recordings = writable_folder(recordings)
    scenarios = _load(names, seeds[0], folders)
    policies = seat_names(seats)
    rows: list[Row] = []
    total = len(scenarios) * len(seeds)
    for result, recorded, answers in _play(scenarios, seeds, policies):
        row = _row(result)
        rows.append(row)
        progress("")
        print_data(json.dumps(row)) if as_json else say(_line(row, scenarios))
        if result.error:
            complain(result.error)
        if recordings is not None and recorded.steps:
            _record(recordings, recorded, policies, answers)
        progress(f"{len(rows)} of {total}")
    progress("")
    summary = _summary(rows)
    print_data(json.dumps(summary)) if as_json else say(_summary_line(summary))
    return FAILURE if summary["errors"] else SUCCESS


def _load(names: Sequence[str], seed: int, folders: Sequence[Path]) -> list[Scenario]:
    if "all" in names:
        return [Scenario.of(source, seed) for source in find_scenarios(folders)]
    return [load_scenario(name, seed, folders) for name in names]


def _play(
    scenarios: Sequence[Scenario], seeds: Sequence[int], policies: dict[AgentRole, str]
) -> Iterator[tuple[EpisodeResult, EpisodeResult, Answers]]:
    """Play the episodes; yield each with the part to record and who answered its turns."""
    registry = Policies()
    env = ChaosOpsEnvironment()
    for first in scenarios:
        for seed in seeds:
            scenario = first.with_seed(seed)
            answers: Answers = {}
            seats = {
                role: _noted(policy, answers)
                for role, policy in seat_policies(policies, scenario, registry).items()
            }
            try:
                result = run_episode(env, scenario, seats)
                yield result, result, answers
            except PolicyError as error:
                yield error.play_on(), error.result, answers


def _noted(policy: Policy, answers: Answers) -> Policy:
    """Wrap a policy to note for each answer whether it came from another program."""

    def answer(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        action = policy(observation, role)
        answers[observation.step] = answered_by_program(policy)
        return action

    return answer


def _record(
    folder: Path,
    result: EpisodeResult,
    policies: dict[AgentRole, str],
    answers: Answers,
) -> None:
    from chaosops.recording.event_log import EventLogWriter
    from chaosops.recording.events import (
        HumanPart,
        Seat,
        SeatKind,
        Ui,
        new_footer,
        new_header,
    )

    names = {role: policies.get(role, _NOBODY) for role in TURN_ORDER}
    header = new_header(
        result.scenario,
        seats={role: Seat(kind=SeatKind.SCRIPTED, policy=names[role]) for role in TURN_ORDER},
        ui=Ui(name="chaosops run", version=__version__),
        max_turns=result.scenario.max_steps * len(TURN_ORDER),
    )
    with EventLogWriter.create(folder, header) as log:
        for frame in result.steps:
            by_program = answers.get(frame.turn)
            name = _NOBODY if by_program is None else names[frame.role]
            log.turn(frame, HumanPart.scripted(name, by_program=bool(by_program)))
        log.finish(new_footer(result))


def _row(result: EpisodeResult) -> Row:
    cause = result.declared_root_cause
    return {
        "kind": "episode",
        "scenario": result.scenario.id,
        "seed": result.scenario.seed,
        "resolved": result.resolved,
        "mttr": result.mttr_steps if result.resolved else None,
        "turns": result.final_step,
        "reward": result.cumulative_reward,
        "wrong_fixes": result.wrong_fixes,
        "flags": list(result.oversight_flags),
        "diagnosis": None if cause is None else str(cause),
        "error": result.error or None,
    }


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
    }


def _summary_line(summary: Row) -> str:
    def figure(name: str, form: str) -> str:
        return "-" if summary[name] is None else format(summary[name], form)

    errors = f" ({summary['errors']} failed)" if summary["errors"] else ""
    return (
        f"{summary['episodes']} episodes{errors}: resolved {figure('resolved_share', '.0%')}, "
        f"mean reward {figure('mean_reward', '.2f')}, mean mttr {figure('mean_mttr', '.1f')}, "
        f"wrong fixes {figure('mean_wrong_fixes', '.2f')} per episode"
    )


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None
