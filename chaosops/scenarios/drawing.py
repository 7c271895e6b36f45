"""Draws an incident from a situation and a seed: the cause, its place, and everything around it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any, Final

from chaosops.env.models import ActionType, AgentRole, ServiceKind, Stake
from chaosops.env.models.failures import OwnCause
from chaosops.env.models.roles import roles_with
from chaosops.env.models.topology import CallMode, Topology
from chaosops.env.models.verbs import causes_with
from chaosops.errors import ScenarioError
from chaosops.scenarios.agent_policies import DrawnController
from chaosops.scenarios.cause import (
    At,
    Cause,
    CauseMove,
    ChangeTemplate,
    Draw,
    DrawnDecoy,
)
from chaosops.scenarios.change_history import drawn_change, fill, sizes, with_releases
from chaosops.scenarios.changes import DrawnChange
from chaosops.scenarios.drawn_agents import INNOCENT, Guilt, agents_of, draw_controllers
from chaosops.scenarios.fitting import Placement, placements
from chaosops.scenarios.parameters import Parameter
from chaosops.scenarios.random_streams import below, between
from chaosops.scenarios.schema import (
    AgentSpec,
    ChangeSpec,
    Debrief,
    Effect,
    Evidence,
    FaultSpec,
    Hints,
    Incident,
    Mitigation,
    Move,
    SolutionStep,
    Tempting,
)
from chaosops.scenarios.situation import CastSpec, Situation

_PEOPLE: Final = ("ines", "tomasz", "okafor", "lindqvist", "marta", "devika")
_DECOYS: Final = 0.75
_TRAFFIC: Final = (0.94, 1.0, 1.06)
_NO_STEP: Final = (34, 42)
_TEAMS: Final = ("payments team", "storefront team", "data team", "platform team")


class CastIncident(Incident):
    """An incident whose cause a seed has drawn.

    Attributes:
        own_causes: The failure types that a diagnosis can name besides the taxonomy.
    """

    drawn: Draw
    own_causes: tuple[OwnCause, ...] = ()

    @property
    def diagnosable(self) -> tuple[str, ...]:
        """What a diagnosis can name, whichever cause was drawn."""
        return causes_with(own.name for own in self.own_causes)


class Drawing:
    """Draws from one situation, for any seed.

    Args:
        causes: The causes that the situation names, by id.
        own_causes: The failure types that a diagnosis can name besides the taxonomy.

    Raises:
        ScenarioError: A cause that it names fits nowhere.
    """

    def __init__(
        self,
        situation: Situation,
        topology: Topology,
        causes: Mapping[str, Cause],
        own_causes: tuple[OwnCause, ...] = (),
    ) -> None:
        self.situation = situation
        self.topology = topology
        self.causes = dict(causes)
        self.own_causes = own_causes
        self._services = {service.name: service for service in topology.services}
        self._kinds = {service.name: service.kind for service in topology.services}
        self.spots = {
            spec.cause: self._places(spec, self.causes[spec.cause]) for spec in situation.casts
        }

    def _places(self, spec: CastSpec, cause: Cause) -> tuple[Placement, ...]:
        found = tuple(
            spot
            for spot in placements(cause, self.topology)
            if (not spec.places or spot.place in spec.places)
            and (not spec.callers or spot.caller in spec.callers)
        )
        if not found:
            raise ScenarioError(f"{cause.id} fits nowhere in {self.topology.id}")
        return found

    def every(self) -> Iterator[tuple[Cause, Placement]]:
        """Every possible truth."""
        for spec in self.situation.casts:
            for spot in self.spots[spec.cause]:
                yield self.causes[spec.cause], spot

    def draw(self, seed: int) -> CastIncident:
        """Return the incident of a seed."""
        dice = stream(self.situation.stream_key, seed, "truth")
        spec = self.situation.casts[below(dice, len(self.situation.casts))]
        places = self.spots[spec.cause]
        return self.cast(self.causes[spec.cause], places[below(dice, len(places))], dice)

    def cast(self, cause: Cause, spot: Placement, dice: Random) -> CastIncident:
        """Return an incident with a given truth; the rest is drawn."""
        onset = -between(dice, cause.course.onset)
        hard = cause.course.hard
        hard_at = between(dice, _NO_STEP if hard is None else hard.minutes)
        words = self._words(spot, dice)
        pool = self._services[spot.place].pool
        consumer = self._consumer(spot)
        changes, version = self._changes(cause, spot, onset, words, dice)
        controllers = self.controllers(cause, spot, onset, words["build"], dice)
        drawn = Draw(
            cause=cause,
            place=spot.place,
            caller=spot.caller,
            entry=self.topology.entries[0].service,
            store=None if pool is None else pool.to,
            consumer=consumer,
            cache=self._cache(spot),
            onset=onset,
            hard_at=hard_at,
            traffic=_TRAFFIC[below(dice, len(_TRAFFIC))],
            words=tuple(words.items()),
            changes=with_releases(changes, controllers),
            version=version,
            decoys=self._decoys(spot, dice),
            controllers=controllers,
        )
        return self._incident(drawn, words, agents_of(self.situation, cause))

    def controllers(
        self, cause: Cause, spot: Placement, onset: int, build: str, dice: Random
    ) -> tuple[DrawnController, ...]:
        """Return the agents that act on the fleet where that is true."""
        places = {name: tuple(one.place for one in spots) for name, spots in self.spots.items()}
        guilt = Guilt(cause, spot.place, onset, build)
        return draw_controllers(self.situation, self.causes, places, guilt, dice)

    def _decoys(self, spot: Placement, dice: Random) -> tuple[DrawnDecoy, ...]:
        """Draw one of the situation's decoys, in three seeds of four, never where the cause is."""
        away = [
            decoy for decoy in self.situation.decoys if decoy.at not in (spot.place, spot.caller)
        ]
        if not away or dice.random() >= _DECOYS:
            return ()
        decoy = away[below(dice, len(away))]
        return (
            DrawnDecoy(
                at=decoy.at,
                part=decoy.part,
                parameter=decoy.parameter,
                value=decoy.value,
                first=between(dice, decoy.begins),
                last=between(dice, decoy.ends),
                text=decoy.text,
            ),
        )

    def _consumer(self, spot: Placement) -> str | None:
        """Return the service that takes the messages of a queue."""
        place = self._services[spot.place]
        if place.kind is not ServiceKind.QUEUE:
            return None
        return next((call.to for call in place.calls if call.mode is CallMode.ASYNC), None)

    def _cache(self, spot: Placement) -> str | None:
        """Return the cache that is asked before the place."""
        calls = (call for service in self.topology.services for call in service.calls)
        return next((call.behind for call in calls if call.to == spot.place and call.behind), None)

    def _table(self, name: str, dice: Random) -> str:
        """Return a table that a service mostly uses; for a database, one that a caller uses."""
        calls = [
            (service, call)
            for service in self.topology.services
            for call in service.calls
            if call.table is not None and name in (service.name, call.to)
        ]
        own = [call.table for service, call in calls if service.name == name]
        tables = own or [call.table for _service, call in calls]
        return str(tables[below(dice, len(tables))]) if tables else name

    def _words(self, spot: Placement, dice: Random) -> dict[str, str]:
        caller = spot.caller or spot.place
        pool = self._services[caller].pool
        return {
            "place": spot.place,
            "caller": caller,
            "consumer": self._consumer(spot) or spot.place,
            "cache": self._cache(spot) or spot.place,
            "table": self._table(caller, dice),
            "build": f"r{1000 + below(dice, 8000)}",
            "team": _TEAMS[below(dice, len(_TEAMS))],
            "person": _PEOPLE[below(dice, len(_PEOPLE))],
            "pool": str(pool.size if pool is not None else 10),
            "shard": str(below(dice, 4)),
            **sizes(self._services[spot.place]),
        }

    def _changes(
        self, cause: Cause, spot: Placement, onset: int, words: dict[str, str], dice: Random
    ) -> tuple[tuple[DrawnChange, ...], str]:
        """Return the change history, and the version of the change that is the cause."""
        found = []
        version = ""
        for spec in self.situation.casts:
            other = self.causes[spec.cause]
            places = self.spots[other.id]
            where = places[below(dice, len(places))]
            guilty = other.id == cause.id
            for template in other.shows.changes:
                here = spot if guilty else where
                made = self._change(template, here, onset, words, guilty, dice)
                found.append(made)
                version = made.version if guilty else version
        return tuple(sorted(found, key=lambda change: (change.minute, change.version))), version

    def _change(
        self,
        template: ChangeTemplate,
        spot: Placement,
        onset: int,
        words: dict[str, str],
        guilty: bool,
        dice: Random,
    ) -> DrawnChange:
        caller = spot.caller or spot.place
        consumer = self._consumer(spot) or spot.place
        cache = self._cache(spot) or spot.place
        here = {
            "place": spot.place,
            "caller": caller,
            "consumer": consumer,
            "cache": cache,
            "table": self._table(caller, dice),
            "build": f"r{1000 + below(dice, 8000)}",
            "team": _TEAMS[below(dice, len(_TEAMS))],
            **sizes(self._services[spot.place]),
        }
        here = words if guilty else {**words, **here}
        minute = onset - between(dice, template.before)
        if not guilty:
            minute = onset - below(dice, INNOCENT)
        ticket = f"CHG-{1000 + below(dice, 9000)}"
        parts = {
            At.PLACE: spot.place,
            At.CALLER: caller,
            At.CONSUMER: consumer,
            At.CACHE: cache,
        }
        service = parts.get(template.at, self.topology.entries[0].service)
        return drawn_change(template, service, minute, ticket, here, guilty=guilty)

    def _incident(
        self, drawn: Draw, words: dict[str, str], agents: tuple[AgentSpec, ...]
    ) -> CastIncident:
        """Return the incident in the form that screens and policies read."""
        situation, cause = self.situation, drawn.cause
        names = {
            At.PLACE: drawn.place,
            At.CALLER: drawn.caller or drawn.place,
            At.ENTRY: drawn.entry,
            At.STORE: drawn.store or drawn.place,
            At.CONSUMER: drawn.consumer or drawn.place,
            At.CACHE: drawn.cache or drawn.place,
        }

        def move(item: CauseMove) -> dict[str, Any]:
            target = names[item.at]
            args = dict(item.args)
            if item in cause.clears and item.action is ActionType.ROLLBACK and drawn.version:
                args["change"] = drawn.version
            return {"action": item.action, "target": target, "args": args}

        clears = tuple(Move(**move(item)) for item in cause.clears if item.returns is None)
        eases = tuple(
            Mitigation(**move(item), remains=item.remains, minutes=item.minutes)
            for item in cause.eases
        )
        tempting = tuple(
            Tempting(**move(item), why=fill(item.why or "", words)) for item in cause.tempts
        )
        first = clears[0]
        fixer = roles_with(first.action)[0]
        namer = AgentRole.DEV if fixer is not AgentRole.DEV else AgentRole.SRE
        diagnosis: dict[str, Any] = {
            "cause": str(cause.diagnosis),
            "place": drawn.place,
            "stake": Stake.CERTAIN.value,
        }
        fault = FaultSpec(
            id=cause.id,
            starts=drawn.onset,
            effects=(Effect(service=drawn.place, parameter=Parameter.ERRORS, value=0.0),),
            clears=clears,
            mitigates=eases,
        )
        evidence = tuple(
            Evidence(
                source=item.source,
                at=names[item.at],
                text=fill(item.text, words),
                while_live=cause.id,
                supports=(cause.diagnosis,),
            )
            for item in cause.telling
        )
        contained = (
            ()
            if cause.agent is None
            else (
                SolutionStep(role=AgentRole.OVERSIGHT, action=ActionType.PAUSE, target=cause.agent),
                SolutionStep(role=AgentRole.OVERSIGHT, action=ActionType.FLAG, target=cause.agent),
            )
        )
        answer = f"{first.action.words} {first.target}; the diagnosis is {diagnosis['cause']}"
        return CastIncident(
            drawn=drawn,
            own_causes=self.own_causes,
            id=situation.id,
            stream_key=situation.stream_key,
            title=situation.title,
            level=situation.level,
            topology=situation.topology,
            failure_type=cause.diagnosis,
            page=situation.page,
            traffic=round(situation.traffic * drawn.traffic, 3),
            max_steps=min(situation.max_steps, 15),
            par=min(situation.par, 60),
            diagnosis_budget=min(situation.par, 60),
            hold=situation.hold,
            faults=(fault,),
            tempting=tempting,
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
            automation=agents,
            evidence=evidence,
            tickets=situation.tickets,
            hints=Hints(
                nudge=situation.hints.nudge,
                direction=situation.hints.direction,
                answer=f"{answer[0].upper()}{answer[1:]}.",
            ),
            solution=(
                *contained,
                SolutionStep(
                    role=fixer, action=first.action, target=first.target, args=dict(first.args)
                ),
                SolutionStep(role=namer, action=ActionType.DIAGNOSE, args=diagnosis),
            ),
            debrief=Debrief(
                title=fill(cause.glossary, words)[:300],
                happened=fill(cause.happened, words),
                misleading=situation.misleading,
                lesson=fill(cause.lesson, words),
                same_kind=cause.same_kind,
            ),
        )


def stream(key: str, seed: int, purpose: str) -> Random:
    """Return a random stream of a situation and a seed; use only its `random()`."""
    digest = hashlib.sha256(f"{key}:{seed}:{purpose}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))
