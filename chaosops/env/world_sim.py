"""The import path of `Scenario` for callers outside of the package."""

from __future__ import annotations

from chaosops.scenarios.scenario import Scenario

__all__ = ["Scenario"]
