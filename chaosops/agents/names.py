"""The names of policies, for whatever offers them before one plays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

POLICY_NAMES: Final = ("random", "heuristic", "expert", "oracle", "noop")
"""The built-in policies, by name."""

GROUP: Final = "chaosops.policies"
"""The group of entry points in which an installed package offers policies."""

_MEANT_OTHERWISE: Final = frozenset({"all", "nobody", "off", "you", *POLICY_NAMES})
_ENTRY: Final = re.compile(r"[A-Za-z0-9_][\w.-]{0,99}", re.ASCII)
_PLACE: Final = re.compile(r"[A-Za-z_][\w.-]*:\S{1,150}", re.ASCII)


def installed() -> dict[str, tuple[EntryPoint, ...]]:
    """Find the policies of installed packages by name; two packages may offer the same one.

    A package can't take the name of a built-in policy, nor a word with another meaning.
    """
    from importlib.metadata import entry_points

    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        if _ENTRY.fullmatch(entry.name) and entry.name not in _MEANT_OTHERWISE:
            before = found.get(entry.name, ())
            if entry.value not in {other.value for other in before}:
                found[entry.name] = (*before, entry)
    return found


def is_place(name: str) -> bool:
    """Whether a name says where a policy is, like `module:function`."""
    return _PLACE.fullmatch(name) is not None


def may_be_policy(name: str) -> bool:
    """Whether a policy may have this name; what a place names is not looked up."""
    return name in POLICY_NAMES or is_place(name) or name in installed()
