"""Scenario files, and drawing an incident from one for a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from chaosops.env.models import Difficulty, FailureType
from chaosops.env.models.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.incident import Incident
from chaosops.scenarios.problems import (
    MAX_PROBLEMS,
    MORE,
    FieldPath,
    Problem,
    Wrong,
    shown,
    shown_path,
)
from chaosops.scenarios.yaml_source import Document, read_document

MAX_SEED = 2**32 - 1
"""The largest seed of a scenario."""


@dataclass(frozen=True, slots=True)
class ScenarioSource:
    """A checked situation file, ready to draw an incident for any seed.

    Attributes:
        content_hash: SHA-256, in hex, of the content of the situation, its topology and its causes;
            layout and comments don't matter.
        incident_hash, topology_hash: The same for each alone.
        drawing: Draws the incident of a seed.
    """

    path: Path
    id: str
    content_hash: str
    incident_hash: str = field(compare=False)
    topology_hash: str = field(compare=False)
    title: str = field(compare=False)
    level: Difficulty = field(compare=False)
    topology: Topology = field(compare=False, repr=False)
    drawing: Drawing = field(compare=False, repr=False)

    def render(self, seed: int) -> Incident:
        """Draw the incident of a seed; the same in every process.

        Args:
            seed: From 0 to `MAX_SEED`.

        Raises:
            ScenarioError: The seed is out of range.
        """
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise ScenarioError(
                f"{shown(repr(seed))} is not a seed; use a whole number from 0 to {MAX_SEED}"
            )
        return self.drawing.draw(seed)

    def of_type(self, failure_type: FailureType) -> ScenarioSource:
        """Return the source whose every seed draws an incident of a failure type.

        Raises:
            ScenarioError: The situation has no cause of that type.
        """
        return replace(self, drawing=self.drawing.of_type(failure_type))

    def line(self, path: FieldPath) -> int:
        """Return the line of a field in the file, or of the nearest thing around it.

        The file is read again, since keeping the lines of all fields would take much memory.
        """
        return read_document(self.path).line(path)


def merged(names: list[Wrong], model: list[Wrong]) -> list[Wrong]:
    """Merge two lists; a model's check as a whole, which stops at its first find, only if alone."""
    return names + [item for item in model if not (item.whole and names)]


def placed(document: Document, found: Sequence[Wrong]) -> list[Problem]:
    """Return the problems with their lines; without any other, doubtful text counts as one."""
    wrong = [item for item in found if item.path not in document.unread]
    told = {item.path for item in found}
    wrong += [
        Wrong(path, f'YAML may not read this as text; put it in quotes: "{text}"')
        for path, text in document.doubtful.items()
        if path not in told
    ]
    problems = [document.problem(item) for item in wrong[:MAX_PROBLEMS]]
    if len(wrong) > MAX_PROBLEMS:
        problems.append(document.problem(Wrong(wrong[MAX_PROBLEMS].path, MORE)))
    return problems


def file_error(path: Path, problems: Sequence[Problem]) -> ScenarioError:
    """Return the first problem of a file as an error that tells how to see the others."""
    text = str(problems[0])
    if len(problems) > 1:
        command = f"chaosops scenarios validate {shown_path(path)}"
        text += f" (and {len(problems) - 1} more: run {command})"
    return ScenarioError(text)
