"""Reads the data files of this package."""

from __future__ import annotations

from importlib import resources
from typing import Any

import yaml


def read_data(name: str) -> Any:
    """Return the content of a data file beside this module."""
    text = resources.files("chaosops.generation").joinpath(name).read_text("utf-8")
    return yaml.load(text, yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)
