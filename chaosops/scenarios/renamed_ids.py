"""The former ids of incidents, so that old names and old recordings stay useful."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType


@cache
def renamed_ids() -> Mapping[str, str]:
    """Return the current id of each former id of a built-in incident."""
    return _read("renamed_ids.json")


@cache
def replaced_ids() -> Mapping[str, str]:
    """Return the ids of built-in incidents that are gone, with the situation instead of each."""
    return _read("replaced_ids.json")


def current_id(scenario_id: str) -> str:
    """Return the current id of an incident; the same id if it was never renamed."""
    return renamed_ids().get(scenario_id, scenario_id)


def _read(name: str) -> Mapping[str, str]:
    text = Path(__file__).with_name(name).read_text("utf-8")
    return MappingProxyType(json.loads(text))
