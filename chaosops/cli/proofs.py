"""Results of an incident's gates, with the places in its file that failed gates point to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.errors import ScenarioError
from chaosops.evaluation.gates import GATES, RANDOM_TRIES, GateResult, run_gate
from chaosops.evaluation.study import Each, one_by_one
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.problems import Problem
from chaosops.scenarios.rendering import ScenarioSource

CURES: Final[Mapping[str, tuple[str, str]]] = {
    "the best line resolves it": (
        "casts",
        "list under 'clears' in the file of each cause what ends it for good",
    ),
    "the expert resolves it": (
        "casts",
        "remove the cause or the place that it doesn't solve",
    ),
    "the best line scores no less than the expert": (
        "casts",
        "list the best cure of the cause first in its file",
    ),
    "par and the bonus of the diagnosis can be had": (
        "par",
        "raise it to what the best line needs",
    ),
    "every seed opens differently": (
        "casts",
        "add causes or places that show something else in the first minutes",
    ),
    "every tempting fix does harm": (
        "casts",
        "remove the place, or the entry under 'tempts' in the cause's file",
    ),
    "every mitigation helps": (
        "casts",
        "remove the place, or the entry under 'eases' in the cause's file",
    ),
    "no shortcut pays": (
        "hold",
        "use 6 or more, so that a lucky fix doesn't end it sooner than a team that investigates",
    ),
    "no luck pays": (
        "hold",
        "use 6 or more, so that a lucky fix doesn't end it sooner than a team that investigates",
    ),
}
"""For each gate, the field to look at if it fails, and what to do there."""


class GateProof(NamedTuple):
    """The results of one incident's gates.

    Attributes:
        gates: Each gate with the place to look at; None for a gate that passed.
        trouble: What kept the incident from being played to the end, or an empty string.
    """

    path: Path
    scenario_id: str
    seeds: tuple[int, ...]
    gates: tuple[tuple[GateResult, Problem | None], ...]
    trouble: str = ""

    @property
    def passed(self) -> bool:
        """Whether every gate passed on every seed."""
        return not self.trouble and all(gate.passed for gate, _place in self.gates)

    def __str__(self) -> str:
        verdict = "proven" if self.passed else "not proven"
        lines = [f"{self.scenario_id}: {verdict} on {count(len(self.seeds), 'seed')}"]
        if self.trouble:
            lines.append(f"FAIL  cannot be played: {self.trouble}")
        for gate, place in self.gates:
            lines += [str(gate), *([] if place is None else [f"      {place}"])]
        return "\n".join(lines)


def what_is_played(incidents: int, seeds: Sequence[int]) -> str:
    """Describe in one line what is played to prove that many incidents."""
    return (
        f"proving {count(incidents, 'incident')}: every gate on {count(len(seeds), 'seed')}, "
        f"with {RANDOM_TRIES} random games per seed"
    )


def count(number: int, noun: str) -> str:
    """Format a count with its noun."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def proofs(
    paths: Sequence[Path],
    seeds: tuple[int, ...],
    folders: Sequence[Path],
    each: Each = one_by_one,
) -> Iterator[GateProof]:
    """Run every gate on every seed, one incident after another.

    Args:
        folders: Where to look for topologies, besides the incidents' own folders.
        each: How the gates are distributed; see `Each`.
    """
    items = [(path, number) for path in paths for number in range(GATES)]
    results = iter(each(_GateRun(seeds, tuple(folders)), items))
    for path in paths:
        found = list(islice(results, GATES))
        trouble = next((one for one in found if isinstance(one, str)), "")
        if trouble:
            yield GateProof(path, path.stem, seeds, (), trouble)
            continue
        source = open_scenario(path, folders)
        with_places = [
            (gate, None if gate.passed else _place(gate, source))
            for gate in found
            if isinstance(gate, GateResult)
        ]
        yield GateProof(path, source.id, seeds, tuple(with_places))


class _GateRun:
    """Puts incidents through gates.

    What keeps an incident from being played is returned as text, and not tried again.
    """

    def __init__(self, seeds: tuple[int, ...], folders: tuple[Path, ...]) -> None:
        self._seeds = seeds
        self._folders = folders
        self._path: Path | None = None
        self._source: ScenarioSource | None = None
        self._trouble = ""

    def __call__(self, item: tuple[Path, int]) -> GateResult | str:
        path, number = item
        if path != self._path:
            self._path, self._source, self._trouble = path, None, ""
        try:
            if not self._trouble:
                self._source = self._source or open_scenario(path, self._folders)
                return run_gate(self._source, number, self._seeds)
        except ScenarioError as error:
            self._trouble = str(error)
        return self._trouble


def _place(gate: GateResult, source: ScenarioSource) -> Problem:
    field, cure = CURES[gate.name]
    return Problem(source.path, source.line((field,)), field, cure)
