"""Small fleets for tests of controllers."""

from __future__ import annotations

from typing import Any

from chaosops.env.controllers.acts import ControllerAct
from chaosops.env.controllers.base import Controller
from chaosops.env.controllers.registry import new_controllers
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import (
    DrawnController,
    DrawnRelease,
    StandingPolicy,
    departed,
)
from tests.env.physics.fleets import mesh

SHOP = 1
"""The number of the application in `shop`."""


def shop(**traits: Any) -> Mesh:
    """An edge that calls an application of four replicas, which may have ten."""
    return mesh(
        [
            {"name": "front", "kind": "edge", "calls": [{"to": "shop"}]},
            {"name": "shop", "kind": "app", "replicas": 4, "max_replicas": 10, **traits},
        ]
    )


def controller(
    fleet: Mesh,
    policy: StandingPolicy,
    *releases: DrawnRelease,
    defect: dict[str, int] | None = None,
    since: int = 0,
) -> Controller:
    """A controller that acts by a policy, or by another one at the application from a minute on."""
    drawn = DrawnController(
        agent="agent",
        standing=policy,
        acts_on=departed(policy, defect or {}),
        place="shop" if defect else None,
        since=since,
        phase=29,
        releases=releases,
    )
    return new_controllers((drawn,), fleet)[0]


def acts(made: Controller, fleet: Mesh, minute: int) -> list[ControllerAct]:
    """What a controller does in a minute."""
    done: list[ControllerAct] = []
    made.act(fleet, minute, done)
    return done
