"""`chaosops scenarios list` and `show`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from chaosops.cli.errors import FAILURE, SUCCESS, complain
from chaosops.cli.options import (
    ScenarioName,
    Seed,
    json_option,
    load_scenario,
    scenarios_option,
)
from chaosops.cli.tables import table
from chaosops.env.models import TURN_ORDER
from chaosops.env.world_sim import Scenario
from chaosops.output import columns_of, print_data, say
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.loader import scan
from chaosops.scenarios.schema import Move

_COLUMNS = ("id", "level", "title", "topology")


@click.command("list", epilog="Example: chaosops scenarios list --scenarios ~/incidents")
@json_option
@scenarios_option
def list_(as_json: bool, folders: tuple[Path, ...]) -> int:
    """List the incidents, from the easiest level to the hardest.

    Causes are not shown. Broken files are reported on stderr.
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
    print_data(json.dumps(rows, indent=2)) if as_json else say(_table(rows))
    for path, found in groupby(problems, key=attrgetter("path")):
        first, *rest = found
        cure = f" (and {len(rest)} more: run 'chaosops scenarios validate {path}')" if rest else ""
        complain(f"{first}{cure}")
    return FAILURE if problems else SUCCESS


@click.command(epilog="Example: chaosops scenarios show paying-ends-in-an-error --seed 7")
@click.argument("scenario", type=ScenarioName())
@click.option(
    "--seed", metavar="N", type=Seed(), default=0, help="The incident's variant; 0 by default."
)
@click.option("--spoilers", is_flag=True, help="Also show the cause, the solution and the debrief.")
@json_option
@scenarios_option
def show(
    scenario: str, seed: int, spoilers: bool, as_json: bool, folders: tuple[Path, ...]
) -> None:
    """Show what is known of an incident at the page.

    SCENARIO is an id from 'chaosops scenarios list' or the path of a file.
    """
    loaded = load_scenario(scenario, seed, folders)
    facts = _facts(loaded) | (_spoilers(loaded) if spoilers else {})
    print_data(json.dumps(facts, indent=2)) if as_json else say(_sheet(facts))


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
        "failure_type": str(incident.failure_type),
        "faults": [
            f"{fault.id}: cleared by {' or '.join(_words(move) for move in fault.clears)}"
            for fault in incident.faults
        ],
        "may_follow": list(_followers(incident)),
        "rogue_agents": [agent.name for agent in incident.automation if agent.is_guilty],
        "solution": [f"{step.role.value}: {_words(step)}" for step in incident.solution],
        "wrong_fixes": [f"{_words(move)}: {move.why}" for move in incident.tempting],
        "true_name": debrief.title,
        "happened": debrief.happened,
        "misleading": debrief.misleading,
        "lesson": debrief.lesson,
        "same_kind": debrief.same_kind,
    }


def _followers(incident: Incident) -> Iterator[str]:
    """Yield what may follow the first cause, and why."""
    for each in incident.followers:
        yield f"{each.cause.id} at {each.place}: {each.link}"


def _words(move: Move) -> str:
    arguments = move.model_dump(mode="json", exclude_none=True)["args"]
    given = [f"{name}={json.dumps(value)}" for name, value in arguments.items()]
    return " ".join([move.action.value, *([move.target] if move.target else []), *given])


def _table(rows: Sequence[dict[str, str]]) -> str:
    heading = [name.upper() for name in _COLUMNS]
    lines = [[row[name] for name in _COLUMNS] for row in rows]
    return table([heading, *lines], columns_of(sys.stdout))


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
