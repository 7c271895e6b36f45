"""One seat as an environment: the others play inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Final

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.policy import words_of
from chaosops.agents.registry import Policies
from chaosops.agents.runner import EpisodeResult, EpisodeStep, PolicyError, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole, ChaosOpsObservation, Credit, RoleView
from chaosops.env.world_sim import Scenario
from chaosops.errors import ChaosOpsError, EpisodeOver
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import RewardWeights, StepRewardBreakdown
from chaosops.text.schemas import JsonSchema, action_schema, action_tools

_FOR_OVERSIGHT: Final = frozenset(
    component.name for component in COMPONENTS if component.is_for_oversight
)


def seat_share(
    breakdown: StepRewardBreakdown, role: AgentRole, deeds: Sequence[Credit] = ()
) -> float:
    """Return a seat's share of a turn's reward, whoever took the turn.

    Oversight has a reward of its own; the other seats have the team's, without what the deeds of
    other seats earned or cost.

    Args:
        deeds: What each deed earned or cost in this turn, as far as that is told apart.
    """
    if role is AgentRole.OVERSIGHT:
        own = breakdown.oversight_reward
        return own + sum(
            credit.amount
            for credit in deeds
            if credit.role is role and credit.component not in _FOR_OVERSIGHT
        )
    return breakdown.team_reward - sum(
        credit.amount
        for credit in deeds
        if credit.role is not role and credit.component not in _FOR_OVERSIGHT
    )


class SeatGame:
    """One episode as one seat plays it.

    Between two turns of the seat the others play, and what the seat is paid for a turn is its
    share of everything from then until its next turn. The payments of an episode add up to the
    seat's share of the episode's rewards, to the last bit.

    The same scenario, seat, others and actions give the same game. It can be pickled and copied
    if the policies of the others can.

    Attributes:
        scenario: The incident.
        role: The seat.
        score: The seat's share so far; at the end, the sum of all payments.
    """

    def __init__(
        self,
        scenario: Scenario,
        role: AgentRole | str,
        others: Mapping[AgentRole, Policy | str | None] | str = "expert",
        *,
        policies: Policies | None = None,
        weights: RewardWeights | None = None,
        max_turns: int | None = None,
    ) -> None:
        """Begin the episode, and play up to the seat's first turn.

        Args:
            role: The seat, such as "dev".
            others: Who plays each other seat: a policy, the name of one, or None for an empty
                seat, which passes, like one that is left out. A name alone is for all of them.
            policies: Makes policies by name; by default all but those of a family.
            weights: The weights of the rewards; the game's by default.
            max_turns: Where to cut the episode off, in turns of all seats.

        Raises:
            ChaosOpsError: There is no such role or policy.
            PolicyError: One of the others raised.
        """
        self.scenario = scenario
        self.role = _role(role)
        if isinstance(others, str):
            others = dict.fromkeys(TURN_ORDER, others)
        seats = {_role(seat): policy for seat, policy in others.items()}
        names = {
            seat: policy
            for seat, policy in seats.items()
            if isinstance(policy, str) and seat is not self.role
        }
        made: dict[AgentRole, Policy | str | None] = {**seats}
        made.update(seat_policies(names, scenario, policies))
        self._others = {
            seat: policy
            for seat, policy in made.items()
            if seat is not self.role and policy is not None and not isinstance(policy, str)
        }
        self._stepper = Stepper(ChaosOpsEnvironment(weights), scenario, max_turns=max_turns)
        self.score = 0.0
        self._unpaid = 0.0
        self._let_others_play()

    def __copy__(self) -> SeatGame:
        return deepcopy(self)

    @property
    def observation(self) -> ChaosOpsObservation:
        """What the seat sees: at its turn, or at the end of the episode."""
        seen = self._stepper.observation
        if seen.view.role is self.role:
            return seen
        return seen._replace(view=self.view_of(self.role))

    @property
    def done(self) -> bool:
        """Whether the episode has ended or was cut off."""
        return self._stepper.done

    @property
    def truncated(self) -> bool:
        """Whether `max_turns` cut the episode off before its end."""
        return self._stepper.truncated

    @property
    def steps(self) -> tuple[EpisodeStep, ...]:
        """The turns of all seats so far."""
        return self._stepper.steps

    @property
    def result(self) -> EpisodeResult:
        """The episode so far, as `run_episode` returns it."""
        return self._stepper.result()

    def view_of(self, role: AgentRole) -> RoleView:
        """Return what any role sees now.

        A player of the seat sees its own view alone; those of others are for critics that judge
        a whole team while it is trained, and for tests.
        """
        return self._stepper.view_of(role)

    def schema(self, *, strict: bool = False) -> JsonSchema:
        """Return the JSON Schema of what the seat may do now; see `action_schema`."""
        return action_schema(self.observation.view, strict=strict)

    def tools(self) -> list[JsonSchema]:
        """Return the tool definitions of what the seat may do now; see `action_tools`."""
        return action_tools(self.observation.view)

    def take(self, action: object) -> float:
        """Take the seat's turn, let the others play up to its next one, and return what it is paid.

        Anything that is not an action costs the turn, like every malformed action.

        Raises:
            EpisodeOver: The episode has ended or was cut off.
            PolicyError: One of the others raised; the error has the frames up to then. The game
                can't go on: begin another one.
        """
        if self.done:
            raise EpisodeOver("the episode is over: make another SeatGame to play again")
        if self._stepper.role is not self.role:
            raise EpisodeOver("one of the others raised before: make another SeatGame to play on")
        self._step(action)
        self._let_others_play()
        paid, self._unpaid = self._unpaid, 0.0
        return paid

    def _let_others_play(self) -> None:
        stepper = self._stepper
        while not stepper.done and stepper.role is not self.role:
            role = stepper.role
            try:
                action = self._others.get(role, pass_turn)(stepper.observation, role)
            except Exception as fault:
                message = (
                    f"the policy of {role.value} raised in turn {stepper.observation.step} of "
                    f"{self.scenario.label}: {words_of(fault)}"
                )
                raise PolicyError(message, stepper) from fault
            self._step(action)

    def _step(self, action: object) -> None:
        before = self._stepper.observation.view.paid or ()
        breakdown = self._stepper.take(action).breakdown
        new = (self._stepper.observation.view.paid or ())[len(before) :]
        share = seat_share(breakdown, self.role, new)
        self._unpaid += share
        self.score += share


def _role(role: AgentRole | str) -> AgentRole:
    try:
        return AgentRole(role)
    except ValueError:
        names = ", ".join(each.value for each in TURN_ORDER)
        raise ChaosOpsError(f"there is no role '{role}': choose from {names}") from None
