"""The turns of an episode: who takes them, and what the plain actions do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chaosops.env.actions import (
    HINT,
    hints_problem,
    read_proposal,
    read_reply,
)
from chaosops.env.incident_world import IncidentWorld
from chaosops.env.lines import receiver
from chaosops.env.models import (
    EMPTY,
    REPLY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    ChaosOpsState,
    Message,
    RoleView,
    Source,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.scope import instance_number
from chaosops.env.models.verbs import FIXES
from chaosops.env.new_records import new_last_action, new_observation
from chaosops.env.views import TeamState, Views
from chaosops.errors import EpisodeOver
from chaosops.rewards.reward_fn import RewardCalculator, StepRewardBreakdown, TurnFacts
from chaosops.scenarios.scenario import Scenario

_NAMES: Final = {role: spec.name for role, spec in ROLES.items()}


def wrote_to(to: AgentRole | None) -> str:
    """Say to whom somebody wrote; None stands for everyone."""
    return f"wrote to {'all' if to is None else _NAMES[to]}"


# Calling an enumeration with a value costs as much as the rest of a simple action.
_VERBS: Final[Mapping[str, ActionType]] = MappingProxyType({verb: verb for verb in ActionType})
_SOURCES: Final[Mapping[str, Source]] = MappingProxyType({source: source for source in Source})


class Turn:
    """The results so far of the turn that is being taken."""

    message = ""
    hints: tuple[int, ...] = ()
    resolved = False
    miscommunication = False
    false_all_clear = False


class Episode(ABC):
    """The turns of one episode in its own world.

    Attributes:
        last: The reward of the last turn.
    """

    def __init__(
        self,
        scenario: Scenario,
        world: IncidentWorld,
        calculator: RewardCalculator,
        team: TeamState | None = None,
    ) -> None:
        self._scenario = scenario
        self._turns = scenario.max_steps * len(TURN_ORDER)
        self._calculator = calculator
        self._world = world
        self._team = team or TeamState()
        self._views = Views(self._world, self._team, self._turns)
        self._hold = scenario.hold
        self._deeds: Mapping[ActionType, Deed] = DEEDS
        self._hinted: frozenset[int] = frozenset()
        self._step = 0
        self._resolved = False
        self._done = False
        self._cumulative = 0.0
        self._wrong_fixes = 0
        self.last = StepRewardBreakdown()

    def fork(self) -> Episode:
        """Return an independent episode in the same state."""
        twin = self._twin()
        twin._hinted = self._hinted
        twin._step, twin._resolved, twin._done = self._step, self._resolved, self._done
        twin._cumulative, twin._wrong_fixes = self._cumulative, self._wrong_fixes
        twin.last = self.last
        return twin

    @abstractmethod
    def _twin(self) -> Episode:
        """Return an episode with a copy of the world, and of what the team has said and found."""

    @property
    def role(self) -> AgentRole:
        """The role whose turn it is."""
        return TURN_ORDER[self._step % len(TURN_ORDER)]

    def observe(self, reward: float, message: str, *, refused: bool = False) -> ChaosOpsObservation:
        """Return the observation of the current role."""
        role = self.role
        return new_observation(
            turn_role=role,
            view=self._views.of(role),
            step=self._step,
            reward=reward,
            done=self._done,
            message=message,
            refused=refused,
        )

    def view_of(self, role: AgentRole) -> RoleView:
        """Return what a role sees now."""
        return self._views.of(role)

    def state(self) -> ChaosOpsState:
        """Return the true state of the episode."""
        declared = self._team.diagnoses
        return ChaosOpsState(
            self._resolved,
            self._step,
            self._cumulative,
            self._wrong_fixes,
            self._world.automation.accused,
            declared[-1].cause if declared else None,
            self._done,
            self._world.faults_live,
            self._world.users_ok,
        )

    def step(self, action: ChaosOpsAction) -> ChaosOpsObservation:
        """Take the turn of the action's role, whose turn it must be, and advance by a minute.

        Raises:
            EpisodeOver: The episode has ended.
        """
        if self._done:
            raise EpisodeOver("the episode is over: call reset(scenario=...) for another one")
        role, world = action.role, self._world
        turn = Turn()
        if action.args is not EMPTY:
            self._take_hints(action, turn)
        self._act(action, turn)
        verb = None if turn.miscommunication else _VERBS[action.action_type]
        self._team.doing[role] = new_last_action(role, world.minute, turn.message, verb)
        world.advance()
        self._wrong_fixes += world.wrong_landings
        self._step += 1
        if world.held >= self._hold and not turn.resolved:
            turn.resolved = world.causes_gone
        return self._settle(turn)

    def _settle(self, turn: Turn) -> ChaosOpsObservation:
        self._resolved = turn.resolved
        self._done = turn.resolved or self._step >= self._turns or self._world.is_taken_away
        self.last = self._calculator.of(self._facts(turn))
        reward = self.last.total
        self._cumulative += reward
        return self.observe(reward, turn.message, refused=turn.miscommunication)

    @abstractmethod
    def _facts(self, turn: Turn) -> TurnFacts:
        """Return what the reward of a turn depends on."""

    def _take_hints(self, action: ChaosOpsAction, turn: Turn) -> None:
        levels = action.args.get(HINT)
        if levels is not None and not hints_problem(levels):
            turn.hints = tuple(level for level in levels if level not in self._hinted)
            self._hinted |= frozenset(turn.hints)

    def _act(self, action: ChaosOpsAction, turn: Turn) -> None:
        automation = self._world.automation
        allowed = self._world.actions.allowed(
            action.role,
            automation.paused,
            automation.flagged,
            self._team.requests or (),
            self._team.agent_requests,
            update=self._team.due is not None,
        )
        findings = self._team.findings[action.role]
        problem = self._world.actions.problem(action, allowed, len(findings))
        problem = problem or self._world.problem_here(action)
        if problem:
            turn.miscommunication = True
            turn.message = f"{_NAMES[action.role]} lost the turn: {problem}"
            return
        verb = _VERBS[action.action_type]
        action = self._world.settled(action)
        self._deeds[verb](self, action, verb, action.target or "", turn)
        self._team.take_up(self._world.minute, action, verb)

    def _pass(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        turn.message = f"{_NAMES[action.role]} passed"

    def _pause(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        self._world.automation.pause(target)
        self._world.note(action.role, verb, target)
        turn.message = f"{_NAMES[action.role]} paused {target}"

    def _resume(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        self._world.automation.resume(target)
        self._world.note(action.role, verb, target)
        turn.message = f"{_NAMES[action.role]} let {target} go on"

    def _investigate(
        self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn
    ) -> None:
        source = _SOURCES[action.args["source"]]
        finding = self._world.look(action.role, source, target)
        findings = self._team.findings
        findings[action.role] = (*findings[action.role], finding)
        turn.message = f"{_NAMES[action.role]} looked at {source.value} of {target}"

    def _talk(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        if verb is ActionType.ASSIGN:
            to: AgentRole | None = AgentRole(str(action.target))
        else:
            to = receiver(action.args)
        self._tell(action.role, to, action.args, private=verb is ActionType.COMMUNICATE)
        who = _NAMES[action.role]
        if verb is ActionType.ASSIGN and to is not None:
            turn.message = f"{who} assigned work to {_NAMES[to]}"
        else:
            turn.message = f"{who} {wrote_to(to)}"

    def _tell(
        self, role: AgentRole, to: AgentRole | None, args: Mapping[str, Any], *, private: bool
    ) -> None:
        """Deliver what a message or a line says."""
        raw = args.get("proposal")
        causes = self._world.actions.named_causes
        proposal = None if raw is None else read_proposal(raw, causes)
        index = args.get("finding")
        finding = None if index is None else self._team.findings[role][index]
        reply = None if args.get(REPLY) is None else read_reply(args[REPLY], causes)
        text = str(args.get("text") or "").strip()
        if not text and proposal is not None:
            text = f"please {proposal.action_type.words} {proposal.target or ''}".strip()
        elif not text and finding is not None:
            text = f"{finding.source.value} of {finding.target}"
        self._team.deliver(
            Message(
                minute=self._world.minute,
                sender=role,
                to=to,
                text=text,
                proposal=proposal,
                finding=finding,
                reply=reply,
            ),
            private=private,
        )

    def _escalate(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        who = _NAMES[action.role]
        if self._world.is_in_flight(action):
            turn.message = f"{who}: {target} is escalated already"
            return
        item = self._world.launch(action, verb, target)
        minutes = item.lands - item.taken
        turn.message = f"{who} escalated {target}: an answer in {minutes} min"

    def _fix(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        world = self._world
        who = _NAMES[action.role]
        if world.is_in_flight(action):
            turn.message = f"{who}: {verb.words} {target} is in flight already"
            return
        item = world.launch(action, verb, target)
        most = world.most_replicas(target)
        wanted = item.args.get("replicas", 0)
        one = instance_number(item.args)
        note = f" (at most {most} replicas)" if wanted > most else f" instance {one}" if one else ""
        turn.message = f"{who}: {verb.words} {target}{note}, lands in {item.lands - item.taken} min"


Deed = Callable[[Any, ChaosOpsAction, ActionType, str, Turn], None]

DEEDS: Final[Mapping[ActionType, Deed]] = MappingProxyType(
    {
        **dict.fromkeys(FIXES, Episode._fix),
        ActionType.NOOP: Episode._pass,
        ActionType.INVESTIGATE: Episode._investigate,
        ActionType.COMMUNICATE: Episode._talk,
        ActionType.ASSIGN: Episode._talk,
        ActionType.ESCALATE: Episode._escalate,
        ActionType.PAUSE: Episode._pause,
        ActionType.RESUME: Episode._resume,
    }
)
"""The handler of each verb, called with well-formed actions."""
