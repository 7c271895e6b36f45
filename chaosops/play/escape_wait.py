"""How long Escape waits for the rest of a key sequence that begins with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ESCAPE_WAITS: Final = (0, 50, 100, 250, 500, 1000, 2000)
"""Milliseconds to wait for the rest of a key sequence; 0 depends on the connection."""

_LOCAL_WAIT, _REMOTE_WAIT = 100, 500


def escape_wait(chosen: int, environment: Mapping[str, str]) -> float:
    """Return the seconds to wait for the rest of a key sequence after Escape.

    Args:
        chosen: One of `ESCAPE_WAITS`. 0 uses ESCDELAY, in milliseconds, and otherwise half
            a second over SSH and a tenth of a second elsewhere.
    """
    if chosen:
        return chosen / 1000
    said = environment.get("ESCDELAY", "")
    if said.isascii() and said.isdecimal() and 0 < int(said[:6]) <= ESCAPE_WAITS[-1]:
        return int(said) / 1000
    remote = any(environment.get(f"SSH_{name}") for name in ("CONNECTION", "TTY", "CLIENT"))
    return (_REMOTE_WAIT if remote else _LOCAL_WAIT) / 1000
