"""Draws an incident from a situation and a seed: the cause, its place, and everything around it."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator, Mapping
from random import Random
from typing import Final

from chaosops.env.models.failures import FailureType, OwnCause
from chaosops.env.models.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.agent_policies import DrawnController
from chaosops.scenarios.agent_requests import draw_requests
from chaosops.scenarios.agent_rounds import with_rounds
from chaosops.scenarios.cause import At, Cause, ChangeTemplate, Draw, DrawnDecoy
from chaosops.scenarios.change_history import drawn_change, fill, sizes, with_releases
from chaosops.scenarios.changes import DrawnChange
from chaosops.scenarios.drawn_agents import INNOCENT, Guilt, draw_controllers
from chaosops.scenarios.fitting import Placement, parts_of, placements
from chaosops.scenarios.following import DrawnFollower, When, in_order, spots_after
from chaosops.scenarios.incident import Incident, incident_of
from chaosops.scenarios.random_streams import below, between
from chaosops.scenarios.situation import CastSpec, Situation

_PEOPLE: Final = ("ines", "tomasz", "okafor", "lindqvist", "marta", "devika")
_DECOYS: Final = 0.75
TRAFFIC: Final = (0.94, 1.0, 1.06)
"""The factors on user demand of which each seed draws one."""

_NO_STEP: Final = (34, 42)
_TEAMS: Final = ("payments team", "storefront team", "data team", "platform team")


class Drawing:
    """Draws from one situation, for any seed.

    Attributes:
        only: The failure type of every incident; None for all that the situation has.

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
        self.only: FailureType | None = None
        self._services = {service.name: service for service in topology.services}
        self._kinds = {service.name: service.kind for service in topology.services}
        self.spots = {
            spec.cause: self._places(spec, self.causes[spec.cause]) for spec in situation.casts
        }

    @property
    def diagnoses(self) -> frozenset[FailureType | str]:
        """What the first causes that it may draw are; none that only follows is among them."""
        return frozenset(self.causes[spec.cause].diagnosis for spec in self.situation.casts)

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

    def of_type(self, failure_type: FailureType) -> Drawing:
        """Return a drawing that casts only the causes of a failure type.

        A seed that draws one of them anyway draws the same incident.

        Raises:
            ScenarioError: The situation has no cause of that type.
        """
        if failure_type not in self.diagnoses:
            raise ScenarioError(f"{failure_type.value} is never behind {self.situation.id}")
        other = copy.copy(self)
        other.only = failure_type
        return other

    def every(self) -> Iterator[tuple[Cause, Placement]]:
        """Every possible truth."""
        for spec in self.situation.casts:
            for spot in self.spots[spec.cause]:
                yield self.causes[spec.cause], spot

    def draw(self, seed: int) -> Incident:
        """Return the incident of a seed."""
        dice = stream(self.situation.stream_key, seed, "truth")
        spec = self.situation.casts[below(dice, len(self.situation.casts))]
        if self.only is not None and self.causes[spec.cause].diagnosis is not self.only:
            casts = [c for c in self.situation.casts if self.causes[c.cause].diagnosis is self.only]
            spec = casts[below(dice, len(casts))]
        places = self.spots[spec.cause]
        # A stream of its own, so that what follows shifts nothing else.
        more = stream(self.situation.stream_key, seed, "followers")
        rounds = stream(self.situation.stream_key, seed, "rounds")
        made = self._cast(spec, places[below(dice, len(places))], dice, more, rounds)
        asks = stream(self.situation.stream_key, seed, "requests")
        asked = draw_requests(self.situation, self.topology, asks)
        return made.model_copy(update={"asked": asked})

    def _cast(
        self, spec: CastSpec, spot: Placement, dice: Random, more: Random, rounds: Random
    ) -> Incident:
        """Return an incident with a given truth; the rest is drawn."""
        cause = self.causes[spec.cause]
        onset = -between(dice, cause.course.onset)
        hard = cause.course.hard
        hard_at = between(dice, _NO_STEP if hard is None else hard.minutes)
        words = self._words(spot, dice)
        parts = parts_of(spot, self.topology)
        made, version = self._changes(cause, spot, onset, words, dice)
        chain = self._followers(spec, spot, words, more)
        changes, followers = self._with_followers(made, chain, onset, words, more)
        controllers = with_rounds(
            self.controllers(cause, spot, onset, words["build"], dice),
            cause,
            spot,
            self.topology,
            rounds,
        )
        drawn = Draw(
            cause=cause,
            place=spot.place,
            caller=spot.caller,
            entry=self.topology.entries[0].service,
            store=parts[At.STORE],
            consumer=parts[At.CONSUMER],
            cache=parts[At.CACHE],
            onset=onset,
            hard_at=hard_at,
            traffic=TRAFFIC[below(dice, len(TRAFFIC))],
            words=tuple(words.items()),
            changes=with_releases(changes, controllers),
            version=version,
            decoys=self._decoys(spot, dice),
            controllers=controllers,
        )
        return incident_of(self.situation, drawn, followers, self.topology, self.own_causes)

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
        parts = parts_of(spot, self.topology)
        return {
            "place": spot.place,
            "caller": caller,
            "consumer": parts[At.CONSUMER] or spot.place,
            "cache": parts[At.CACHE] or spot.place,
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
    ) -> tuple[dict[str, list[DrawnChange]], str]:
        """Return the changes by cause, and the version of the change that is the cause."""
        found: dict[str, list[DrawnChange]] = {}
        version = ""
        for spec in self.situation.casts:
            other = self.causes[spec.cause]
            places = self.spots[other.id]
            where = places[below(dice, len(places))]
            guilty = other.id == cause.id
            found[other.id] = []
            for template in other.shows.changes:
                here = spot if guilty else where
                made = self._change(template, here, onset, words, guilty, dice)
                found[other.id].append(made)
                version = made.version if guilty else version
        return found, version

    def _followers(
        self, spec: CastSpec, spot: Placement, words: dict[str, str], dice: Random
    ) -> tuple[DrawnFollower, ...]:
        """Draw which causes follow, and where; what follows one that doesn't come stays away."""
        spots = {spec.cause: spot}
        numbers = {spec.cause: 0}
        found: list[DrawnFollower] = []
        for each in in_order(spec.follows, spec.cause):
            leader = each.of or spec.cause
            if dice.random() >= each.chance or leader not in spots:
                continue
            cause = self.causes[each.cause]
            fitting = tuple(spots_after(each, cause, spots[leader], self.topology))
            if not fitting:
                raise ScenarioError(f"{cause.id} fits nowhere after {leader}")
            here = fitting[below(dice, len(fitting))]
            own = {**self._words(here, dice), "shard": words["shard"]}
            told = {**words, "there": here.place}
            hard = cause.course.hard
            spots[each.cause] = here
            numbers[each.cause] = len(found) + 1
            found.append(
                DrawnFollower(
                    spec=each,
                    cause=cause,
                    of=numbers[leader],
                    place=here.place,
                    caller=here.caller,
                    after=between(dice, each.after),
                    hard_at=between(dice, _NO_STEP if hard is None else hard.minutes),
                    words=tuple(own.items()),
                    sets_off_at=parts_of(spots[leader], self.topology)[each.on]
                    if each.when is When.LANDED
                    else None,
                    link=fill(each.link, told),
                    lesson=fill(each.lesson or cause.lesson, {**told, **own}),
                    same_kind=each.same_kind or cause.same_kind,
                )
            )
        return tuple(found)

    def _with_followers(
        self,
        made: dict[str, list[DrawnChange]],
        chain: tuple[DrawnFollower, ...],
        onset: int,
        words: dict[str, str],
        dice: Random,
    ) -> tuple[tuple[DrawnChange, ...], tuple[DrawnFollower, ...]]:
        """Return the change history with the changes of followers, and these with their versions.

        A follower that was not drawn has its innocent changes in the history, as every cause of
        the situation has.
        """
        drawn = {follower.cause.id: follower for follower in chain}
        versions: dict[str, str] = {}
        for each in (each for spec in self.situation.casts for each in spec.follows):
            follower, cause = drawn.get(each.cause), self.causes[each.cause]
            if each.cause in versions or (follower is None and each.cause in made):
                continue
            fitting = tuple(
                spot
                for spot in placements(cause, self.topology)
                if not each.places or spot.place in each.places
            )
            spot = fitting[below(dice, len(fitting))]
            own = words
            if follower is not None:
                spot, own = Placement(follower.place, follower.caller), dict(follower.words)
            changes = [
                self._change(template, spot, onset, own, follower is not None, dice)
                for template in cause.shows.changes
            ]
            made[each.cause] = changes
            versions[each.cause] = changes[-1].version if changes and follower else ""
        every = [change for changes in made.values() for change in changes]
        every.sort(key=lambda change: (change.minute, change.version))
        followers = [each.model_copy(update={"version": versions[each.cause.id]}) for each in chain]
        return tuple(every), tuple(followers)

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
        parts = parts_of(spot, self.topology)
        here = {
            "place": spot.place,
            "caller": caller,
            "consumer": parts[At.CONSUMER] or spot.place,
            "cache": parts[At.CACHE] or spot.place,
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
        where = {
            At.PLACE: spot.place,
            At.CALLER: caller,
            At.CONSUMER: here["consumer"],
            At.CACHE: here["cache"],
        }
        service = where.get(template.at, self.topology.entries[0].service)
        return drawn_change(template, service, minute, ticket, here, guilty=guilty)


def stream(key: str, seed: int, purpose: str) -> Random:
    """Return a random stream of a situation and a seed; use only its `random()`."""
    digest = hashlib.sha256(f"{key}:{seed}:{purpose}".encode()).digest()
    return Random(int.from_bytes(digest[:8], "big"))
