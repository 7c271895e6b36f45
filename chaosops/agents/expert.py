"""The expert: a first responder that mitigates before it diagnoses.

It fixes proven causes, asks others for what it can't do, names the cause once it is sure, shares
conclusive findings, and otherwise investigates wherever it learns the most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.agents.acting import act, can
from chaosops.agents.candidates import MOST_CANDIDATES, Candidate
from chaosops.agents.cures import (
    OUT_OF_BOUNDS,
    is_open,
    is_untreated,
    next_cure,
    proven,
    roll_back,
    supported,
    telling,
    tells,
)
from chaosops.agents.duties import Duty, unasked
from chaosops.agents.handbook import HANDBOOK, Cure
from chaosops.agents.leave import answer_in_time, answer_request
from chaosops.agents.reasoning import (
    CauseBelief,
    RankedLook,
    beliefs,
    cured_at,
    known,
    looks,
    relapsed_since,
)
from chaosops.agents.reasons import reason_for
from chaosops.agents.saying import looked_for, with_finding
from chaosops.agents.second_key import backed, look_behind
from chaosops.agents.uniform import Dice
from chaosops.agents.updating import amended
from chaosops.env.models import (
    SAY,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Message,
    RoleView,
    Stake,
)

_CERTAIN: Final = 0.9
_BEARABLE: Final = 60
_ASK_AGAIN: Final = 8
_FRESH: Final = 8


class Expert:
    """Plays any role. The seed only decides between equally good investigations."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the action for this turn."""
        return next(self._moves(observation)).action

    def candidates(self, observation: ChaosOpsObservation, role: AgentRole) -> list[Candidate]:
        """Return its best three moves, each with its reason; the first is its action."""
        top = beliefs(observation.view)[0]
        found: list[_Move] = []
        for move in self._moves(observation):
            is_new = all(_core(move.action) != _core(other.action) for other in found)
            # Passing is no alternative to a move that it values.
            if is_new and (not found or move.action.action_type is not ActionType.NOOP):
                found.append(move)
            if len(found) == MOST_CANDIDATES:
                break
        return [Candidate(move.action, move.reason(top)) for move in found]

    def explain(self, observation: ChaosOpsObservation, role: AgentRole) -> str:
        """Explain its action in this turn in one sentence, from the observation alone."""
        move = next(self._moves(observation))
        return move.reason(beliefs(observation.view)[0])

    def _moves(self, observation: ChaosOpsObservation) -> Iterator[_Move]:
        """Yield what it would do, the most urgent duty first, and at last pass.

        Looks come in the order of what they tell.
        """
        view = observation.view
        held = beliefs(view)
        for duty in unasked("expert", view.role):
            if duty is Duty.LOOK:
                moves = self._looks(view, held, observation.step)
            else:
                moves = _moves_of(_RESPONSES[duty](view, held))
            for move in moves:
                yield move._replace(action=with_finding(move.action, view, _untold(view)))
        yield _Move(act(view, ActionType.NOOP, None))

    def _looks(self, view: RoleView, held: tuple[CauseBelief, ...], step: int) -> Iterator[_Move]:
        """Yield investigations, the one that tells most first, while there is something to find."""
        wanted = look_behind(view)
        if wanted is not None:
            yield _Move(wanted, why="A risky move waits until somebody has looked there.")
        found = looks(view, held)
        if not found or not (is_open(view) or is_untreated(view)):
            return
        equal = [look for look in found if look.worth == found[0].worth]
        first = equal[Dice(self._seed, step).below(len(equal))]
        yield _look(view, first, 1.0)
        for look in found:
            if look is not first:
                yield _look(view, look, look.worth / first.worth)


class _Move(NamedTuple):
    """An action.

    Attributes:
        worth: For a look, what it tells, relative to the one that tells most.
        why: A reason of its own; empty for the one that follows from the action.
    """

    action: ChaosOpsAction
    worth: float = 1.0
    why: str = ""

    def reason(self, top: CauseBelief) -> str:
        """Return the reason in a sentence, by the likeliest cause."""
        return self.why or reason_for(self.action, top, self.worth)


def _moves_of(action: ChaosOpsAction | None) -> Iterator[_Move]:
    if action is not None:
        yield _Move(action)


def _look(view: RoleView, look: RankedLook, worth: float) -> _Move:
    action = act(view, ActionType.INVESTIGATE, look.target, {"source": look.source.value})
    return _Move(action, worth)


def _core(action: ChaosOpsAction) -> tuple[object, ...]:
    """Return what tells an action from another, whatever is said with it."""
    args = {name: value for name, value in action.args.items() if name != SAY}
    return action.action_type, action.target, args


def _decide(view: RoleView, held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Approve a move that waits, unless a proven cause has another cure."""
    requests = backed(view)
    if view.role is not AgentRole.MANAGER or not requests:
        return None
    request, top = requests[0], proven(held)
    fits = top is None or any(
        cure.verb is request.action_type for belief in held[:1] for cure in belief.page.cures
    )
    verb = ActionType.APPROVE if fits else ActionType.REFUSE
    return act(view, verb, None, {"request": request.number})


def _keep_users_told(view: RoleView, _held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Send the status update that is due, with what the view shows."""
    return amended(view)


def _contain(view: RoleView, _held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Pause an agent that acted beyond its policy or its gates, tell the others, and flag it."""
    if view.agents is None or view.paused is None or view.flagged is None:
        return None
    for fact in known(view):
        if fact.sign not in OUT_OF_BOUNDS or fact.place not in view.agents:
            continue
        if fact.place not in view.paused:
            return act(view, ActionType.PAUSE, fact.place)
        if fact.place not in view.flagged:
            return _share(view, ()) or act(view, ActionType.FLAG, fact.place)
    return None


def _answer_agents(view: RoleView, _held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Grant or deny what an agent asks for, or ask it for evidence.

    Who is guilty comes first: it looks at each agent before, unless one is paused already, and
    answers only what is about to lapse.
    """
    seen = {finding.target for finding in view.findings}
    if not view.paused and not seen.issuperset(view.agents or ()):
        return answer_in_time(view)
    return answer_request(view)


def _trusted(view: RoleView, held: tuple[CauseBelief, ...]) -> CauseBelief | None:
    """Return what is proven, or what a teammate has diagnosed and is certain of.

    A cause of several forms, each with its own cure, has to be proven.
    """
    own = proven(held)
    if own is not None or not view.diagnoses:
        return own
    made, since = view.diagnoses[-1], relapsed_since(view)
    if made.stake is not Stake.CERTAIN or not made.place:
        return None
    if since is not None and made.minute < since:
        return None
    for belief in held:
        if belief.cause is made.cause and len(HANDBOOK[belief.cause]) == 1:
            return belief._replace(place=made.place, by=made.place, settled=True)
    return None


def _wanted_cure(
    view: RoleView, held: tuple[CauseBelief, ...]
) -> tuple[CauseBelief, Cure, str] | None:
    """Return the belief that is acted on, its next cure, by whichever role, and the target."""
    top = _trusted(view, held)
    if top is None or not (is_open(view) or is_untreated(view)):
        return None
    found = next_cure(view, top)
    return None if found is None else (top, *found)


def _cure(view: RoleView, held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Fix a proven cause if this role can."""
    wanted = _wanted_cure(view, held)
    if wanted is None:
        return None
    top, cure, target = wanted
    if not can(view, cure.verb, target):
        return None
    if cure.verb is ActionType.ROLLBACK:
        return roll_back(view, top, target)
    return act(view, cure.verb, target, dict(cure.args))


def _ask(view: RoleView, held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Ask a role that can act, and attach the finding."""
    wanted = _wanted_cure(view, held)
    if wanted is None:
        return None
    top, cure, target = wanted
    if cure.role is view.role or can(view, cure.verb, target):
        return None
    if _asked(view, cure.verb, target):
        return None
    proposal = {"action_type": cure.verb.value, "target": target, "args": dict(cure.args)}
    if view.role is AgentRole.MANAGER:
        return act(view, ActionType.ASSIGN, cure.role.value, {"proposal": proposal})
    args: dict[str, Any] = {"to": cure.role.value, "proposal": proposal}
    index = telling(view, top)
    if index is not None:
        args["finding"] = index
    return act(view, ActionType.COMMUNICATE, None, args)


def _asked(view: RoleView, verb: ActionType, target: str) -> bool:
    recent = view.status.minute - _ASK_AGAIN
    return any(
        message.proposal is not None
        and message.proposal.action_type is verb
        and message.proposal.target == target
        and message.minute >= recent
        for message in (*view.channel, *view.inbox)
    )


def _name_in_time(view: RoleView, held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Seal a diagnosis before the cure is ordered, which pays more, if users can bear the delay."""
    return _diagnose(view, held) if view.status.budget >= _BEARABLE else None


def _diagnose(view: RoleView, held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Name the cause once it is proven, unless someone has.

    A cause that shows up after a cure has followed the one that was named, which is what counts.
    """
    top = proven(held)
    if top is None or not can(view, ActionType.DIAGNOSE, None):
        return None
    if view.diagnoses and cured_at(view) is not None:
        return None
    if any(made.cause is top.cause for made in view.diagnoses):
        return None
    stake = Stake.CERTAIN if top.share >= _CERTAIN else Stake.WORKING
    args = {"cause": top.cause.value, "stake": stake.value}
    if top.named_place:
        args["place"] = top.named_place
    return act(view, ActionType.DIAGNOSE, None, args)


def _share(view: RoleView, _held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Share the newest conclusive finding that nobody has shared yet."""
    index = _untold(view)
    if index is None:
        return None
    return act(view, ActionType.COMMUNICATE, None, {"to": "all", "finding": index})


def _untold(view: RoleView) -> int | None:
    """Return the newest conclusive finding that nobody has shared yet."""
    told = {
        (message.finding.source, message.finding.target)
        for message in view.channel
        if message.finding is not None
    }
    for index in range(len(view.findings) - 1, -1, -1):
        finding = view.findings[index]
        if (finding.source, finding.target) not in told and tells(finding):
            return index
    return None


def _answer(view: RoleView, held: tuple[CauseBelief, ...]) -> ChaosOpsAction | None:
    """Do what a teammate proposes if it is an investigation, or if what is known supports it."""
    message = _open_proposal(view)
    if message is None or message.proposal is None:
        return None
    proposal = message.proposal
    if not can(view, proposal.action_type, proposal.target):
        return None
    if proposal.action_type is ActionType.ROLLBACK and held[0].settled:
        return None
    if proposal.action_type is ActionType.INVESTIGATE or supported(proposal, view):
        done = act(view, proposal.action_type, proposal.target, dict(proposal.args))
        return looked_for(done, view)
    return None


def _open_proposal(view: RoleView) -> Message | None:
    """Return the newest recent proposal to this role that it has not acted on."""
    for message in sorted((*view.channel, *view.inbox), key=lambda m: -m.minute):
        proposal = message.proposal
        if (
            proposal is None
            or message.to is not view.role
            or message.sender is view.role
            or message.minute < view.status.minute - _FRESH
        ):
            continue
        done = any(
            item.action_type is proposal.action_type
            and item.target == proposal.target
            and item.taken >= message.minute
            for item in (*view.in_flight, *view.landed)
        )
        if not done:
            return message
    return None


_RESPONSES: Final[
    Mapping[Duty, Callable[[RoleView, tuple[CauseBelief, ...]], ChaosOpsAction | None]]
] = MappingProxyType(
    {
        Duty.DECIDE: _decide,
        Duty.UPDATE: _keep_users_told,
        Duty.CONTAIN: _contain,
        Duty.PERMIT: _answer_agents,
        Duty.DIAGNOSE_EARLY: _name_in_time,
        Duty.ANSWER: _answer,
        Duty.FIX: _cure,
        Duty.PROPOSE: _ask,
        Duty.DIAGNOSE: _diagnose,
        Duty.SHARE: _share,
    }
)
