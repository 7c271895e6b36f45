"""The format of cause files: one kind of fault, for all the places where it can occur.

A cause refers to services by their part, never by name: `place` is the service with the fault,
`caller` the one whose calls suffer first, `entry` the one that users call, `store` the one that the
place keeps connections to, `consumer` the one that takes the messages of a queue, and `cache` the
one that is asked before the place. In texts,
`{place}`, `{caller}`, `{consumer}`, `{cache}`, `{table}`, `{build}`, `{pid}` and the like are
filled in when the cause is cast.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from chaosops.env.models import ActionType, ChangeKind, FailureType, LogLevel, ServiceKind, Source
from chaosops.env.models.failures import CauseName, cause_named
from chaosops.env.models.readings import LogEvent
from chaosops.env.models.topology import Line, Name, ReadOnly, Strict
from chaosops.scenarios.agent_policies import DrawnController
from chaosops.scenarios.changes import DrawnChange, Setting
from chaosops.scenarios.schema import Bound, Prose

Alias = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9]+([ _-][a-z0-9]+){0,3}$", max_length=40, strict=True)
]
"""A name that a player may type."""

Share = Annotated[float, Field(ge=0, le=1)]
Span = tuple[int, int]
"""A range of integers, ends included, from which the seed draws one."""


class At(StrEnum):
    """The part of a service in a cause."""

    PLACE = "place"
    CALLER = "caller"
    ENTRY = "entry"
    STORE = "store"
    CONSUMER = "consumer"
    CACHE = "cache"


class Trigger(StrEnum):
    """What triggers a cause."""

    CHANGE = "change"
    TIME = "time"
    LOAD = "load"
    PERSON = "person"
    CAUSE = "cause"


class Trait(StrEnum):
    """What a service must have for a cause to fit.

    `needed` is a service that users' requests fail with: required calls lead to it from an entry.
    """

    POOLED = "pooled"
    SHARDED = "sharded"
    DISK = "disk"
    SEVERAL_INSTANCES = "several_instances"
    CACHED = "cached"
    NEEDED = "needed"


class Fit(Strict):
    """Which services can play a part.

    Attributes:
        kinds: The allowed kinds.
        traits: What they must also have; for a caller, on its call to the place.
    """

    kinds: tuple[ServiceKind, ...] = Field(min_length=1)
    traits: tuple[Trait, ...] = ()


class Drive(StrEnum):
    """How a parameter follows the solved magnitude m of a cause.

    `level` sets it to m, which changes linearly from one minute of the curve to the next.
    `factor` sets it to 1 + m.
    """

    LEVEL = "level"
    FACTOR = "factor"


class CauseEffect(Strict):
    """A fault that the cause injects into a parameter of a component.

    Attributes:
        part: The component, or `node` or `instances`.
        parameter: One of the component's parameters.
        at: Whose component it is.
        of_caller: Whether it affects the caller's calls only.
        drive: How it follows the solved magnitude; left out for an effect of a fixed value.
        value: That value.
        weight: Factor of the magnitude.
        most: Upper limit of the injected value.
        after: Minutes from the onset.
        every: Minutes from one spell of it to the next, one of which begins a minute before the
            page; 0 if it lasts all the time.
        lasts: Minutes of each spell.
    """

    part: Name
    parameter: Name
    at: At = At.PLACE
    of_caller: bool = False
    drive: Drive | None = None
    value: float = Field(default=0.0, ge=-1e6, le=1e6)
    weight: float = Field(default=1.0, gt=0, le=1e4)
    most: float = Field(default=1e6, gt=0, le=1e6)
    after: int = Field(default=0, ge=0, le=240)
    every: int = Field(default=0, ge=0, le=240)
    lasts: int = Field(default=1, ge=1, le=240)


class HardStep(Strict):
    """The step that is hard to reverse, and when it comes if nobody stops the cause.

    The parameter is driven so that the component is full in the minute that the seed draws.

    Attributes:
        part, parameter: The component that fills up, and its parameter that is driven.
        at: Whose component it is.
        minutes: The minutes after the page between which it comes.
        text: What happens then, for the debrief.
    """

    part: Name
    parameter: Name
    at: At = At.PLACE
    minutes: Span = (34, 42)
    text: Line


class RolledOut(StrEnum):
    """What a rollout changes on each instance."""

    BUILD = "build"
    CONFIG = "config"


class Rollout(Strict):
    """A change that reaches the place's instances step by step.

    Attributes:
        of: Whether it is a new build or a new configuration.
        steps: Minutes, each with the share of the instances that have the change from then on, and
            that lose it again if the share is less than before; empty if the cause's agent rolls it
            out.
    """

    of: RolledOut
    steps: tuple[tuple[int, Share], ...] = ()


class Course(Strict):
    """How a cause develops.

    Attributes:
        hard: The step that is hard to reverse; left out if the cause is harmless.
        rollout: If the cause is a change that is rolled out.
        onset: Minutes before the page.
        pause: The minute after the page in which it pauses, and for how long; None for no pause.
    """

    onset: Span = (4, 9)
    hard: HardStep | None = None
    pause: tuple[int, int] | None = None
    rollout: Rollout | None = None


class CauseMove(Strict):
    """An action, and the part of its target.

    Attributes:
        action: The verb.
        at: Whose service it is taken on.
        args: Arguments that it must have; others don't matter. A range is `{at_least: 6}`.
        remains: For `eases`: the share of the effects that remains; 1 if only the physics helps.
        minutes: For `eases`: how long it helps; None for as long as the action lasts.
        returns: For `clears`: the minutes after which the cause comes back; None for never.
        why: For `tempts`: why it is wrong.
    """

    action: ActionType
    at: At = At.PLACE
    args: Annotated[dict[str, int | Bound | str], AfterValidator(ReadOnly)] = Field(
        default_factory=ReadOnly
    )
    remains: Share = 1.0
    minutes: int | None = Field(default=None, ge=1, le=240)
    returns: int | None = Field(default=None, ge=1, le=240)
    why: Line | None = None


class LogTemplate(Strict):
    """Lines that a service writes.

    Attributes:
        at: Who writes them.
        level: Their level.
        text: Their text; see the names that are filled in.
        a_minute: Lines per minute at the usual strength of the cause.
        healing: Whether it is only written for some minutes after the cause was cleared.
        event: What it reports, for programs.
    """

    at: At = At.PLACE
    level: LogLevel
    text: Line
    a_minute: float = Field(default=2.0, gt=0, le=10_000)
    healing: bool = False
    event: LogEvent | None = None


class ChangeTemplate(Strict):
    """An entry in the change history.

    Attributes:
        at: What was changed.
        kind: What kind of change it is.
        text: Its title.
        before: Minutes from it to the onset.
        author: Who made it; `{person}` is drawn.
        lines: What it changed, as the lines of a unified diff.
        innocent: The lines of a change of the same kind that is not the cause.
        touches, innocent_touches: Names of what the lines change, for programs.
        sets, innocent_sets: Settings that instruments show from then on, as in the lines.
        restarts: Whether it replaces the instances; a deploy always does.
        running: Whether it has not ended while the cause is live; an innocent one has.
    """

    at: At = At.PLACE
    kind: ChangeKind
    before: Span
    author: Line
    text: Line
    lines: tuple[Line, ...] = ()
    innocent: tuple[Line, ...] = ()
    touches: tuple[Line, ...] = ()
    innocent_touches: tuple[Line, ...] = ()
    sets: tuple[Setting, ...] = ()
    innocent_sets: tuple[Setting, ...] = ()
    restarts: bool = False
    running: bool = False


class SessionRow(Strict):
    """The session of a database that blocks the others.

    Attributes:
        app, user: The application that opened it, and its database user.
        state, wait: As `pg_stat_activity` names them.
        query: Its last statement.
        lock: The mode of the lock that it holds.
        opened: Whether its transaction is as old as the cause.
    """

    app: Line
    user: Line
    state: Line
    wait: Line
    query: Line
    lock: Line
    opened: bool = True


class Shows(Strict):
    """What instruments show in addition to the results of the physics.

    Attributes:
        logs: Log lines.
        changes: The change behind it, and changes of its kind that are not.
        blocked_wait: What blocked sessions wait for.
        holder: The session that they wait for.
        pairs: Whether sessions wait for each other in changing pairs.
        query: The affected query, as in traces and sessions.
        parse: The parse result of a configuration that is rolled out.
        unknown_key: The key of that configuration that it rejects.
        rejected: Whether the place refuses connections by the caller.
    """

    logs: tuple[LogTemplate, ...] = ()
    changes: tuple[ChangeTemplate, ...] = ()
    holder: SessionRow | None = None
    blocked_wait: Line | None = None
    pairs: bool = False
    query: Line | None = None
    parse: Line | None = None
    unknown_key: Line | None = None
    rejected: bool = False


class Telling(Strict):
    """A reading that tells a cause from its twins; for the debrief, never shown in play.

    Attributes:
        source: The instrument.
        at: What it is pointed at.
        text: What it shows.
    """

    source: Source
    at: At = At.PLACE
    text: Line


class Cause(Strict):
    """A kind of fault.

    Attributes:
        id: Its name, as its file's.
        failure_type: The failure type that a diagnosis names: one of the taxonomy, or a name of
            its own; by default its id.
        aliases: Other names that a player may type, of at most four words.
        family: Its family; causes of one family have similar symptoms.
        glossary: Its definition in a sentence.
        trigger: What triggers it.
        place, caller: Which services can have these parts; no caller if none is needed.
        agent: The automation agent behind it; until it is paused, it undoes every fix.
        defect: The parameters of that agent's written policy that it departs from, and what it
            goes by instead.
        gates: Gates passed by the build that a deploy bot releases as this cause.
        blocks_capacity: Whether no instance of the place may be started while it is live.
        harmless: Whether users are well but for short dips: an alarm without an outage. It ends
            when it is cleared, or when a Manager says so after the hold.
        effects: What it injects into the fleet.
        course: How it develops.
        clears: Actions each of which fixes it.
        eases: Actions that mitigate it for a while.
        tempts: Actions that look right and don't help.
        shows: What instruments show besides the results of the physics.
        telling: The readings that tell it from its twins, the clearest first.
        twins: Causes with the same symptoms at the page.
        happened, lesson: For the debrief: what happened, and what to learn from it.
        same_kind: A public incident of this kind.
    """

    id: Name
    failure_type: CauseName | None = None
    aliases: tuple[Alias, ...] = Field(default=(), max_length=8)
    family: Name
    glossary: Line
    trigger: Trigger
    place: Fit
    caller: Fit | None = None
    agent: Name | None = None
    defect: Annotated[dict[Name, int], AfterValidator(ReadOnly)] = Field(default_factory=ReadOnly)
    gates: int | None = Field(default=None, ge=0, le=20)
    blocks_capacity: bool = False
    harmless: bool = False
    effects: tuple[CauseEffect, ...] = Field(min_length=1)
    course: Course
    clears: tuple[CauseMove, ...] = Field(min_length=1)
    eases: tuple[CauseMove, ...] = ()
    tempts: tuple[CauseMove, ...] = Field(min_length=1)
    shows: Shows = Shows()
    telling: tuple[Telling, ...] = Field(min_length=1)
    twins: tuple[Name, ...] = Field(min_length=2)
    happened: Prose
    lesson: Prose
    same_kind: Line

    @property
    def diagnosis(self) -> FailureType | str:
        """What a right diagnosis names."""
        return cause_named(self.id) if self.failure_type is None else self.failure_type

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if self.harmless and any(effect.drive and not effect.every for effect in self.effects):
            raise ValueError(
                "effects: a harmless cause hurts in spells only; give each effect with a 'drive' "
                "an 'every' and a 'lasts'"
            )
        if not self.harmless and self.course.hard is None:
            raise ValueError("course.hard: name the step that is hard to reverse")
        if not self.harmless and not any(effect.drive for effect in self.effects):
            raise ValueError(
                "effects: none has a drive, so the magnitude cannot be solved; add one"
            )
        if self.defect and self.agent is None:
            raise ValueError("defect: name the agent that has it under 'agent'")
        if self.id in self.twins:
            raise ValueError("twins: a cause cannot be its own twin; name two others")
        if self.caller is None:
            for i, effect in enumerate(self.effects):
                if effect.of_caller or effect.at is At.CALLER:
                    raise ValueError(
                        f"effects.{i}: this cause has no caller; describe it under 'caller'"
                    )
        return self


class DrawnDecoy(Strict):
    """Something that looks bad and hurts nobody, for some minutes."""

    at: Name
    part: Name
    parameter: Name
    value: float
    first: int
    last: int
    text: Line


class Draw(Strict):
    """What a seed has drawn from a situation, before the magnitude is solved.

    Attributes:
        caller: The service whose calls suffer first; None if the cause needs none.
        store: The service that the place keeps connections to; None if it keeps none.
        consumer: The service that takes the place's messages; None if it isn't a queue.
        cache: The service that is asked before the place; None if it is behind none.
        onset: The minute it begins in, before the page.
        hard_at: The minute of the hard step if nobody acts.
        traffic: Factor of the situation's user requests.
        words: What is filled into texts, by name.
        changes: The change history, oldest first.
        version: The version of the change that is the cause, if any.
        decoys: Decoys, which look bad but hurt nobody.
        controllers: The automation agents that act on the fleet.
    """

    cause: Cause
    place: Name
    caller: Name | None
    entry: Name
    store: Name | None
    onset: int
    hard_at: int
    traffic: float
    words: tuple[tuple[str, str], ...]
    changes: tuple[DrawnChange, ...]
    version: str = ""
    consumer: Name | None = None
    cache: Name | None = None
    decoys: tuple[DrawnDecoy, ...] = ()
    controllers: tuple[DrawnController, ...] = ()
