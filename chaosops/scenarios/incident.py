"""The incident that a seed has drawn, in the form that screens and policies read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from chaosops.env.models import ActionType, AgentRole, Difficulty, InFlight, Stake
from chaosops.env.models.failures import DrawnCauseName, OwnCause
from chaosops.env.models.roles import roles_with
from chaosops.env.models.topology import Line, Name, Strict, Topology
from chaosops.env.models.verbs import causes_with
from chaosops.scenarios.agent_requests import DrawnRequest
from chaosops.scenarios.cause import At, Cause, CauseMove, Draw
from chaosops.scenarios.chain import Chain
from chaosops.scenarios.change_history import fill
from chaosops.scenarios.drawn_agents import agents_of
from chaosops.scenarios.fitting import Placement, parts_of
from chaosops.scenarios.following import LASTING_CURES, DrawnFollower
from chaosops.scenarios.schema import (
    ChangeSpec,
    Debrief,
    DrawnAgent,
    Evidence,
    FaultSpec,
    Hints,
    Mitigation,
    Move,
    Tempting,
    TicketSpec,
)
from chaosops.scenarios.situation import Situation


class Incident(Strict):
    """The incident that a seed has drawn.

    Attributes:
        title: Shown in play; a symptom, never the cause.
        stream_key: The key of the random streams, besides the seed.
        page: The topology's page that starts it.
        traffic: Factor on the topology's user demand.
        max_steps: Rounds of the four roles.
        par: The turns within which resolving it earns the bonus.
        hold: The minutes for which the objective has to be met until it counts as resolved.
        faults: The first cause, and those that may follow it.
        solution: The best line of play, each role's steps in order.
        drawn: What the seed drew.
        followers: The causes that follow the first one, each after the one that it follows.
        asked: What the automation will ask Oversight for.
        own_causes: The failure types that a diagnosis can name besides the taxonomy.
    """

    id: Name
    stream_key: Name
    title: Line
    level: Difficulty
    topology: Name
    failure_type: DrawnCauseName
    page: Name
    traffic: float = Field(default=1.0, gt=0, le=10)
    max_steps: int = Field(ge=6, le=30)
    par: int = Field(ge=1, le=120)
    hold: int = Field(default=4, ge=2, le=15)
    faults: tuple[FaultSpec, ...] = Field(min_length=1)
    tempting: tuple[Tempting, ...] = Field(min_length=1)
    changes: tuple[ChangeSpec, ...] = ()
    automation: tuple[DrawnAgent, ...] = Field(min_length=1)
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    tickets: tuple[TicketSpec, ...] = ()
    hints: Hints
    solution: tuple[SolutionStep, ...] = Field(min_length=1)
    debrief: Debrief
    drawn: Draw
    followers: tuple[DrawnFollower, ...] = ()
    asked: tuple[DrawnRequest, ...] = ()
    own_causes: tuple[OwnCause, ...] = ()

    @property
    def diagnosable(self) -> tuple[str, ...]:
        """What a diagnosis can name, whichever cause was drawn."""
        return causes_with(own.name for own in self.own_causes)

    def beginnings(self, landed: Iterable[InFlight]) -> tuple[int | None, ...]:
        """Return the minute in which each follower began, or is about to; None if it doesn't.

        Args:
            landed: Everything that has landed.
        """
        if not self.followers:
            return ()
        first = self.drawn
        chain = Chain(first.onset, first.cause.agent, self.followers, self.faults, self.changes)
        return chain.beginnings(landed)


class SolutionStep(Move):
    """A step of the best line of play."""

    role: AgentRole

    def is_due(self, incident: Incident, landed: Sequence[InFlight], lands: int) -> bool:
        """Whether it would do something if it lands in that minute."""
        return True


class FollowStep(SolutionStep):
    """A step of the best line that cures a follower.

    Attributes:
        follower: Its number, 0 for the first one.
    """

    follower: int

    def is_due(self, incident: Incident, landed: Sequence[InFlight], lands: int) -> bool:
        """Whether the follower has begun by then, or the step can prevent it."""
        if self.action in LASTING_CURES:
            return True
        begins = incident.beginnings(landed)[self.follower]
        return begins is not None and lands >= begins


class _Drawn(NamedTuple):
    """A cause where it was drawn, with the names of its parts."""

    cause: Cause
    names: Mapping[At, str]
    words: Mapping[str, str]
    version: str

    def clears(self) -> tuple[Move, ...]:
        """Return what clears it for good."""
        return tuple(Move(**self._move(item)) for item in self.cause.clears if not item.returns)

    def eases(self) -> tuple[Mitigation, ...]:
        """Return what eases it."""
        return tuple(
            Mitigation(**self._move(item), remains=item.remains, minutes=item.minutes)
            for item in self.cause.eases
        )

    def tempting(self) -> tuple[Tempting, ...]:
        """Return what looks right and is not."""
        return tuple(
            Tempting(**self._move(item), why=fill(item.why or "", self.words))
            for item in self.cause.tempts
        )

    def evidence(self) -> tuple[Evidence, ...]:
        """Return the readings that tell it from its twins."""
        return tuple(
            Evidence(
                source=item.source,
                at=self.names[item.at],
                text=fill(item.text, self.words),
                while_live=self.cause.id,
                supports=(self.cause.diagnosis,),
            )
            for item in self.cause.telling
        )

    def fault(self, starts: int | None) -> FaultSpec:
        """Return it as a fault; what waits for something else has no minute."""
        return FaultSpec(
            id=self.cause.id,
            starts=starts,
            place=self.names[At.PLACE],
            clears=self.clears(),
            mitigates=self.eases(),
        )

    def _move(self, item: CauseMove) -> dict[str, Any]:
        args = dict(item.args)
        if item in self.cause.clears and item.action is ActionType.ROLLBACK and self.version:
            args["change"] = self.version
        return {"action": item.action, "target": self.names[item.at], "args": args}


def incident_of(
    situation: Situation,
    drawn: Draw,
    followers: tuple[DrawnFollower, ...],
    topology: Topology,
    own_causes: tuple[OwnCause, ...],
) -> Incident:
    """Return the incident of what was drawn."""
    cause, words = drawn.cause, dict(drawn.words)
    spec = next(spec for spec in situation.casts if spec.cause == cause.id)
    main = _Drawn(
        cause, _names(Placement(drawn.place, drawn.caller), topology), words, drawn.version
    )
    more = [
        _Drawn(
            each.cause,
            _names(Placement(each.place, each.caller), topology),
            dict(each.words),
            each.version,
        )
        for each in followers
    ]
    fault = main.fault(drawn.onset)
    fixer, namer = _roles(fault.clears[0])
    later = [one.fault(None) for one in more]
    diagnosis: dict[str, Any] = {
        "cause": str(cause.diagnosis),
        "place": drawn.place,
        "stake": Stake.CERTAIN.value,
    }
    return Incident(
        drawn=drawn,
        followers=followers,
        own_causes=own_causes,
        id=situation.id,
        stream_key=situation.stream_key,
        title=situation.title,
        level=situation.level,
        topology=situation.topology,
        failure_type=cause.diagnosis,
        page=situation.page,
        traffic=round(situation.traffic * drawn.traffic, 3),
        max_steps=situation.max_steps,
        par=situation.par,
        hold=situation.hold,
        faults=(fault, *later),
        tempting=tuple(move for move in main.tempting() if not _prevents(move, later)),
        changes=tuple(
            ChangeSpec(
                at=change.minute,
                service=change.service,
                kind=change.kind,
                version=change.version,
                author=change.author,
                text=change.text,
            )
            for change in drawn.changes
        ),
        automation=agents_of(situation, cause),
        evidence=tuple(item for one in (main, *more) for item in one.evidence()),
        tickets=situation.tickets,
        hints=Hints(
            nudge=situation.hints.nudge,
            direction=situation.hints.direction,
            answer=_answer(fault, later, diagnosis["cause"], cause.agent or ""),
        ),
        solution=(
            *_contained(cause),
            _step(fixer, fault.clears[0]),
            *(_later_step(k, each.clears[0]) for k, each in enumerate(later)),
            SolutionStep(role=namer, action=ActionType.DIAGNOSE, args=diagnosis),
        ),
        debrief=Debrief(
            title=fill(cause.glossary, words)[:300],
            happened=fill(cause.happened, words),
            misleading=situation.misleading,
            lesson=fill(spec.lesson or cause.lesson, words),
            same_kind=spec.same_kind or cause.same_kind,
        ),
    )


def _prevents(move: Move, later: list[FaultSpec]) -> bool:
    """Whether an action that doesn't help the first cause keeps another one from following."""
    return move.action in LASTING_CURES and any(
        cure.matches(move.action, move.target, move.arguments())
        for fault in later
        for cure in fault.clears
    )


def _names(spot: Placement, topology: Topology) -> dict[At, str]:
    """Return the service of each part; the place for those that nobody has."""
    return {part: name or spot.place for part, name in parts_of(spot, topology).items()}


def _roles(fix: Move) -> tuple[AgentRole, AgentRole]:
    """Return who takes a fix, and who names the cause meanwhile."""
    fixer = roles_with(fix.action)[0]
    return fixer, AgentRole.DEV if fixer is not AgentRole.DEV else AgentRole.SRE


def _step(role: AgentRole, fix: Move) -> SolutionStep:
    return SolutionStep(role=role, action=fix.action, target=fix.target, args=dict(fix.args))


def _later_step(number: int, fix: Move) -> FollowStep:
    return FollowStep(
        role=roles_with(fix.action)[0],
        action=fix.action,
        target=fix.target,
        args=dict(fix.args),
        follower=number,
    )


def _contained(cause: Cause) -> tuple[SolutionStep, ...]:
    """Return how the agent behind a cause is stopped and named, if there is one."""
    if cause.agent is None:
        return ()
    return tuple(
        SolutionStep(role=AgentRole.OVERSIGHT, action=verb, target=cause.agent)
        for verb in (ActionType.PAUSE, ActionType.FLAG)
    )


def _answer(fault: FaultSpec, later: list[FaultSpec], diagnosis: str, agent: str) -> str:
    """Return the hint that names the answer.

    Args:
        agent: The agent behind the cause, which has to be paused first; empty if there is none.
    """
    told = f"pause {agent}, then " if agent else ""
    told += f"{_move_words(fault.clears[0])}; "
    for each in later:
        told += f"{each.id.replace('_', ' ')} may follow: {_move_words(each.clears[0])}; "
    told += f"the diagnosis is {diagnosis.replace('_', ' ')}."
    return f"{told[0].upper()}{told[1:]}"


def _move_words(move: Move) -> str:
    """Word a move with all that it needs: "drain db (unit: instance)"."""
    words = f"{move.action.words} {move.target}"
    given = ", ".join(
        f"{name.replace('_', ' ')}: {str(value).replace('_', ' ')}"
        for name, value in move.arguments().items()
    )
    return f"{words} ({given})" if given else words
