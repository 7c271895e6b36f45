"""The error of an export."""

from __future__ import annotations

from chaosops.errors import RecordingError


class ExportError(RecordingError):
    """A data set that can't be written. Nothing is left behind."""
