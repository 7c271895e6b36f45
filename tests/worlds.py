"""Small worlds for tests: hand-made incidents in the web shop, and fleets for the physics."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Difficulty,
    FailureType,
    RoleView,
)
from chaosops.env.models.topology import Topology
from chaosops.env.world_sim import Scenario
from chaosops.rewards.reward_fn import RewardWeights
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.cause_files import read_cause
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.situation import Situation

SRE, OVERSIGHT, DEV, MANAGER = TURN_ORDER[:4]

NINE = (
    FailureType.DB_DEADLOCK,
    FailureType.MEMORY_LEAK,
    FailureType.BAD_CONFIG_PUSH,
    FailureType.DNS_OUTAGE,
    FailureType.DISK_FULL,
    FailureType.AUTOSCALER_COST_CUT,
    FailureType.CASCADE,
    FailureType.MISROUTED_TRAFFIC,
    FailureType.ROGUE_DEPLOY_BOT,
)


@cache
def built_in() -> tuple[ScenarioSource, ...]:
    """All that can be played, read from their files once."""
    return tuple(find_scenarios())


@cache
def situations() -> tuple[ScenarioSource, ...]:
    """Every built-in incident whose answer the seed draws: all above the tutorial."""
    return tuple(source for source in built_in() if source.level is not Difficulty.TUTORIAL)


def all_ids() -> list[str]:
    """The ids of all that can be played."""
    return [source.id for source in built_in()]


@cache
def some_ids() -> list[str]:
    """A few incidents that have every level and every topology: all would take long."""
    seen: set[Difficulty | str] = set()
    chosen = []
    for source in built_in():
        traits = {source.level, source.topology.id}
        if not traits <= seen:
            seen |= traits
            chosen.append(source.id)
    return chosen


@cache
def scenario(name: str, seed: int = 0) -> Scenario:
    """A built-in incident by its id."""
    return Scenario.of(next(source for source in built_in() if source.id == name), seed)


INNOCENT: Mapping[str, Any] = {
    "name": "compactor",
    "duty": "merges small files",
    "policy": "one bucket at a time",
    "events": [
        {"at": -20, "act": "compact", "target": "cart", "reason": "files", "approval": "standing"}
    ],
}
DEPLOY_BOT: Mapping[str, Any] = {
    "name": "deploy_bot",
    "duty": "promotes builds",
    "policy": "promotes after 15 minutes of canary and gates 6/6, in steps of 30, 60 and 100 %",
    "standing": {
        "kind": "deploy_bot",
        "canary_minutes": 15,
        "gates": 6,
        "steps": [30, 60, 100],
        "minutes_between": 15,
    },
}
ROGUE_PROMOTION: Mapping[str, Any] = {"cause": "rogue_promotion", "places": ["cart"]}
"""A cause whose agent is the deploy bot: without a pause of it, no fix lasts."""

_SITUATION: Mapping[str, Any] = {
    "id": "hand-made",
    "stream_key": "hand-made-1",
    "title": "Something is wrong",
    "level": "tutorial",
    "topology": "storefront",
    "page": "site_success",
    "max_steps": 10,
    "par": 20,
    "hold": 3,
    "casts": [{"cause": "row_lock", "places": ["db"], "callers": ["cart"]}],
    "automation": [INNOCENT],
    "hints": {"nudge": "look", "direction": "look at db"},
    "misleading": "cart",
}


@cache
def _storefront() -> Topology:
    return next(s.topology for s in built_in() if s.topology.id == "storefront")


@cache
def _cause(name: str) -> Cause:
    files = cause_files(())
    made = read_cause(files[name], files).cause
    assert made is not None
    return made


def sound_causes() -> tuple[Cause, ...]:
    """Every built-in cause, read from its file once."""
    return tuple(_cause(name) for name in cause_files(()))


def hand_made(seed: int = 0, **changes: Any) -> Scenario:
    """A plain incident: a session of `cart` holds a lock in `db` until it is terminated there.

    Args:
        changes: Parts of the situation file that are to be different.
    """
    situation = Situation.model_validate({**_SITUATION, **changes})
    names = [spec.cause for spec in situation.casts]
    names += [each.cause for spec in situation.casts for each in spec.follows]
    causes = {name: _cause(name) for name in names}
    drawing = Drawing(situation, _storefront(), causes)
    usual = scenario("orders-fail-at-the-last-step").source
    source = replace(
        usual,
        id=situation.id,
        content_hash=hashlib.sha256(situation.model_dump_json().encode()).hexdigest(),
        title=situation.title,
        level=situation.level,
        drawing=drawing,
    )
    return Scenario.of(source, seed)


@cache
def _kept() -> dict[str, ChaosOpsEnvironment]:
    return {}


def environment(played: Scenario) -> ChaosOpsEnvironment:
    """An environment of its own, which shares with others what was solved on the topology."""
    kept = _kept()
    if played.topology_id not in kept:
        kept[played.topology_id] = ChaosOpsEnvironment()
        kept[played.topology_id].reset(scenario=played)
    return kept[played.topology_id].fork()


Move = tuple[str, str | None, dict[str, Any]]


def move(verb: str, target: str | None = None, **args: Any) -> Move:
    """A verb with its target and arguments."""
    return verb, target, args


def play(
    played: Scenario,
    moves: Mapping[int, Move] | None = None,
    *,
    turns: int | None = None,
    weights: RewardWeights | None = None,
) -> Stepper:
    """Take the moves at their turns and pass otherwise, for so many turns or to the end.

    Turn t is played by `TURN_ORDER[t % 4]` at minute t.
    """
    env = environment(played) if weights is None else ChaosOpsEnvironment(weights)
    stepper = Stepper(env, played)
    todo = dict(moves or {})
    while not stepper.done and (turns is None or len(stepper.steps) < turns):
        verb, target, args = todo.get(len(stepper.steps), ("noop", None, {}))
        stepper.take(ChaosOpsAction(stepper.role, verb, target, args))
    return stepper


def view_of(stepper: Stepper, role: AgentRole) -> RoleView:
    """What the role sees at its next turn, everyone before it passing."""
    while stepper.role is not role:
        stepper.take(ChaosOpsAction(stepper.role, ActionType.NOOP))
    return stepper.observation.view


def world_part(view: RoleView) -> RoleView:
    """A view without the words about what each role did last."""
    if view.impact is None:
        return view
    return view._replace(impact=view.impact._replace(doing=()))


def fleet(services: Sequence[Mapping[str, Any]], rps: float = 100.0) -> Topology:
    """A topology of these services and enough bystanders; users come in at the first."""
    bystanders = [
        {"name": f"bystander-{i}", "kind": "app", "rps_per_replica": 10, "base_ms": 5}
        for i in range(10 - len(services))
    ]
    return Topology.model_validate(
        {
            "id": "fleet",
            "title": "A little fleet",
            "slo": 0.99,
            "error_budget_minutes": 10,
            "entries": [{"service": services[0]["name"], "rps": rps}],
            "services": [*services, *bystanders],
            "alerts": [{"id": "users", "signal": "users_ok", "below": 0.99, "text": "users"}],
            "pages": {"page": "Users"},
        }
    )
