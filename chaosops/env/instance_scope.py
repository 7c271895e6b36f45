"""Moves on one instance: which one is meant, and whether there is such an instance."""

from __future__ import annotations

from dataclasses import replace

from chaosops.env.models import ChaosOpsAction
from chaosops.env.models.scope import INSTANCE, SCOPED, SCOPED_KINDS
from chaosops.env.scene import Scene


def with_number(action: ChaosOpsAction, scene: Scene) -> ChaosOpsAction:
    """Return a move on one instance with its number instead of its name; others as they are."""
    name = action.args.get(INSTANCE)
    if not isinstance(name, str) or action.action_type not in SCOPED or action.target is None:
        return action
    names = scene.instances(scene.blueprint.index[action.target])
    return replace(action, args={**action.args, INSTANCE: names.index(name) + 1})


def instance_problem(action: ChaosOpsAction, scene: Scene) -> str:
    """Explain why there is no such instance at the target; empty if there is."""
    wanted, target = action.args.get(INSTANCE), action.target
    if wanted is None or target is None or action.action_type not in SCOPED:
        return ""
    service = scene.blueprint.index[target]
    if scene.traits(service).kind not in SCOPED_KINDS:
        return f"{target} has no instances that stand for each other: leave '{INSTANCE}' out"
    names = scene.instances(service)
    if len(names) == 1:
        return f"{target} has one instance alone: leave '{INSTANCE}' out"
    if wanted in names if isinstance(wanted, str) else wanted <= len(names):
        return ""
    return (
        f"{target} has no instance '{str(wanted)[:60]}' now: take a name from a reading of now, or "
        f"a number from 1 to {len(names)}"
    )
