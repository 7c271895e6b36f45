"""Finds where a recorded frame differs from the engine's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ChaosOpsAction, RoleView, SignalRows
from chaosops.recording.encoding import action_parts
from chaosops.recording.json_text import to_text
from chaosops.recording.layout import fields_of


class Difference(NamedTuple):
    """A field in a frame, and its two values."""

    field: str
    recorded: Any
    engine: Any


def first_difference(recorded: EpisodeStep, engine: EpisodeStep) -> Difference | None:
    """Return the first difference between a recorded frame and the engine's."""
    difference = next(_differences("frame", recorded, engine), None)
    if difference is None or not difference.field.startswith("frame.action"):
        return difference
    return difference._replace(field=difference.field.removeprefix("frame."))


def _differences(field: str, recorded: Any, engine: Any) -> Iterator[Difference]:
    if isinstance(engine, ChaosOpsAction) and isinstance(recorded, ChaosOpsAction):
        recorded, engine = action_parts(recorded), action_parts(engine)
    elif isinstance(engine, SignalRows) and isinstance(recorded, SignalRows):
        recorded, engine = tuple(recorded), tuple(engine)
    if type(recorded) is not type(engine):
        yield Difference(field, recorded, engine)
    elif isinstance(engine, Mapping):
        for key in dict.fromkeys((*engine, *recorded)):
            yield from _differences(f"{field}.{key}", recorded.get(key), engine.get(key))
    elif isinstance(engine, tuple):
        if len(recorded) != len(engine):
            yield Difference(field, recorded, engine)
            return
        names = fields_of(engine) or range(len(engine))
        parts = list(zip(names, recorded, engine, strict=True))
        if isinstance(engine, RoleView):
            parts.sort(key=_is_derived)
        for name, one, other in parts:
            yield from _differences(f"{field}.{name}", one, other)
    elif to_text(recorded) != to_text(engine):
        yield Difference(field, recorded, engine)


def _is_derived(part: tuple[object, object, object]) -> bool:
    """Whether a part is derived from the history, so that the history is compared first."""
    return part[0] == "services"


def shown(value: object) -> str:
    """Format a value for a message, shortened."""
    if isinstance(value, tuple | SignalRows) and not fields_of(value):
        return f"{len(value)} items"
    text = to_text(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
