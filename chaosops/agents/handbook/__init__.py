"""The handbook: what points to each cause, and what fixes it.

It is public knowledge about signs and verbs, and knows nothing about particular situations. Each
family of causes has a module of pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.handbook import (
    alarms,
    capacity,
    change,
    data,
    names,
    network,
    overload,
    queues,
    waits,
)
from chaosops.agents.handbook.pages import Cure, InstrumentCheck, Page, Where
from chaosops.env.models import FailureType

__all__ = ["HANDBOOK", "Cure", "InstrumentCheck", "Page", "Where", "pages_of"]

_FAMILIES: Final = (
    waits.PAGES,
    capacity.PAGES,
    change.PAGES,
    data.PAGES,
    network.PAGES,
    network.WITH_ROOM,
    names.PAGES,
    names.RECORDS,
    alarms.CHECKS,
    alarms.THRESHOLDS,
    overload.PAGES,
    queues.PAGES,
)

HANDBOOK: Final[Mapping[FailureType, tuple[Page, ...]]] = MappingProxyType(
    {
        cause: tuple(pages[cause] for pages in _FAMILIES if cause in pages)
        for family in _FAMILIES
        for cause in family
    }
)
"""The pages of each cause; one that takes several forms has a page in each of their families."""


def pages_of(cause: FailureType | str) -> tuple[Page, ...]:
    """Return the pages of a cause; none for one that an author added."""
    return HANDBOOK.get(cause, ()) if isinstance(cause, FailureType) else ()
