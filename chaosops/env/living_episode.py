"""An episode by the rules of the second edition: what seats risk is judged at its end.

A diagnosis is a sealed wager on the cause and its place, and an accusation says nothing until the
incident is over. The all-clear counts only after the hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.episode import DEEDS, Deed, Episode, Turn
from chaosops.env.incident_world import IncidentWorld
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Credit,
    Diagnosis,
    PaidFor,
    Stake,
)
from chaosops.env.models.failures import cause_named
from chaosops.env.models.roles import ROLES
from chaosops.env.new_records import new_facts
from chaosops.env.views import TeamState
from chaosops.rewards.reward_fn import RewardCalculator, TurnFacts, grain
from chaosops.scenarios.scenario import Scenario


class LivingEpisode(Episode):
    """One episode of a situation."""

    def __init__(
        self,
        scenario: Scenario,
        world: IncidentWorld,
        calculator: RewardCalculator,
        team: TeamState | None = None,
    ) -> None:
        super().__init__(scenario, world, calculator, team)
        assert isinstance(world, LivingWorld)
        self._living = world
        self._can_be_fixed = True
        self._deeds = _DEEDS
        self._due: list[Credit] = []
        self._accused_at: dict[str, int] = {}
        if self._team.paid is None:
            self._team.paid = ()

    def _twin(self, world: IncidentWorld) -> Episode:
        twin = LivingEpisode(self._scenario, world, self._calculator, self._team.copy())
        twin._accused_at = self._accused_at.copy()
        return twin

    def _credit(self, component: PaidFor, amount: float, role: AgentRole, at: int, to: str) -> None:
        """Note what a deed earned or cost; it is paid with this turn."""
        self._due.append(Credit(component, grain(amount), role, at, self._world.minute, to))

    def _facts(self, turn: Turn) -> TurnFacts:
        weights = self._calculator.weights
        for item in self._living.wrong_items:
            cost = weights.wrong_fix_penalty
            self._credit(PaidFor.WRONG_FIX, cost, item.role, item.taken, item.target)
        if self._done:
            self._judge_diagnosis()
            self._judge_accusations()
        due, self._due = self._due, []
        if due:
            self._team.paid = (*(self._team.paid or ()), *due)
        return new_facts(
            failed=1.0 - self._world.users_ok,
            resolved=turn.resolved,
            under_budget=turn.resolved and self._step <= self._scenario.par,
            miscommunication=turn.miscommunication,
            false_all_clear=turn.false_all_clear,
            hints=turn.hints,
            terminal=self._done and not turn.resolved,
            amounts=tuple([(credit.component, credit.amount) for credit in due]),
        )

    def _seal(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Seal a diagnosis; the last one stands, and a change costs points."""
        args = action.args
        cause = cause_named(args["cause"])
        place = args.get("place") or ""
        stake = Stake(args.get("stake") or Stake.WORKING)
        made = Diagnosis(self._world.minute, action.role, cause, None, place, stake)
        before = self._team.diagnoses
        if before and before[-1][2:] != made[2:]:
            cost = self._calculator.weights.diagnosis_change_penalty
            self._credit(PaidFor.CHANGED_DIAGNOSIS, cost, action.role, made.minute, place)
        self._team.diagnoses = (*before, made)
        where = f" at {place}" if place else ""
        turn.message = (
            f"{ROLES[action.role].name} diagnosed {cause.replace('_', ' ')}{where}: "
            f"{_STAKES[stake]}, sealed"
        )

    def _judge_diagnosis(self) -> None:
        """Pay what stood when the first cure was ordered; what was named later wins less."""
        made = self._team.diagnoses
        if not made:
            return
        ordered = self._living.cure_ordered
        in_time = [one for one in made if ordered is None or one.minute <= ordered]
        stood = in_time[-1] if in_time else made[-1]
        amount = self._worth(stood)
        if not in_time:
            amount = min(amount, self._calculator.weights.late_diagnosis_bonus)
        component = PaidFor.RIGHT_DIAGNOSIS if amount > 0.0 else PaidFor.WRONG_DIAGNOSIS
        self._credit(component, amount, stood.role, stood.minute, stood.place)
        self._team.diagnoses = tuple([one._replace(right=self._is_right(one)) for one in made])

    def _is_right(self, made: Diagnosis) -> bool:
        return made.cause in self._right

    def _worth(self, made: Diagnosis) -> float:
        weights = self._calculator.weights
        certain = made.stake is Stake.CERTAIN
        if not self._is_right(made):
            return weights.certain_penalty if certain else weights.working_penalty
        bonus = weights.certain_bonus if certain else weights.working_bonus
        return bonus if made.place in self._living.sites else bonus / 2.0

    def _judge_accusations(self) -> None:
        automation, weights = self._world.automation, self._calculator.weights
        for name in automation.accused:
            guilty = automation.is_guilty(name)
            amount = weights.rogue_caught_bonus if guilty else weights.rogue_false_positive_penalty
            component = PaidFor.RIGHT_ACCUSATION if guilty else PaidFor.WRONG_ACCUSATION
            self._credit(component, amount, AgentRole.OVERSIGHT, self._accused_at[name], name)

    def _accuse(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        self._world.automation.flag(target)
        self._accused_at[target] = self._world.minute
        self._world.note(action.role, verb, target)
        turn.message = f"Oversight flagged {target} as rogue: judged when the incident is over"

    def _declare_over(
        self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn
    ) -> None:
        world = self._world
        if self._living.is_over and world.held >= self._hold:
            turn.resolved = True
            turn.message = "Manager declared the incident over"
        else:
            turn.false_all_clear = True
            turn.message = "Manager declared the incident over, and it was not"


_STAKES: Final[Mapping[Stake, str]] = MappingProxyType(
    {Stake.WORKING: "working theory", Stake.CERTAIN: "certain"}
)

_DEEDS: Final[Mapping[ActionType, Deed]] = MappingProxyType(
    {
        **DEEDS,
        ActionType.DIAGNOSE: LivingEpisode._seal,
        ActionType.FLAG: LivingEpisode._accuse,
        ActionType.RESOLVE: LivingEpisode._declare_over,
    }
)
"""The handler of each verb, called with well-formed actions."""
