"""The picker's entries: as options of a list, and as a few lines when it is folded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from textual.content import Content
from textual.widgets.option_list import Option

from chaosops.play.action_form.choices import Choice, Field
from chaosops.play.action_form.objects import ObjectMove
from chaosops.play.action_form.picks import GROUPS, OFFERED, Pick
from chaosops.play.action_form.state import FormState, Stage
from chaosops.play.formatting import MUTED, shown
from chaosops.play.log_search import FoundLines, lines_found
from chaosops.play.record_search import (
    FoundRecords,
    is_question,
    records_found,
    who_sees_more,
)


class LastLook(StrEnum):
    """The ids of the options at the confirmation."""

    DO = "do-it"
    ONE = "picker.one"
    SAY = "picker.say"
    FINDING = "picker.finding"
    WHY = "picker.why"
    SURE = "picker.sure"


LINES: Final = "lines"
"""What the ids of log lines begin with, before their number."""

RECORD: Final = "record:"
"""What the ids of records begin with, before the name of the pane that has them."""

MOVE: Final = "move:"
"""What the ids of moves begin with."""

_PANES: Final = {"flight": "channel", "diagnoses": "channel"}
"""The panes that show parts of other names."""

_OPTIONAL: Final = {
    LastLook.ONE: "one instance only",
    LastLook.SAY: "say, or change the words",
    LastLook.FINDING: "leave the finding out, or attach it",
    LastLook.WHY: "say why",
    LastLook.SURE: "say how sure",
}


def options_for(
    form: FormState | None, wanted: str, keys: Callable[[], Mapping[str, str]]
) -> list[Option]:
    """Return the current options, or a line that says that nothing was found.

    Args:
        wanted: Words that an entry must have.
        keys: Returns the names of keys by the binding's id.
    """
    options: list[Option] = []
    more = ""
    if form is None:
        pass
    elif form.stage is Stage.PICK:
        commands = form.found(wanted)
        options = pick_options(form.picks, wanted) + move_options(commands.moves)
        asks = is_question(wanted)
        records = record_options(records_found(form.view, wanted))
        lines = line_options(lines_found(form.view, wanted))
        options += records + lines if asks else lines + records
        more = who_sees_more(form.view) if asks else commands.why_none
    elif form.stage is Stage.CONFIRM:
        options = last_look_options(
            keys(),
            talks=form.can_say,
            scopes=form.can_be_for_one,
            evidence=form.evidence is not None,
        )
    else:
        options = [] if form.field is None else choice_options(form.field, wanted)
    return [nothing_found(wanted, more)] if wanted and not options else options


def _matches(text: str, wanted: str) -> bool:
    return all(word in text.casefold() for word in wanted.casefold().split())


def pick_options(entries: tuple[Pick, ...], wanted: str) -> list[Option]:
    """Return the picks in their groups; an option's id is the index of its pick."""
    options: list[Option] = []
    for group in dict.fromkeys((*GROUPS, *(pick.group for pick in entries))):
        inside = [
            (i, pick)
            for i, pick in enumerate(entries)
            if pick.group == group and _matches(f"{pick.label} {group}", wanted)
        ]
        if inside:
            title = Content.styled(group.capitalize(), "bold" if group == OFFERED else MUTED)
            options.append(Option(title, disabled=True))
        for i, pick in inside:
            offered = pick.offer is not None
            label = Content.assemble(
                (f" {'' if offered else pick.key:>1}  ", "bold"),
                f"see what {pick.key} does, or change it" if offered else pick.label,
                (f"  {_minutes(pick)}{pick.blocked}", MUTED),
            )
            options.append(Option(label, id=str(i), disabled=bool(pick.blocked)))
    return options


def move_options(found: Sequence[ObjectMove]) -> list[Option]:
    """Return the moves that a search has found; an option's id is `MOVE` and the index."""
    options = [Option(Content.styled("Commands", MUTED), disabled=True)] if found else []
    for i, move in enumerate(found):
        label = Content.assemble("    ", move.words, (f"  {move.takes}", MUTED))
        options.append(Option(label, id=f"{MOVE}{i}"))
    return options


def record_options(found: FoundRecords) -> list[Option]:
    """Return what a search has found of what happened; each leads to the pane that has it."""
    rows = [
        (f"{RECORD}{i}:{_PANES.get(record.part, record.part)}", record.words)
        for i, record in enumerate(found.records)
    ]
    return _newest_of("What happened", rows, found.total)


def line_options(found: FoundLines) -> list[Option]:
    """Return the log lines that a search has found; each leads to all of them."""
    rows = [(f"{LINES}{i}", line) for i, line in enumerate(found.lines)]
    return _newest_of("Log lines", rows, found.total)


def _newest_of(title: str, rows: Sequence[tuple[str, str]], total: int) -> list[Option]:
    """Return a title and rows, each with its id and text; none without rows."""
    if not rows:
        return []
    more = f", {total} in all" if total > len(rows) else ""
    return [
        Option(Content.styled(f"{title}, the newest first{more}", MUTED), disabled=True),
        *(Option(Content(f"    {shown(text, 200)}"), id=name) for name, text in rows),
    ]


def _minutes(pick: Pick) -> str:
    if pick.offer is not None:
        return ""
    low, high = pick.verb.minutes
    if not high:
        return ""
    return f"{low} min" if low == high else f"{low}-{high} min"


def choice_options(field: Field, wanted: str) -> list[Option]:
    """Return the choices of a question; an option's id is the index of its choice."""
    width = max((len(choice.label) for choice in field.choices), default=0)
    return [
        Option(_choice_label(choice, min(width, 28)), id=str(i))
        for i, choice in enumerate(field.choices)
        if _matches(" ".join((choice.label, choice.note, *choice.aliases)), wanted)
    ]


def _choice_label(choice: Choice, width: int) -> Content:
    return Content.assemble(
        (f" {choice.key:>1}  ", "bold"),
        choice.label.ljust(width),
        (f"  {choice.note}", MUTED),
    )


def last_look_options(
    keys: Mapping[str, str],
    *,
    talks: bool = False,
    scopes: bool = False,
    evidence: bool = False,
) -> list[Option]:
    """Return the confirmation, and what can be said about the action before it.

    Args:
        keys: The names of keys by the binding's id.
        talks: Whether a line can be said with it.
        scopes: Whether it can be for one instance.
        evidence: Whether it is a proposal that a finding of the player supports.
    """
    left_out = {
        name
        for name, offered in (
            (LastLook.SAY, talks),
            (LastLook.ONE, scopes),
            (LastLook.FINDING, evidence),
        )
        if not offered
    }
    done = Option(Content.styled("Enter  do it", "bold $accent"), id=LastLook.DO)
    said = [
        Option(Content.assemble((f"{keys.get(name, ''):>5}  ", "bold"), (words, MUTED)), id=name)
        for name, words in _OPTIONAL.items()
        if name not in left_out
    ]
    return [done, *said]


def summary(entries: tuple[Pick, ...], width: int, lines: int = 4) -> Content:
    """Return all picks in a few lines, none of them broken across two.

    The last one, passing, always stays; if others don't fit, there is an ellipsis before it.
    """
    parts = [
        Content.assemble(
            (pick.key, "bold $accent"), (f" {pick.label}", MUTED if pick.blocked else "")
        )
        for pick in entries
    ]
    rows: list[list[Content]] = [[]]
    used = 0
    for part in parts:
        if used and used + part.cell_length > width and len(rows) < lines:
            rows.append([])
            used = 0
        rows[-1].append(part)
        used += part.cell_length + 1
    last = rows[-1]
    if _cells(last) > width and len(last) > 1:
        last[-2] = Content.styled("…", MUTED)
        while _cells(last) > width and len(last) > 2:
            del last[-3]
    return Content("\n").join(Content(" ").join(row) for row in rows)


def _cells(row: Sequence[Content]) -> int:
    return sum(part.cell_length + 1 for part in row) - 1


def nothing_found(wanted: str, more: str = "") -> Option:
    """Return the line for a search that finds nothing.

    Args:
        more: Where else it may be found.
    """
    said = f"Nothing here matches '{shown(wanted, 40)}'. {more}".rstrip()
    return Option(Content.styled(said, MUTED), disabled=True)
