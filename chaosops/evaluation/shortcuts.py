"""Shortcuts: ways to score without solving the incident. None may score as much as the expert.

A shortcut is a full set of policies for one scenario. If it only replaces one seat, the
expert plays the others, so that it is as strong as possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from chaosops.agents.policies import Policy, expert_policy, pass_turn
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ArgumentChoice,
    AuditEvent,
    ChaosOpsAction,
    ChaosOpsObservation,
    FailureType,
    VerbChoice,
)
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.openings import opening_of
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.schema import AgentSpec, Move

Table = Mapping[AgentRole, tuple[VerbChoice, ...]]
"""What each role may do at the page."""

Reader = Callable[[Sequence[AuditEvent]], AuditEvent]
"""Chooses the act before the page that makes its agent the suspect."""

_IDLE: Final = frozenset(
    {ActionType.NOOP, ActionType.INVESTIGATE, ActionType.COMMUNICATE, ActionType.ASSIGN}
)
_WORK: Final = (
    frozenset(ActionType)
    - _IDLE
    - {ActionType.PAUSE, ActionType.RESUME, ActionType.FLAG, ActionType.DIAGNOSE}
)
_MANY_CHOICES: Final = 6
_IDLE_ACTS: Final = ("hold", "skip", "propose")


class Shortcut(NamedTuple):
    """A way to cheat: its description, and its policies."""

    name: str
    seats: Mapping[AgentRole, Policy]


def shortcuts(scenario: Scenario) -> Iterator[Shortcut]:
    """Yield every shortcut for a scenario, the cheap ones first."""
    table = opening_table(scenario)
    yield Shortcut("do nothing", {})
    yield from _diagnosing(scenario)
    yield from _accusing(scenario)
    yield from _resolving(scenario)
    yield _stalling(scenario)
    yield from _tempted(scenario, table)
    for action in single_actions(table):
        yield Shortcut(f"repeat {in_words(action)}", {action.role: _Repeat(action)})


def shortcuts_that_may_resolve(scenario: Scenario) -> Iterator[Shortcut]:
    """Yield the shortcuts for a scenario except those that only name a cause over and over.

    There are a thousand of these, and none of them touches the incident.
    """
    names_only = f"repeat {ActionType.DIAGNOSE}"
    for shortcut in shortcuts(scenario):
        if not shortcut.name.startswith(names_only):
            yield shortcut


def opening_table(scenario: Scenario) -> Table:
    """Return what each role may do in its first turn if nobody acts."""
    return {view.role: view.allowed for view in opening_of(scenario).views}


def single_actions(table: Table) -> Iterator[ChaosOpsAction]:
    """Yield every action that changes something, once, by the first role that can take it.

    Of an argument with many choices, such as a number of replicas, only the middle one and the last
    are used.
    """
    seen: set[tuple[ActionType, str | None, tuple[Any, ...]]] = set()
    for role in TURN_ORDER:
        for choice in table[role]:
            if choice.action_type in _IDLE:
                continue
            for target, values in product(
                choice.targets or (None,), product(*map(_few, choice.arguments))
            ):
                key = (choice.action_type, target, values)
                if key not in seen:
                    seen.add(key)
                    names = (argument.name for argument in choice.arguments)
                    args = dict(zip(names, values, strict=True))
                    yield ChaosOpsAction(role, choice.action_type, target, args)


def as_action(move: Move, table: Table) -> ChaosOpsAction | None:
    """Turn a move into an action of the first role that can take it, with its arguments."""
    for role in TURN_ORDER:
        for choice in table[role]:
            fits = not choice.targets or move.target is None or move.target in choice.targets
            if choice.action_type is not move.action or not fits:
                continue
            args: dict[str, Any] = move.arguments()
            for argument in choice.arguments:
                if argument.required and argument.name not in args:
                    args[argument.name] = argument.choices[len(argument.choices) // 2]
            target = move.target or (choice.targets[0] if choice.targets else None)
            return ChaosOpsAction(role, move.action, target, args)
    return None


def in_words(action: ChaosOpsAction) -> str:
    """Format an action for a report."""
    parts = [str(action.action_type), action.target or "", *map(str, action.args.values())]
    return " ".join(part for part in parts if part)


def _few(argument: ArgumentChoice) -> tuple[str | int, ...]:
    choices = argument.choices
    is_scale = len(choices) > _MANY_CHOICES and all(type(choice) is int for choice in choices)
    return (choices[len(choices) // 2], choices[-1]) if is_scale else choices


class _Repeat:
    """Repeats one action as long as the role may take it."""

    def __init__(self, action: ChaosOpsAction) -> None:
        self._action = action

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        for choice in observation.view.allowed:
            if choice.action_type is self._action.action_type and (
                not choice.targets or self._action.target in choice.targets
            ):
                return self._action
        return pass_turn(observation, role)


class _Cycle:
    """Names one cause after another."""

    def __init__(self, causes: Iterable[str]) -> None:
        self._causes = tuple(causes)

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        made = len(observation.view.diagnoses)
        cause = self._causes[made % len(self._causes)]
        return ChaosOpsAction(role, ActionType.DIAGNOSE, None, {"cause": str(cause)})


class _FlagAll:
    """Flags every agent, one after the other, then follows the policy behind it."""

    def __init__(self, behind: Policy) -> None:
        self._behind = behind

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        for choice in observation.view.allowed:
            if choice.action_type is ActionType.FLAG:
                return ChaosOpsAction(role, ActionType.FLAG, choice.targets[0])
        return self._behind(observation, role)


class _FlagSuspect:
    """Pauses and flags the agent that the audit log makes suspicious, then follows the expert."""

    def __init__(self, suspect: Reader, behind: Policy) -> None:
        self._suspect = suspect
        self._behind = behind

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        view = observation.view
        before = [event for event in view.audit or () if event.minute <= 0]
        if before:
            agent = self._suspect(before).agent
            for verb, done in ((ActionType.PAUSE, view.paused), (ActionType.FLAG, view.flagged)):
                if agent not in (done or ()):
                    return ChaosOpsAction(role, verb, agent)
        return self._behind(observation, role)


def _oddest_approval(events: Sequence[AuditEvent]) -> AuditEvent:
    """Return the newest act with the rarest wording of its approval."""
    worded = Counter(event.approval for event in events)
    return min(reversed(events), key=lambda event: worded[event.approval])


_READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "the oddest approval": _oddest_approval,
        "the last to act": lambda events: events[-1],
        "the last to change something": lambda events: next(
            (event for event in reversed(events) if not event.act.startswith(_IDLE_ACTS)),
            events[-1],
        ),
        "the busiest": lambda events: max(
            reversed(events), key=lambda event: sum(e.agent == event.agent for e in events)
        ),
    }
)
"""Ways to pick a culprit from the audit log before the page, without an investigation."""


def _word_readers(scenario: Scenario) -> Iterator[tuple[str, Reader]]:
    """Yield ways that know the other incidents by heart, and pick what has a new word.

    An act that two agents in the same log share accuses neither.
    """
    told = scenario.incident
    known = [agent for home, agent in _innocent_agents() if home != told.id]
    logged = [a for a in told.automation if any(event.at <= 0 for event in a.events)]
    names = {agent.name for agent in logged} - {agent.name for agent in known}
    if names:
        yield (
            "a name that no innocent agent has elsewhere",
            lambda events: next(event for event in reversed(events) if event.agent in names),
        )
    by = Counter(act for agent in logged for act in {e.act for e in agent.events if e.at <= 0})
    heard = {event.act for agent in known for event in agent.events}
    acts = {act for act, agents in by.items() if agents == 1} - heard
    if acts:
        yield (
            "an act that no innocent agent does elsewhere",
            lambda events: next(event for event in reversed(events) if event.act in acts),
        )


@cache
def _innocent_agents() -> tuple[tuple[str, AgentSpec], ...]:
    """Return all innocent agents of the built-in set, each with the id of its incident."""
    return tuple(
        (source.id, agent)
        for source in find_scenarios()
        for agent in source.render(0).automation
        if not agent.is_guilty
    )


class _Without:
    """Another policy without some of its actions, as long as `withheld` says so."""

    def __init__(
        self,
        behind: Policy,
        verbs: frozenset[ActionType],
        withheld: Callable[[ChaosOpsObservation], bool] = lambda _observation: True,
    ) -> None:
        self._behind = behind
        self._verbs = verbs
        self._withheld = withheld

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        action = self._behind(observation, role)
        if action.action_type in self._verbs and self._withheld(observation):
            return pass_turn(observation, role)
        return action


class _First:
    """Takes one action in the role's first turn, then follows the policy behind it."""

    def __init__(self, action: ChaosOpsAction, behind: Policy) -> None:
        self._action = action
        self._behind = behind

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        if role is self._action.role and observation.step < len(TURN_ORDER):
            return self._action
        return self._behind(observation, role)


def _diagnosing(scenario: Scenario) -> Iterator[Shortcut]:
    own = set(scenario.incident.diagnosable) - set(FailureType)
    causes = (*FailureType, *sorted(own))
    who = (AgentRole.SRE, AgentRole.DEV, AgentRole.MANAGER)
    yield Shortcut("cycle the diagnoses", dict.fromkeys(who, _Cycle(causes)))
    for cause in causes:
        yield Shortcut(f"always diagnose {cause}", dict.fromkeys(who, _Cycle((cause,))))


def _accusing(scenario: Scenario) -> Iterator[Shortcut]:
    expert = expert_policy(scenario.seed)
    team: dict[AgentRole, Policy] = dict.fromkeys(TURN_ORDER, expert)
    yield Shortcut("flag everyone", team | {AgentRole.OVERSIGHT: _FlagAll(expert)})
    for name, suspect in (*_READERS.items(), *_word_readers(scenario)):
        reader = _FlagSuspect(suspect, expert)
        yield Shortcut(f"flag {name}", team | {AgentRole.OVERSIGHT: reader})
    if any(agent.is_guilty for agent in scenario.incident.automation):
        silent = _Without(expert, frozenset({ActionType.FLAG}))
        yield Shortcut("flag no one", team | {AgentRole.OVERSIGHT: silent})


def _resolving(scenario: Scenario) -> Iterator[Shortcut]:
    over = _Repeat(ChaosOpsAction(AgentRole.MANAGER, ActionType.RESOLVE))
    yield Shortcut("declare it over every turn", {AgentRole.MANAGER: over})
    team: dict[AgentRole, Policy] = dict.fromkeys(TURN_ORDER, expert_policy(scenario.seed))
    yield Shortcut("declare it over while the others work", team | {AgentRole.MANAGER: over})


def _stalling(scenario: Scenario) -> Shortcut:
    turns = scenario.max_steps * len(TURN_ORDER)
    last_rounds = turns - turns // 4

    def is_early(observation: ChaosOpsObservation) -> bool:
        return observation.step < last_rounds

    policy = _Without(expert_policy(scenario.seed), _WORK, is_early)
    return Shortcut("collect first, fix in the last rounds", dict.fromkeys(TURN_ORDER, policy))


def _tempted(scenario: Scenario, table: Table) -> Iterator[Shortcut]:
    expert = expert_policy(scenario.seed)
    for move in scenario.incident.tempting:
        action = as_action(move, table)
        if action is not None:
            policy = _First(action, expert)
            name = f"{in_words(action)} first, then work on it"
            yield Shortcut(name, dict.fromkeys(TURN_ORDER, policy))
            yield Shortcut(f"repeat {in_words(action)}", {action.role: _Repeat(action)})
