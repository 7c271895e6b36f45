"""Decodes frames from JSON values; `chaosops.recording.encoding` describes the format.

The frames equal the encoded ones, and parts that didn't change are the same objects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import GenericAlias, MappingProxyType
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

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
    SignalRows,
)
from chaosops.errors import RecordingError
from chaosops.recording.encoding import HISTORY, UNKNOWN, Json, ViewMemory, newest_of
from chaosops.recording.layout import fields_of, is_union, item_of, view_parts
from chaosops.recording.parts import Sum
from chaosops.recording.timeline import unpack
from chaosops.rewards.reward_fn import StepRewardBreakdown

_PartT = TypeVar("_PartT")

_VIEW = "frame.observation.view"
_MOVED = "frame.observation.moved"


class FieldError(RecordingError):
    """An invalid value. The text begins with the name of the field, which is `field`."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"{field}: {why}")
        self.field = field
        self.why = why


class FrameDecoder:
    """Decodes the frames of one episode in their order."""

    def __init__(
        self, memory: ViewMemory | None = None, *, later: Mapping[str, Any] = MappingProxyType({})
    ) -> None:
        """Begin an episode, or continue after the frames in the memory.

        Args:
            later: Parts that are newer than this log and missing in its views.
        """
        self._memory = memory or ViewMemory()
        self._later = later

    def decode(self, shape: FrameShape, action: ActionShape) -> EpisodeStep:
        """Decode a frame with its action.

        Raises:
            FieldError: It doesn't fit the frames before it.
        """
        seen = shape.observation
        observation = ChaosOpsObservation(
            turn_role=seen.turn_role,
            view=self._view(seen),
            step=seen.step,
            reward=seen.reward,
            done=seen.done,
            message=seen.message,
            refused=seen.refused,
        )
        return EpisodeStep(
            turn=shape.turn,
            role=shape.role,
            observation=observation,
            action=action.action,
            reward=shape.reward,
            breakdown=shape.breakdown,
            done=shape.done,
            message=shape.message,
        )

    def _view(self, seen: ObservationShape) -> RoleView:
        known = self._memory.before(seen.turn_role)
        parts = {**self._later}
        parts.update((name, part) for name, part in known.items() if part is not UNKNOWN)
        fresh = dict(seen.view)
        if fresh.get(HISTORY) is not None:
            fresh[HISTORY] = _unpacked(fresh[HISTORY], None, f"{_VIEW}.{HISTORY}")
        for name, moved in seen.moved.items():
            fresh[name] = _move_on(parts.get(name), name, moved, name in fresh)
        parts.update(fresh)
        if "services" not in fresh:
            newest = newest_of(parts.get(HISTORY), parts.get("services", UNKNOWN))
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


def read_part(kind: type[_PartT], data: object, place: str) -> _PartT:
    """Validate JSON values against a model, a named tuple or any other type.

    Args:
        data: The values, or bytes that are their JSON text.

    Raises:
        FieldError: They don't fit; the field is under `place`.
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
    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True
    )


class ActionShape(_Shape):
    """An action as in the log."""

    role: AgentRole
    action_type: str
    target: str | None
    args: FrozenMap

    @property
    def action(self) -> ChaosOpsAction:
        """The action."""
        return ChaosOpsAction(self.role, self.action_type, self.target, self.args)


class _Parts:
    """Annotates a dictionary of parts by name, each with its own type, and all optional."""

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
    """Return the types of `moved`: for each list in a view, what is kept and what is added."""
    lists: dict[str, Any] = {}
    for name, kind in view_parts().items():
        choices: tuple[Any, ...] = get_args(kind) if is_union(kind) else (kind,)
        for choice in choices:
            if item_of(choice) is not None:
                lists[name] = GenericAlias(tuple, (int, choice))
    return {**lists, HISTORY: tuple[int, list[Any]]}


def _written_parts() -> dict[str, Any]:
    """Return the types of the parts of a view as they are written."""
    return {**view_parts(), HISTORY: list[Any] | None}


class ObservationShape(_Shape):
    """An observation as in the log: `view` and `moved` are a difference."""

    turn_role: AgentRole
    view: Annotated[Json, _Parts(_written_parts())]
    moved: Annotated[Json, _Parts(_lists())] = Field(default_factory=dict)
    step: int
    reward: Sum
    done: bool
    message: str
    refused: bool = False


class FrameShape(_Shape):
    """A frame without its action, as in the log."""

    turn: int
    role: AgentRole
    observation: ObservationShape
    reward: Sum
    breakdown: StepRewardBreakdown
    done: bool
    message: str


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _named(location: Sequence[str | int], kind: Any) -> Iterator[str]:
    """Yield the path of a value, with names for the columns of rows."""
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
    item, parts = item_of(kind), get_args(kind)
    if item is not None or not parts or not isinstance(step, int):
        return str(step), item
    return str(step), parts[min(step, len(parts) - 1)]


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
    if name == HISTORY:
        added = _unpacked(added, kept[-1] if kept else None, field)
    return kept + tuple(added)


def _unpacked(packed: list[Any], before: SignalRows | None, field: str) -> tuple[SignalRows, ...]:
    try:
        minutes = list(unpack(packed, before))
    except (TypeError, ValueError) as error:
        raise FieldError(field, str(error)) from None
    fresh = {
        id(row): row for minute in minutes for row in minute if not isinstance(row, ServiceSignals)
    }
    read = read_part(list[ServiceSignals], list(fresh.values()), field)
    rows: dict[int, Any] = dict(zip(fresh, read, strict=True))
    return tuple(SignalRows(rows.get(id(row), row) for row in minute) for minute in minutes)
