"""Diffs and statements as lines."""

from __future__ import annotations

from chaosops.env.models import Status
from chaosops.env.models.readings import Diff, Statement
from chaosops.text.dialect import Dialect
from chaosops.text.readings.facts import PartFacts


def diff_facts(diff: Diff, status: Status, dialect: Dialect) -> PartFacts:
    """Return who changed what with which ticket, then the lines of the diff."""
    ticket = f"ticket {diff.ticket}" if diff.ticket else "no ticket"
    title = (
        f"{dialect.past(status, diff.minute)} {diff.kind} {diff.version} of {diff.service} by "
        f"{diff.author}, {ticket}, {diff.text}"
    )
    return PartFacts(title, diff.lines, "lines")


def statement_facts(statement: Statement) -> PartFacts:
    """Return the text line by line."""
    return PartFacts(statement.title, statement.lines, "lines")
