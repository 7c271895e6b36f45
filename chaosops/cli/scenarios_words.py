"""`chaosops scenarios words`: the vocabulary of incident files, as the authoring guide has it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from chaosops.agents.runbook import RUNBOOK, Fix
from chaosops.env.models import ActionType, FailureType, ServiceKind, Sign, Source
from chaosops.env.models.roles import roles_looking_at, roles_with
from chaosops.env.models.topology import ServiceSpec, Topology
from chaosops.env.models.verbs import AGENT_VERBS, LANDING, VERBS, TargetKind
from chaosops.output import print_data
from chaosops.scenarios.loader import find_scenarios


@click.command(epilog="Example: chaosops scenarios words > words.md")
@click.argument("kind", type=click.Choice(["incident", "cause"]), default="incident")
def words(kind: str) -> None:
    """Print what incident files can refer to: causes, signs, verbs and topologies.

    The table of causes is the runbook that scripted teammates diagnose by. With 'cause', every key
    of cause and situation files is printed instead, and the parts that a cause can act on.
    """
    from chaosops.cli.scenarios_keys import keys

    print_data(vocabulary() if kind == "incident" else keys())


def vocabulary() -> str:
    """Return all tables, in Markdown."""
    return "\n\n".join(
        (
            "### Causes and their signs",
            _table(
                (
                    "`failure_type`",
                    "confirmed by",
                    "supported by",
                    "contradicted by",
                    "found by",
                    "fixed by",
                ),
                map(_cause, RUNBOOK),
            ),
            f"Signs that point to no single cause: {_list(_other_signs()) or 'none'}.",
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
                ("`topology`", "services", "`page`", "`stuck_alerts` rules"),
                map(_topology, _topologies()),
            ),
        )
    )


def _cause(cause: FailureType) -> Sequence[str]:
    entry = RUNBOOK[cause]
    weighty = sorted(entry.weights.items(), key=lambda item: (-abs(item[1]), item[0]))
    return (
        _code(cause),
        _list(sorted(entry.settled_by)),
        _list(sign for sign, weight in weighty if weight > 0),
        _list(sign for sign, weight in weighty if weight < 0),
        ", ".join(f"{check.role.value} {check.source.value}" for check in entry.checks),
        ", ".join(_fix(fix) for fix in entry.fixes) + (", pause" if entry.is_automated else ""),
    )


def _other_signs() -> list[Sign]:
    counted = {sign for entry in RUNBOOK.values() for sign in (*entry.settled_by, *entry.weights)}
    return [sign for sign in Sign if sign not in counted]


def _fix(fix: Fix) -> str:
    return " ".join([fix.role.value, fix.verb.value, *(str(value) for value in fix.args.values())])


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


def _topologies() -> list[Topology]:
    """Return the topologies of the built-in incidents."""
    found = {source.topology.id: source.topology for source in find_scenarios()}
    return [found[name] for name in sorted(found)]


def _topology(topology: Topology) -> Sequence[str]:
    return (
        _code(topology.id),
        ", ".join(_service(service) for service in topology.services),
        "; ".join(f"`{name}`: {text}" for name, text in topology.pages.items()),
        _list(rule.id for rule in topology.alerts),
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


def _list(words_: Iterable[str]) -> str:
    return ", ".join(map(_code, words_))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
