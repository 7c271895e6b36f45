"""The names of policies, for whatever offers them before one plays."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

POLICY_NAMES: Final = ("random", "hurried", "junior", "steady", "expert", "oracle", "noop")
"""The built-in policies, by name."""

FORMER_NAMES: Final[Mapping[str, str]] = MappingProxyType({"heuristic": "hurried"})
"""Other names of built-in policies, as in older recordings and settings, and what they mean."""

GROUP: Final = "chaosops.policies"
"""The group of entry points in which an installed package offers policies."""

_MEANT_OTHERWISE: Final = frozenset(
    {"all", "default", "nobody", "off", "you", *POLICY_NAMES, *FORMER_NAMES}
)
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


def is_built_in(name: str) -> bool:
    """Whether a name is that of a built-in policy, or was once."""
    return name in POLICY_NAMES or name in FORMER_NAMES


def may_be_policy(name: str) -> bool:
    """Whether a policy may have this name; what a place names is not looked up."""
    return is_built_in(name) or is_place(name) or name in installed()
