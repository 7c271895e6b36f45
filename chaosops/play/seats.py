"""The roster: people in some seats, policies in others, and copilots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple, TypeVar

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.registry import Policies
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.play.formatting import shown
from chaosops.recording.events import Seat, SeatKind

_Seat = TypeVar("_Seat")

PASSES: Final = "nobody"
"""The name of the policy of an empty seat."""


class Seating(NamedTuple):
    """Who plays: a short word for each role ("you", "expert"), and the roles of people."""

    words: Mapping[AgentRole, str]
    people: frozenset[AgentRole]


@dataclass(frozen=True)
class Roster:
    """The four seats; an empty one passes.

    Attributes:
        people: The seats of people.
        teammates: The policies of the others. A seat in `people` is a person's anyway.
        names: The names of the policies, copilots included.
        copilots: Policies that propose actions to a person, who decides.
        shot_clock: Seconds that a person has for a turn; 0 for no limit.
        policies: Makes the policies of seats that change.
    """

    people: frozenset[AgentRole]
    teammates: Mapping[AgentRole, Policy]
    names: Mapping[AgentRole, str]
    copilots: Mapping[AgentRole, Policy] = field(default_factory=dict)
    shot_clock: int = 0
    policies: Policies = field(default_factory=Policies, compare=False, repr=False)

    def seat(self, role: AgentRole) -> Seat:
        """Return the seat as it is recorded."""
        kind, policy = SeatKind.HUMAN, None
        if role not in self.people:
            kind, policy = SeatKind.SCRIPTED, self.policy_name(role)
        elif role in self.copilots:
            kind, policy = SeatKind.COPILOT, self.copilot_name(role)
        return Seat(kind=kind, policy=policy, shot_clock=self.shot_clock or None)

    def policy(self, role: AgentRole) -> Policy:
        """Return the policy of a seat; an empty one passes."""
        return self.teammates.get(role, pass_turn)

    def policy_name(self, role: AgentRole) -> str:
        """Return the name of a seat's policy."""
        return self.names.get(role, "policy") if role in self.teammates else PASSES

    def copilot_name(self, role: AgentRole) -> str:
        """Return the name of a seat's copilot; empty if there is none."""
        return self.names.get(role, "policy") if role in self.copilots else ""

    def word(self, role: AgentRole) -> str:
        """Return a short word for a seat: "you", "you + expert", "expert"."""
        if role not in self.people:
            return shown(self.policy_name(role), 40)
        name = shown(self.copilot_name(role), 40)
        return f"you + {name}" if role in self.copilots else "you"

    def words(self) -> dict[AgentRole, str]:
        """Return a short word for each seat, for the header."""
        return {role: self.word(role) for role in TURN_ORDER}

    def seating(self) -> Seating:
        """Return the seats as the header shows them."""
        return Seating(self.words(), self.people)

    def with_person(self, role: AgentRole) -> Roster:
        """Return the roster with a person in a seat, without a copilot."""
        return replace(
            self,
            people=self.people | {role},
            teammates=_without(self.teammates, role),
            copilots=_without(self.copilots, role),
            names=_without(self.names, role),
        )

    def with_policy(self, role: AgentRole, policy: Policy, name: str) -> Roster:
        """Return the roster with a policy in a seat."""
        bare = self.with_person(role)
        return replace(
            bare,
            people=self.people - {role},
            teammates={**bare.teammates, role: policy},
            names={**bare.names, role: name},
        )

    def with_copilot(self, role: AgentRole, policy: Policy, name: str) -> Roster:
        """Return the roster with a person and a copilot in a seat."""
        bare = self.with_person(role)
        return replace(
            bare,
            copilots={**bare.copilots, role: policy},
            names={**bare.names, role: name},
        )


def _without(seats: Mapping[AgentRole, _Seat], role: AgentRole) -> dict[AgentRole, _Seat]:
    return {other: value for other, value in seats.items() if other is not role}
