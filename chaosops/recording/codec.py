"""Frames to JSON and back, without writing twice what did not change.

A view is written as the difference to the same role's previous view: a part that did not change
is left out, and a sequence that only grew or moved on is written as `{"keep": [start, stop],
"add": [...]}`, the slice of the previous one that is still there and what came after it. Reading
gives equal frames, in which the parts that did not change are the same objects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import to_json

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FrozenMap,
    RoleView,
)
from chaosops.errors import RecordingError
from chaosops.rewards.reward_fn import StepRewardBreakdown

Json = dict[str, Any]
_PartT = TypeVar("_PartT")

_KEEP = "keep"
_ADD = "add"


class FrameEncoder:
    """Encodes the frames of one episode, in their order."""

    def __init__(self) -> None:
        self._views: dict[AgentRole, RoleView] = {}

    def encode(self, frame: EpisodeStep) -> Json:
        """The frame as JSON values."""
        seen = frame.observation
        return {
            "turn": frame.turn,
            "role": frame.role.value,
            "observation": {
                "turn_role": seen.turn_role.value,
                "view": self._difference(seen.view),
                "step": seen.step,
                "reward": seen.reward,
                "done": seen.done,
                "message": seen.message,
            },
            "action": {
                "role": frame.action.role.value,
                "action_type": str(frame.action.action_type),
                "target": frame.action.target,
                "args": plain(frame.action.args),
            },
            "reward": frame.reward,
            "breakdown": plain(frame.breakdown),
            "done": frame.done,
            "message": frame.message,
        }

    def _difference(self, view: RoleView) -> Json:
        old = self._views.get(view.role)
        self._views[view.role] = view
        if old is None:
            return {name: plain(value) for name, value in zip(view._fields, view, strict=True)}
        changed = zip(view._fields, old, view, strict=True)
        parts: Json = {"role": view.role.value}
        for name, before, now in changed:
            if before is now or before == now:
                continue
            if isinstance(before, tuple) and type(before) is type(now) is tuple:
                parts[name] = _moved_on(before, now)
            else:
                parts[name] = plain(now)
        return parts


class FrameDecoder:
    """Decodes the frames of one episode, in the order in which they were encoded."""

    def __init__(self) -> None:
        self._views: dict[AgentRole, RoleView] = {}

    def decode(self, data: object) -> EpisodeStep:
        """The frame that was encoded.

        Raises:
            RecordingError: It is no frame; the text names the field.
        """
        shape = read_part(_Frame, data, "frame")
        seen = shape.observation
        action = shape.action
        return EpisodeStep(
            shape.turn,
            shape.role,
            ChaosOpsObservation(
                seen.turn_role,
                self._view(seen.turn_role, seen.view),
                seen.step,
                seen.reward,
                seen.done,
                seen.message,
            ),
            ChaosOpsAction(action.role, action.action_type, action.target, action.args),
            shape.reward,
            shape.breakdown,
            shape.done,
            shape.message,
        )

    def _view(self, role: AgentRole, parts: Json) -> RoleView:
        place = "frame.observation.view"
        if parts.get("role") != role.value:
            raise RecordingError(f"{place}.role: not the role whose turn it is")
        old = self._views.get(role)
        known = _view_types()
        for name in parts:
            if name not in known:
                raise RecordingError(f"{place}.{name[:40]}: unknown field")
        if old is None:
            missing = [name for name in known if name not in parts]
            if missing:
                raise RecordingError(f"{place}.{missing[0]}: missing in the role's first view")
        values = {
            name: _read_field(name, value, None if old is None else getattr(old, name))
            for name, value in parts.items()
        }
        view = RoleView(**values) if old is None else old._replace(**values)
        self._views[role] = view
        return view


def plain(value: object) -> Any:
    """JSON values for anything that an observation may hold; named tuples become objects."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        if names is None:
            return [plain(item) for item in value]
        return {name: plain(item) for name, item in zip(names, value, strict=True)}
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    raise TypeError(f"an observation cannot hold a {type(value).__name__}")


def read_part(kind: type[_PartT], data: object, place: str) -> _PartT:
    """Validate JSON values against a model, a named tuple or any other type.

    Raises:
        RecordingError: They do not fit; the text begins with the field, under `place`.
    """
    part: _PartT = _validate(_adapter(cast("Any", kind)), data, place)
    return part


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class _Action(_Shape):
    role: AgentRole
    action_type: str
    target: str | None
    args: FrozenMap


class _Observation(_Shape):
    turn_role: AgentRole
    view: Json
    step: int
    reward: float
    done: bool
    message: str


class _Frame(_Shape):
    turn: int
    role: AgentRole
    observation: _Observation
    action: _Action
    reward: float
    breakdown: StepRewardBreakdown
    done: bool
    message: str


class _Moved(NamedTuple):
    keep: tuple[int, int]
    add: list[Any]


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


@cache
def _view_types() -> Mapping[str, Any]:
    return get_type_hints(RoleView)


def _validate(adapter: TypeAdapter[Any], data: object, place: str) -> Any:
    try:
        return adapter.validate_json(to_json(data), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        path = ".".join([place, *(str(step)[:40] for step in first["loc"])])
        raise RecordingError(f"{path}: {first['msg'][:1].lower()}{first['msg'][1:]}") from None
    except ValueError:
        raise RecordingError(f"{place}: nested too deep") from None


def _read_field(name: str, value: object, old: object) -> Any:
    place = f"frame.observation.view.{name}"
    adapter = _adapter(_view_types()[name])
    if not (isinstance(value, dict) and _KEEP in value):
        return _validate(adapter, value, place)
    if type(old) is not tuple:
        raise RecordingError(f"{place}.{_KEEP}: there is no earlier list to keep a part of")
    moved = read_part(_Moved, value, place)
    start, stop = moved.keep
    if not 0 <= start <= stop <= len(old):
        raise RecordingError(f"{place}.{_KEEP}: not a slice of the {len(old)} items before")
    added: tuple[object, ...] = _validate(adapter, moved.add, f"{place}.{_ADD}")
    return old[start:stop] + added


def _moved_on(old: Sequence[object], new: Sequence[object]) -> Any:
    start, stop = _overlap(old, new)
    if start == stop:
        return plain(tuple(new))
    return {_KEEP: [start, stop], _ADD: [plain(item) for item in new[stop - start :]]}


def _overlap(old: Sequence[object], new: Sequence[object]) -> tuple[int, int]:
    """The longest slice of `old` that `new` begins with."""
    best = (0, 0)
    for start in range(len(old)):
        stop = start
        while stop < len(old) and stop - start < len(new) and old[stop] == new[stop - start]:
            stop += 1
        if stop - start > best[1] - best[0]:
            best = (start, stop)
        if len(old) - start <= best[1] - best[0]:
            break
    return best
