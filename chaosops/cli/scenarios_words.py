"""`chaosops scenarios words`: what situation and cause files can say, as the guide has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from chaosops.env.models import ActionType, FailureType, ServiceKind, Source
from chaosops.env.models.roles import roles_looking_at, roles_with
from chaosops.env.models.topology import ServiceSpec, Topology
from chaosops.env.models.verb_spec import TargetKind
from chaosops.env.models.verbs import AGENT_VERBS, LANDING, VERBS
from chaosops.output import print_data
from chaosops.scenarios.cause_list import ListedCause, built_in_topologies, list_causes, move_words
from chaosops.scenarios.file_reader import FileReader


@click.command(epilog="Example: chaosops scenarios words > words.md")
@click.argument("kind", type=click.Choice(["situation", "cause"]), default="situation")
def words(kind: str) -> None:
    """Print what a situation can refer to: causes, verbs, places to look and topologies.

    With 'cause', every key of cause and situation files is printed instead, and the parts that a
    cause can act on.
    """
    from chaosops.cli.scenarios_keys import keys

    print_data(vocabulary() if kind == "situation" else keys())


def vocabulary() -> str:
    """Return all tables, in Markdown."""
    return "\n\n".join(
        (
            "### Causes",
            _table(
                ("`cause`", "diagnosed as", "agent behind it", "fits", "ended by"),
                map(_cause, list_causes(())[0]),
            ),
            "### Places to look",
            _table(("`source`", "who can investigate"), ((_code(s), _roles(s)) for s in Source)),
            "### Verbs",
            _table(
                ("`action`", "who", "on", "`args`"),
                (
                    _verb(v)
                    for v in ActionType
                    if v in LANDING | AGENT_VERBS | {ActionType.DIAGNOSE}
                ),
            ),
            "### Topologies",
            _table(
                ("`topology`", "services", "`page`"),
                map(_topology, sorted(built_in_topologies(FileReader(())), key=lambda t: t.id)),
            ),
        )
    )


def _cause(listed: ListedCause) -> Sequence[str]:
    cause = listed.cause
    fits = (f"{name}: {', '.join(places)}" for name, places in listed.fits.items())
    return (
        _code(cause.id),
        _code(str(cause.diagnosis)),
        "" if cause.agent is None else _code(cause.agent),
        "; ".join(fits),
        "; ".join(move_words(move) for move in cause.clears),
    )


def _roles(source: Source) -> str:
    return ", ".join(role.value for role in roles_looking_at(source))


def _verb(verb: ActionType) -> Sequence[str]:
    spec = VERBS[verb]
    if spec.target is TargetKind.AGENT:
        on = "an automation agent"
    elif spec.target is TargetKind.ENTRY:
        on = "entry services"
    else:
        on = ", ".join(kind.value for kind in ServiceKind if kind in spec.kinds)
    arguments = "; ".join(
        f"{argument.name}: {_choices(argument.choices)}" for argument in spec.arguments
    )
    return _code(verb), ", ".join(role.value for role in roles_with(verb)), on, arguments


def _topology(topology: Topology) -> Sequence[str]:
    return (
        _code(topology.id),
        ", ".join(_service(service) for service in topology.services),
        "; ".join(f"`{name}`: {text}" for name, text in topology.pages.items()),
    )


def _service(service: ServiceSpec) -> str:
    """Name a service with its kind and the optional parts that effects can change."""
    more = [
        word
        for word, has in (
            ("disk", service.disk is not None),
            ("pool", service.pool is not None),
            ("shards", service.shards > 1),
        )
        if has
    ]
    return f"{_code(service.name)} ({', '.join([service.kind.value, *more])})"


def _choices(choices: Sequence[str | int]) -> str:
    if choices and set(choices) <= set(FailureType):
        return "a `failure_type`"
    return ", ".join(map(str, choices))


def _code(word: str) -> str:
    return f"`{word}`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
