"""The components of the reward: everything that is specific to each, in one table.

A component is a field of `StepRewardBreakdown`, with its weight in `RewardWeights`, and a row here.
`TurnFacts` has a field for the event that earns it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple


class RewardComponent(NamedTuple):
    """Everything that is specific to a component.

    Attributes:
        name: Its field in `StepRewardBreakdown`.
        word: Its name for players, in a word or two.
        meaning: For the documentation of recordings.
        why: The reason for it; `{action}`, `{cause}`, `{target}`, `{failed}` and `{hints}` are
            filled in with what the turn did.
        event: The field of `TurnFacts` that earns its weight once; empty if it is computed, or
            paid for a deed of a seat.
        is_usual: Whether nearly every turn has it.
        is_for_oversight: Whether only Oversight earns it, not the team.
    """

    name: str
    word: str
    meaning: str
    why: str
    event: str = ""
    is_usual: bool = False
    is_for_oversight: bool = False


COMPONENTS: Final = (
    RewardComponent(
        "resolved_bonus",
        "resolved",
        "The incident was resolved.",
        "every cause is gone and users are fine",
        event="resolved",
    ),
    RewardComponent(
        "under_budget_bonus",
        "under par",
        "Within the par.",
        "resolved within par",
        event="under_budget",
    ),
    RewardComponent(
        "early_root_cause_bonus",
        "right diagnosis",
        "The diagnosis that stood when the cure was ordered was right.",
        "{cause} is right",
    ),
    RewardComponent(
        "wrong_diagnosis_penalty",
        "wrong diagnosis",
        "The diagnosis that stood when the cure was ordered was wrong.",
        "{cause} is wrong",
    ),
    RewardComponent(
        "rogue_caught_bonus",
        "rogue caught",
        "The guilty agent was flagged.",
        "{target} is the rogue agent",
        is_for_oversight=True,
    ),
    RewardComponent(
        "rogue_false_positive_penalty",
        "innocent flagged",
        "An innocent agent was flagged.",
        "{target} is innocent",
        is_for_oversight=True,
    ),
    RewardComponent(
        "wrong_fix_penalty",
        "wrong fix",
        "A change that helped nothing.",
        "{action} did not help here",
    ),
    RewardComponent(
        "cascade_penalty",
        "cascade",
        "A wrong fix set off a second failure.",
        "{action} sets off another failure",
    ),
    RewardComponent(
        "miscommunication_penalty",
        "miscommunication",
        "A malformed message or action.",
        "that action is not possible, and the turn is lost",
        event="miscommunication",
    ),
    RewardComponent(
        "false_all_clear_penalty",
        "false all-clear",
        "Declared over, and it was not.",
        "declared over too early",
        event="false_all_clear",
    ),
    RewardComponent(
        "mttr_penalty",
        "time",
        "Another turn that is not resolved.",
        "another turn without a resolution",
        is_usual=True,
    ),
    RewardComponent(
        "impact_penalty",
        "impact",
        "User requests failed.",
        "{failed} of user requests failed",
        is_usual=True,
    ),
    RewardComponent("hint_penalty", "hint", "Hints were read.", "{hints} was read"),
    RewardComponent(
        "terminal_penalty",
        "unresolved",
        "The episode ended unresolved.",
        "the last turn is over and the incident is not resolved",
        event="terminal",
    ),
    RewardComponent(
        "diagnosis_change_penalty",
        "diagnosis changed",
        "A sealed diagnosis was changed.",
        "another diagnosis was sealed before",
    ),
    RewardComponent(
        "status_update_penalty",
        "status update",
        "A status update was late or untrue.",
        "a status update is late or untrue",
    ),
    RewardComponent(
        "approval_penalty",
        "approval",
        "A move was approved that did harm, or one refused that would have helped.",
        "what was approved did harm, or what was refused would have helped",
    ),
    RewardComponent(
        "grant_penalty",
        "grant",
        "A request of the automation was granted that did harm, or denied though it would have "
        "helped.",
        "what an agent was granted did harm, or what it was denied would have helped",
        is_for_oversight=True,
    ),
)
"""Every component, in the order of the fields."""

COMPONENT: Final[Mapping[str, RewardComponent]] = MappingProxyType(
    {component.name: component for component in COMPONENTS}
)
"""The components by name."""
