"""The names of the scripted policies, for whatever offers them before one plays."""

from __future__ import annotations

from typing import Final

POLICY_NAMES: Final = ("random", "heuristic", "expert", "oracle", "noop")
