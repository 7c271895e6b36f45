"""What stops an export."""

from __future__ import annotations

from chaosops.errors import RecordingError


class ExportError(RecordingError):
    """A data set that cannot be written. None is left behind."""
