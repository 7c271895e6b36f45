"""Options and values that several commands share."""

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
"""The most seeds that one run accepts."""

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class RoleName(click.ParamType[AgentRole]):
    """The name of a role."""

    name = "role"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> AgentRole:
        """Return the role of that name."""
        try:
            return AgentRole(str(value).lower())
        except ValueError:
            names = ", ".join(role.value for role in TURN_ORDER)
            self.fail(f"no role '{value}': choose from {names}", param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the roles that begin with the text."""
        return _complete((role.value for role in TURN_ORDER), incomplete)


class PolicyName(click.ParamType[str]):
    """The name of a policy: built in, of an installed package, or `module:function`."""

    name = "policy"

    def __init__(self, *, models: bool = False) -> None:
        """Choose what is a policy.

        Args:
            models: Whether language models are; what is missing for one is found out later.
        """
        self._models = models

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, if there is such a policy."""
        from chaosops.adapters.llm.settings import is_model
        from chaosops.agents.registry import Policies, PolicyNameError

        if is_model(str(value)):
            if not self._models:
                why = f"'{value}' can't be used here: choose a policy that is no language model"
                self.fail(why, param, ctx)
            return str(value)
        if ctx is not None and ctx.params.get("isolated"):
            # Its module must not be imported here; the command checks it in a process of its own.
            return str(value)
        try:
            Policies().check(str(value))
        except PolicyNameError as error:
            self.fail(str(error), param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the policies that begin with the text."""
        from chaosops.agents.names import POLICY_NAMES, installed

        return _complete((*POLICY_NAMES, *installed()), incomplete)


class CopilotName(PolicyName):
    """The name of a policy, or `off`, whose value is an empty name."""

    def __init__(self) -> None:
        super().__init__(models=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, if there is such a policy."""
        return "" if value in ("off", "") else super().convert(value, param, ctx)


class SeatPolicy(click.ParamType[tuple[tuple[AgentRole, ...], str]]):
    """`role=policy`, or `all=policy` for every role without a policy of its own.

    The policy may be a language model.
    """

    name = "role=policy"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[AgentRole, ...], str]:
        """Return the roles and the policy's name."""
        if isinstance(value, tuple):
            return value
        seat, equals, policy = str(value).partition("=")
        if not equals:
            self.fail(f"'{value}' is not ROLE=POLICY, such as all=expert or sre=random", param, ctx)
        name = PolicyName(models=True).convert(policy, param, ctx)
        if seat == "all":
            return TURN_ORDER, name
        return (RoleName().convert(seat, param, ctx),), name


def seat_names(
    seats: Iterable[tuple[tuple[AgentRole, ...], str]],
) -> dict[AgentRole, str]:
    """Return each role's policy; a role's own takes precedence over `all`, in any order."""
    ordered = sorted(seats, key=lambda seat: len(seat[0]), reverse=True)
    return {role: policy for roles, policy in ordered for role in roles}


class Seed(click.ParamType[int]):
    """A seed."""

    name = "seed"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seed as a number."""
        text = str(value)
        if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) > MAX_SEED:
            self.fail(
                f"'{value}' is not a seed: use a whole number from 0 to {MAX_SEED}", param, ctx
            )
        return int(text)


class Seeds(click.ParamType[tuple[int, ...]]):
    """Seeds: `7`, `1,2,5`, `0:20` (0 to 19), or a comma-separated mix."""

    name = "seeds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the seeds in the order given."""
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
                self.fail(f"'{part}' is an empty range: write 0:20 for 0 to 19", param, ctx)
            if len(span) > MAX_SEEDS:
                self.fail(f"'{part}' is more than {MAX_SEEDS} seeds: use fewer", param, ctx)
            seeds.extend(span)
        if len(seeds) > MAX_SEEDS:
            self.fail(f"more than {MAX_SEEDS} seeds: use fewer", param, ctx)
        return tuple(seeds)


class ScenarioName(click.ParamType[str]):
    """The id of an incident or the path of its file, which is looked up later."""

    name = "scenario"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as given."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the ids that begin with the text, or else files."""
        from click.shell_completion import CompletionItem

        from chaosops.scenarios.loader import find_scenarios

        ids = _complete((source.id for source in find_scenarios()), incomplete)
        return ids or [CompletionItem(incomplete, type="file")]


class CauseName(click.ParamType[str]):
    """The id of a cause or the path of its file, which is looked up later."""

    name = "cause"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name as given."""
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return the ids that begin with the text, or else files."""
        from click.shell_completion import CompletionItem

        from chaosops.scenarios.folders import cause_files

        folders = ctx.params.get("folders") or ()
        ids = _complete(sorted(cause_files(folders)), incomplete)
        return ids or [CompletionItem(incomplete, type="file")]


def scenarios_option(command: Decorated) -> Decorated:
    """Add `--scenarios DIR`, repeatable; the parameter is `folders`."""
    return click.option(
        "--scenarios",
        "folders",
        metavar="DIR",
        multiple=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A folder with your own incidents, in addition to the built-in ones. Repeatable.",
    )(command)


def json_option(command: Decorated) -> Decorated:
    """Add `--json`; the parameter is `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def isolated_option(command: Decorated) -> Decorated:
    """Add `--isolated`; the parameter is `isolated`, which `PolicyName` reads."""
    return click.option(
        "--isolated",
        is_flag=True,
        is_eager=True,
        help="Play each policy that is not built in in a process of its own, which gets views and "
        "gives actions, nothing else.",
    )(command)


def check_isolated(names: Iterable[str]) -> None:
    """Check that policies can be made, each in a process of its own.

    Raises:
        click.UsageError: One can't.
    """
    from chaosops.adapters.llm.settings import is_model
    from chaosops.agents.isolated import IsolatedSeats
    from chaosops.errors import ChaosOpsError

    with IsolatedSeats() as seats:
        for name in dict.fromkeys(names):
            if is_model(name):
                continue
            try:
                seats.check(name)
            except ChaosOpsError as error:
                raise click.UsageError(str(error)) from error


def load_scenario(name: str, seed: int, folders: Sequence[Path]) -> Scenario:
    """Load an incident by its id or file, and report a new id if the given one is outdated.

    Raises:
        click.UsageError: There is no such incident.
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
    """Print once per command on stderr that an incident was renamed, if it was."""
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
