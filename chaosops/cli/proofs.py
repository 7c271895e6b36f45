"""How the gates went for an incident, with the places in its file to look at where one failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.errors import ScenarioError
from chaosops.evaluation.gates import RANDOM_TRIES, Gate, prove
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.problems import FieldPath, Problem, dotted
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.schema import Incident, Move

CURES: Final[Mapping[str, tuple[str, str]]] = {
    "the best line resolves it": (
        "solution",
        "let its steps clear every fault and pause every rogue, and be no wrong fix",
    ),
    "the expert resolves it": (
        "evidence",
        "put the sign that settles it where a role can look, at the service to fix",
    ),
    "the best line scores no less than the expert": (
        "solution",
        "put first what helps most, and give the diagnosis to a role that has its turn early",
    ),
    "par and the diagnosis budget can be met": (
        "par",
        "raise it, or diagnosis_budget, to what the best line needs",
    ),
    "every seed opens differently": (
        "variables",
        "add one that shows in the first minutes, such as when the fault starts",
    ),
    "every tempting fix does harm": (
        "tempting",
        "give it effects that hurt the users, not only the service",
    ),
    "every mitigation helps": (
        "faults",
        "lower what 'remains', or take the mitigation out",
    ),
    "no shortcut pays": (
        "hold",
        "use 6 or more, so that one lucky fix ends it no sooner than a team that looks",
    ),
    "no luck pays": (
        "hold",
        "use 6 or more, so that one lucky fix ends it no sooner than a team that looks",
    ),
}
"""The field of the file to look at when a gate fails, and what to do there."""


class Proof(NamedTuple):
    """How the gates went for one incident.

    Attributes:
        gates: Each gate with the places to look at, of which one that passed has none.
        trouble: What kept it from being played to the end; empty where nothing did.
    """

    path: Path
    scenario_id: str
    seeds: tuple[int, ...]
    gates: tuple[tuple[Gate, tuple[Problem, ...]], ...]
    trouble: str = ""

    @property
    def passed(self) -> bool:
        """Whether every gate did, on every seed."""
        return not self.trouble and all(gate.passed for gate, _places in self.gates)

    def __str__(self) -> str:
        verdict = "proven" if self.passed else "not proven"
        lines = [f"{self.scenario_id}: {verdict} on {count(len(self.seeds), 'seed')}"]
        if self.trouble:
            lines.append(f"FAIL  it cannot be played: {self.trouble}")
        for gate, places in self.gates:
            lines += [str(gate), *(f"      {place}" for place in places)]
        return "\n".join(lines)


def what_is_played(incidents: int, seeds: Sequence[int]) -> str:
    """What a proof of so many incidents plays, in one line."""
    return (
        f"proving {count(incidents, 'incident')}: every gate on each of "
        f"{count(len(seeds), 'seed')}, luck with {RANDOM_TRIES} games a seed"
    )


def count(number: int, noun: str) -> str:
    """So many of something, in words."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def proofs(
    paths: Sequence[Path],
    seeds: tuple[int, ...],
    folders: Sequence[Path],
    passed_on: Callable[[], None] = lambda: None,
) -> Iterator[Proof]:
    """Put incidents through every gate, one after another, each gate on every seed.

    Args:
        folders: Where their topologies are looked for, besides their own folders.
        passed_on: Called `len(CURES)` times an incident that can be played: after each gate.
    """
    for path in paths:
        try:
            source = open_scenario(path, folders)
            gates = prove(source, seeds, passed_on=passed_on).gates
        except ScenarioError as error:
            yield Proof(path, path.stem, seeds, (), str(error))
            continue
        incidents = [source.render(seed) for seed in seeds]
        with_places = [
            (gate, () if gate.passed else tuple(_places(gate, source, incidents))) for gate in gates
        ]
        yield Proof(path, source.id, seeds, tuple(with_places))


def _places(gate: Gate, source: ScenarioSource, incidents: Sequence[Incident]) -> Iterator[Problem]:
    field, cure = CURES[gate.name]
    named = sorted(
        {
            path
            for incident in incidents
            for path, move in _moves(incident, field)
            if f"{move.action.value} {move.target or ''}" in gate.words
        }
    )
    for path in named or [(field,)]:
        yield Problem(source.path, source.line(path), dotted(path), cure)


def _moves(incident: Incident, field: str) -> Iterator[tuple[FieldPath, Move]]:
    """The moves of which a gate may say that they do too little."""
    if field == "tempting":
        yield from ((("tempting", i), move) for i, move in enumerate(incident.tempting))
    elif field == "faults":
        for i, fault in enumerate(incident.faults):
            for j, move in enumerate(fault.mitigates):
                yield ("faults", i, "mitigates", j), move
