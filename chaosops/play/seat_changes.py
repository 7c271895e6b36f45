"""The seats of a game, and how they change during it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from chaosops.agents.policies import Policy
from chaosops.agents.seats import seat_policies
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.seats import PASSES, Roster
from chaosops.play.setup import SeatChoice, Setup

_PASSING: Final = "noop"
"""The policy of a seat that is given up."""


class SeatChanges:
    """The seats of a game; a change takes effect with the seat's next decision.

    Attributes:
        roster: Who sits where now.
    """

    def __init__(
        self, roster: Roster, scenario: Scenario, changed: Callable[[AgentRole], None]
    ) -> None:
        """Set the seats at the start of a game.

        Args:
            changed: Called with the role whose seat has changed.
        """
        self.roster = roster
        self._scenario, self._changed = scenario, changed

    def compare(self, before: Setup) -> None:
        """Tell which seats of a resumed game are no longer as they were."""
        for role, was in before.seats.items():
            if was != self._choice(role):
                self._changed(role)

    def _choice(self, role: AgentRole) -> SeatChoice:
        roster = self.roster
        if role in roster.people:
            return SeatChoice(True, roster.copilot_name(role) or None)
        name = roster.policy_name(role)
        return SeatChoice(False, None if name == PASSES else name)

    def take_over(self, role: AgentRole) -> None:
        """Give a seat to a person."""
        self._change(role, self.roster.with_person(role))

    def hand_back(self, role: AgentRole, name: str) -> None:
        """Give a seat to a policy, or leave it empty.

        Raises:
            ChaosOpsError: There is no such policy.
        """
        passes = name in (PASSES, _PASSING)
        policy = self._made(role, _PASSING if passes else name)
        self._change(role, self.roster.with_policy(role, policy, PASSES if passes else name))

    def set_copilot(self, role: AgentRole, name: str) -> None:
        """Give a seat to a person, with a policy as copilot.

        Raises:
            ChaosOpsError: There is no such policy.
        """
        self._change(role, self.roster.with_copilot(role, self._made(role, name), name))

    def _made(self, role: AgentRole, name: str) -> Policy:
        return seat_policies({role: name}, self._scenario, self.roster.policies)[role]

    def _change(self, role: AgentRole, roster: Roster) -> None:
        self.roster = roster
        self._changed(role)
