"""Small fleets for tests of controllers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from chaosops.env.controllers.acts import ControllerAct
from chaosops.env.controllers.base import Controller
from chaosops.env.controllers.registry import new_controllers
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.agent_policies import (
    DrawnController,
    DrawnRelease,
    DrawnRound,
    StandingPolicy,
    departed,
)
from tests.env.physics.fleets import mesh

SHOP = 1
"""The number of the application in `shop`."""

APPS = ("shop", *(f"spare-{i}" for i in range(8)))
"""All applications of `shop`."""


def in_turn(minutes: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Rounds of which each begins at the next application."""
    return {at: (*APPS[k % 9 :], *APPS[: k % 9]) for k, at in enumerate(minutes)}


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
    rounds: Mapping[int, tuple[str, ...]] | None = None,
) -> Controller:
    """A controller that acts by a policy, or by another one at the application from a minute on.

    Args:
        rounds: The services that it goes through, by minute.
    """
    drawn = DrawnController(
        agent="agent",
        standing=policy,
        acts_on=departed(policy, defect or {}),
        place="shop" if defect else None,
        since=since,
        phase=29,
        releases=releases,
        rounds=tuple(DrawnRound(at=at, services=names) for at, names in (rounds or {}).items()),
    )
    return new_controllers((drawn,), fleet)[0]


def acts(made: Controller, fleet: Mesh, minute: int) -> list[ControllerAct]:
    """What a controller does in a minute."""
    done: list[ControllerAct] = []
    made.act(fleet, minute, done)
    return done
