"""Scenario files to break: a good incident, and edits of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import open_scenario

FIXTURE = Path(__file__).parent / "fixtures" / "slow-sign-in.yaml"
INCIDENT = FIXTURE.read_text("utf-8")
STOREFRONT = (builtin_folder() / "topologies" / "storefront.yaml").read_text("utf-8")
INCIDENT_KEYS = ("id", "title", "level", "topology", "failure_type", "page")


def edited(text: str, old: str, new: str) -> str:
    """The text with its first `old` replaced; it must be there."""
    assert old in text
    return text.replace(old, new, 1)


def line_of(text: str, words: str) -> int:
    """The line, counted from 1, on which the words first stand."""
    return text[: text.index(words)].count("\n") + 1


def write(folder: Path, content: str | bytes, name: str = "slow-sign-in") -> Path:
    """A scenario file in a folder that is made if need be."""
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return path


def assert_named(folder: Path, old: str, new: str, words: str, field: str, message: str) -> None:
    """An edit of the good incident is one problem, with its line and cure, and is not played.

    Args:
        words: They stand on the line that it is reported on, and on none before.
        message: A part of what is said.
    """
    text = edited(INCIDENT, old, new)
    path = write(folder, text)

    found = [problem for problem in check_file(path) if problem.field == field]

    assert len(found) == 1
    assert message in found[0].message
    assert found[0].line == line_of(text, words)
    assert str(found[0]).startswith(f"{path}:{found[0].line}: {field}: ")
    with pytest.raises(ScenarioError) as caught:
        open_scenario(path)
    assert "\n" not in str(caught.value)
