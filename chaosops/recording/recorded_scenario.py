"""The scenario that a recording was played on, looked up by what the header says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from chaosops.env.models import FailureType
from chaosops.env.world_sim import Scenario
from chaosops.errors import RecordingError, ScenarioError
from chaosops.recording.events import Header
from chaosops.recording.versions import other_scenario
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.rendering import ScenarioSource

_ID = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_RENDERED = 64


class NoScenario(RecordingError):
    """The scenario of a recording is not here, or its file is broken."""


class OtherScenario(RecordingError):
    """The scenario says something else than when the recording was made."""


class ScenarioBook:
    """Looks up the scenarios of recordings; reads each file, and renders a seed, only once.

    Many recordings are of one game: forks, copies, and several policies on the same seeds.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        """Look in people's own scenario folders besides the built-in set."""
        self._folders = tuple(folders)
        self._sources: dict[str, ScenarioSource | ScenarioError] = {}
        self._render = lru_cache(maxsize=_RENDERED)(_rendered)

    def __reduce__(self) -> tuple[type[ScenarioBook], tuple[tuple[Path, ...]]]:
        return ScenarioBook, (self._folders,)

    def scenario(self, header: Header) -> Scenario:
        """Return the scenario as it was played.

        Raises:
            NoScenario: There is none of that name.
            OtherScenario: There is one, and it was changed since.
        """
        source = self._source(header.scenario)
        if source.content_hash != header.scenario_sha256:
            raise OtherScenario(other_scenario(header, source))
        try:
            scenario = self._render(source, header.seed, header.failure_type)
        except ScenarioError as error:
            raise NoScenario(str(error)) from error
        if header.carryover is not None:
            scenario = scenario.carrying(header.carryover)
        if scenario.difficulty is not header.difficulty:
            scenario = replace(scenario, difficulty=header.difficulty)
        return scenario.lasting(header.max_turns)

    def _source(self, name: str) -> ScenarioSource:
        if not _ID.fullmatch(name):
            raise NoScenario(f"header.scenario: '{name[:40]}' is not a scenario id")
        if name not in self._sources:
            try:
                self._sources[name] = open_scenario(name, self._folders)
            except ScenarioError as error:
                self._sources[name] = error
        source = self._sources[name]
        if isinstance(source, ScenarioError):
            raise NoScenario(f"{source}; or give its folder with --scenarios DIR")
        return source


def _rendered(source: ScenarioSource, seed: int, only: FailureType | None) -> Scenario:
    return Scenario.of(source if only is None else source.of_type(only), seed)
