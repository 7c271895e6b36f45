"""What keeps a situation from being generated."""

from __future__ import annotations

from chaosops.errors import ChaosOpsError


class GenerationError(ChaosOpsError):
    """A situation can't be made as it was asked for, or not be proven within the tries."""


class SetNameError(GenerationError):
    """The name of a generated set is malformed."""
