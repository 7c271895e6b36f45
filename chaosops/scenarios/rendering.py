"""A scenario file that was read, and the incident that a seed makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaosops.env.models import Difficulty
from chaosops.env.models.topology import Topology
from chaosops.errors import ScenarioError
from chaosops.scenarios.checks.references import check_incident
from chaosops.scenarios.drawing import Drawing
from chaosops.scenarios.problems import (
    MAX_PROBLEMS,
    MORE,
    FieldPath,
    Problem,
    Wrong,
    shown,
    shown_path,
)
from chaosops.scenarios.schema import Incident
from chaosops.scenarios.templates import KEYS, Template
from chaosops.scenarios.validation import validate
from chaosops.scenarios.yaml_source import Document, read_document

MAX_SEED = 2**32 - 1
"""The largest seed of a scenario."""


@dataclass(frozen=True, slots=True)
class ScenarioSource:
    """An incident file that was read and checked, ready to be rendered for any seed.

    Attributes:
        content_hash: SHA-256, in hex, of what the incident and its topology say; how the files
            are laid out, and their comments, do not matter.
        incident_hash, topology_hash: The same of each alone.
        title, level: As seed 0 has them.
    """

    path: Path
    id: str
    content_hash: str
    incident_hash: str = field(compare=False)
    topology_hash: str = field(compare=False)
    title: str = field(compare=False)
    level: Difficulty = field(compare=False)
    topology: Topology = field(compare=False, repr=False)
    _template: Template | Drawing = field(compare=False, repr=False)

    def render(self, seed: int) -> Incident:
        """The incident as the seed decides it; the same in every process.

        Args:
            seed: From 0 to `MAX_SEED`.

        Raises:
            ScenarioError: The seed is out of range, or fills in something that cannot be.
        """
        if type(seed) is not int or not 0 <= seed <= MAX_SEED:
            raise ScenarioError(
                f"{shown(repr(seed))} is not a seed; use a whole number from 0 to {MAX_SEED}"
            )
        if isinstance(self._template, Drawing):
            return self._template.draw(seed)
        values = self._template.choose(seed)
        data = self._template.fill(values)
        incident, wrong = check_rendered(data, self.topology)
        if incident is None or wrong:
            found = placed(read_document(self.path), explained(self._template, wrong))
            raise file_error(self.path, found)
        return incident

    @property
    def drawing(self) -> Drawing | None:
        """What a situation draws from; None for an incident with one answer."""
        return self._template if isinstance(self._template, Drawing) else None

    def line(self, path: FieldPath) -> int:
        """The line of the file that a field is on, or the nearest thing around it.

        The file is read again for it: the lines of all fields take most of a file's memory.
        """
        return read_document(self.path).line(path)


def check_rendered(
    data: Mapping[str, Any], topology: Topology | None
) -> tuple[Incident | None, list[Wrong]]:
    """The incident that rendered data describes, and what keeps it from being played."""
    incident, wrong = validate(Incident, data, more_keys=KEYS)
    return incident, merged(check_incident(data, topology), wrong)


def explained(template: Template, wrong: list[Wrong]) -> list[Wrong]:
    """The same, without what cannot be known, and with the variables that something comes from."""
    if template.blind:
        wrong = [item for item in wrong if not template.is_blind(item.path)]
    if not wrong or not template.slots:
        return wrong
    origin = {
        slot.path: ", ".join(f"{{{name}}}" for name in slot.names)
        for slot in template.slots
        if slot.names
    }
    return [
        item._replace(message=f"{item.message} (from {origin[item.path]})")
        if item.path in origin
        else item
        for item in wrong
    ]


def merged(names: list[Wrong], model: list[Wrong]) -> list[Wrong]:
    """Both lists; a model's check as a whole, which stops at its first find, only on its own."""
    return names + [item for item in model if not (item.whole and names)]


def placed(document: Document, found: Sequence[Wrong]) -> list[Problem]:
    """The problems with their lines; where all else is well, text that is doubtful is one."""
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
    """The first problem of a file as an error, and how to see the others."""
    text = str(problems[0])
    if len(problems) > 1:
        command = f"chaosops scenarios validate {shown_path(path)}"
        text += f" (and {len(problems) - 1} more: run {command})"
    return ScenarioError(text)
