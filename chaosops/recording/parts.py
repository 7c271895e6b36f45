"""What the parts of an event are made of: immutable models, and the types of their fields."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

from chaosops.env.models import MAX_TEXT, FrozenMap
from chaosops.recording.json_text import plain
from chaosops.text_safety import clean

MAX_REWARD: Final = 1e9
"""The most that a turn or a game may pay or cost."""

FREE_TEXT: Final = {"free_text": True}
"""Marks a field that holds a person's own words."""


def _cleaned(value: object) -> object:
    return clean(value) if isinstance(value, str) else value


Label = Annotated[str, BeforeValidator(_cleaned), StringConstraints(max_length=200)]
Text = Annotated[str, BeforeValidator(_cleaned), StringConstraints(max_length=MAX_TEXT)]
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Duration = Annotated[int, Field(ge=0, le=2**53)]
Sum = Annotated[float, Field(ge=-MAX_REWARD, le=MAX_REWARD)]
Minute = Annotated[int, Field(ge=-(10**6), le=10**6)]
Count = Annotated[int, Field(ge=0, le=10**6)]
Scale = Annotated[int, Field(ge=0, le=100)]
# The return type is given, since pydantic 2.10 would look for its name where a field is.
Arguments = Annotated[FrozenMap, PlainSerializer(plain, return_type=Any)]
Quality = Annotated[int, Field(ge=1, le=5)]
StarName = Literal["users", "cause", "clean"]
HintLevel = Annotated[int, Field(ge=1, le=3)]


class Part(BaseModel):
    """A part of an event: immutable, exactly typed, and unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, defer_build=True
    )


class GrownPart(Part):
    """A part that got fields later: they are left out where they are null.

    So a log that was written before there were such fields is still the same text, and verifies.
    """

    LATER: ClassVar[frozenset[str]] = frozenset()

    @model_serializer(mode="wrap")
    def _without_nulls(self, dump: SerializerFunctionWrapHandler) -> dict[str, object]:
        # Of built-in names alone: pydantic 2.10 looks them up in the module of each subclass.
        values: dict[str, object] = dump(self)
        return {
            name: value
            for name, value in values.items()
            if value is not None or name not in self.LATER
        }
