"""Words the parts of a view in a dialect."""

from __future__ import annotations

from collections.abc import Iterator

from chaosops.env.models import RoleView, Status
from chaosops.presenter import PARTS, Entry, Section, service_pasts
from chaosops.text.blocks import Block
from chaosops.text.dialect import Dialect
from chaosops.text.readings import READING_CHARACTERS, reading_texts
from chaosops.text.signals import trends


def part_blocks(name: str, view: RoleView, dialect: Dialect) -> Iterator[Block]:
    """Word a part of a view, in no block if the role sees nothing of it.

    Args:
        name: One of `PARTS`.
    """
    for section in PARTS[name].sections(view):
        yield section_block(section, view.status, dialect)
        if section.name == "services" and not dialect.compares:
            pasts = service_pasts(view, dialect.minutes)
            if pasts is not None:
                yield trends(pasts)


def section_block(section: Section, status: Status, dialect: Dialect) -> Block:
    """Word a section, with a line for each row and for each part of its reading."""
    lines: list[str] = []
    for entry in section.entries:
        lines.append(dialect.line(entry))
        if dialect.opens_findings:
            lines += reading_words(entry, status, dialect)
    return Block(section.title, tuple(lines), section.is_beside)


def reading_words(
    entry: Entry, status: Status, dialect: Dialect, *, room: int = READING_CHARACTERS
) -> Iterator[str]:
    """Word what the instrument showed for a finding, in a line for each part.

    Args:
        room: Characters for all of them together.
    """
    if entry.reading is not None:
        label = dialect.joined(entry.label)
        for text in reading_texts(entry.reading, status, dialect, room=room):
            yield f"{label}, {text}"
