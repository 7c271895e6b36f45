"""Errors with a message for a person: what is wrong, where, and what to do about it."""

from __future__ import annotations


class ChaosOpsError(Exception):
    """Anything a user can cause and mend. Its text is one line that names the cure."""


class ScenarioError(ChaosOpsError):
    """A scenario or topology file, or the name of one, that cannot be used."""


class EpisodeOver(ChaosOpsError):
    """A step after the end of an episode."""


class RecordingError(ChaosOpsError):
    """A recording that cannot be read or written."""


class TerminalError(ChaosOpsError):
    """A terminal that cannot show the game."""
