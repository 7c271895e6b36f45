"""Two example policies: one function, and one class that remembers what it did."""

from __future__ import annotations

import random

from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
)


def patient(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
    """Do what a teammate asks for; otherwise look at the service with the most errors."""
    view = observation.view
    for message in reversed(view.inbox):
        asked = message.proposal
        is_recent = view.status.minute - message.minute <= 4
        if asked is not None and message.to is role and is_recent:
            action = ChaosOpsAction(role, asked.action_type, asked.target, asked.args)
            if is_allowed(view, action):
                return action
    worst = max(view.services or (), key=lambda now: now.errors, default=None)
    if worst is not None:
        for source in sources(view):
            seen = {(finding.source, finding.target) for finding in view.findings}
            if (source, worst.service) not in seen:
                return look(role, source, worst.service)
    return ChaosOpsAction(role, ActionType.NOOP)


class Curious:
    """Looks at everything once, in an order that the seed decides, and changes nothing.

    A class is called for each seat of each episode, here with the seat's seed.
    """

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._left: list[tuple[str, str]] | None = None

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        if self._left is None:
            self._left = [
                (source, target)
                for choice in observation.view.allowed
                if choice.action_type is ActionType.INVESTIGATE
                for source in sources(observation.view)
                for target in choice.targets
            ]
            self._random.shuffle(self._left)
        if not self._left:
            return ChaosOpsAction(role, ActionType.NOOP)
        return look(role, *self._left.pop())


def look(role: AgentRole, source: str, target: str) -> ChaosOpsAction:
    """Make an investigation."""
    return ChaosOpsAction(role, ActionType.INVESTIGATE, target, {"source": source})


def sources(view: RoleView) -> list[str]:
    """List what the role can investigate; empty if it can't."""
    return [
        str(source)
        for choice in view.allowed
        if choice.action_type is ActionType.INVESTIGATE
        for argument in choice.arguments
        if argument.name == "source"
        for source in argument.choices
    ]


def is_allowed(view: RoleView, action: ChaosOpsAction) -> bool:
    """Whether the role may do this now, arguments aside."""
    return any(
        choice.action_type is action.action_type
        and (action.target in choice.targets if choice.targets else action.target is None)
        for choice in view.allowed
    )
