"""The format of incident files.

The models are of a *rendered* incident: the seed has picked a variant and every template
variable has been filled in. Minutes count from the page, so a cause that began before it has a
negative one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChangeKind,
    Difficulty,
    FailureType,
    InFlight,
    LogLevel,
    Sign,
    Source,
)
from chaosops.env.models.failures import DrawnCauseName
from chaosops.env.models.topology import Line, Name, ReadOnly, Strict, Visible
from chaosops.env.models.verbs import FIRST_EDITION_CAUSES
from chaosops.scenarios.parameters import Parameter

Prose = Annotated[str, StringConstraints(min_length=1, max_length=4000, strict=True), Visible]
Minute = Annotated[int, Field(ge=-240, le=240)]


class Profile(StrEnum):
    """How an effect starts: at once, linearly over `over` minutes, or `value` more each minute."""

    STEP = "step"
    RAMP = "ramp"
    GROWTH = "growth"


class Effect(Strict):
    """One parameter of one service, changed over time.

    Attributes:
        after: Minutes from the start of its cause.
        minutes: How long it lasts; None for to the end.
    """

    service: Name
    parameter: Parameter
    value: float = Field(ge=-1e6, le=1e6)
    profile: Profile = Profile.STEP
    over: int = Field(default=1, ge=1, le=240)
    after: int = Field(default=0, ge=0, le=240)
    minutes: int | None = Field(default=None, ge=1, le=240)


class Bound(Strict):
    """A range for an argument.

    Attributes:
        at_least, at_most: Its ends, which belong to it.
    """

    at_least: int | None = None
    at_most: int | None = None


def has_args(wanted: Mapping[str, int | Bound | str], args: Mapping[str, object]) -> bool:
    """Whether an action has the arguments that it must have."""
    for name, want in wanted.items():
        have = args.get(name)
        if isinstance(want, Bound):
            if not isinstance(have, int):
                return False
            if want.at_least is not None and have < want.at_least:
                return False
            if want.at_most is not None and have > want.at_most:
                return False
        elif have != want:
            return False
    return True


class Move(Strict):
    """An action to match: a verb, a target, and arguments, if given."""

    action: ActionType
    target: Name | None = None
    args: Annotated[dict[str, int | Bound | str], AfterValidator(ReadOnly)] = Field(
        default_factory=ReadOnly
    )

    def arguments(self) -> dict[str, int | str]:
        """Return matching arguments; for a range, its lower end."""
        return {
            name: (want.at_least or want.at_most or 0) if isinstance(want, Bound) else want
            for name, want in self.args.items()
        }

    def matches(self, action_type: ActionType, target: str | None, args: Any) -> bool:
        """Whether an action matches; other arguments don't matter."""
        if action_type is not self.action or (self.target is not None and target != self.target):
            return False
        return has_args(self.args, args)


class Mitigation(Move):
    """A move that helps without clearing the fault.

    Attributes:
        remains: The share of the fault's effects that remains.
        minutes: How long it helps; None for to the end.
    """

    remains: float = Field(default=1.0, ge=0, le=1)
    minutes: int | None = Field(default=None, ge=1, le=240)


class FaultSpec(Strict):
    """Something that is broken.

    Attributes:
        starts: The minute in which it begins; None if only a cascade starts it.
        effects: What it does while it is live.
        clears: Actions each of which fixes it.
        mitigates: Moves that help, possibly only through the physics.
    """

    id: Name
    starts: Minute | None = None
    effects: tuple[Effect, ...] = Field(min_length=1)
    clears: tuple[Move, ...] = Field(min_length=1)
    mitigates: tuple[Mitigation, ...] = ()


class Cascade(Strict):
    """A fault that starts when a wrong fix is made during another fault."""

    starts: Name
    while_live: Name


class Tempting(Move):
    """A wrong fix that looks right, and what it makes worse for how long."""

    why: Line
    effects: tuple[Effect, ...] = ()
    starts: Name | None = None


class LogSpec(Strict):
    """A repeated log line. `while_live` ties it to a fault; a decoy has none."""

    service: Name
    level: LogLevel
    text: Line
    first: Minute = -15
    every: int = Field(default=4, ge=1, le=240)
    while_live: Name | None = None


class ChangeSpec(Strict):
    """An entry of the change history."""

    at: Annotated[int, Field(ge=-10_000, le=240)]
    service: Name
    kind: ChangeKind
    version: Line
    author: Line
    text: Line


class EventSpec(Strict):
    """One act of an automation agent, as in its audit log.

    Attributes:
        at: The minute of it; the page is minute 0.
        act, reason, approval: What it did, why, and by whose leave, as the log has it.
        target: The service that it acted on.
        gates: Gates passed and required, if the approval depends on gates.
    """

    at: Annotated[int, Field(ge=-10_000, le=240)]
    act: Line
    target: Name
    reason: Line
    approval: Line
    gates: tuple[int, int] | None = None


class RogueSpec(Strict):
    """An agent that is the cause, and keeps acting until it is paused.

    Attributes:
        keeps_up: Faults that it brings back.
        every: Minutes after which it brings them back.
        act, target, reason, approval: The entry in the audit log each time.
        gates: Gates passed and required, if the approval depends on gates.
    """

    keeps_up: tuple[Name, ...] = Field(min_length=1)
    every: int = Field(default=2, ge=1, le=30)
    act: Line
    target: Name
    reason: Line
    approval: Line
    gates: tuple[int, int] | None = None


class AgentSpec(Strict):
    """An automation agent in the fleet, with its duty and its policy.

    Attributes:
        name: Its name.
        duty: What it is for.
        policy: The rules that it has to keep to.
        events: What it did before the page and does after it.
        rogue: If it is the cause; in a situation this follows from what was cast.
    """

    name: Name
    duty: Line
    policy: Line
    events: tuple[EventSpec, ...] = ()
    rogue: RogueSpec | None = None


class Evidence(Strict):
    """What an investigation of a target shows, while it holds.

    Attributes:
        at: The service or automation agent that is investigated.
        seen_by: The only role that sees it, if several can look there; None for all of them.
        since, until: The minutes from and to which it can be seen.
        while_live: The fault that has to be live for it to be seen.
        supports, rules_out: Causes that it supports or rules out; never shown in play.
    """

    source: Source
    at: Name
    text: Line
    signs: tuple[Sign, ...] = ()
    seen_by: AgentRole | None = None
    since: Minute = -240
    until: Minute | None = None
    while_live: Name | None = None
    supports: tuple[DrawnCauseName, ...] = ()
    rules_out: tuple[FailureType, ...] = ()


class StuckAlert(Strict):
    """An alert that fires although nothing is wrong: a rule of the topology, on one service."""

    rule: Name
    service: Name
    since: Minute = 0


class TicketSpec(Strict):
    """A support ticket, which is written if users are affected at the time.

    Attributes:
        at: The minute of it; the page is minute 0.
        text: What the customer writes.
    """

    at: Annotated[int, Field(ge=-60, le=240)]
    text: Line


class SolutionStep(Move):
    """A step of the best line of play."""

    role: AgentRole

    def is_due(self, incident: Incident, landed: Sequence[InFlight], lands: int) -> bool:
        """Whether it would do something if it lands in that minute."""
        return True


class Hints(Strict):
    """Hints at three levels, each more expensive and clearer than the one before."""

    nudge: Prose
    direction: Prose
    answer: Prose


class Debrief(Strict):
    """What is said when it is over.

    Attributes:
        title: The incident's true name.
        same_kind: A public incident of the same kind.
    """

    title: Line
    happened: Prose
    misleading: Prose
    lesson: Prose
    same_kind: Line


class Incident(Strict):
    """One incident, rendered for a seed.

    Attributes:
        title: Shown in play; a symptom, never the cause.
        page: The topology's page that starts it.
        stream_key: The key of the random streams, besides the seed: the id if the
            file has none. Pin it, so that a new id or wording doesn't change a draw.
        also_right: Diagnoses that are right besides the failure type.
        traffic: Factor on the topology's user demand.
        max_steps: Rounds of the four roles.
        par: The turns within which resolving it earns the bonus.
        diagnosis_budget: The turns within which the first right diagnosis earns the bonus.
        hold: The minutes for which the objective has to be met until it counts as resolved.
        solution: The best line of play, each role's steps in order.
    """

    id: Name
    stream_key: Name | None = None
    title: Line
    level: Difficulty
    topology: Name
    failure_type: DrawnCauseName
    also_right: tuple[FailureType, ...] = ()
    canonical: bool = False
    page: Name
    traffic: float = Field(default=1.0, gt=0, le=10)
    max_steps: int = Field(ge=6, le=15)
    par: int = Field(ge=1, le=60)
    diagnosis_budget: int = Field(ge=1, le=60)
    hold: int = Field(default=4, ge=2, le=15)
    faults: tuple[FaultSpec, ...] = ()
    cascades: tuple[Cascade, ...] = ()
    tempting: tuple[Tempting, ...] = Field(min_length=1)
    logs: tuple[LogSpec, ...] = ()
    changes: tuple[ChangeSpec, ...] = ()
    automation: tuple[AgentSpec, ...] = Field(min_length=1)
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    stuck_alerts: tuple[StuckAlert, ...] = ()
    tickets: tuple[TicketSpec, ...] = ()
    hints: Hints
    solution: tuple[SolutionStep, ...] = Field(min_length=1)
    debrief: Debrief

    @property
    def diagnosable(self) -> tuple[str, ...]:
        """What a diagnosis can name."""
        return FIRST_EDITION_CAUSES

    def beginnings(self, landed: Iterable[InFlight]) -> tuple[int | None, ...]:
        """Return when each cause began that follows the first one; there are none here."""
        return ()

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        faults = [fault.id for fault in self.faults]
        known = set(faults)
        agents = {agent.name for agent in self.automation}
        if len(known) != len(faults):
            raise ValueError("faults: ids must differ")
        if len(agents) != len(self.automation):
            raise ValueError("automation: names must differ")
        if not faults and self.failure_type is not FailureType.FALSE_ALARM:
            raise ValueError("faults: only a false alarm has none")
        named: list[tuple[str, str | None]] = []
        named += [(f"logs.{i}.while_live", log.while_live) for i, log in enumerate(self.logs)]
        named += [(f"evidence.{i}.while_live", e.while_live) for i, e in enumerate(self.evidence)]
        named += [(f"tempting.{i}.starts", t.starts) for i, t in enumerate(self.tempting)]
        for i, cascade in enumerate(self.cascades):
            named += [(f"cascades.{i}.starts", cascade.starts)]
            named += [(f"cascades.{i}.while_live", cascade.while_live)]
        for i, agent in enumerate(self.automation):
            if agent.rogue is not None:
                named += [(f"automation.{i}.rogue.keeps_up", name) for name in agent.rogue.keeps_up]
        for where, name in named:
            if name is not None and name not in known:
                raise ValueError(f"{where}: no fault '{name}'; there are: {', '.join(faults)}")
        for i, item in enumerate(self.evidence):
            if item.source is Source.AUTOMATION and item.at not in agents:
                raise ValueError(
                    f"evidence.{i}.at: no agent '{item.at}'; there are: {', '.join(sorted(agents))}"
                )
        return self


class Variable(Strict):
    """A template variable: one of `choices`, a whole `number` in a range, or an `id`.

    An id's `#` become digits: CHG-#### gives CHG-4071.
    """

    choices: tuple[str | int | float, ...] | None = Field(default=None, min_length=1)
    number: tuple[int, int] | None = None
    id: Line | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if sum(value is not None for value in (self.choices, self.number, self.id)) != 1:
            raise ValueError("give exactly one of 'choices', 'number' and 'id'")
        if self.choices is not None and len(set(self.choices)) < len(self.choices):
            raise ValueError("'choices' lists a value twice; remove one")
        if self.number is not None and self.number[0] > self.number[1]:
            raise ValueError("'number' is [lowest, highest]")
        return self


class Templates(Strict):
    """What the seed decides: each variable independently, and one of the variants as a whole."""

    variables: dict[Name, Variable] = Field(default_factory=dict)
    variants: tuple[dict[Name, str | int | float], ...] = ()
