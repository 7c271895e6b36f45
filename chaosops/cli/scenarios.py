"""`chaosops scenarios`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from chaosops.cli.errors import FAILURE, SUCCESS, complain, progress
from chaosops.cli.options import (
    ScenarioName,
    Seed,
    Seeds,
    json_option,
    load_scenario,
    scenarios_option,
)
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.json_schema import incident_schema
from chaosops.scenarios.loader import (
    TOPOLOGIES,
    Problem,
    builtin_folder,
    check_file,
    open_scenario,
    scan,
)
from chaosops.scenarios.schema import Move
from chaosops.scenarios.starter import write_starter

_COLUMNS = ("id", "level", "title", "topology")


@click.group(no_args_is_help=False, epilog="Example: chaosops scenarios list")
def scenarios() -> None:
    """List, show and check incidents."""


@scenarios.command("list", epilog="Example: chaosops scenarios list --scenarios ~/incidents")
@json_option
@scenarios_option
def list_(as_json: bool, folders: tuple[Path, ...]) -> int:
    """List the incidents, from the easiest level to the hardest.

    What causes an incident is not shown. Files that are broken are named on stderr.
    """
    sources, problems = scan(folders)
    rows = [
        dict(
            zip(
                _COLUMNS,
                (source.id, source.level.value, source.title, source.topology.id),
                strict=True,
            )
        )
        for source in sources
    ]
    click.echo(json.dumps(rows, indent=2) if as_json else _table(rows))
    for path, found in groupby(problems, key=attrgetter("path")):
        first, *rest = found
        cure = f" (and {len(rest)} more: run chaosops scenarios validate {path})" if rest else ""
        complain(f"{first}{cure}")
    return FAILURE if problems else SUCCESS


@scenarios.command(epilog="Example: chaosops scenarios show orders-stall --seed 7")
@click.argument("scenario", type=ScenarioName())
@click.option("--seed", metavar="N", type=Seed(), default=0, help="Which variant; 0 by default.")
@click.option("--spoilers", is_flag=True, help="Also show the cause, the best line, the debrief.")
@json_option
@scenarios_option
def show(
    scenario: str, seed: int, spoilers: bool, as_json: bool, folders: tuple[Path, ...]
) -> None:
    """Show what is known of an incident when it begins.

    SCENARIO is an id from 'chaosops scenarios list', or the path of a file.
    """
    loaded = load_scenario(scenario, seed, folders)
    facts = _facts(loaded) | (_spoilers(loaded) if spoilers else {})
    click.echo(json.dumps(facts, indent=2) if as_json else _sheet(facts))


@scenarios.command(epilog="Example: chaosops scenarios new slow-mornings --to ~/incidents")
@click.argument("scenario_id", metavar="ID")
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    default=".",
    help="The folder to put it in; this one by default.",
)
def new(scenario_id: str, to: Path) -> None:
    """Write a new incident file to start from.

    It is commented, validates and plays as it is. The schema for editors is put beside it.
    """
    path = write_starter(scenario_id, to)
    click.echo(f"{path}: edit it, then run chaosops scenarios validate --prove {path}")


@scenarios.command(epilog="Example: chaosops scenarios schema > incident.schema.json")
def schema() -> None:
    """Print the JSON Schema of incident files."""
    click.echo(json.dumps(incident_schema(), indent=2))


@scenarios.command(epilog="Example: chaosops scenarios validate --prove ~/incidents")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--prove", is_flag=True, help="Also play it: solvable, and in no cheaper way?")
@click.option(
    "--seeds",
    metavar="SEEDS",
    type=Seeds(),
    default="0:20",
    help="Seeds to prove it on; 0:20 by default.",
)
@json_option
@scenarios_option
def validate(
    paths: tuple[Path, ...],
    prove: bool,
    seeds: tuple[int, ...],
    as_json: bool,
    folders: tuple[Path, ...],
) -> int:
    """Check incident and topology files, and print everything that is wrong with them.

    PATH is a file or a folder; without one, the built-in set and every --scenarios folder are
    checked. The exit code is 1 where something is wrong.

    With --prove, every incident that is well formed is played by the best line, the expert and
    every shortcut, which takes a few seconds each.
    """
    files = list(dict.fromkeys(_files(paths or (builtin_folder(), *folders))))
    problems = [problem for path in files for problem in check_file(path, folders)]
    if not paths:
        problems += [found for found in scan(folders)[1] if found not in problems]
    if as_json:
        click.echo(json.dumps([_as_row(problem) for problem in problems], indent=2))
    else:
        for problem in problems:
            click.echo(str(problem))
        click.echo(f"{_count(len(files), 'file')}, {_count(len(problems), 'problem')}")
    if not prove:
        return FAILURE if problems else SUCCESS
    broken = {problem.path for problem in problems}
    proven = _prove([path for path in files if path not in broken], seeds, folders)
    return SUCCESS if proven and not problems else FAILURE


def _prove(files: Sequence[Path], seeds: tuple[int, ...], folders: tuple[Path, ...]) -> bool:
    from chaosops.evaluation.gates import prove

    incidents = [path for path in files if path.parent.name != TOPOLOGIES]
    passed = True
    for number, path in enumerate(incidents, start=1):
        progress(f"proving {path.stem}, {number} of {len(incidents)}")
        report = prove(open_scenario(path, folders), seeds, shortcut_seeds=seeds[:2])
        progress("")
        click.echo(str(report))
        passed = passed and report.passed
    return passed


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.yaml"))
        elif path.exists():
            yield path
        else:
            raise click.UsageError(f"no file or folder '{path}': name one that is there")


def _as_row(problem: Problem) -> dict[str, Any]:
    return {
        "path": str(problem.path),
        "line": problem.line,
        "field": problem.field,
        "message": problem.message,
    }


def _facts(scenario: Scenario) -> dict[str, Any]:
    topology = scenario.topology
    return {
        "id": scenario.id,
        "seed": scenario.seed,
        "title": scenario.title,
        "page": scenario.page,
        "level": scenario.difficulty.value,
        "topology": f"{topology.id} ({topology.title})",
        "turns": scenario.max_steps * len(TURN_ORDER),
        "par": scenario.par,
        "roles": [role.value for role in TURN_ORDER],
        "services": [f"{service.name} ({service.kind.value})" for service in topology.services],
    }


def _spoilers(scenario: Scenario) -> dict[str, Any]:
    incident = scenario.incident
    debrief = incident.debrief
    return {
        "failure_type": incident.failure_type.value,
        "faults": [
            f"{fault.id}: cleared by {' or '.join(_words(move) for move in fault.clears)}"
            for fault in incident.faults
        ],
        "rogue_agents": [agent.name for agent in incident.automation if agent.rogue is not None],
        "solution": [f"{step.role.value}: {_words(step)}" for step in incident.solution],
        "wrong_fixes": [f"{_words(move)}: {move.why}" for move in incident.tempting],
        "true_name": debrief.title,
        "happened": debrief.happened,
        "misleading": debrief.misleading,
        "lesson": debrief.lesson,
        "same_kind": debrief.same_kind,
    }


def _words(move: Move) -> str:
    arguments = move.model_dump(mode="json", exclude_none=True)["args"]
    given = [f"{name}={json.dumps(value)}" for name, value in arguments.items()]
    return " ".join([move.action.value, *([move.target] if move.target else []), *given])


def _table(rows: Sequence[dict[str, str]]) -> str:
    lines = [dict(zip(_COLUMNS, map(str.upper, _COLUMNS), strict=True)), *rows]
    widths = {name: max(len(line[name]) for line in lines) for name in _COLUMNS}
    return "\n".join(
        "  ".join(line[name].ljust(widths[name]) for name in _COLUMNS).rstrip() for line in lines
    )


def _sheet(facts: dict[str, Any]) -> str:
    width = max(len(name) for name in facts) + 2
    lines: list[str] = []
    for name, value in facts.items():
        values = value if isinstance(value, list) else [value]
        labels = [name.replace("_", " "), *[""] * len(values)]
        lines += [
            f"{label:<{width}}{' '.join(str(item).split())}"
            for label, item in zip(labels, values or ["-"], strict=False)
        ]
    return "\n".join(lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
