"""The keys of incident files of the first edition, and what to write instead of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.scenarios.problems import Wrong

_DRAWN: Final = "the seed draws it now; remove it"

_FORMER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "failure_type": (
            "the seed draws the cause now; list possible causes under 'casts' "
            "(see `chaosops causes list`), and remove this"
        ),
        "also_right": "the drawn cause alone is right now; remove it",
        "canonical": "every failure type is found by the causes under 'casts' now; remove it",
        "diagnosis_budget": "a diagnosis has to stand before the cure is ordered now; remove it",
        "variables": _DRAWN,
        "variants": _DRAWN,
        "faults": (
            "what breaks is in cause files now; name causes under 'casts', or write your own "
            "(`chaosops causes new`), and remove this"
        ),
        "cascades": "what follows a cause is under 'follows' of a cast now; move it there",
        "tempting": "wrong fixes are in cause files now, under 'tempts'; remove it",
        "logs": "log lines are in cause files now, under 'shows'; remove it",
        "changes": "the seed draws the changes now, from cause files; remove it",
        "evidence": "readings are made from the state of the fleet now; remove it",
        "stuck_alerts": "an alarm that is wrong is a cause now; cast one of the family 'alarms'",
        "solution": "the best line follows from what clears the cause now; remove it",
        "debrief": "the debrief follows from the cause now; keep its 'misleading', and remove it",
    }
)
_OF_AGENTS: Final[Mapping[str, str]] = MappingProxyType(
    {"rogue": "the seed draws which agent is guilty now; remove it"}
)
_OF_HINTS: Final[Mapping[str, str]] = MappingProxyType(
    {"answer": "the hint that names the answer is generated now; remove it"}
)


def check_former_keys(data: Mapping[str, Any]) -> Iterator[Wrong]:
    """Tell what to change at each key that only incident files of the first edition had."""
    for name, cure in _FORMER.items():
        if name in data:
            yield Wrong((name,), cure)
    agents = data.get("automation")
    for i, agent in enumerate(agents if isinstance(agents, list) else ()):
        for name, cure in _OF_AGENTS.items():
            if isinstance(agent, Mapping) and name in agent:
                yield Wrong(("automation", i, name), cure)
    hints = data.get("hints")
    for name, cure in _OF_HINTS.items():
        if isinstance(hints, Mapping) and name in hints:
            yield Wrong(("hints", name), cure)
