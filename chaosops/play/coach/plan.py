"""What the coach advises: the expert's move, or what a lone player among teammates does instead."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, NamedTuple

from chaosops.agents.acting import act, can
from chaosops.agents.cures import next_cure, proven, roll_back
from chaosops.agents.handbook import Cure
from chaosops.agents.policies import Policy
from chaosops.agents.reasoning import CauseBelief, RankedLook, beliefs, looks
from chaosops.agents.teamwork import decline, open_proposal
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    RoleView,
    Source,
)
from chaosops.play.action_form.picks import Offers
from chaosops.play.action_form.suggestions import proposals_to, same_act
from chaosops.play.coach.evidence import (
    cures_ordered,
    fixes_ordered,
    grounded,
    is_contained,
    open_question,
    out_of_bounds,
    unread_agent,
    untold,
    was_asked,
)
from chaosops.play.coach.tutorial import TutorialLesson
from chaosops.play.policy_answers import ask
from chaosops.play.wording import without_line

_SETTLING: Final = 6
"""Minutes after which a fix that landed has shown whether it helps."""

_BEARABLE: Final = 60
"""The error budget in percent below which a fix is more urgent than naming the cause."""


class CoachAim(Enum):
    """What a move is for."""

    DUTY = "a duty of the seat"
    LOOK = "find the cause"
    NAME = "name the cause"
    FIX = "fix it"
    SHARE = "tell what was found"
    PROPOSE = "ask the one who can"
    ACCEPT = "do what a teammate asks"
    ANSWER = "answer a teammate"
    ON_ITS_WAY = "wait for a fix"
    ASKED = "wait for a teammate"
    SETTLE = "see what a fix did"
    HOLD = "wait out the hold"
    WAIT = "wait for others"


class CoachPlan(NamedTuple):
    """The advised move.

    Attributes:
        top: The likeliest cause.
        sure: Whether readings prove it.
        is_masked: Whether users are well and something is left that no fix has cured.
    """

    action: ChaosOpsAction
    aim: CoachAim
    top: CauseBelief
    sure: bool
    is_masked: bool = False


def plan(
    observation: ChaosOpsObservation,
    expert: Policy,
    offers: Offers,
    lesson: TutorialLesson | None,
) -> CoachPlan:
    """Return the move for this turn, from what the team has read.

    Diagnoses that no reading supports count for nothing.
    """
    view = grounded(observation.view)
    held = beliefs(view)
    sure = proven(held)
    made = _Planner(view, untold(observation.view), held, sure, offers, lesson)
    wanted = ask(expert, observation._replace(view=view), view.role).action
    action, aim = made.move(wanted if isinstance(wanted, ChaosOpsAction) else None)
    is_well = view.status.users_ok >= view.status.slo
    treated = bool(fixes_ordered(view)) or view.status.held > view.status.hold
    masked = is_well and treated and not cures_ordered(view, sure)
    return CoachPlan(without_line(action), aim, held[0], sure is not None, masked)


class _Planner:
    """Chooses a move for one view."""

    def __init__(
        self,
        view: RoleView,
        untold_finding: int | None,
        held: tuple[CauseBelief, ...],
        sure: CauseBelief | None,
        offers: Offers,
        lesson: TutorialLesson | None,
    ) -> None:
        self._view, self._held, self._sure = view, held, sure
        self._untold = untold_finding
        self._offers, self._lesson = offers, lesson

    def move(self, wanted: ChaosOpsAction | None) -> tuple[ChaosOpsAction, CoachAim]:
        """Choose between the expert's move and another one, and say what it is for."""
        view = self._view
        verb = wanted.action_type if wanted is not None else ActionType.NOOP
        asked = self._asked_for()
        if asked is not None:
            return asked
        if wanted is not None and verb not in _OPEN:
            aim = _AIMS.get(ActionType(verb), CoachAim.DUTY)
            if _is_asked_for(view, wanted):
                return wanted, CoachAim.ACCEPT
            sooner = self._sooner(wanted)
            if sooner is not None:
                return sooner
            if verb is ActionType.COMMUNICATE:
                return self._said(wanted)
            return wanted, aim
        found = (
            self._pause()
            or self._cure()
            or self._wait()
            or self._share()
            or self._audit()
            or self._look(wanted)
        )
        if found is not None:
            return found
        return self._answer() or (act(view, ActionType.NOOP, None), CoachAim.WAIT)

    def _asked_for(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Have a teammate who asks do it, if what is known calls for that."""
        question = open_question(self._view)
        if question is None:
            return None
        for found in (self._pause(), self._cure()):
            if found is not None and found[1] is CoachAim.PROPOSE:
                action = found[0]
                if question.sender in (action.target, action.args.get("to")):
                    return found
        return None

    def _sooner(self, wanted: ChaosOpsAction) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Return the fix of a proven cause if it is more urgent than what the expert says."""
        is_share = (
            wanted.action_type is ActionType.COMMUNICATE and wanted.args.get("proposal") is None
        )
        can_wait = self._view.status.budget >= _BEARABLE
        if not is_share and (wanted.action_type is not ActionType.DIAGNOSE or can_wait):
            return None
        for found in (self._pause(), self._cure()):
            if found is not None and found[1] is not CoachAim.ASKED:
                return found
        return None

    def _said(self, wanted: ChaosOpsAction) -> tuple[ChaosOpsAction, CoachAim]:
        """Word a message as the form can make it: a reading is shared before a fix is proposed."""
        if wanted.args.get("proposal") is None:
            return wanted, CoachAim.SHARE
        shared = self._share()
        if shared is not None:
            return shared
        args = {name: value for name, value in wanted.args.items() if name != "finding"}
        return act(self._view, ActionType.COMMUNICATE, None, args), CoachAim.PROPOSE

    def _share(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        index = self._untold
        if index is None or not can(self._view, ActionType.COMMUNICATE, None):
            return None
        args = {"to": "all", "finding": index}
        return act(self._view, ActionType.COMMUNICATE, None, args), CoachAim.SHARE

    def _propose(
        self, role: AgentRole, verb: ActionType, target: str, args: Mapping[str, Any]
    ) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Ask a teammate, unless that was done lately and has not been refused."""
        view = self._view
        if role is view.role:
            return None
        if was_asked(view, verb, target):
            return act(view, ActionType.NOOP, None), CoachAim.ASKED
        proposal: dict[str, Any] = {"action_type": verb.value, "target": target}
        if args:
            proposal["args"] = dict(args)
        if view.role is AgentRole.MANAGER:
            told = act(view, ActionType.ASSIGN, role.value, {"proposal": proposal})
        else:
            said = {"to": role.value, "proposal": proposal}
            told = act(view, ActionType.COMMUNICATE, None, said)
        return told, CoachAim.PROPOSE

    def _pause(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Have an agent stopped that a reading shows beyond its policy."""
        agent = out_of_bounds(self._view)
        if agent is None or self._view.agents is not None:
            return None
        return self._propose(AgentRole.OVERSIGHT, ActionType.PAUSE, agent, {})

    def _cure(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Order what cures a proven cause, also while users are well because of something else."""
        view, sure = self._view, self._sure
        if sure is None or cures_ordered(view, sure):
            return None
        found = next_cure(view, sure) or self._cure_again(sure)
        if found is None:
            return None
        cure, target = found
        if can(view, cure.verb, target):
            if cure.verb is ActionType.ROLLBACK:
                back = roll_back(view, sure, target)
                return None if back is None else (back, CoachAim.FIX)
            return act(view, cure.verb, target, dict(cure.args)), CoachAim.FIX
        if cure.role is view.role:
            return None
        return self._share() or self._propose(cure.role, cure.verb, target, cure.args)

    def _cure_again(self, sure: CauseBelief) -> tuple[Cure, str] | None:
        """Return a cure that was ordered too early, or only for a part, and so cured nothing."""
        view = self._view
        if sure.page.is_automated and not is_contained(view):
            return None
        for cure in sure.page.cures:
            target = sure.at(cure.at)
            flying = any(
                (item.action_type, item.target) == (cure.verb, target) for item in view.in_flight
            )
            if target and not flying:
                return cure, target
        return None

    def _wait(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Wait for what cures a proven cause: until it lands, has worked, and the hold is over."""
        view, status = self._view, self._view.status
        ordered = cures_ordered(view, self._sure)
        if not ordered or open_question(view) is not None or open_proposal(view) is not None:
            return None
        passed = act(view, ActionType.NOOP, None)
        shared = self._share()
        if ordered[-1].lands > status.minute:
            return shared or (passed, CoachAim.ON_ITS_WAY)
        if status.users_ok >= status.slo:
            return (shared or (passed, CoachAim.HOLD)) if status.held <= status.hold else None
        if status.minute < ordered[-1].lands + _SETTLING:
            return shared or (passed, CoachAim.SETTLE)
        return None

    def _audit(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Have the log of an agent read that may be behind it."""
        view = self._view
        if view.agents is not None or self._sure is not None:
            return None
        agents = tuple(
            target
            for choice in self._offers.get(AgentRole.OVERSIGHT, ())
            if choice.action_type is ActionType.INVESTIGATE
            for target in choice.targets
        )
        agent = unread_agent(view, self._held, agents)
        if agent is None or was_asked(view, ActionType.INVESTIGATE, agent):
            return None
        args = {"source": Source.AUTOMATION.value}
        return self._propose(AgentRole.OVERSIGHT, ActionType.INVESTIGATE, agent, args)

    def _look(self, wanted: ChaosOpsAction | None) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Look where it tells the most, first with the instrument that the lesson introduces."""
        view = self._view
        if not any(choice.action_type is ActionType.INVESTIGATE for choice in view.allowed):
            return None
        first = self._first_look()
        if first is not None:
            return first, CoachAim.LOOK
        if wanted is not None and wanted.action_type is ActionType.INVESTIGATE:
            return self._by_the_new_instrument(wanted), CoachAim.LOOK
        if self._sure is not None and cures_ordered(view, self._sure):
            return None
        if not fixes_ordered(view) and view.status.users_ok >= view.status.slo:
            return None
        ranked = looks(view, self._held)
        return (_looked(view, ranked[0]), CoachAim.LOOK) if ranked else None

    def _first_look(self) -> ChaosOpsAction | None:
        view, lesson = self._view, self._lesson
        if lesson is None or view.findings or self._sure is not None:
            return None
        ranked = [look for look in looks(view, self._held) if look.source is lesson.first]
        if ranked:
            return _looked(view, ranked[0])
        return self._where_any(lesson.first)

    def _by_the_new_instrument(self, wanted: ChaosOpsAction) -> ChaosOpsAction:
        """Return a look at the same place with what the lesson introduces, if that can tell."""
        view, lesson = self._view, self._lesson
        if lesson is None or any(one.source is lesson.instrument for one in view.findings):
            return wanted
        for look in looks(view, self._held):
            if (look.source, look.target) == (lesson.instrument, wanted.target):
                return _looked(view, look)
        return wanted

    def _where_any(self, source: Source) -> ChaosOpsAction | None:
        """Return a look with an instrument at the place that any instrument tells most about."""
        view = self._view
        offered = next(
            (one for one in view.allowed if one.action_type is ActionType.INVESTIGATE), None
        )
        if offered is None or source.value not in offered.arguments[0].choices:
            return None
        ranked = looks(view, self._held)
        return _looked(view, ranked[0]._replace(source=source)) if ranked else None

    def _answer(self) -> tuple[ChaosOpsAction, CoachAim] | None:
        """Answer a teammate who waits, where nothing that is known speaks for it."""
        view = self._view
        if not can(view, ActionType.COMMUNICATE, None):
            return None
        asked = open_proposal(view)
        if asked is not None:
            return decline(asked, view.role, "no reading shows it"), CoachAim.ANSWER
        question = open_question(view)
        if question is None:
            return None
        args = {"to": question.sender.value, "text": "Not now: no reading shows it."}
        return act(view, ActionType.COMMUNICATE, None, args), CoachAim.ANSWER


def _looked(view: RoleView, look: RankedLook) -> ChaosOpsAction:
    return act(view, ActionType.INVESTIGATE, look.target, {"source": look.source.value})


def _is_asked_for(view: RoleView, wanted: ChaosOpsAction) -> bool:
    """Whether a teammate's proposal asks for the move."""
    return wanted.action_type is not ActionType.UPDATE and any(
        same_act(offer.action, wanted) for offer in proposals_to(view)
    )


_OPEN: Final = frozenset({ActionType.NOOP, ActionType.INVESTIGATE})
"""Moves of the expert in place of which the coach may have a better one for a lone player."""

_AIMS: Final[Mapping[ActionType, CoachAim]] = {
    ActionType.DIAGNOSE: CoachAim.NAME,
    ActionType.ASSIGN: CoachAim.PROPOSE,
    ActionType.RESTART: CoachAim.FIX,
    ActionType.SCALE: CoachAim.FIX,
    ActionType.FAILOVER: CoachAim.FIX,
    ActionType.DRAIN: CoachAim.FIX,
    ActionType.SHED_LOAD: CoachAim.FIX,
    ActionType.PURGE: CoachAim.FIX,
    ActionType.RAISE_LIMIT: CoachAim.FIX,
    ActionType.TERMINATE: CoachAim.FIX,
    ActionType.ROLLBACK: CoachAim.FIX,
    ActionType.DISABLE_FEATURE: CoachAim.FIX,
    ActionType.ROTATE: CoachAim.FIX,
}
