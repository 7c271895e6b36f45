"""Statistics of recordings: how people compare with each policy on the same incidents.

An episode is *people's* where a person sits in a seat, with or without a copilot, and a *program's*
if only programs answered in the seats of people. It is compared with
the same incident, seed and teammates with a policy in the people's seats.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from chaosops.agents.names import is_built_in
from chaosops.agents.runner import EpisodeStep, PolicyError, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.datasets.proof import first_broken_seal
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole
from chaosops.errors import RecordingError
from chaosops.evaluation.process_figures import (
    ProcessFigures,
    ProcessMeans,
    process_figures,
    process_of,
)
from chaosops.recording.events import Header, SeatKind
from chaosops.recording.library import RecordingSummary
from chaosops.recording.reader import LogReader
from chaosops.recording.recorded_scenario import ScenarioBook
from chaosops.recording.turn_sources import PEOPLE as DECIDED_BY_PEOPLE
from chaosops.recording.turn_sources import Decider

PEOPLE = "people"
PROGRAMS = "programs"
MIXED = "mixed policies"

_NOBODY = "nobody"
PERSONS = frozenset({SeatKind.HUMAN, SeatKind.COPILOT})
"""The kinds of seats with a person."""
_DECIDERS = frozenset({Decider.HUMAN, Decider.COPILOT})


class Result(NamedTuple):
    """How an episode ended.

    Attributes:
        process: None if its incident can't be found, or is another version.
    """

    resolved: bool
    reward: float
    turns: int
    process: ProcessFigures | None = None


@dataclass(slots=True)
class Episodes:
    """Statistics of finished episodes. Means are None if there is nothing to average."""

    count: int = 0
    resolved: int = 0
    reward: float = 0.0
    turns_to_resolve: int = 0

    def add(self, result: Result) -> None:
        """Count an episode."""
        self.count += 1
        self.reward += result.reward
        if result.resolved:
            self.resolved += 1
            self.turns_to_resolve += result.turns

    def figures(self) -> dict[str, Any]:
        """Return the figures by name; `mttr` is the mean turns to resolve, of resolved episodes."""
        return {
            "episodes": self.count,
            "resolved_share": _ratio(self.resolved, self.count),
            "mean_reward": _ratio(self.reward, self.count),
            "mttr": _ratio(self.turns_to_resolve, self.resolved),
        }


@dataclass(slots=True)
class Turns:
    """Statistics of turns. Latencies are in milliseconds, of the turns that have one."""

    count: int = 0
    reward: float = 0.0
    refused: int = 0
    latencies: array[int] = field(default_factory=lambda: array("q"))

    def add(self, reward: float, refused: int, latency_ms: int | None) -> None:
        """Count a turn."""
        self.count += 1
        self.reward += reward
        self.refused += refused
        if latency_ms is not None:
            self.latencies.append(latency_ms)

    def figures(self) -> dict[str, Any]:
        """Return the figures by name."""
        latencies = sorted(self.latencies)
        return {
            "turns": self.count,
            "mean_reward": _ratio(self.reward, self.count),
            "refused": self.refused,
            "median_latency_ms": _quantile(latencies, 0.5),
            "p90_latency_ms": _quantile(latencies, 0.9),
        }


@dataclass(slots=True)
class Stats:
    """Statistics of recordings.

    Attributes:
        players: By who played: people, a policy that was recorded, or `policy: NAME` for one
            that was simulated in the people's seats.
        scenarios: The same by scenario and player.
        process: Process figures by player.
        roles: Turns by role and decider.
        decisions: People's turns by verb.
        unfinished: Games that are not over; their turns count.
        discarded: Games that their players discarded, which don't count.
        copies: Files with a game, or an earlier state of one, that was counted already.
        left_out: Files that can't be read, and why.
        not_compared: People's episodes whose incident can't be simulated, and why.
    """

    players: dict[str, Episodes] = field(default_factory=dict)
    scenarios: dict[tuple[str, str], Episodes] = field(default_factory=dict)
    process: dict[str, ProcessMeans] = field(default_factory=dict)
    roles: dict[tuple[str, str], Turns] = field(default_factory=dict)
    decisions: dict[str, Turns] = field(default_factory=dict)
    unfinished: int = 0
    discarded: int = 0
    copies: int = 0
    left_out: list[tuple[Path, str]] = field(default_factory=list)
    not_compared: list[tuple[Path, str]] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "players": _rows(self.players, "player"),
            "scenarios": _rows(self.scenarios, "scenario", "player"),
            "process": _rows(self.process, "player"),
            "roles": _rows(self.roles, "role", "source"),
            "decisions": _rows(self.decisions, "action_type"),
            "unfinished": self.unfinished,
            "discarded": self.discarded,
            "copies": self.copies,
            "left_out": [{"path": str(path), "why": why} for path, why in self.left_out],
            "not_compared": [{"path": str(path), "why": why} for path, why in self.not_compared],
        }


def gather(
    entries: Iterable[RecordingSummary],
    *,
    policies: Sequence[str] = (),
    folders: Sequence[Path] = (),
    discarded: bool = False,
    on_file: Callable[[Path], None] | None = None,
) -> Stats:
    """Read recordings one after another, in memory that doesn't grow with them.

    Args:
        entries: The recordings, see `chaosops.recording.library.games`.
        policies: The policies to simulate in the people's seats, by name.
        folders: Where scenarios are, besides the built-in set.
        discarded: Whether games that their players discarded count too.
        on_file: Called with each file when it is done.

    Raises:
        ChaosOpsError: There is no policy of that name.
    """
    stats = Stats()
    counted: set[str] = set()
    comparison = PolicyComparison(policies, ScenarioBook(folders))
    for entry in entries:
        try:
            _read(entry, stats, comparison, counted, discarded=discarded)
        except RecordingError as error:
            stats.left_out.append((entry.path, str(error)))
        if on_file is not None:
            on_file(entry.path)
    return stats


class PolicyComparison:
    """Simulates policies in the people's seats, each incident only once."""

    def __init__(self, names: Sequence[str], book: ScenarioBook) -> None:
        self._names = tuple(names)
        self._book = book
        self._results: dict[tuple[object, ...], Result] = {}

    def results(self, header: Header) -> dict[str, Result]:
        """Yield the results of the episode with each policy in the people's seats.

        Raises:
            RecordingError: The scenario is missing, or is another version.
        """
        seats = {role: _policy(header, role) for role in header.seats}
        key = (
            header.scenario_sha256,
            header.seed,
            header.difficulty,
            header.max_turns,
            tuple(sorted(seats.items())),
        )
        found: dict[str, Result] = {}
        for name in self._names:
            if (name, *key) not in self._results:
                self._results[(name, *key)] = self._play(header, seats, name)
            found[name] = self._results[(name, *key)]
        return found

    def process(self, header: Header, frames: Sequence[EpisodeStep]) -> ProcessFigures | None:
        """Return the process figures of a recorded episode; None without its scenario."""
        try:
            scenario = self._book.scenario(header)
        except RecordingError:
            return None
        return process_figures(scenario, frames)

    def _play(self, header: Header, seats: Mapping[AgentRole, str], name: str) -> Result:
        scenario = self._book.scenario(header)
        unknown = sorted({name for name in seats.values() if name and not is_built_in(name)})
        if unknown:
            raise RecordingError(f"the teammate policy '{unknown[0]}' is not a built-in one")
        chosen = {role: policy or name for role, policy in seats.items()}
        try:
            seated = seat_policies(chosen, scenario)
            result = run_episode(ChaosOpsEnvironment(), scenario, seated)
        except PolicyError as error:
            result = error.play_on()
        return Result(
            result.resolved, result.cumulative_reward, result.final_step, process_of(result)
        )


def _read(
    entry: RecordingSummary,
    stats: Stats,
    comparison: PolicyComparison,
    counted: set[str],
    *,
    discarded: bool,
) -> None:
    path = entry.path
    turns: dict[tuple[str, str], Turns] = {}
    decisions: dict[str, Turns] = {}
    frames: list[EpisodeStep] = []
    with LogReader(path) as log:
        for frame, human in log:
            frames.append(frame)
            seen = (frame.reward, human.invalid_attempts, human.latency_ms)
            turns.setdefault((frame.role.value, human.source.value), Turns()).add(*seen)
            if human.source in _DECIDERS:
                decisions.setdefault(str(frame.action.action_type), Turns()).add(*seen)
    is_copy = log.header.episode_id in counted
    if not entry.opinion.submitted and not discarded:
        stats.discarded += not is_copy
        stats.copies += is_copy
        counted.add(log.header.episode_id)
        return
    if broken := first_broken_seal(path):
        raise RecordingError(f"line {broken}: it or its seal was changed")
    if is_copy:
        stats.copies += 1
        return
    counted.add(log.header.episode_id)
    _merge(stats.roles, turns)
    _merge(stats.decisions, decisions)
    if log.footer is None:
        stats.unfinished += 1
        return
    header, footer = log.header, log.footer
    who = _who(header, {source for _role, source in turns})
    ours = Result(
        footer.resolved, footer.cumulative_reward, footer.turns, comparison.process(header, frames)
    )
    played = {who: ours}
    if who in (PEOPLE, PROGRAMS):
        try:
            others = comparison.results(header)
        except RecordingError as error:
            stats.not_compared.append((path, str(error)))
        else:
            played |= {f"policy: {name}": result for name, result in others.items()}
    for player, result in played.items():
        stats.players.setdefault(player, Episodes()).add(result)
        stats.scenarios.setdefault((header.current_scenario, player), Episodes()).add(result)
        if result.process is not None:
            stats.process.setdefault(player, ProcessMeans()).add(result.process)


def _merge(into: dict[Any, Turns], more: Mapping[Any, Turns]) -> None:
    for key, turns in more.items():
        total = into.setdefault(key, Turns())
        total.count += turns.count
        total.reward += turns.reward
        total.refused += turns.refused
        total.latencies.extend(turns.latencies)


def _who(header: Header, sources: Set[str]) -> str:
    if sources.isdisjoint(DECIDED_BY_PEOPLE) and Decider.LLM in sources:
        return PROGRAMS
    if any(seat.kind in PERSONS for seat in header.seats.values()):
        return PEOPLE
    names = {seat.policy or "unnamed policy" for seat in header.seats.values()}
    return names.pop() if len(names) == 1 else MIXED


def _policy(header: Header, role: AgentRole) -> str:
    """Return the policy of a seat; empty if a person sits there."""
    seat = header.seats[role]
    if seat.kind in PERSONS:
        return ""
    return "noop" if seat.policy in (None, _NOBODY) else str(seat.policy)


def _rows(
    groups: Mapping[Any, Episodes | Turns | ProcessMeans], *names: str
) -> list[dict[str, Any]]:
    rows = []
    for key in sorted(groups):
        values = key if isinstance(key, tuple) else (key,)
        rows.append(dict(zip(names, values, strict=True)) | groups[key].figures())
    return rows


def _ratio(amount: float, count: int) -> float | None:
    return round(amount / count, 4) if count else None


def _quantile(ordered: Sequence[int], share: float) -> int | None:
    """Return the smallest value that this share of all doesn't exceed."""
    if not ordered:
        return None
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
