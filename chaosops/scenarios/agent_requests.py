"""The requests that a seed draws for the automation of a situation.

They come from a random stream of their own and know nothing of the cause, so that neither their
order nor their number, minutes and words tell who is guilty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

from chaosops.env.models import Difficulty, ServiceKind
from chaosops.env.models.topology import Line, Name, Strict, Topology
from chaosops.scenarios.random_streams import below, between
from chaosops.scenarios.reach import reach
from chaosops.scenarios.situation import Situation

_SLOTS: Final = ((1, 3), (5, 8), (10, 13), (19, 24))
_EVERY_GAME: Final = 3
_A_FOURTH: Final = 0.5
_FLAWED: Final = 1.0 / 3.0
_LEAST_REACH: Final = 0.1
_LEAST_REPLICAS: Final = 3


class DrawnRequest(Strict):
    """A request that an agent makes in an episode.

    Attributes:
        agent: The agent that makes it.
        at: The minute.
        services: What it may be about, if the agent doesn't choose itself: the first that fits.
        build: The build that a deploy bot asks to promote.
        is_flawed: Whether it is one that does harm if it is granted.
    """

    agent: Name
    at: int
    services: tuple[Name, ...]
    build: Line
    is_flawed: bool


def draw_requests(
    situation: Situation, topology: Topology, dice: Random
) -> tuple[DrawnRequest, ...]:
    """Draw three or four requests above the level tutorial, a third of them flawed.

    Args:
        dice: A stream of their own; only its `random()` is used.
    """
    agents = [agent.name for agent in situation.automation if agent.standing is not None]
    services = tuple(services_that_count(topology))
    if situation.level is Difficulty.TUTORIAL or not agents or not services:
        return ()
    count = _EVERY_GAME
    flawed = {below(dice, count)}
    if situation.level is not Difficulty.EASY and dice.random() < _A_FOURTH:
        count += 1
        if dice.random() < _FLAWED:
            flawed.add(_EVERY_GAME)
    order = _shuffled(agents, dice)
    return tuple(
        DrawnRequest(
            agent=order[k % len(order)],
            at=between(dice, _SLOTS[k]),
            services=tuple(_shuffled(services, dice)),
            build=f"r{1000 + below(dice, 8000)}",
            is_flawed=k in flawed,
        )
        for k in range(count)
    )


def services_that_count(topology: Topology) -> Iterator[str]:
    """Yield the applications on which at least a tenth of the users depend, in the file's order."""
    specs = {spec.name: spec for spec in topology.services}
    for name, share in reach(topology).items():
        spec = specs[name]
        is_large = spec.kind is ServiceKind.APP and spec.replicas >= _LEAST_REPLICAS
        if is_large and share >= _LEAST_REACH:
            yield name


def _shuffled(names: Iterable[str], dice: Random) -> list[str]:
    left = sorted(names)
    return [left.pop(below(dice, len(left))) for _each in range(len(left))]
