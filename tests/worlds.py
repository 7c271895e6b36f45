"""Small worlds for tests: hand-made incidents in the web shop, and fleets for the physics."""

from __future__ import annotations

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
    FailureType,
    RoleView,
)
from chaosops.env.models.topology import Topology
from chaosops.env.world_sim import Scenario
from chaosops.rewards.reward_fn import RewardWeights
from chaosops.scenarios.drawing import CastIncident
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import Incident

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
def sources() -> tuple[ScenarioSource, ...]:
    """Every built-in incident of the first edition: one with one answer."""
    return tuple(source for source in built_in() if source.drawing is None)


@cache
def situations() -> tuple[ScenarioSource, ...]:
    """Every built-in situation: one whose answer the seed draws."""
    return tuple(source for source in built_in() if source.drawing is not None)


def ids() -> list[str]:
    """The ids of the first edition's incidents, to parametrize over."""
    return [source.id for source in sources()]


def all_ids() -> list[str]:
    """The ids of all that can be played."""
    return [*ids(), *(source.id for source in situations())]


@cache
def some_ids() -> list[str]:
    """The canonical incidents, one of each topology and one situation: all would take long."""
    chosen: dict[str, str] = {}
    for source in sources():
        incident = source.render(0)
        key = incident.failure_type.value if incident.canonical else incident.topology
        if isinstance(incident, CastIncident):
            key = "situation"
        chosen.setdefault(key, source.id)
    return list(chosen.values())


@cache
def scenario(name: str, seed: int = 0) -> Scenario:
    """A built-in incident by its id."""
    every = (*sources(), *situations())
    return Scenario.of(next(source for source in every if source.id == name), seed)


DB_ERRORS: Mapping[str, Any] = {"service": "db", "parameter": "errors", "value": 0.5}
LOCKS: Mapping[str, Any] = {
    "id": "locks",
    "starts": -3,
    "effects": [DB_ERRORS],
    "clears": [{"action": "restart", "target": "db"}],
    "mitigates": [{"action": "shed_load", "args": {"percent": {"at_least": 25}}}],
}
INNOCENT: Mapping[str, Any] = {
    "name": "autoscaler",
    "duty": "keeps services busy",
    "policy": "one replica in ten minutes",
    "events": [
        {"at": -20, "act": "scale out", "target": "cart", "reason": "busy", "approval": "standing"}
    ],
}
ROGUE: Mapping[str, Any] = {
    "name": "deploy_bot",
    "duty": "promotes builds",
    "policy": "only after a passed gate",
    "events": [
        {"at": -4, "act": "promote", "target": "db", "reason": "done", "approval": "release train"}
    ],
    "rogue": {
        "keeps_up": ["locks"],
        "every": 2,
        "act": "promote",
        "target": "db",
        "reason": "done",
        "approval": "release train",
    },
}
_INCIDENT: Mapping[str, Any] = {
    "id": "hand-made",
    "title": "Something is wrong",
    "level": "easy",
    "topology": "storefront",
    "failure_type": "db_deadlock",
    "page": "site_success",
    "max_steps": 10,
    "par": 8,
    "diagnosis_budget": 8,
    "hold": 3,
    "faults": [LOCKS],
    "tempting": [{"action": "restart", "target": "cart", "why": "it only waits"}],
    "automation": [INNOCENT],
    "evidence": [
        {"source": "runtime", "at": "db", "text": "sessions wait", "signs": ["deadlock_cycle"]}
    ],
    "hints": {"nudge": "look", "direction": "look at db", "answer": "restart db"},
    "solution": [{"role": "sre", "action": "restart", "target": "db"}],
    "debrief": {
        "title": "Locks",
        "happened": "locks",
        "misleading": "cart",
        "lesson": "look",
        "same_kind": "another one",
    },
}


@cache
def _web_shop() -> Scenario:
    return Scenario.from_type(FailureType.DB_DEADLOCK)


def hand_made(seed: int = 0, **changes: Any) -> Scenario:
    """A plain incident: `db` fails half its calls from minute -3 until it is restarted.

    Args:
        changes: Parts of the incident file that are to be different.
    """
    incident = Incident.model_validate({**_INCIDENT, **changes})
    return replace(
        _web_shop(),
        id=incident.id,
        seed=seed,
        difficulty=incident.level,
        max_steps=incident.max_steps,
        incident=incident,
    )


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
    stepper = Stepper(ChaosOpsEnvironment(weights), played)
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
