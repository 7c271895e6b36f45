"""Prompts, the plain mode's board and the panes read rows, not the records of a view."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import chaosops
from chaosops.env import models
from chaosops.presenter import PARTS

ROOT = Path(chaosops.__file__).resolve().parent.parent

HEADS = {"ArgumentChoice", "Proposal", "Status", "VerbChoice"}
"""Records that are no part of what a role sees of the fleet: the head, and what may be done."""

RECORDS = {
    name
    for name in models.__all__
    if isinstance(kind := getattr(models, name), type)
    and issubclass(kind, tuple)
    and not hasattr(kind, "model_dump")
} - HEADS

FIELDS = {field for part in PARTS.values() for field in part.fields}

READERS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in (
        "chaosops/text/*.py",
        "tui/plain/board.py",
        "tui/widgets/panes/*.py",
        "tui/widgets/status/*.py",
    )
    for path in ROOT.glob(pattern)
    if path.name not in {"actions.py", "schemas.py"}
)


def _of_a_view(tree: ast.Module) -> Iterator[str]:
    """The records that a module imports, and the fields of views that it reads."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(models.__name__):
            yield from (alias.name for alias in node.names if alias.name in RECORDS)
        if (
            isinstance(node, ast.Attribute)
            and node.attr in FIELDS
            and "view" in ast.unparse(node.value)
        ):
            yield ast.unparse(node)


def test_the_records_of_a_view_are_known() -> None:
    assert {"Alert", "Change", "Finding", "InForce", "LogLine", "ServiceSignals"} <= RECORDS


@pytest.mark.parametrize("module", READERS)
def test_only_the_presenter_reads_the_records_of_a_view(module: str) -> None:
    assert list(_of_a_view(ast.parse((ROOT / module).read_text("utf-8")))) == []
