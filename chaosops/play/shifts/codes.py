"""Shift codes: a few characters that give somebody else the same shift.

A code such as `0.1.0-M3-1K7-9QX4T` has the version of chaosops, the level and the number of
incidents, the seed, and five characters: three tell which proven seeds and which engine it needs,
and two find typos. The last parts are in the digits of Crockford's base 32, without I, L, O and U.
"""

from __future__ import annotations

import re
import secrets
from typing import Final, NamedTuple
from zlib import crc32

from chaosops.env.models import Difficulty
from chaosops.errors import ChaosOpsError
from chaosops.evaluation.proven_seeds import LEVELS, ProvenSeeds
from chaosops.play.formatting import shown
from chaosops.version import __version__

USUAL: Final = 3
MARATHON: Final = 8
LENGTHS: Final = (USUAL, MARATHON)
"""How many incidents a shift may have."""

MAX_SHIFT_SEED: Final = 2**32 - 1

_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LETTERS: Final = {level.value[0].upper(): level for level in LEVELS}
_CODE: Final = re.compile(
    r"(?P<version>\d[0-9a-z.+]{0,30})-(?P<level>[A-Z])(?P<number>\d{1,2})"
    r"-(?P<seed>[0-9A-Z]{1,7})-(?P<build>[0-9A-Z]{3})(?P<check>[0-9A-Z]{2})",
    re.IGNORECASE,
)
_CONFUSED: Final = str.maketrans({"O": "0", "I": "1", "L": "1"})
_OWN: Final = "or begin a shift of your own with 'chaosops shift --new'"
_DRAWN: Final = 32**4
_BUILD: Final = 32**3
_CHECK: Final = 32**2


class ShiftCodeError(ChaosOpsError):
    """A code gives no shift here."""


class ShiftPlan(NamedTuple):
    """What a shift is drawn from.

    Attributes:
        incidents: One of `LENGTHS`.
        seed: From 0 to `MAX_SHIFT_SEED`.
    """

    level: Difficulty
    incidents: int = USUAL
    seed: int = 0


def random_seed() -> int:
    """Return a seed for a new shift, small enough for a short code."""
    return secrets.randbelow(_DRAWN)


def code_of(plan: ShiftPlan, proven: ProvenSeeds) -> str:
    """Return the code of a shift that is drawn from proven seeds."""
    return _sealed(__version__, plan, _build_of(proven))


def plan_of(code: str, proven: ProvenSeeds) -> ShiftPlan:
    """Return what a code stands for.

    Args:
        proven: The proven seeds that are here.

    Raises:
        ShiftCodeError: It is none, has a typo, or needs another version.
    """
    found = _CODE.fullmatch(code.strip())
    if found is None:
        example = code_of(ShiftPlan(Difficulty.MEDIUM, USUAL, 1_255), proven)
        raise ShiftCodeError(
            f"'{shown(code, 60)}' is no shift code: it should look like {example}; copy all of "
            f"it, {_OWN}"
        )
    seed = _number(found["seed"])
    level = _LETTERS.get(found["level"].upper())
    plan = ShiftPlan(level or Difficulty.EASY, int(found["number"]), seed)
    version = found["version"].lower()
    build = _number(found["build"])
    is_sound = level is not None and plan.incidents in LENGTHS and 0 <= seed <= MAX_SHIFT_SEED
    if not is_sound or _sealed(version, plan, build)[-2:] != _normal(found["check"]):
        raise ShiftCodeError(f"the shift code {shown(code, 60)} has a typo: copy it again, {_OWN}")
    if build != _build_of(proven):
        raise ShiftCodeError(_other_version(version))
    return plan


def _other_version(version: str) -> str:
    if version == __version__:
        return (
            f"this shift code is of another build of chaosops {version}, with other incidents or "
            f"another engine: install the same build as the one it came from, {_OWN}"
        )
    return (
        f"this shift code is of chaosops {version}, and this is {__version__}: install "
        f"chaosops {version} to play the same shift, {_OWN}"
    )


def _sealed(version: str, plan: ShiftPlan, build: int) -> str:
    head = f"{version}-{plan.level.value[0].upper()}{plan.incidents}-{_text(plan.seed)}"
    body = f"{head}-{_text(build, 3)}"
    return f"{body}{_text(crc32(body.encode()) % _CHECK, 2)}"


def _build_of(proven: ProvenSeeds) -> int:
    return proven.fingerprint % _BUILD


def _text(number: int, digits: int = 1) -> str:
    found = ""
    while number or len(found) < digits:
        number, digit = divmod(number, len(_DIGITS))
        found = _DIGITS[digit] + found
    return found


def _normal(text: str) -> str:
    return text.upper().translate(_CONFUSED)


def _number(text: str) -> int:
    """Return the value of digits; -1 if one is none."""
    total = 0
    for char in _normal(text):
        digit = _DIGITS.find(char)
        if digit < 0:
            return -1
        total = total * len(_DIGITS) + digit
    return total
