"""Errors whose message tells a person what is wrong, where, and what to do about it."""

from __future__ import annotations


class ChaosOpsError(Exception):
    """Anything a user can cause and fix. Its text is one line that says how to fix it."""


class ScenarioError(ChaosOpsError):
    """A scenario or topology file, or its name, can't be used."""


class EpisodeOver(ChaosOpsError):
    """A step was taken after the end of an episode."""


class RecordingError(ChaosOpsError):
    """A recording can't be read or written."""


class TerminalError(ChaosOpsError):
    """The terminal can't show the game."""
