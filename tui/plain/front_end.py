"""The plain mode as the front end that recordings name."""

from __future__ import annotations

import os
from typing import Final

from chaosops.recording.events import Ui
from chaosops.version import __version__

_STDOUT: Final = 1


def plain_ui() -> Ui:
    """Return the user interface, without a size if the output is not a terminal."""
    try:
        columns, rows = os.get_terminal_size(_STDOUT)
    except OSError:
        columns, rows = 0, 0
    return Ui(name="chaosops-plain", version=__version__, columns=columns, rows=rows)
