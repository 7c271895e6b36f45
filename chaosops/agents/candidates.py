"""What a policy offers when it is asked as a copilot: up to three actions, each with a reason."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from chaosops.env.models import ChaosOpsAction

MOST_CANDIDATES: Final = 3
"""How many actions a copilot offers at most."""


class Candidate(NamedTuple):
    """An action, and the reason for it; empty if none was given."""

    action: ChaosOpsAction
    reason: str = ""


def read_candidates(given: object) -> tuple[tuple[Candidate, ...], str]:
    """Read what the method `candidates` of a policy returned: actions, or pairs with a reason.

    Nothing is taken from it but the first three.

    Returns:
        The candidates, and what is wrong, as the end of a sentence such as "the copilot ...";
        one of the two is empty unless the policy offers nothing.
    """
    if isinstance(given, ChaosOpsAction | str | bytes) or not isinstance(given, Iterable):
        return (), f"offered a {_kind(given)} instead of a list of candidates"
    found = []
    for number, each in enumerate(islice(given, MOST_CANDIDATES), 1):
        made = _read(each)
        if made is None:
            wanted = "an action, or a pair of an action and a reason"
            return (), f"offered a {_kind(each)} as candidate {number}, and not {wanted}"
        found.append(made)
    return tuple(found), ""


def _read(given: object) -> Candidate | None:
    if isinstance(given, ChaosOpsAction):
        return Candidate(given)
    if isinstance(given, tuple | list) and len(given) == 2:
        action, reason = given
        if isinstance(action, ChaosOpsAction) and isinstance(reason, str):
            return Candidate(action, reason)
    return None


def _kind(value: object) -> str:
    return type(value).__name__[:60]
