"""What recordings of the first edition, engine 1, have otherwise: they stay readable.

Their rows end before the columns that came later, and their views lack the parts that came later.
Each of these has a default, so the frames are read as today's. They can be listed, replayed and
rated; this engine gives other frames, so nothing else can be proven of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.recording.layout import columns, records

FIRST_ENGINE: Final = 1

LATER_PARTS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "in_force": (),
        "landings": None,
        "paid": None,
        "requests": None,
        "due": None,
        "updates": None,
        "agent_requests": None,
    }
)
"""The parts of a view that the first edition did not have, as they are read."""

RENAMED: Final[Mapping[str, str]] = MappingProxyType({"Doing": "LastAction"})
"""What records of the first edition are called now."""


def has_first_columns(there: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether rows with these columns read as today's: what is missing comes last, by default.

    Args:
        there: The columns of each record that a log has.
    """
    here = columns()
    now = {RENAMED.get(name, name): names for name, names in there.items()}
    return all(name in here and _begins(name, names, here[name]) for name, names in now.items())


def _begins(name: str, there: tuple[str, ...], here: tuple[str, ...]) -> bool:
    defaults: Mapping[str, Any] = getattr(records()[name], "_field_defaults", {})
    later = here[len(there) :]
    return here[: len(there)] == there and all(column in defaults for column in later)
