"""What can be said with an action: a finding, a request to a teammate, or words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    RoleView,
    VerbChoice,
)
from chaosops.env.models.verbs import VERBS
from chaosops.play.formatting import ROLE_NAMES
from chaosops.play.wording import finding_word, proposal_words

WORDS: Final = "words"
"""The choice to write the line."""

_MOST_FINDINGS: Final = 8


def line_choices(
    action: ChaosOpsAction, view: RoleView, offers: Mapping[AgentRole, tuple[VerbChoice, ...]]
) -> list[tuple[Any, str, str]]:
    """Return the lines that fit an action: each with its words and a note.

    Args:
        offers: What each role can be asked for in a proposal.
    """
    found: list[tuple[Any, str, str]] = []
    if action.action_type is ActionType.INVESTIGATE:
        found.append(({"finding": len(view.findings)}, "share what it shows", ""))
    newest = list(enumerate(view.findings))[::-1][:_MOST_FINDINGS]
    found += [({"finding": place}, f"share {finding_word(each)}", "") for place, each in newest]
    found.append((WORDS, "words of your own", ""))
    for role in TURN_ORDER:
        if role is not view.role:
            found += _asked(role, action.target, offers.get(role, ()))
    return found


def _asked(
    role: AgentRole, target: str | None, offers: tuple[VerbChoice, ...]
) -> Iterator[tuple[Any, str, str]]:
    """Yield what a role can be asked to do at the target of the action."""
    for verb in offers:
        can_be_asked = VERBS[verb.action_type].can_be_proposed and target in verb.targets
        needed = [argument for argument in verb.arguments if argument.required]
        if not can_be_asked or len(needed) > 1 or (needed and not needed[0].choices):
            continue
        if needed and verb.action_type is not ActionType.INVESTIGATE:
            continue
        for args in [{needed[0].name: value} for value in needed[0].choices] if needed else [{}]:
            wanted = {"action_type": verb.action_type.value, "target": target, "args": args}
            line = {"to": role.value, "proposal": wanted}
            yield line, f"ask {ROLE_NAMES[role]}: {proposal_words(wanted)}", ""
