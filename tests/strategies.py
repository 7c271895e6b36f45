"""Hypothesis strategies for values of the vocabulary: observations, actions, frames."""

from __future__ import annotations

import types
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    FrozenMap,
    RoleView,
    ServiceSignals,
    SignalRows,
)
from chaosops.env.models.failures import CauseName, cause_named
from chaosops.rewards.reward_fn import StepRewardBreakdown
from chaosops.text_safety import clean

HOSTILE = (
    "[/]",
    "[bold",
    "[@click=app.quit]x[/]",
    "\x1b[31mred\x1b[0m",
    "\x1b]52;c;aGk=\x07",
    "\x9b2J",
    "\u202egnp.exe",
    "\ud800",
    "\x00",
    "line\r\nline\rline",
    '{"kind":"footer"}\n',
    "\u2028",
    "naïve café 東京 🙂",
)

texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20)).map(clean)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
frozen_maps = st.dictionaries(texts, json_values, max_size=3).map(FrozenMap)
cause_names = st.sampled_from(FailureType) | st.from_regex(
    "[a-z][a-z0-9_-]{0,39}", fullmatch=True
).map(cause_named)
rewards = st.integers(-(10**6), 10**6).map(lambda grains: grains / 1024)

_SCALARS: Mapping[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**31), 2**31),
    float: st.floats(0, 1e6).map(lambda value: round(value, 4)),
    str: texts,
    bool: st.booleans(),
    type(None): st.none(),
    FrozenMap: frozen_maps,
}


@cache
def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type that an observation may hold."""
    if kind == CauseName:
        return cause_names
    if get_origin(kind) is Annotated:
        return of_type(get_args(kind)[0])
    if kind in _SCALARS:
        return _SCALARS[kind]
    if get_origin(kind) in (types.UnionType, Union):
        return st.one_of(*(of_type(part) for part in get_args(kind)))
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if kind is SignalRows:
        return of_type(tuple[ServiceSignals, ...]).map(SignalRows)
    if get_origin(kind) is tuple:
        parts = get_args(kind)
        if parts[-1] is Ellipsis:
            return st.lists(of_type(parts[0]), max_size=2).map(tuple)
        return st.tuples(*(of_type(part) for part in parts))
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if issubclass(kind, StrEnum):
        return st.sampled_from(list(kind))
    hints = get_type_hints(kind, include_extras=True)
    return st.builds(kind, **{name: of_type(hint) for name, hint in hints.items()})


breakdowns = st.builds(
    StepRewardBreakdown, **dict.fromkeys(StepRewardBreakdown._fields, st.just(0.0) | rewards)
)


@cache
def views(role: AgentRole) -> st.SearchStrategy[RoleView]:
    """What a role may see, however odd."""
    return of_type(RoleView).map(lambda view: view._replace(role=role))


@cache
def actions(role: AgentRole) -> st.SearchStrategy[ChaosOpsAction]:
    """What a role may try, however odd."""
    return st.builds(
        ChaosOpsAction,
        role=st.just(role),
        action_type=st.sampled_from(ActionType) | texts,
        target=st.none() | texts,
        args=frozen_maps,
    )


@st.composite
def _later(draw: st.DrawFn, before: RoleView) -> RoleView:
    """The view some minutes later: some parts are the same, some grew, some moved on."""
    fresh = draw(views(before.role))
    parts: dict[str, Any] = {}
    for name in draw(st.sets(st.sampled_from(RoleView._fields), max_size=8)):
        old, new = getattr(before, name), getattr(fresh, name)
        if type(old) is tuple and type(new) is tuple and draw(st.booleans()):
            new = old[draw(st.integers(0, len(old))) :] + new
        parts[name] = new
    return before._replace(**parts)


@st.composite
def episodes(draw: st.DrawFn, max_turns: int = 7) -> tuple[EpisodeStep, ...]:
    """Frames in the order of an episode, of which only the last one may be done."""
    seen: dict[AgentRole, RoleView] = {}
    frames: list[EpisodeStep] = []
    count = draw(st.integers(1, max_turns))
    for turn in range(count):
        role = TURN_ORDER[turn % len(TURN_ORDER)]
        seen[role] = draw(_later(seen[role]) if role in seen else views(role))
        breakdown = draw(breakdowns)
        frames.append(
            EpisodeStep(
                turn,
                role,
                ChaosOpsObservation(
                    role, seen[role], turn, draw(rewards), draw(st.booleans()), draw(texts)
                ),
                draw(actions(role)),
                breakdown.total,
                breakdown,
                turn == count - 1 and draw(st.booleans()),
                draw(texts),
            )
        )
    return tuple(frames)
