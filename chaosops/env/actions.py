"""What each role may do, and why an action is refused.

`ActionBook.allowed` is the one list of what a role may do. The picker, the plain mode, the
policies and the check of an incoming action all read it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from chaosops.env.lines import EVERYONE, line_problem
from chaosops.env.models import (
    EMPTY,
    MAX_TEXT,
    REPLY,
    SAY,
    TURN_ORDER,
    ActionType,
    AgentRequest,
    AgentRole,
    ApprovalRequest,
    ArgumentChoice,
    ChaosOpsAction,
    FrozenMap,
    Proposal,
    Reply,
    ReplyKind,
    Source,
    Stake,
    UpdatePoint,
    VerbChoice,
)
from chaosops.env.models.failures import cause_named, is_cause_name
from chaosops.env.models.roles import ROLES
from chaosops.env.models.scope import INSTANCE, SCOPED, scope_problem
from chaosops.env.models.topology import Topology
from chaosops.env.models.verbs import (
    AGENT_VERBS,
    ALL_CAUSES,
    ANSWERS,
    VERBS,
    WHEN_ASKED,
    minutes_in_flight,
    services_for,
)

# Looking up an enumeration member costs more than the look-up that it decides on.
_OVERSIGHT: Final = AgentRole.OVERSIGHT
_MANAGER: Final = AgentRole.MANAGER

_NOT_ALWAYS: Final = AGENT_VERBS | WHEN_ASKED | frozenset(ANSWERS)
"""The verbs that can be used only while there is something to use them on."""

_STAKES: Final = tuple(stake.value for stake in Stake)

HINT: Final = "hint"
"""The argument that every verb takes: the levels of the hints read before it."""


class ActionBook:
    """What each role may do in one topology with one set of automation agents.

    Attributes:
        named_causes: The causes that a proposal can name.
    """

    def __init__(
        self,
        topology: Topology,
        agents: tuple[str, ...],
        fixed: dict[AgentRole, tuple[VerbChoice, ...]] | None = None,
        causes: tuple[str, ...] = ALL_CAUSES,
    ) -> None:
        """Set up what can be done.

        Args:
            causes: What a diagnosis can name.
        """
        self._topology = topology
        self._causes = causes
        self.named_causes = frozenset((*ALL_CAUSES, *causes))
        self._agents = agents
        self._fixed = fixed or {
            role: tuple(
                self._choice(role, verb) for verb in ROLES[role].verbs if verb not in _NOT_ALWAYS
            )
            for role in TURN_ORDER
        }
        self._manager: tuple[VerbChoice, ...] = ()
        self._manager_for: tuple[tuple[ApprovalRequest, ...], bool] = ((), False)
        self._oversight: tuple[VerbChoice, ...] = ()
        self._oversight_for: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self._asked: tuple[AgentRequest, ...] = ()

    def with_agents(self, agents: tuple[str, ...]) -> ActionBook:
        """Return the book of the same topology with other agents; itself if they are the same."""
        if agents == self._agents:
            return self
        other = ActionBook(self._topology, agents, self._fixed, self._causes)
        oversight = AgentRole.OVERSIGHT
        look = other._choice(oversight, ActionType.INVESTIGATE)
        rest = [
            choice
            for choice in self._fixed[oversight]
            if choice.action_type is not ActionType.INVESTIGATE
        ]
        other._fixed = {**self._fixed, oversight: (look, *rest)}
        return other

    def with_changes(self, versions: tuple[str, ...]) -> ActionBook:
        """Return a book whose rollback names a change: one of these, or the newest."""
        other = ActionBook(self._topology, self._agents, dict(self._fixed), self._causes)
        argument = ArgumentChoice("change", versions, False)
        for role, choices in other._fixed.items():
            other._fixed[role] = tuple(
                choice._replace(arguments=(argument,))
                if choice.action_type is ActionType.ROLLBACK and versions
                else choice
                for choice in choices
            )
        return other

    def with_causes(self, causes: tuple[str, ...]) -> ActionBook:
        """Return a book whose diagnoses name one of these; itself if they are the same."""
        if causes == self._causes:
            return self
        other = ActionBook(self._topology, self._agents, dict(self._fixed), causes)
        argument = ArgumentChoice("cause", causes, True)
        for role, choices in other._fixed.items():
            other._fixed[role] = tuple(
                choice._replace(arguments=(argument, *choice.arguments[1:]))
                if choice.action_type is ActionType.DIAGNOSE
                else choice
                for choice in choices
            )
        return other

    def allowed(
        self,
        role: AgentRole,
        paused: tuple[str, ...],
        flagged: tuple[str, ...],
        requests: tuple[ApprovalRequest, ...] = (),
        agent_requests: tuple[AgentRequest, ...] = (),
        *,
        update: bool = False,
    ) -> tuple[VerbChoice, ...]:
        """List what the role may do now; the same object until something changes.

        Args:
            requests: The moves that wait for the Manager's approval.
            agent_requests: What automation agents ask Oversight for.
            update: Whether a status update is due.
        """
        if role is not _OVERSIGHT:
            asked = role is _MANAGER and (update or requests)
            return self._deciding(requests, update) if asked else self._fixed[role]
        if self._oversight_for != (paused, flagged) or self._asked != agent_requests:
            running = tuple(name for name in self._agents if name not in paused)
            open_to_flag = tuple(name for name in self._agents if name not in flagged)
            by_verb = {choice.action_type: choice for choice in self._fixed[role]}
            for verb, targets in (
                (ActionType.PAUSE, running),
                (ActionType.RESUME, paused),
                (ActionType.FLAG, open_to_flag),
            ):
                if targets:
                    group = VERBS[verb].group
                    by_verb[verb] = VerbChoice(verb, group, targets, (), (0, 0))
            if agent_requests:
                open_ones = tuple(each.number for each in agent_requests)
                numbers = ArgumentChoice("request", open_ones, True)
                for verb in ANSWERS:
                    by_verb[verb] = VerbChoice(verb, VERBS[verb].group, (), (numbers,), (0, 0))
            self._oversight = tuple(by_verb[verb] for verb in ROLES[role].verbs if verb in by_verb)
            self._oversight_for = (paused, flagged)
            self._asked = agent_requests
        return self._oversight

    def _deciding(
        self, requests: tuple[ApprovalRequest, ...], update: bool
    ) -> tuple[VerbChoice, ...]:
        """List what the Manager may do while requests wait or an update is due."""
        if self._manager_for != (requests, update):
            by_verb = {choice.action_type: choice for choice in self._fixed[_MANAGER]}
            if requests:
                shown = tuple(each.number for each in requests if each.readings)
                for verb, numbers in (
                    (ActionType.APPROVE, shown),
                    (ActionType.REFUSE, tuple(each.number for each in requests)),
                ):
                    if numbers:
                        number = ArgumentChoice("request", numbers, True)
                        by_verb[verb] = VerbChoice(verb, VERBS[verb].group, (), (number,), (0, 0))
            if update:
                by_verb[ActionType.UPDATE] = self._choice(_MANAGER, ActionType.UPDATE)
            verbs = ROLES[_MANAGER].verbs
            self._manager = tuple(by_verb[verb] for verb in verbs if verb in by_verb)
            self._manager_for = requests, update
        return self._manager

    def _choice(self, role: AgentRole, verb: ActionType) -> VerbChoice:
        targets = self._targets(role, verb)
        kinds = {service.name: service.kind for service in self._topology.services}
        times = [
            minutes_in_flight(self._topology, verb, kinds[name])
            for name in targets
            if name in kinds
        ]
        return VerbChoice(
            verb,
            VERBS[verb].group,
            targets,
            self._arguments(role, verb),
            (min(times), max(times)) if times else (0, 0),
        )

    def _targets(self, role: AgentRole, verb: ActionType) -> tuple[str, ...]:
        if verb is ActionType.INVESTIGATE:
            sees_agents = Source.AUTOMATION in ROLES[role].sources
            return self._agents if sees_agents else self._topology.names()
        if verb is ActionType.ASSIGN:
            return tuple(other.value for other in TURN_ORDER if other is not role)
        return services_for(verb, self._topology)

    def _arguments(self, role: AgentRole, verb: ActionType) -> tuple[ArgumentChoice, ...]:
        if verb is ActionType.DIAGNOSE:
            cause = ArgumentChoice("cause", self._causes, True)
            return (
                cause,
                ArgumentChoice("place", self._topology.names(), False),
                ArgumentChoice("stake", _STAKES, False),
            )
        if verb is ActionType.INVESTIGATE:
            return (ArgumentChoice("source", tuple(s.value for s in ROLES[role].sources), True),)
        if verb is ActionType.COMMUNICATE:
            others = tuple(other.value for other in TURN_ORDER if other is not role)
            return (
                ArgumentChoice("to", (EVERYONE, *others), False),
                ArgumentChoice("text", (), False),
                ArgumentChoice("proposal", (), False),
                ArgumentChoice("finding", (), False),
            )
        if verb is ActionType.UPDATE:
            services = {
                UpdatePoint.JOURNEY.value: tuple(e.service for e in self._topology.entries),
                UpdatePoint.PLACE.value: self._topology.names(),
            }
            return tuple(
                argument._replace(choices=services.get(argument.name, argument.choices))
                for argument in VERBS[verb].arguments
            )
        return VERBS[verb].arguments

    def problem(
        self, action: ChaosOpsAction, allowed: tuple[VerbChoice, ...], findings: int
    ) -> str:
        """Explain why the action cannot be done; empty if it can.

        Args:
            findings: How many findings the role has to share.
        """
        wanted = action.action_type
        for choice in allowed:
            if choice.action_type is wanted:
                break
        else:
            if action.action_type.startswith("<"):
                return f"{_cut(action.action_type)} is no action"
            names = ", ".join(choice.action_type.value for choice in allowed)
            return f"'{_cut(action.action_type)}' is nothing {action.role.value} can do: {names}"
        if choice.targets:
            if action.target not in choice.targets:
                got = "no target" if action.target is None else f"'{_cut(action.target)}'"
                return (
                    f"{choice.action_type.value} takes one of {', '.join(choice.targets)}, "
                    f"not {got}"
                )
        elif action.target is not None:
            return f"{choice.action_type.value} takes no target, not '{_cut(action.target)}'"
        fault = _argument_problem(action, choice, talks=True)
        if not fault and action.args.get(SAY) is not None:
            fault = self._line_problem(action, findings)
        if not fault and choice.action_type is ActionType.COMMUNICATE:
            fault = self._message_problem(action, findings)
        elif not fault and choice.action_type is ActionType.ASSIGN:
            fault = self._proposal_problem(AgentRole(str(action.target)), action.args["proposal"])
        return fault

    def _line_problem(self, action: ChaosOpsAction, findings: int) -> str:
        """Explain why the line of an action can't be said; a look's own finding can be shared."""
        said, look = action.args[SAY], action.action_type is ActionType.INVESTIGATE
        fault = line_problem(said, action.role, findings + look)
        if fault or said.get("proposal") is None:
            return fault
        return self._proposal_problem(AgentRole(said["to"]), said["proposal"])

    def _message_problem(self, action: ChaosOpsAction, findings: int) -> str:
        text, proposal, finding = (action.args.get(key) for key in ("text", "proposal", "finding"))
        if text is not None and not isinstance(text, str):
            return "the text of a message is text"
        if isinstance(text, str) and len(text) > MAX_TEXT:
            return f"the message is too long: at most {MAX_TEXT} characters"
        if not (text or "").strip() and proposal is None and finding is None:
            return "the message is empty: give it a text, a proposal or a finding"
        if finding is not None and (type(finding) is not int or not 0 <= finding < findings):
            return f"there is no such finding to share: {findings} so far, counted from 0"
        if (
            action.args.get(REPLY) is not None
            and read_reply(action.args[REPLY], self.named_causes) is None
        ):
            return "a reply is a mapping with 'kind' and the 'proposal' that it answers"
        if proposal is not None:
            to = action.args.get("to") or EVERYONE
            if to == EVERYONE:
                return "a proposal goes to one role: name it in 'to'"
            return self._proposal_problem(AgentRole(to), proposal)
        return ""

    def _proposal_problem(self, receiver: AgentRole, proposal: object) -> str:
        made = read_proposal(proposal, self.named_causes)
        if made is None:
            return "a proposal is a mapping with 'action_type', 'target' and 'args'"
        if HINT in made.args:
            return "a proposal carries no hints"
        for choice in self._fixed[receiver]:
            if choice.action_type is made.action_type:
                if choice.targets and made.target not in choice.targets:
                    return f"the proposal needs a target out of {', '.join(choice.targets)}"
                if not choice.targets and made.target is not None:
                    return f"the proposal takes no target: {made.action_type.value} has none"
                probe = ChaosOpsAction(receiver, made.action_type, made.target, made.args)
                return _argument_problem(probe, choice)
        if receiver is AgentRole.OVERSIGHT and made.action_type in AGENT_VERBS:
            if made.args:
                return f"the proposal takes no arguments: {made.action_type.value} has none"
            return "" if made.target in self._agents else "the proposal needs an agent as target"
        return f"{receiver.value} cannot {made.action_type.value}"


_PROPOSED: Final = frozenset({"action_type", "target", "args", "cause"})
_REPLIES: Final = tuple(kind.value for kind in ReplyKind)


def read_proposal(value: object, causes: Collection[str] | None = ALL_CAUSES) -> Proposal | None:
    """Read the proposal in a message's arguments; None if there is no valid one.

    Args:
        causes: The causes that it can name; None for any that could be one.
    """
    if not isinstance(value, Mapping) or not set(value) <= _PROPOSED:
        return None
    name, target, args, cause = (
        value.get(key) for key in ("action_type", "target", "args", "cause")
    )
    args = EMPTY if args is None else args
    if not isinstance(name, str) or not isinstance(args, Mapping):
        return None
    if not (target is None or isinstance(target, str)):
        return None
    try:
        verb = ActionType(name)
    except ValueError:
        return None
    if cause is not None and not _is_cause(cause, causes):
        return None
    named = None if cause is None else cause_named(cause)
    if not VERBS[verb].can_be_proposed:
        return None
    kept = args if isinstance(args, FrozenMap) else FrozenMap(args)
    return Proposal(verb, target, kept, named)


def _is_cause(value: object, causes: Collection[str] | None) -> bool:
    return is_cause_name(value) if causes is None else isinstance(value, str) and value in causes


def read_reply(value: object, causes: Collection[str] | None = ALL_CAUSES) -> Reply | None:
    """Read the reply in a message's arguments; None if there is no valid one.

    Args:
        causes: The causes that its proposal can name; None for any that could be one.
    """
    if not isinstance(value, Mapping) or set(value) != {"kind", "proposal"}:
        return None
    proposal = read_proposal(value["proposal"], causes)
    if proposal is None or value["kind"] not in _REPLIES:
        return None
    return Reply(ReplyKind(value["kind"]), proposal)


def hints_problem(value: object) -> str:
    """Explain what is wrong with the `hint` argument; empty if nothing is."""
    if isinstance(value, tuple) and all(type(n) is int and 1 <= n <= 3 for n in value):
        return "" if len(set(value)) == len(value) else "a hint level stands twice in 'hint'"
    return "'hint' is a list of hint levels, each 1, 2 or 3"


def _argument_problem(action: ChaosOpsAction, choice: VerbChoice, *, talks: bool = False) -> str:
    verb = choice.action_type
    args, arguments = action.args, choice.arguments
    names = [argument.name for argument in arguments]
    for name, value in args.items():
        if name == HINT:
            fault = hints_problem(value)
            if fault:
                return fault
        elif name == SAY and talks:
            continue
        elif name == INSTANCE and verb in SCOPED:
            fault = "" if value is None else scope_problem(value)
            if fault:
                return fault
        elif name not in names and not (name == REPLY and verb is ActionType.COMMUNICATE):
            known = (*names, INSTANCE) if verb in SCOPED else names
            takes = ", ".join(known) or "none"
            return f"{verb.value} has no argument '{_cut(name)}'; it takes {takes}"
    for name, choices, required in arguments:
        value = args.get(name)
        if value is None:
            if required:
                return f"{verb.value} needs the argument '{name}'"
        elif choices and not _is_one_of(value, choices):
            options = ", ".join(str(option) for option in choices)
            return f"'{name}' of {verb.value} is one of {options}"
    return ""


def _is_one_of(value: Any, choices: tuple[str | int, ...]) -> bool:
    return value in choices and type(choices[choices.index(value)]) is type(value)


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
