"""JSON as in the log: one line of ASCII, always the same for the same values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from chaosops.env.models import FrozenMap, SignalRows


def _standard(value: object) -> dict[str, Any] | list[Any]:
    if type(value) is FrozenMap:
        return dict(value.items())
    if isinstance(value, SignalRows):
        return list(value)
    raise TypeError(f"an observation cannot hold a {type(value).__name__}")


_ENCODER = msgspec.json.Encoder(enc_hook=_standard)
_ASCII = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_standard
)


def to_bytes(value: object) -> bytes:
    """Format JSON values, named tuples (as arrays) and frozen maps as JSON.

    Raises:
        TypeError: There is something else in it.
    """
    try:
        text = _ENCODER.encode(value)
    except OverflowError:
        # A foreign file may have an integer of more than 64 bits.
        text = b"\xff"
    return text if text.isascii() else _ASCII.encode(value).encode("ascii")


def to_text(value: object) -> str:
    """Return the same as text."""
    return to_bytes(value).decode("ascii")


def plain(value: object) -> Any:
    """Return JSON values for anything in an observation; named tuples become objects.

    Raises:
        TypeError: There is something else in it.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        if names is None:
            return [plain(item) for item in value]
        return {name: plain(item) for name, item in zip(names, value, strict=True)}
    if isinstance(value, SignalRows):
        return [plain(row) for row in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    raise TypeError(f"an observation cannot hold a {type(value).__name__}")
