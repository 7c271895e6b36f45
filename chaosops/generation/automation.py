"""Chooses the automation agents of a situation, some of which may be guilty."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import TypeAdapter

from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import Line, Name, Strict, Topology
from chaosops.generation.data_files import read_data
from chaosops.generation.dice import SeededDice
from chaosops.scenarios.agent_policies import DeployPolicy, ReleaseSpec, StandingPolicy
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.schema import EventSpec
from chaosops.scenarios.situation import SituationAgent

MOST_GUILTY: Final = 2
"""How many of a situation's agents may be behind its causes."""

_ACTING: Final = 3
_ALL: Final = 4
_SPELL: Final = (2, 3)
_LAST: Final = (-6, 0)
_APART: Final = (2, 4)
_SAME_SERVICE: Final = 0.75
_SAME_NUMBERS: Final = 0.5
_LATER: Final = (2, 14)
_PROMOTED: Final = (-58, -31)


class Acts(Strict):
    """What an agent without a standing policy does, in the words of the audit log.

    Attributes:
        kinds: The kinds of services that it works on.
    """

    act: Line
    reason: Line
    approval: Line
    kinds: tuple[ServiceKind, ...]


class AgentTemplate(Strict):
    """An agent to choose from.

    Attributes:
        standing: Its written policy; None for one that only has lines in the audit log.
        not_with: Families of causes in whose situations it is not.
    """

    name: Name
    duty: Line
    policy: Line
    standing: StandingPolicy | None = None
    acts: Acts | None = None
    not_with: tuple[Name, ...] = ()


def agent_templates() -> tuple[AgentTemplate, ...]:
    """Return all agents that there are to choose from, in the file's order."""
    return TypeAdapter(tuple[AgentTemplate, ...]).validate_python(read_data("agents.yaml"))


def draw_agents(
    causes: Sequence[Cause], topology: Topology, dice: SeededDice
) -> tuple[SituationAgent, ...]:
    """Draw the agents of a situation: all that its causes need, and others that are innocent.

    There are always as many, and most of them act on the fleet, so that their number says nothing.

    Args:
        causes: The causes that may be behind it.
    """
    families = {cause.family for cause in causes}
    needed = {cause.agent for cause in causes if cause.agent}
    fitting: dict[str, AgentTemplate] = {}
    for template in dice.of("order").shuffled(agent_templates()):
        fits = not families & set(template.not_with)
        if fits or (template.name in needed and template.name not in fitting):
            fitting[template.name] = template
    acting = [one for one in fitting.values() if one.standing is not None]
    chosen = [one for one in acting if one.name in needed]
    others = [one for one in acting if one.name not in needed]
    chosen += others[: max(1, _ACTING - len(chosen))]
    scripted = [one for one in fitting.values() if one.acts is not None]
    chosen += scripted[: max(1, _ALL - len(chosen))]
    return tuple(
        _agent(template, topology, dice.of(template.name)) for template in dice.shuffled(chosen)
    )


def _agent(template: AgentTemplate, topology: Topology, dice: SeededDice) -> SituationAgent:
    releases: tuple[ReleaseSpec, ...] = ()
    if isinstance(template.standing, DeployPolicy):
        apps = [spec.name for spec in topology.services if spec.kind is ServiceKind.APP]
        build = f"r{dice.between(1000, 8999)}"
        releases = (ReleaseSpec(service=dice.pick(apps), build=build, at=dice.between(*_PROMOTED)),)
    fields: dict[str, object] = {
        "name": template.name,
        "duty": template.duty,
        "policy": template.policy,
        "standing": template.standing,
        "events": () if template.acts is None else tuple(_events(template.acts, topology, dice)),
        "releases": releases,
    }
    # What isn't there isn't written.
    return SituationAgent.model_validate({key: value for key, value in fields.items() if value})


def _events(acts: Acts, topology: Topology, dice: SeededDice) -> Iterable[EventSpec]:
    """Yield a spell of acts shortly before the page, as those have that act by a policy, and more.

    Like theirs, a spell is mostly at one service, and its acts are often the same.
    """
    targets = [spec.name for spec in topology.services if spec.kind in acts.kinds]
    targets = targets or [topology.entries[0].service]
    minutes = [dice.between(*_LAST)]
    for _each in range(dice.between(*_SPELL) - 1):
        minutes.insert(0, minutes[0] - dice.between(*_APART))
    minutes += sorted({dice.between(*_LATER) for _each in range(dice.between(1, 2))})
    target, numbers = dice.pick(targets), _numbers(dice)
    for minute in minutes:
        if not dice.chance(_SAME_SERVICE):
            target = dice.pick(targets)
        if not dice.chance(_SAME_NUMBERS):
            numbers = _numbers(dice)
        words = {"service": target, **numbers}
        yield EventSpec(
            at=minute,
            act=acts.act.format(**words),
            target=target,
            reason=acts.reason.format(**words),
            approval=acts.approval,
        )


def _numbers(dice: SeededDice) -> dict[str, int]:
    return {"n": dice.between(2, 9), "k": dice.between(10, 59)}
