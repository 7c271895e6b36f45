"""The duties of an episode: what seats risk is judged at its end.

From the level medium on, risky moves need two keys: who orders one asks the Manager to approve it.
The Manager owes users a status update now and then, which is true or costs.
A diagnosis is a sealed wager on the cause and its place, and an accusation says nothing until the
incident is over. The all-clear counts only after the hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from chaosops.env.actions import read_proposal
from chaosops.env.agent_requests import with_evidence
from chaosops.env.desk import Desk, RiskyMove
from chaosops.env.episode import DEEDS, Deed, Episode, Turn, wrote_to
from chaosops.env.incident_world import given
from chaosops.env.lines import receiver
from chaosops.env.living_world import LivingWorld
from chaosops.env.models import (
    SAY,
    ActionType,
    AgentRole,
    CauseFamily,
    ChaosOpsAction,
    Credit,
    Diagnosis,
    PaidFor,
    Source,
    Stake,
    UpdateContent,
    UpdatePoint,
)
from chaosops.env.models.approvals import FREEZES_AFTER, TWO_KEY_LEVELS, needs_approval
from chaosops.env.models.failures import cause_named
from chaosops.env.models.roles import ROLES
from chaosops.env.models.scope import instance_number
from chaosops.env.models.updates import families_of
from chaosops.env.models.verbs import FIXES
from chaosops.env.new_records import new_facts
from chaosops.env.status_desk import CALM_FOR, StatusDesk, UpdateFacts, moves_at
from chaosops.env.views import TeamState
from chaosops.rewards.reward_fn import RewardCalculator, TurnFacts, grain
from chaosops.scenarios.scenario import Scenario


class LivingEpisode(Episode):
    """One episode of a situation."""

    def __init__(
        self,
        scenario: Scenario,
        world: LivingWorld,
        calculator: RewardCalculator,
        team: TeamState | None = None,
    ) -> None:
        super().__init__(scenario, world, calculator, team)
        self._living = world
        self._deeds = _DEEDS
        self._due: list[Credit] = []
        self._accused_at: dict[str, int] = {}
        self._desk = Desk() if scenario.difficulty in TWO_KEY_LEVELS else None
        self._status = StatusDesk.of(scenario)
        if team is None and self._desk is not None:
            self._team.requests = ()

    def _twin(self) -> LivingEpisode:
        world, team = self._living.fork(), self._team.copy()
        twin = LivingEpisode(self._scenario, world, self._calculator, team)
        twin._accused_at = self._accused_at.copy()
        twin._desk = None if self._desk is None else self._desk.copy()
        twin._status = self._status.copy()
        return twin

    def _credit(self, component: PaidFor, amount: float, role: AgentRole, at: int, to: str) -> None:
        """Note what a deed earned or cost; it is paid with this turn."""
        self._due.append(Credit(component, grain(amount), role, at, self._world.minute, to))

    def _facts(self, turn: Turn) -> TurnFacts:
        weights = self._calculator.weights
        for item in self._living.wrong_items:
            cost = weights.wrong_fix_penalty
            if instance_number(item.args):
                cost = weights.wrong_instance_fix_penalty
            self._credit(PaidFor.WRONG_FIX, cost, item.role, item.taken, item.target)
            if self._desk is not None and item in self._desk.approved:
                at = self._desk.approved[item]
                self._credit(PaidFor.APPROVAL, weights.approval_penalty, _MANAGER, at, item.target)
        for item in self._living.cascading:
            cost = weights.cascade_penalty
            self._credit(PaidFor.CASCADE, cost, item.role, item.taken, item.target)
        if self._desk is not None:
            self._desk.expire(self._world.minute)
            self._show_requests(self._desk)
            self._team.frozen = self._wrong_fixes >= FREEZES_AFTER
        self._keep_users_told()
        self._team.agent_requests = self._living.asked.shown
        if self._done:
            self._judge_updates()
            self._judge_diagnosis()
            self._judge_accusations()
            self._judge_refusals()
            self._judge_answers()
        due, self._due = self._due, []
        if due:
            self._team.paid = (*self._team.paid, *due)
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

    def _act(self, action: ChaosOpsAction, turn: Turn) -> None:
        """Take the action, and say the line that comes with it."""
        super()._act(action, turn)
        if turn.miscommunication and action.action_type == ActionType.APPROVE:
            turn.message = self._why_not_approved(action) or turn.message
        said = None if turn.miscommunication else action.args.get(SAY)
        if said is not None:
            to = receiver(said)
            self._tell(action.role, to, said, private=True)
            turn.message = f"{turn.message}, and {wrote_to(to)}"

    def _order(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Launch a move, or ask for the approval that it needs."""
        desk, minute = self._desk, self._world.minute
        if desk is None or not needs_approval(verb, action.args, frozen=self._team.frozen):
            self._fix(action, verb, target, turn)
            return
        move = RiskyMove(action.role, verb, target, given(action.args))
        if self._readings().get(target):
            at = desk.approved_ahead(move, minute)
            if at is not None:
                waits = desk.waiting(move)
                if waits is not None:
                    desk.take(waits.number)
                self._launch(move, at)
                turn.message = f"{_name(move.role)}: {_said(move)}, as the Manager approved before"
                return
        number = desk.ask(move, minute)
        turn.message = f"{_name(move.role)} asks the Manager to approve: {_said(move)} ({number})"

    def _readings(self) -> dict[str, int]:
        """Count the readings that the team has taken, by target; an entry has those of all."""
        taken = [found.target for own in self._team.findings.values() for found in own]
        counted = dict.fromkeys(
            (entry.service for entry in self._world.topology.entries), len(taken)
        )
        for target in taken:
            if target not in counted:
                counted[target] = taken.count(target)
        return counted

    def _why_not_approved(self, action: ChaosOpsAction) -> str:
        """Explain why a request that waits can't be approved; empty if another thing is wrong."""
        for request in () if self._desk is None else self._desk.open:
            if request.number == action.args.get("request") and not request.readings:
                return (
                    f"{_name(action.role)} lost the turn: nobody has looked at {request.target} "
                    f"yet, so request {request.number} can't be approved; ask for a look first"
                )
        return ""

    def _show_requests(self, desk: Desk) -> None:
        if desk.open:
            desk.count_readings(self._readings())
        self._team.requests = desk.open

    def _launch(self, move: RiskyMove, approved: int) -> None:
        action = ChaosOpsAction(move.role, move.action_type, move.target, move.args)
        if self._desk is not None and not self._world.is_in_flight(action):
            item = self._world.launch(action, move.action_type, move.target)
            self._desk.approved[item] = approved

    def _approve(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        assert self._desk is not None
        request = self._desk.take(action.args["request"])
        move = RiskyMove.of(request)
        self._launch(move, self._world.minute)
        turn.message = f"Manager approved: {_said(move)} by {_name(move.role)}"

    def _refuse(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        assert self._desk is not None
        request = self._desk.take(action.args["request"])
        move = RiskyMove.of(request)
        if self._living.would_clear(*move):
            self._desk.refused_cures.append((self._world.minute, request.target))
        turn.message = f"Manager refused: {_said(move)} by {_name(move.role)}"

    def _assign(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Ask a role for an action; a risky one is approved in advance, or at once if it waits."""
        self._talk(action, verb, target, turn)
        proposal = read_proposal(action.args.get("proposal"))
        desk, minute = self._desk, self._world.minute
        if desk is None or proposal is None or proposal.target is None:
            return
        frozen = self._team.frozen
        if not needs_approval(proposal.action_type, proposal.args, frozen=frozen):
            return
        move = RiskyMove(
            AgentRole(target), proposal.action_type, proposal.target, given(proposal.args)
        )
        waits = desk.waiting(move)
        if waits is None or not waits.readings:
            desk.approve_ahead(move, minute)
        else:
            desk.take(waits.number)
            self._launch(move, minute)

    def _update(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Tell users how things stand; a true update calms them, and an untrue one costs."""
        minute, desk = self._world.minute, self._status
        self._charge_lateness()
        wrong = desk.send(minute, UpdateContent.of(action.args), self._known(minute))
        self._team.due, self._team.updates = desk.due, desk.sent
        if wrong is None:
            self._living.calm(CALM_FOR)
        else:
            self._charge_untruth(minute, wrong)
        turn.message = "Manager sent a status update"

    def _known(self, minute: int) -> UpdateFacts:
        """Return what an update could be checked against in a minute, now or some minutes ago."""
        world, team = self._world, self._team
        made = [one for one in team.diagnoses if one.minute <= minute]
        found = [one for own in team.findings.values() for one in own if one.minute <= minute]
        shared = [one.finding for one in team.channel if one.finding and one.minute <= minute]
        under_way, fixed = moves_at(minute, (*world.in_flight, *world.landed))
        waits = any(request.asked <= minute for request in team.requests or ())
        place = shared[-1].target if shared else ""
        return UpdateFacts(
            self._living.faring.before(world.minute - minute),
            families_of(made[-1].cause)[0] if made else CauseFamily.NOT_KNOWN,
            made[-1].place if made else place if place in world.topology.names() else "",
            frozenset(one.target for one in (*found, *shared)),
            under_way or waits,
            fixed,
        )

    def _keep_users_told(self) -> None:
        """Make an update due, or give up one that nobody sent."""
        minute, desk = self._world.minute, self._status
        if desk.due is not None and minute >= desk.due.closes:
            self._charge_lateness()
            desk.close()
        plan = desk.plan(minute)
        if plan is not None:
            desk.open(minute, self._known(minute), self._known(minute - plan.age))
        elif desk.due is not None:
            desk.keep_drafted(self._known(minute))
        self._team.due = desk.due

    def _charge_lateness(self) -> None:
        late, due = self._status.turns_late(self._world.minute), self._status.due
        if late and due is not None:
            cost = late * self._calculator.weights.status_update_penalty
            self._credit(PaidFor.STATUS_UPDATE, cost, _MANAGER, due.due, "late")

    def _charge_untruth(self, minute: int, point: UpdatePoint) -> None:
        cost = self._calculator.weights.untrue_update_penalty
        self._credit(PaidFor.STATUS_UPDATE, cost, _MANAGER, minute, point.value)

    def _judge_updates(self) -> None:
        """Charge the update that is late still, and each that named a wrong cause."""
        self._charge_lateness()
        self._status.close()
        self._team.due = None
        for sent in self._status.sent:
            said = sent.content
            if not sent.calms or said.cause is CauseFamily.NOT_KNOWN:
                continue
            if said.cause not in self._living.families:
                self._charge_untruth(sent.minute, UpdatePoint.CAUSE)
            elif said.place and said.place not in self._living.places_of_causes:
                self._charge_untruth(sent.minute, UpdatePoint.PLACE)

    def _judge_refusals(self) -> None:
        """Charge the Manager for each cure that was refused."""
        cost = self._calculator.weights.approval_penalty
        for at, target in () if self._desk is None else self._desk.refused_cures:
            self._credit(PaidFor.APPROVAL, cost, _MANAGER, at, target)

    def _answer(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Grant or deny what an agent asks for; whether that is right is told at the end."""
        is_granted = verb is ActionType.GRANT
        asked = self._living.asked
        request = asked.answer(self._living.world, action.args["request"], is_granted=is_granted)
        self._team.agent_requests = asked.shown
        said = "granted" if is_granted else "denied"
        turn.message = (
            f"Oversight {said} request {request.number} of {request.agent}: "
            f"{request.command} at {request.target}"
        )

    def _ask(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Let an agent show what its request rests on."""
        number = action.args["request"]
        request, evidence = self._living.asked.evidence(number)
        found = self._living.look(action.role, Source.AUTOMATION, request.agent)
        findings = self._team.findings
        findings[action.role] = (*findings[action.role], with_evidence(found, number, evidence))
        turn.message = f"Oversight asked {request.agent} for the evidence of request {number}"

    def _judge_answers(self) -> None:
        """Charge Oversight for each grant that did harm, and each denial of what would help."""
        cost = self._calculator.weights.grant_penalty
        for minute, agent in self._living.asked.wrong:
            self._credit(PaidFor.GRANT, cost, AgentRole.OVERSIGHT, minute, agent)

    def _seal(self, action: ChaosOpsAction, verb: ActionType, target: str, turn: Turn) -> None:
        """Seal a diagnosis; the last one stands, and a change costs points."""
        args = action.args
        cause = cause_named(args["cause"])
        place = args.get("place") or ""
        stake = Stake(args.get("stake") or Stake.WORKING)
        made = Diagnosis(self._world.minute, action.role, cause, None, place, stake)
        before = self._team.diagnoses
        if before and not before[-1].says_the_same(made):
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
        return made.cause == self._scenario.failure_type

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


_MANAGER: Final = AgentRole.MANAGER

_STAKES: Final[Mapping[Stake, str]] = MappingProxyType(
    {Stake.WORKING: "working theory", Stake.CERTAIN: "certain"}
)


def _name(role: AgentRole) -> str:
    return ROLES[role].name


def _said(move: RiskyMove) -> str:
    given_args = "".join(f" {name} {value}" for name, value in move.args.items())
    return f"{move.action_type.words} {move.target}{given_args}"


_DEEDS: Final[Mapping[ActionType, Deed]] = MappingProxyType(
    {
        **DEEDS,
        **dict.fromkeys(FIXES, LivingEpisode._order),
        ActionType.ASSIGN: LivingEpisode._assign,
        ActionType.APPROVE: LivingEpisode._approve,
        ActionType.REFUSE: LivingEpisode._refuse,
        ActionType.UPDATE: LivingEpisode._update,
        ActionType.GRANT: LivingEpisode._answer,
        ActionType.DENY: LivingEpisode._answer,
        ActionType.ASK: LivingEpisode._ask,
        ActionType.DIAGNOSE: LivingEpisode._seal,
        ActionType.FLAG: LivingEpisode._accuse,
        ActionType.RESOLVE: LivingEpisode._declare_over,
    }
)
"""The handler of each verb, called with well-formed actions."""
