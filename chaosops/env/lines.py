"""Lines: what a role says with an action, in the same turn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chaosops.env.models import MAX_LINE, TURN_ORDER, AgentRole
from chaosops.text_safety import has_unsafe

EVERYONE: Final = "all"
"""What stands for every role in `to`."""

_CARRIED: Final = ("text", "finding", "proposal")
_KEYS: Final = ("to", *_CARRIED)


def line_problem(said: object, role: AgentRole, findings: int) -> str:
    """Explain why a line can't be said, apart from what its proposal asks for; empty if it can.

    Args:
        findings: How many findings the role has to share.
    """
    if not isinstance(said, Mapping):
        return f"'say' is a mapping with one of {', '.join(_CARRIED)}"
    for name in said:
        if name not in _KEYS:
            return f"'say' has no '{str(name)[:40]}'; it takes {', '.join(_KEYS)}"
    if sum(said.get(name) is not None for name in _CARRIED) != 1:
        return f"'say' carries exactly one of {', '.join(_CARRIED)}"
    to = said.get("to")
    others = [other.value for other in TURN_ORDER if other is not role]
    if to is not None and to not in (EVERYONE, *others):
        return f"'to' of 'say' is one of {', '.join((EVERYONE, *others))}"
    if said.get("text") is not None:
        return words_problem(said["text"])
    finding = said.get("finding")
    if finding is not None and (type(finding) is not int or not 0 <= finding < findings):
        return f"there is no such finding to share: {findings} so far, counted from 0"
    if said.get("proposal") is not None and to in (None, EVERYONE):
        return "a proposal goes to one role: name it in 'to' of 'say'"
    return ""


def words_problem(text: object) -> str:
    """Explain why words are no line; empty if they are one."""
    if not isinstance(text, str) or not text.strip():
        return "the words of 'say' are text, and not empty"
    if len(text) > MAX_LINE:
        return f"the words of 'say' are too long: at most {MAX_LINE} characters"
    if has_unsafe(text) or "\n" in text or "\t" in text:
        return "the words of 'say' are one line without control characters"
    return ""


def receiver(said: Mapping[str, Any]) -> AgentRole | None:
    """Return who a well-formed line is for; None for everyone."""
    to = said.get("to") or EVERYONE
    return None if to == EVERYONE else AgentRole(to)
