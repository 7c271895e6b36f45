"""Checks whether an incident can be solved and diagnosed, as far as its file tells.

The gates prove that it can be solved in time, and in no cheaper way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from chaosops.env.models import ActionType, AgentRole, FailureType, Sign, Source
from chaosops.env.models.verbs import FIXES
from chaosops.scenarios.checks.reach import rounds_of
from chaosops.scenarios.fields import get, parts, select
from chaosops.scenarios.problems import FieldPath, Wrong
from chaosops.scenarios.schema import AgentSpec, Evidence, FaultSpec, SolutionStep

_FEWEST_ACTS: Final = 3
_MOST_ACTS: Final = 8

_Steps = list[tuple[FieldPath, SolutionStep]]


def check_solving(data: Mapping[str, Any]) -> Iterator[Wrong]:
    """Find what makes an incident impossible to solve or to diagnose, each with its field.

    Args:
        data: Rendered data, of any shape; only complete parts are checked.
    """
    right = right_causes(data)
    rogues = [
        name
        for _path, agent in select(data, "automation.*")
        if get(agent, "rogue") is not None and isinstance(name := get(agent, "name"), str)
    ]
    steps = parts(data, "solution.*", SolutionStep)
    faults = parts(data, "faults.*", FaultSpec)
    if steps and len(steps) == _count(data, "solution"):
        yield from _check_ends(steps, faults, rogues)
        yield from _check_says(steps, right)
    if len(faults) == _count(data, "faults"):
        yield from _check_wrong_fixes(steps, faults)
    yield from _check_length(data, steps)
    yield from _check_evidence(data, right, rogues)
    yield from _check_automation(data, rogues)


def right_causes(data: Mapping[str, Any]) -> frozenset[str]:
    """Return the right diagnoses, as far as the data names valid ones."""
    named = [data.get("failure_type"), *(cause for _at, cause in select(data, "also_right.*"))]
    return frozenset(cause for cause in named if cause in FailureType.__members__.values())


def _count(data: Mapping[str, Any], key: str) -> int:
    items = data.get(key)
    return len(items) if isinstance(items, list) else 0


def _check_ends(
    steps: _Steps, faults: list[tuple[FieldPath, FaultSpec]], rogues: Collection[str]
) -> Iterator[Wrong]:
    for _path, fault in faults:
        cleared = any(
            clears.matches(step.action, step.target, step.arguments())
            for clears in fault.clears
            for _at, step in steps
        )
        if fault.starts is not None and not cleared:
            words = f'no step clears the fault "{fault.id}"; add one of the moves that do'
            yield Wrong(("solution",), words)
    for name in rogues:
        if not any(step.action is ActionType.PAUSE and step.target == name for _at, step in steps):
            words = (
                f'no step pauses the rogue "{name}", which carries on; '
                f"add {{role: oversight, action: pause, target: {name}}}"
            )
            yield Wrong(("solution",), words)


def _check_says(steps: _Steps, right: frozenset[str]) -> Iterator[Wrong]:
    said = False
    for path, step in steps:
        if step.action is ActionType.DIAGNOSE:
            said = True
            cause = step.args.get("cause")
            if right and cause in FailureType.__members__.values() and cause not in right:
                words = f'"{cause}" is a wrong diagnosis here; use {" or ".join(sorted(right))}'
                yield Wrong((*path, "args", "cause"), words)
    if not said:
        words = "no step names the cause; add one with 'action: diagnose'"
        yield Wrong(("solution",), words)


def _check_wrong_fixes(steps: _Steps, faults: list[tuple[FieldPath, FaultSpec]]) -> Iterator[Wrong]:
    for path, step in steps:
        arguments = step.arguments()
        gives_back = step.action is ActionType.SHED_LOAD and arguments.get("percent") == 0
        if step.action not in FIXES or gives_back:
            continue
        if not any(
            move.matches(step.action, step.target, arguments)
            for _at, fault in faults
            for move in (*fault.clears, *fault.mitigates)
        ):
            words = "this step is a wrong fix: it clears or mitigates no fault; remove it"
            yield Wrong(path, words)


def _check_length(data: Mapping[str, Any], steps: _Steps) -> Iterator[Wrong]:
    rounds = rounds_of(data)
    if rounds is None:
        return
    for role in AgentRole:
        own = [path for path, step in steps if step.role is role]
        if len(own) > rounds:
            words = f"the {role.value} has {rounds} turns and {len(own)} steps; remove some"
            yield Wrong(own[rounds], words)


def _check_automation(data: Mapping[str, Any], rogues: Collection[str]) -> Iterator[Wrong]:
    if rogues and _count(data, "automation") == 1:
        words = "the only agent is obviously guilty; add innocent ones"
        yield Wrong(("automation", 0), words)
    agents = parts(data, "automation.*", AgentSpec)
    acts = sum(len(agent.events) + (agent.rogue is not None) for _path, agent in agents)
    if len(agents) == _count(data, "automation") > 0 and not _FEWEST_ACTS <= acts <= _MOST_ACTS:
        words = (
            f"the audit log is {_FEWEST_ACTS} to {_MOST_ACTS} acts long, a 'rogue' part counting "
            f"as one, and this makes {acts}; "
        )
        cure = "add 'events'" if acts < _FEWEST_ACTS else "remove some 'events'"
        yield Wrong(("automation",), words + cure)


def _check_evidence(
    data: Mapping[str, Any], right: frozenset[str], rogues: Collection[str]
) -> Iterator[Wrong]:
    evidence = parts(data, "evidence.*", Evidence)
    for path, item in evidence:
        both = sorted(set(item.supports) & set(item.rules_out))
        if both:
            words = f"\"{both[0]}\" is in 'supports' too; remove one of them"
            yield Wrong((*path, "rules_out", item.rules_out.index(both[0])), words)
        is_twin = item.source is Source.AUTOMATION and item.at not in rogues
        for i, cause in enumerate(item.rules_out):
            # Evidence at an innocent agent tells that it was not this one.
            if cause in right and cause not in both and not is_twin:
                words = f'"{cause}" is the right answer, so nothing can rule it out; remove it'
                yield Wrong((*path, "rules_out", i), words)
        if is_twin and Sign.BEYOND_POLICY in item.signs:
            words = f"\"{item.at}\" is innocent; use within_policy, or give it a 'rogue' part"
            yield Wrong((*path, "signs", item.signs.index(Sign.BEYOND_POLICY)), words)
    answer = data.get("failure_type")
    is_known = isinstance(answer, str) and answer in right
    if not is_known or not evidence or len(evidence) != _count(data, "evidence"):
        return
    if not any(answer in item.supports for _path, item in evidence):
        words = (
            f"nothing supports {answer}, so it can't be found; add it to some evidence's 'supports'"
        )
        yield Wrong(("evidence",), words)
