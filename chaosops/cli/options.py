"""Options and values that several commands share, with errors that name the cure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.output import say

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from chaosops.env.world_sim import Scenario

MAX_SEED = 2**32 - 1
MAX_SEEDS = 100_000
"""The most seeds that one run takes."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class RoleName(click.ParamType[AgentRole]):
    """A role, by its name."""

    name = "role"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> AgentRole:
        """The role of that name."""
        try:
            return AgentRole(str(value).lower())
        except ValueError:
            names = ", ".join(role.value for role in TURN_ORDER)
            self.fail(f"no role '{value}': choose from {names}", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The roles that begin so."""
        return _complete((role.value for role in TURN_ORDER), incomplete)


class PolicyName(click.ParamType[str]):
    """A policy, by its name."""

    name = "policy"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if there is such a policy."""
        from chaosops.agents.policies import POLICY_NAMES

        if value not in POLICY_NAMES:
            self.fail(f"no policy '{value}': choose from {', '.join(POLICY_NAMES)}", param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The policies that begin so."""
        from chaosops.agents.policies import POLICY_NAMES

        return _complete(POLICY_NAMES, incomplete)


class SeatPolicy(click.ParamType[tuple[tuple[AgentRole, ...], str]]):
    """`role=policy`, or `all=policy` for the roles that are not named."""

    name = "role=policy"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[AgentRole, ...], str]:
        """The roles and the policy's name."""
        if isinstance(value, tuple):
            return value
        seat, equals, policy = str(value).partition("=")
        if not equals:
            self.fail(f"'{value}' is not role=policy, such as all=expert or sre=random", param, ctx)
        name = PolicyName().convert(policy, param, ctx)
        if seat == "all":
            return TURN_ORDER, name
        return (RoleName().convert(seat, param, ctx),), name


class Seed(click.ParamType[int]):
    """A seed."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The seed as a number."""
        text = str(value)
        if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) > MAX_SEED:
            self.fail(f"'{value}' is no seed: give a whole number from 0 to {MAX_SEED}", param, ctx)
        return int(text)


class Seeds(click.ParamType[tuple[int, ...]]):
    """Seeds: `7`, `1,2,5`, `0:20` (0 to 19), or several of these with commas."""

    name = "seeds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """The seeds in their order."""
        if isinstance(value, tuple):
            return value
        seeds: list[int] = []
        for part in str(value).split(","):
            first, colon, stop = part.strip().partition(":")
            if not colon:
                seeds.append(Seed().convert(first, param, ctx))
                continue
            span = range(Seed().convert(first, param, ctx), Seed().convert(stop, param, ctx))
            if not span:
                self.fail(f"'{part}' has no seed in it: write it as 0:20, for 0 to 19", param, ctx)
            if len(span) > MAX_SEEDS:
                self.fail(f"'{part}' is more than {MAX_SEEDS} seeds: run fewer", param, ctx)
            seeds.extend(span)
        if len(seeds) > MAX_SEEDS:
            self.fail(f"these are more than {MAX_SEEDS} seeds: run fewer", param, ctx)
        return tuple(seeds)


class ScenarioName(click.ParamType[str]):
    """The id of an incident, or the path of its file; it is looked up later."""

    name = "scenario"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it was given."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The ids that begin so, and then files."""
        from click.shell_completion import CompletionItem

        from chaosops.scenarios.loader import find_scenarios

        ids = _complete((source.id for source in find_scenarios()), incomplete)
        return ids or [CompletionItem(incomplete, type="file")]


def scenarios_option(command: Decorated) -> Decorated:
    """`--scenarios DIR`, as often as there are folders; the parameter is `folders`."""
    return click.option(
        "--scenarios",
        "folders",
        metavar="DIR",
        multiple=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A folder with incidents of your own, besides the built-in set. Repeatable.",
    )(command)


def json_option(command: Decorated) -> Decorated:
    """`--json`; the parameter is `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def load_scenario(name: str, seed: int, folders: Sequence[Path]) -> Scenario:
    """The incident of that id, or in that file; who gives a former id is told the current one.

    Raises:
        click.UsageError: There is none.
        ScenarioError: Its file is broken.
    """
    from chaosops.env.world_sim import Scenario
    from chaosops.errors import ScenarioError
    from chaosops.files import is_file
    from chaosops.scenarios.renamed_ids import current_id

    try:
        scenario = Scenario.load(name, seed, folders=folders)
    except ScenarioError as error:
        if is_file(Path(name)):
            raise
        raise click.UsageError(str(error)) from error
    if scenario.id == current_id(name):
        tell_new_id(name, scenario.id)
    return scenario


def tell_new_id(former: str, current: str) -> None:
    """Say on stderr, once a command, that an incident was renamed; nothing where it was not."""
    context = click.get_current_context(silent=True)
    if former == current or context is None:
        return
    told = context.find_root().meta.setdefault("chaosops.renamed", set())
    if former not in told:
        told.add(former)
        say(f"note: {former} is now called {current}", err=True)


def _complete(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    return [CompletionItem(name) for name in names if name.startswith(incomplete)]
