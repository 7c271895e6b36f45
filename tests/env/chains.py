"""Hand-made chains in the web shop: one cause that begins, and others that follow it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, ChaosOpsAction
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_files import read_cause
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.scenario import Scenario
from chaosops.scenarios.situation import Situation
from tests.env.situations import world
from tests.worlds import built_in

LINK = "What was down comes back, and everyone at {there} with it."
HERD: dict[str, Any] = {"cause": "reconnect_herd", "at": "place", "after": [2, 2], "link": LINK}
"""A herd that follows two minutes after what was down is back."""


def situation(first: dict[str, Any], *follows: dict[str, Any], **more: Any) -> Situation:
    """A situation of one cause and what follows it."""
    agents = [{"name": "bot", "duty": "none", "policy": "does nothing"}]
    return Situation.model_validate(
        {
            "id": "one-thing-after-another",
            "stream_key": "one-thing-after-another-1",
            "title": "Some requests fail",
            "level": "tutorial",
            "topology": "shop",
            "page": "site_success",
            "max_steps": 14,
            "par": 30,
            "hold": 5,
            "casts": [{**first, "follows": list(follows)}],
            "automation": agents,
            "hints": {"nudge": "Look.", "direction": "Compare."},
            "misleading": "Nothing.",
            **more,
        },
        strict=False,
    )


@cache
def causes() -> dict[str, Cause]:
    """The built-in causes that tests chain, by id."""
    files = cause_files(())
    names = (
        "zone_outage zone_brownout reconnect_herd genuine_surge retry_storm broken_probe "
        "row_lock cpu_quota memory_leak lossy_link noisy_neighbour patch_everywhere"
    )
    found = {name: read_cause(files[name], files).cause for name in names.split()}
    return {name: cause for name, cause in found.items() if cause is not None}


def scenario(made: Situation, seed: int = 0) -> Scenario:
    """A situation with a seed."""
    topology = next(one.topology for one in built_in() if one.topology.id == made.topology)
    head = Path(f"{made.id}.yaml"), made.id, *("0" * 64,) * 3, made.title, made.level
    return Scenario.of(ScenarioSource(*head, topology, Drawing(made, topology, causes())), seed)


def incident(made: Scenario) -> Incident:
    """Its incident, with what was drawn."""
    return made.incident


def revival(**herd: Any) -> Scenario:
    """A zone that is down, and the herd that comes once it is back."""
    first = {"cause": "zone_outage", "places": ["catalog"]}
    return scenario(situation(first, {**HERD, **herd}))


def at_page(made: Scenario) -> LivingWorld:
    """Its world at the page."""
    return world(made)


class Play:
    """A game in which chosen roles act and everyone else passes."""

    def __init__(self, made: Scenario) -> None:
        self.env = ChaosOpsEnvironment()
        self.seen = self.env.reset(made)

    @property
    def world(self) -> LivingWorld:
        """Its world."""
        episode = self.env._episode
        assert episode is not None
        assert isinstance(episode._world, LivingWorld)
        return episode._world

    def act(self, role: AgentRole, verb: ActionType, target: str | None, **args: Any) -> None:
        """Pass until it is the role's turn, and take it."""
        while self.seen.turn_role is not role:
            self.pass_(1)
        self.seen = self.env.step(ChaosOpsAction(role, verb, target, args))
        assert not self.seen.refused, self.seen.message

    def pass_(self, turns: int) -> None:
        """Let everyone pass for some turns, at most to the end."""
        for _turn in range(turns):
            if not self.seen.done:
                self.seen = self.env.step(ChaosOpsAction(self.seen.turn_role, ActionType.NOOP))

    def pass_until(self, minute: int) -> None:
        """Let everyone pass up to a minute."""
        self.pass_(minute - self.world.minute)


SRE, OVERSIGHT, DEV, MANAGER = TURN_ORDER
