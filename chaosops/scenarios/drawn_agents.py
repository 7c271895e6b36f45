"""The automation of a drawn incident: which agent is guilty, and by what policy each acts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Final, NamedTuple

from chaosops.scenarios.agent_policies import (
    DeployPolicy,
    DrawnController,
    DrawnRelease,
    StandingPolicy,
    departed,
)
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.random_streams import below
from chaosops.scenarios.schema import DrawnAgent
from chaosops.scenarios.situation import Situation, SituationAgent

INNOCENT: Final = 10
"""Minutes before the onset within which a change or a release is that is not the cause."""

_HALF_AN_HOUR: Final = 30


class Guilt(NamedTuple):
    """What is true in an episode: the cause, its place and onset, and the build behind it."""

    cause: Cause
    place: str
    onset: int
    build: str


def agents_of(situation: Situation, cause: Cause) -> tuple[DrawnAgent, ...]:
    """Return the agents of a situation, of which the one behind the cause is guilty."""
    return tuple(
        DrawnAgent(
            name=agent.name,
            duty=agent.duty,
            policy=agent.policy,
            events=agent.events,
            is_guilty=agent.name == cause.agent,
        )
        for agent in situation.automation
    )


def draw_controllers(
    situation: Situation,
    causes: Mapping[str, Cause],
    places: Mapping[str, tuple[str, ...]],
    guilt: Guilt,
    dice: Random,
) -> tuple[DrawnController, ...]:
    """The agents that act on the fleet, with the policies that they act on.

    Args:
        causes: The causes that the situation names, by id; `places` is where each may sit.
    """
    found = []
    for agent in situation.automation:
        if agent.standing is None:
            continue
        guilty = agent.name == guilt.cause.agent
        acts_on = departed(agent.standing, guilt.cause.defect) if guilty else agent.standing
        phase = below(dice, _HALF_AN_HOUR)
        releases = [DrawnRelease(**one.model_dump()) for one in agent.releases]
        releases += _releases(situation, agent, acts_on, causes, places, guilt, dice)
        found.append(
            DrawnController(
                agent=agent.name,
                standing=agent.standing,
                acts_on=acts_on,
                place=guilt.place if guilty else None,
                since=guilt.onset,
                phase=phase,
                releases=tuple(releases),
            )
        )
    return tuple(found)


def _releases(
    situation: Situation,
    agent: SituationAgent,
    acts_on: StandingPolicy,
    causes: Mapping[str, Cause],
    places: Mapping[str, tuple[str, ...]],
    guilt: Guilt,
    dice: Random,
) -> Iterator[DrawnRelease]:
    """For each cause that is a release of this deploy bot, the guilty build or one like it."""
    if not isinstance(acts_on, DeployPolicy):
        return
    for spec in situation.casts:
        other = causes[spec.cause]
        if other.gates is None or other.agent != agent.name:
            continue
        guilty = other.id == guilt.cause.id
        where = places[other.id][below(dice, len(places[other.id]))]
        promoted = guilt.onset if guilty else guilt.onset - below(dice, INNOCENT)
        yield DrawnRelease(
            service=guilt.place if guilty else where,
            build=guilt.build if guilty else f"r{1000 + below(dice, 8000)}",
            at=promoted - acts_on.canary_minutes,
            gates=other.gates if guilty else acts_on.gates,
            is_faulty=guilty,
        )
