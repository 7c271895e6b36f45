"""The ids of incidents that were renamed, so that old names and old recordings stay useful."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

_FILE = Path(__file__).with_name("renamed_ids.json")


@cache
def renamed_ids() -> Mapping[str, str]:
    """Return the current id of each former id of a built-in incident."""
    return MappingProxyType(json.loads(_FILE.read_text("utf-8")))


def current_id(scenario_id: str) -> str:
    """Return the current id of an incident; the same id if it was never renamed."""
    return renamed_ids().get(scenario_id, scenario_id)
