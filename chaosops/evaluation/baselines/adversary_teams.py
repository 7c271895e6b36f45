"""Adversaries as teams that baselines play beside the policies, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chaosops.agents.policies import Policy
from chaosops.agents.seats import seat_policies
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.adversaries.runbook_bot import RunbookBot
from chaosops.evaluation.adversaries.shotgun import try_the_next
from chaosops.evaluation.adversaries.thoughtless import HABITS
from chaosops.evaluation.study import Seats

_TEAMMATE: Final = "steady"


def _shotgun(scenario: Scenario) -> Seats:
    return dict.fromkeys(TURN_ORDER, try_the_next)


def _runbook_bot(scenario: Scenario) -> Seats:
    return dict.fromkeys(TURN_ORDER, RunbookBot())


def _beside_steady(habit: str) -> Callable[[Scenario], Seats]:
    def team(scenario: Scenario) -> Seats:
        seats: dict[AgentRole, Policy] = dict(
            seat_policies(dict.fromkeys(TURN_ORDER, _TEAMMATE), scenario)
        )
        return {**seats, AgentRole.SRE: HABITS[habit]}

    return team


ADVERSARY_TEAMS: Final[Mapping[str, Callable[[Scenario], Seats]]] = MappingProxyType(
    {
        "shotgun": _shotgun,
        "runbook-bot": _runbook_bot,
        "accepts": _beside_steady("accepts"),
        "looks-once": _beside_steady("looks once"),
    }
)
"""The team of each adversary.

Shotgun and the runbook bot hold all seats. The others are an SRE beside steady teammates, who
accepts every proposal, at once or after one look.
"""
