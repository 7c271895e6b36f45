"""Trains a policy for one seat, and compares it with others: `python -m ... --help`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from chaosops.adapters.learning.comparing import (
    Estimate,
    SeatPlayed,
    by_incident,
    compare,
    estimate,
    lead,
)
from chaosops.adapters.learning.learned import DEFAULT_FILE, LearnedPolicy, load, rounded
from chaosops.adapters.learning.linear import LinearPolicy
from chaosops.adapters.learning.training import TrainingPlan, train
from chaosops.agents.policies import Policy, make_policy
from chaosops.agents.registry import Policies
from chaosops.cli.bar import moving, over
from chaosops.cli.errors import INTERRUPTED, execute
from chaosops.cli.options import PolicyName, RoleName, Seed, Seeds
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError
from chaosops.output import print_data, say
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.rendering import ScenarioSource

INCIDENTS: Final = (
    "paying-ends-in-an-error",
    "visitors-turned-away-at-once",
    "slow-then-errors",
    "three-in-a-hundred-fail",
)
"""Four easy incidents on four topologies."""

_SAVED_EVERY: Final = 200
_BASELINES: Final = ("noop", "hurried", "expert")


@click.group()
def main() -> None:
    """Train a policy for one seat of four easy incidents, and compare it with others."""


@main.command("train")
@click.argument("role", type=RoleName())
@click.option("--out", type=click.Path(path_type=Path), default=DEFAULT_FILE, show_default=True)
@click.option(
    "--others",
    type=PolicyName(),
    default="expert",
    show_default=True,
    help="Who plays the other seats.",
)
@click.option(
    "--seeds", type=Seeds(), default="0:500", show_default=True, help="The seeds to train on."
)
@click.option("--episodes", type=click.IntRange(1, 1_000_000), default=2_000, show_default=True)
@click.option("--seed", type=Seed(), default=0, show_default=True, help="Decides its tries.")
@click.option("--force", is_flag=True, help="Replace an existing file.")
def train_command(
    role: AgentRole,
    out: Path,
    others: str,
    seeds: tuple[int, ...],
    episodes: int,
    seed: int,
    force: bool,
) -> int:
    """Train a policy for ROLE and write it to a file.

    The file is written again every 200 episodes, and when you press Ctrl+C.
    """
    if out.exists() and not force:
        raise ChaosOpsError(f"{out} exists: choose another --out, or add --force to replace it")
    plan = TrainingPlan(role, others, INCIDENTS, seeds, episodes, seed)
    earned: list[float] = []
    newest: list[LinearPolicy] = []

    def save() -> None:
        done = plan._replace(episodes=len(earned))
        LearnedPolicy(done, rounded(newest[-1])).save(out)

    with moving(episodes, "episodes") as advance:

        def after(played: int, score: float, policy: LinearPolicy) -> None:
            earned.append(score)
            newest[:] = [policy]
            if played % _SAVED_EVERY == 0:
                mean = sum(earned[-_SAVED_EVERY:]) / _SAVED_EVERY
                save()
                say(f"{played} episodes: the last {_SAVED_EVERY} earned {mean:.1f} on average")
            advance()

        try:
            train(plan, _sources(), after=after)
        except KeyboardInterrupt:
            if earned:
                save()
                say(f"stopped after {len(earned)} episodes: {out} has what was learned", err=True)
            return INTERRUPTED
    save()
    say(f"wrote {out}: python -m chaosops.adapters.learning compare {out}")
    return 0


@main.command("compare")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--others", type=PolicyName(), help="Who plays the other seats; as in training by default."
)
@click.option(
    "--seeds", type=Seeds(), default="10000:10050", show_default=True, help="The seeds to play."
)
def compare_command(file: Path, others: str | None, seeds: tuple[int, ...]) -> int:
    """Print what the policy in FILE earns beside no-op, the heuristic and the expert.

    Each plays the same seat of the same games, on seeds that the policy was not trained on.
    """
    learned = load(file)
    plan = learned.plan
    known = sorted(set(seeds) & set(plan.seeds))
    if known:
        raise ChaosOpsError(f"the policy was trained on seed {known[0]}: choose other --seeds")
    players: dict[str, Any] = {name: _MadeForGame(name) for name in _BASELINES}
    players["learned"] = lambda _scenario, _seed: learned
    total = len(INCIDENTS) * len(seeds) * len(players)
    mates = others or plan.others
    Policies().check(mates)
    games = compare(players, plan.role, mates, _sources(), seeds)
    played = list(over(games, total, "games"))
    print_data("\n".join(_table(played, players)))
    say()
    say(
        f"{len(seeds)} seeds of each of {len(INCIDENTS)} incidents in the seat {plan.role.value}, "
        f"the others {mates}; trained on {plan.episodes} episodes."
    )
    return 0


class _MadeForGame:
    """Makes a built-in policy for a game."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, scenario: Scenario, seed: int) -> Policy:
        return make_policy(self._name, scenario, seed)


def _table(played: Sequence[SeatPlayed], players: Sequence[str] | dict[str, Any]) -> list[str]:
    """Return the results as a table in Markdown."""
    incidents = list(dict.fromkeys(game.incident for game in played))
    lines = [
        "| in the seat | reward of the seat | reward of the team | resolved | "
        + " | ".join(f"seat, {name}" for name in incidents)
        + " |",
        "| --- | ---: | ---: | ---: |" + " ---: |" * len(incidents),
    ]
    for name in players:
        seat = by_incident(played, name, lambda game: game.seat)
        cells = [
            estimate(seat),
            estimate(by_incident(played, name, lambda game: game.team)),
            _percent(estimate(by_incident(played, name, lambda game: 100.0 * game.resolved))),
            *[estimate({incident: seat[incident]}) for incident in incidents],
        ]
        lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    for other in players:
        if other != "learned":
            ahead = [
                lead(played, "learned", other, lambda game: game.seat),
                lead(played, "learned", other, lambda game: game.team),
                _percent(lead(played, "learned", other, lambda game: 100.0 * game.resolved)),
            ]
            empty = " |" * len(incidents)
            lines.append(f"| learned minus {other} | " + " | ".join(map(str, ahead)) + f" |{empty}")
    return lines


def _percent(value: Estimate) -> str:
    return f"{value.mean:.0f} ± {value.margin:.0f} %"


def _sources() -> list[ScenarioSource]:
    found = {source.id: source for source in find_scenarios()}
    return [found[name] for name in INCIDENTS]


if __name__ == "__main__":
    sys.exit(execute(main, None, "python -m chaosops.adapters.learning"))
