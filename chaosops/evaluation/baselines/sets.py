"""Sets of incidents by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Final

from chaosops.env.models import Difficulty
from chaosops.errors import ChaosOpsError
from chaosops.scenarios.loader import find_scenarios, open_scenario
from chaosops.scenarios.rendering import ScenarioSource

Belongs = Callable[[ScenarioSource], bool]


def _has_level(level: Difficulty, source: ScenarioSource) -> bool:
    return source.level is level


SETS: Final[Mapping[str, Belongs]] = MappingProxyType(
    {
        "all": lambda source: True,
        "situations": lambda source: source.level is not Difficulty.TUTORIAL,
        **{level.value: partial(_has_level, level) for level in Difficulty},
    }
)
"""The sets of the incidents that there are, by name: all, those above the tutorial, and each
level."""

SetOpener = Callable[[str, Sequence[Path]], Sequence[ScenarioSource]]

NO_OPENERS: Final[Mapping[str, SetOpener]] = MappingProxyType({})
"""For callers without sets that are made on the spot."""


class SetError(ChaosOpsError):
    """A set that doesn't exist, or is empty."""


def open_set(
    text: str, folders: Sequence[Path] = (), openers: Mapping[str, SetOpener] = NO_OPENERS
) -> tuple[ScenarioSource, ...]:
    """Return the incidents of a set, each once.

    Args:
        text: Names of sets, ids of incidents or paths of their files, separated by commas.
        folders: The users' folders of incidents.
        openers: What opens sets written `KIND:REST`, by kind, given the rest and the folders.

    Raises:
        SetError: A name is unknown, or there is no incident in it.
        ScenarioError: There is no such incident, or its file is broken.
    """
    found: dict[ScenarioSource, None] = {}
    for part in text.split(","):
        some = _opened(part.strip(), folders, openers)
        if not some:
            raise SetError(f"the set '{part.strip()}' has no incident: choose another one")
        found.update(dict.fromkeys(some))
    return tuple(found)


def _opened(
    name: str, folders: Sequence[Path], openers: Mapping[str, SetOpener]
) -> Sequence[ScenarioSource]:
    if name in SETS:
        return [source for source in find_scenarios(folders) if SETS[name](source)]
    kind, colon, rest = name.partition(":")
    if colon and "/" not in kind and "\\" not in kind and len(kind) > 1:
        if kind in openers:
            return openers[kind](rest, folders)
        raise SetError(
            f"there are no sets of the kind '{kind}': choose from {', '.join(SETS)}, or name "
            "incidents by their ids"
        )
    if not name:
        raise SetError(f"a set without a name: choose from {', '.join(SETS)}")
    return [open_scenario(name, folders)]
