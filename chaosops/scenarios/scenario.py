"""Scenarios: an incident with a seed, which an episode is played on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from chaosops.env.models import TURN_ORDER, Difficulty, FailureType
from chaosops.env.models.records import Record
from chaosops.env.models.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.carryover import Carryover
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.loader import open_canonical, open_scenario
from chaosops.scenarios.rendering import ScenarioSource

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

_TIGHTNESS: Final = {
    Difficulty.TUTORIAL: 1.25,
    Difficulty.EASY: 1.0,
    Difficulty.MEDIUM: 0.9,
    Difficulty.HARD: 0.8,
}


@dataclass(frozen=True, slots=True)
class Scenario(Record):
    """An incident with a seed, immutable and hashable.

    Two scenarios are equal if their files have the same content and the seed, failure type,
    difficulty, length and carry-over are the same; the location of the files doesn't matter.

    Dumped, it is its id, seed, failure type, difficulty, length and hash; validated, it is loaded
    by its id.

    Attributes:
        failure_type: The root cause; text if an author's cause adds it to the taxonomy.
        seed: From 0 to 2**32 - 1.
        max_steps: Rounds of the four roles.
        content_hash: SHA-256 of the content of the incident and its topology.
        topology: The fleet it is played on.
        carryover: What it takes over from earlier incidents of a shift; None outside of one.
    """

    id: str
    seed: int
    failure_type: FailureType | str
    difficulty: Difficulty
    max_steps: int
    content_hash: str
    source: ScenarioSource = field(compare=False, repr=False)
    incident: Incident = field(compare=False, repr=False)
    topology: Topology = field(compare=False, repr=False)
    carryover: Carryover | None = None

    @classmethod
    def load(
        cls, id_or_path: str | Path, seed: int = 0, *, folders: Sequence[Path] = ()
    ) -> Scenario:
        """Load the incident with an id, or in a file, for a seed.

        Args:
            folders: Where to look besides the built-in set.

        Raises:
            ScenarioError: There is no such incident, or its file is broken.
        """
        return cls.of(open_scenario(id_or_path, folders), seed)

    @classmethod
    def of(cls, source: ScenarioSource, seed: int = 0) -> Scenario:
        """Render an opened scenario file for a seed."""
        incident = source.render(seed)
        return cls(
            incident.id,
            seed,
            incident.failure_type,
            incident.level,
            incident.max_steps,
            source.content_hash,
            source,
            incident,
            source.topology,
        )

    @classmethod
    def from_type(
        cls,
        failure_type: FailureType,
        seed: int = 0,
        difficulty: Difficulty | None = None,
        max_steps: int | None = None,
    ) -> Scenario:
        """Load an incident of a failure type; every type has one.

        The seed draws only among the causes of that type, also in `with_seed`.

        Args:
            difficulty: By default the incident's own level; another one makes the par
                tighter or wider (tutorial 1.25, easy 1, medium 0.9, hard 0.8).
            max_steps: Rounds of the four roles, by default the incident's own; 1 or more.

        Raises:
            ValueError: There is no such type, or `max_steps` is below 1.
        """
        wanted = FailureType(failure_type)
        made = cls.of(open_canonical(wanted.value).of_type(wanted), seed)
        if max_steps is not None and max_steps < 1:
            raise ValueError(f"max_steps must be 1 or more, not {max_steps}")
        return replace(
            made,
            difficulty=made.difficulty if difficulty is None else Difficulty(difficulty),
            max_steps=made.max_steps if max_steps is None else max_steps,
        )

    def lasting(self, turns: int) -> Scenario:
        """Return the same incident with another number of turns.

        Raises:
            ValueError: They are not a whole number of rounds, from 1 on.
        """
        rounds, rest = divmod(turns, len(TURN_ORDER))
        if rest or rounds < 1:
            raise ValueError(
                f"an episode lasts whole rounds of {len(TURN_ORDER)} turns, not {turns}"
            )
        return self if rounds == self.max_steps else replace(self, max_steps=rounds)

    def carrying(self, carryover: Carryover) -> Scenario:
        """Return the scenario as an incident of a shift.

        Raises:
            ValueError: It is one already.
        """
        if self.carryover is not None:
            raise ValueError("the scenario is an incident of a shift already")
        return replace(
            self,
            incident=carryover.incident(self.incident),
            topology=carryover.fleet(self.topology),
            carryover=carryover,
        )

    def _parts(self) -> Mapping[str, Any]:
        """Return what `model_dump` dumps, which is enough to load the scenario again."""
        names = ("id", "seed", "difficulty", "max_steps", "content_hash", "failure_type")
        parts: dict[str, Any] = {name: getattr(self, name) for name in names}
        if self.carryover is not None:
            parts["carryover"] = self.carryover.model_dump(mode="json")
        return parts

    @classmethod
    def _found(cls, value: object) -> Scenario:
        if isinstance(value, Scenario):
            return value
        if not isinstance(value, Mapping) or "id" not in value:
            raise ValueError("a scenario, or a mapping with its id")
        try:
            made = cls.load(value["id"], value.get("seed", 0))
            carried = value.get("carryover")
            wanted = value.get("failure_type", made.failure_type)
            if wanted != made.failure_type:
                made = cls.of(made.source.of_type(FailureType(wanted)), made.seed)
            if carried is not None:
                made = made.carrying(Carryover.model_validate_json(json.dumps(carried)))
        except ScenarioError as error:
            raise ValueError(str(error)) from error
        if value.get("content_hash", made.content_hash) != made.content_hash:
            raise ValueError(
                f"{made.id} has another version: load the scenario and pass it instead"
            )
        difficulty = Difficulty(value.get("difficulty", made.difficulty))
        return replace(
            made, difficulty=difficulty, max_steps=int(value.get("max_steps", made.max_steps))
        )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(cls._found)

    def with_seed(self, seed: int) -> Scenario:
        """Return the same incident with another seed, without reading its file again."""
        other = Scenario.of(self.source, seed)
        if self.carryover is not None:
            other = other.carrying(self.carryover)
        return replace(other, difficulty=self.difficulty, max_steps=self.max_steps)

    @property
    def stream_key(self) -> str:
        """The key of the random streams, besides the seed; a renamed file keeps it."""
        return self.incident.stream_key

    @property
    def topology_id(self) -> str:
        """The id of the topology."""
        return self.incident.topology

    @property
    def title(self) -> str:
        """The title, which doesn't give the cause away."""
        return self.incident.title

    @property
    def page(self) -> str:
        """The text of the page."""
        return self.topology.pages[self.incident.page]

    @property
    def label(self) -> str:
        """Id and seed, for messages."""
        return f"{self.id} (seed {self.seed})"

    @property
    def par(self) -> int:
        """The turns within which resolving it earns the bonus."""
        return self._tightened(self.incident.par)

    @property
    def hold(self) -> int:
        """The minutes for which the objective has to be met."""
        return self.incident.hold

    @property
    def harmful_requests(self) -> frozenset[int]:
        """The minutes in which the automation asks for something that was drawn to do harm."""
        return frozenset(request.at for request in self.incident.asked if request.is_flawed)

    def _tightened(self, turns: int) -> int:
        if self.difficulty is self.incident.level:
            return turns
        factor = _TIGHTNESS[self.difficulty] / _TIGHTNESS[self.incident.level]
        return max(1, round(turns * factor))

    def stream(self, purpose: str) -> Random:
        """Return a random stream of this scenario and seed for one purpose.

        Use only its `random()`, whose sequence is the same on every Python.
        """
        key = self.stream_key
        text = f"{key}:{self.seed}:{purpose}"
        return Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
