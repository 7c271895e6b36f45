"""Frames to JSON and back, without writing twice what did not change.

Records are rows (see `chaosops.recording.layout`). A view is written as the difference to the
same role's previous view, and in the parts that all roles share (`SHARED`) to the last view of
any role: a part that did not change is left out, and a list of which a piece is
still there is under `moved` as `[start, stop, added]`, the slice of the previous list and what
came after it. `history` is packed (see `chaosops.recording.timeline`), and `services` is left out
where it is its newest minute. Reading gives equal frames, in which the parts that did not change
are the same objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import GenericAlias
from typing import Annotated, Any, Final, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import CoreSchema, core_schema, to_json

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FrozenMap,
    RoleView,
    ServiceSignals,
)
from chaosops.errors import RecordingError
from chaosops.recording.json_text import plain
from chaosops.recording.layout import fields_of, is_union, view_parts
from chaosops.recording.timeline import pack, unpack
from chaosops.rewards.reward_fn import StepRewardBreakdown

__all__ = [
    "ActionShape",
    "FieldError",
    "FrameDecoder",
    "FrameEncoder",
    "FrameShape",
    "plain",
    "read_part",
]

Json = dict[str, Any]
_PartT = TypeVar("_PartT")

_VIEW = "frame.observation.view"
_MOVED = "frame.observation.moved"
_HISTORY = "history"

SHARED = ("alerts", "channel", "in_flight", "landed", "diagnoses", "graph")
"""The parts of a view that are the same for every role."""

UNKNOWN: Final[Any] = object()
"""A part of a view that nothing is known of yet."""

_SHARED_AT = tuple(RoleView._fields.index(name) for name in SHARED)
_SERVICES_AT = RoleView._fields.index("services")


class FieldError(RecordingError):
    """A value that does not fit. The text begins with the field, which is `field`."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class ViewMemory:
    """What the views so far have shown: what the next one is the difference to."""

    def __init__(
        self, views: Mapping[AgentRole, RoleView] | None = None, last: RoleView | None = None
    ) -> None:
        self._views = dict(views or {})
        self._last = last

    def copy(self) -> ViewMemory:
        """The memory as it is now."""
        return ViewMemory(self._views, self._last)

    def before(self, role: AgentRole) -> list[Any]:
        """The parts that are known before the next view of a role, in their order."""
        old, last = self._views.get(role), self._last
        if last is None:
            return [UNKNOWN] * len(RoleView._fields)
        known = [UNKNOWN] * len(RoleView._fields) if old is None else list(old)
        for place in _SHARED_AT:
            known[place] = last[place]
        return known

    def keep(self, view: RoleView) -> None:
        """The view was shown."""
        self._views[view.role] = self._last = view


class FrameEncoder:
    """Encodes the frames of one episode, in their order.

    Attributes:
        memory: Of the frames so far.
    """

    def __init__(self) -> None:
        self.memory = ViewMemory()

    def encode(self, frame: EpisodeStep) -> Json:
        """The frame without its action, to be written with `to_text`."""
        seen = frame.observation
        whole, moved = self._difference(seen.view)
        observation: Json = {"turn_role": seen.turn_role, "view": whole}
        if moved:
            observation["moved"] = moved
        observation["step"] = seen.step
        observation["reward"] = seen.reward
        observation["done"] = seen.done
        observation["message"] = seen.message
        return {
            "turn": frame.turn,
            "role": frame.role,
            "observation": observation,
            "reward": frame.reward,
            "breakdown": frame.breakdown,
            "done": frame.done,
            "message": frame.message,
        }

    def _difference(self, view: RoleView) -> tuple[Json, Json]:
        known = self.memory.before(view.role)
        self.memory.keep(view)
        known[_SERVICES_AT] = _newest(view.history, known[_SERVICES_AT])
        whole: Json = {}
        moved: Json = {}
        now: Any
        for name, before, now in zip(view._fields, known, view, strict=True):
            if before is now or before == now:
                continue
            start = _kept_from(before, now) if type(before) is type(now) is tuple else None
            if start is not None:
                added = now[len(before) - start :]
                packed = pack(added, before[-1]) if name == _HISTORY else added
                moved[name] = (start, packed)
            else:
                whole[name] = pack(now, None) if name == _HISTORY and now is not None else now
        return whole, moved


class FrameDecoder:
    """Decodes the frames of one episode, in the order in which they were encoded."""

    def __init__(self, memory: ViewMemory | None = None) -> None:
        """Begin an episode, or go on after the frames that are in the memory."""
        self._memory = memory or ViewMemory()

    def decode(self, shape: FrameShape, action: ActionShape) -> EpisodeStep:
        """The frame that was encoded, with the action that was taken.

        Raises:
            FieldError: It does not follow the frames before.
        """
        seen = shape.observation
        return EpisodeStep(
            shape.turn,
            shape.role,
            ChaosOpsObservation(
                seen.turn_role, self._view(seen), seen.step, seen.reward, seen.done, seen.message
            ),
            action.action,
            shape.reward,
            shape.breakdown,
            shape.done,
            shape.message,
        )

    def _view(self, seen: ObservationShape) -> RoleView:
        known = zip(RoleView._fields, self._memory.before(seen.turn_role), strict=True)
        parts = {name: part for name, part in known if part is not UNKNOWN}
        fresh = dict(seen.view)
        if fresh.get(_HISTORY) is not None:
            fresh[_HISTORY] = _unpacked(fresh[_HISTORY], None, f"{_VIEW}.{_HISTORY}")
        for name, moved in seen.moved.items():
            fresh[name] = _move_on(parts.get(name), name, moved, name in fresh)
        parts.update(fresh)
        if "services" not in fresh:
            newest = _newest(parts.get(_HISTORY), parts.get("services", UNKNOWN))
            if newest is not UNKNOWN:
                parts["services"] = newest
        missing = [name for name in view_parts() if name not in parts]
        if missing:
            raise FieldError(f"{_VIEW}.{missing[0]}", "missing in the role's first view")
        view = RoleView(**parts)
        if view.role is not seen.turn_role:
            raise FieldError(f"{_VIEW}.role", "not the role whose turn it is")
        self._memory.keep(view)
        return view


def action_parts(action: ChaosOpsAction) -> Json:
    """An action's parts, by name."""
    return {
        "role": action.role,
        "action_type": action.action_type,
        "target": action.target,
        "args": action.args,
    }


def read_part(kind: type[_PartT], data: object, place: str) -> _PartT:
    """Validate JSON values against a model, a named tuple or any other type.

    Args:
        data: The values, or bytes that are their JSON text.

    Raises:
        FieldError: They do not fit; the field is under `place`.
    """
    try:
        text = data if isinstance(data, bytes) else to_json(data)
        part: _PartT = _adapter(cast("Any", kind)).validate_json(text, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(part for part in (place, *_named(first["loc"], kind)) if part)
        raise FieldError(field, f"{first['msg'][:1].lower()}{first['msg'][1:]}") from None
    except ValueError:
        raise FieldError(place or "event", "nested too deep") from None
    return part


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class ActionShape(_Shape):
    """An action as the log has it."""

    role: AgentRole
    action_type: str
    target: str | None
    args: FrozenMap

    @property
    def action(self) -> ChaosOpsAction:
        """The action."""
        return ChaosOpsAction(self.role, self.action_type, self.target, self.args)


class _Parts:
    """Marks a dictionary as one of parts by name, each of its own type, any of them left out."""

    def __init__(self, kinds: Mapping[str, Any]) -> None:
        self.kinds = kinds

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        fields = {
            name: core_schema.typed_dict_field(handler.generate_schema(kind), required=False)
            for name, kind in self.kinds.items()
        }
        return core_schema.typed_dict_schema(fields, extra_behavior="forbid")


def _lists() -> dict[str, Any]:
    """The parts of a view that are lists, or may be, as what is kept of one and what is added."""
    lists: dict[str, Any] = {}
    for name, kind in view_parts().items():
        choices: tuple[Any, ...] = get_args(kind) if is_union(kind) else (kind,)
        for choice in choices:
            if get_args(choice)[1:] == (Ellipsis,):
                lists[name] = GenericAlias(tuple, (int, choice))
    return {**lists, _HISTORY: tuple[int, list[Any]]}


def _written_parts() -> dict[str, Any]:
    """The parts of a view as they are written."""
    return {**view_parts(), _HISTORY: list[Any] | None}


class ObservationShape(_Shape):
    """An observation as the log has it: `view` and `moved` are a difference."""

    turn_role: AgentRole
    view: Annotated[Json, _Parts(_written_parts())]
    moved: Annotated[Json, _Parts(_lists())] = Field(default_factory=dict)
    step: int
    reward: float
    done: bool
    message: str


class FrameShape(_Shape):
    """A frame without its action, as the log has it."""

    turn: int
    role: AgentRole
    observation: ObservationShape
    reward: float
    breakdown: StepRewardBreakdown
    done: bool
    message: str


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _named(location: Sequence[str | int], kind: Any) -> Iterator[str]:
    """A place in JSON values, the columns of rows by their names."""
    for step in location:
        name, kind = _step_into(kind, step)
        yield name[:40]


def _step_into(kind: Any, step: str | int) -> tuple[str, Any]:
    if get_origin(kind) is Annotated:
        kinds = next((mark.kinds for mark in get_args(kind) if isinstance(mark, _Parts)), {})
        return str(step), kinds.get(str(step))
    if is_union(kind):
        kind = next((part for part in get_args(kind) if part is not type(None)), None)
    columns = fields_of(kind)
    if columns and isinstance(step, int) and step < len(columns):
        step = columns[step]
    if columns or (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return str(step), get_type_hints(kind, include_extras=True).get(str(step))
    parts = get_args(kind)
    if not parts or not isinstance(step, int):
        return str(step), None
    return str(step), parts[0 if parts[-1] is Ellipsis else min(step, len(parts) - 1)]


def _newest(history: Any, otherwise: Any) -> Any:
    """What `services` is where it is not written."""
    return history[-1] if history else otherwise


def _move_on(before: Any, name: str, moved: Any, is_whole_too: bool) -> Any:
    field = f"{_MOVED}.{name}"
    if type(before) is not tuple:
        raise FieldError(field, "there is no earlier list to keep a part of")
    if is_whole_too:
        raise FieldError(field, "the list is under view too")
    start, added = moved
    if not 0 <= start <= len(before):
        raise FieldError(field, f"there were only {len(before)} items before")
    kept = before[start:]
    if name == _HISTORY:
        added = _unpacked(added, kept[-1] if kept else None, field)
    return kept + tuple(added)


def _unpacked(
    packed: list[Any], before: tuple[ServiceSignals, ...] | None, field: str
) -> tuple[tuple[ServiceSignals, ...], ...]:
    try:
        minutes = list(unpack(packed, before))
    except (TypeError, ValueError) as error:
        raise FieldError(field, str(error)) from None
    fresh = {
        id(row): row for minute in minutes for row in minute if not isinstance(row, ServiceSignals)
    }
    read = read_part(list[ServiceSignals], list(fresh.values()), field)
    rows: dict[int, Any] = dict(zip(fresh, read, strict=True))
    return tuple(tuple(rows.get(id(row), row) for row in minute) for minute in minutes)


def _kept_from(old: tuple[object, ...], new: tuple[object, ...]) -> int | None:
    """From where on the old list is what the new one begins with; None where nowhere."""
    length = len(old)
    for start in range(max(0, length - len(new)), length):
        if old[start:] == new[: length - start]:
            return start
    return None
