"""Tries whether users notice a decoy, which is a fault that they must not notice."""

from __future__ import annotations

from typing import Final

from chaosops.env.casting import NOISELESS
from chaosops.env.injection import RedHerring
from chaosops.env.physics.mesh import Mesh
from chaosops.env.world import World
from chaosops.scenarios.cause import DrawnDecoy
from chaosops.scenarios.drawing import TRAFFIC
from chaosops.scenarios.situation import Decoy

MOST_NOTICED: Final = 0.002
"""The share of requests that may fail by a decoy."""

_MINUTES: Final = 60


def noticed_share(decoy: Decoy, mesh: Mesh, traffic: float = 1.0) -> float:
    """Return the largest share of requests that fail by a decoy within an hour, 0 to 1.

    Nothing else is wrong meanwhile, and traffic is as high as a seed may draw it.

    Args:
        mesh: The fleet on an ordinary day (`chaosops.env.casting.settled`).
        traffic: The factor on user demand that the situation has.
    """
    drawn = DrawnDecoy(
        at=decoy.at,
        part=decoy.part,
        parameter=decoy.parameter,
        value=decoy.value,
        first=0,
        last=_MINUTES,
        text=decoy.text,
    )
    world = World(mesh.copy(), [], NOISELESS, traffic * max(TRAFFIC), -1)
    world.red_herrings = [RedHerring(drawn, world.mesh)]
    worst = 0.0
    for _minute in range(_MINUTES):
        world.advance()
        worst = max(worst, 1.0 - world.users_ok)
    return worst
