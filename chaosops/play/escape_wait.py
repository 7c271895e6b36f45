"""How long Escape waits for the rest of a key that begins as it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ESCAPE_WAITS: Final = (0, 50, 100, 250, 500, 1000, 2000)
"""Milliseconds to wait for the rest of a key's sequence; 0 goes by the connection."""

_LOCAL_WAIT, _REMOTE_WAIT = 100, 500


def escape_wait(chosen: int, environment: Mapping[str, str]) -> float:
    """Seconds to wait for the rest of a key's sequence after Escape has come.

    Args:
        chosen: One of `ESCAPE_WAITS`. 0 takes what ESCDELAY says, in milliseconds, and else half
            a second where the environment says SSH and a tenth where it does not.
    """
    if chosen:
        return chosen / 1000
    said = environment.get("ESCDELAY", "")
    if said.isascii() and said.isdecimal() and 0 < int(said[:6]) <= ESCAPE_WAITS[-1]:
        return int(said) / 1000
    remote = any(environment.get(f"SSH_{name}") for name in ("CONNECTION", "TTY", "CLIENT"))
    return (_REMOTE_WAIT if remote else _LOCAL_WAIT) / 1000
