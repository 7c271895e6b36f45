"""Scenario files to break: a good incident, and edits of it."""

from __future__ import annotations

from pathlib import Path

from chaosops.scenarios.loader import builtin_folder

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
