"""What each column of the rows in a recording means."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models.signals import SIGNALS
from chaosops.rewards.components import COMPONENTS


class About(NamedTuple):
    """What a field means, and what it is counted in."""

    meaning: str
    unit: str = ""


_MINUTE: Final = "minute since the page"

ROWS: Final[Mapping[str, Mapping[str, About]]] = MappingProxyType(
    {
        "Alert": {
            "minute": About("When it began.", _MINUTE),
            "service": About("Where it fires."),
            "severity": About("Whether it wakes somebody."),
            "text": About("What it says."),
            "signal": About("What its rule watches; null for the page."),
        },
        "ArgumentChoice": {
            "name": About("The argument."),
            "choices": About("Its values; empty for any text."),
            "required": About("Whether it has to be given."),
        },
        "AuditEvent": {
            "minute": About("When.", _MINUTE),
            "agent": About("Who."),
            "act": About("What it did."),
            "target": About("To what."),
            "reason": About("Why, in its words."),
            "approval": About("Who or what allowed it, in its words."),
            "gates": About("The gates that it rests on; null where it rests on something else."),
        },
        "Gates": {
            "passed": About("How many were passed.", "count"),
            "asked": About("How many there are.", "count"),
        },
        "Change": {
            "minute": About("When.", _MINUTE),
            "service": About("Where."),
            "kind": About("What sort of change."),
            "version": About("Which version came of it."),
            "author": About("Who made it."),
            "text": About("What it says of itself."),
        },
        "Diagnosis": {
            "minute": About("When.", _MINUTE),
            "role": About("Who declared it."),
            "cause": About("The cause."),
            "right": About("Whether that is the cause."),
        },
        "Doing": {
            "role": About("Who."),
            "minute": About("When.", _MINUTE),
            "text": About("The last thing the role did."),
            "action_type": About("Its verb; null where the action was refused."),
        },
        "Finding": {
            "minute": About("When.", _MINUTE),
            "role": About("Who looked."),
            "source": About("Where it looked."),
            "target": About("At what."),
            "text": About("What it showed."),
            "signs": About("The same in the runbook's words."),
            "reading": About("What the instrument showed; null in incidents of the first edition."),
        },
        "Impact": {
            "failed": About("User requests that failed this minute.", "share, 0 to 1"),
            "lost": About("User requests that failed since the page.", "thousands"),
            "tickets": About("The newest support tickets, oldest first."),
            "doing": About("Each role's last act."),
        },
        "InFlight": {
            "role": About("Who took it."),
            "action_type": About("The verb."),
            "target": About("On what."),
            "args": About("With what."),
            "taken": About("When it was taken.", _MINUTE),
            "lands": About("At the end of which minute it lands.", _MINUTE),
        },
        "InForce": {
            "role": About("Who took the action."),
            "action_type": About("The verb."),
            "target": About("On what."),
            "args": About("With what."),
            "since": About("When it took effect.", _MINUTE),
            "undo": About("The action that takes it back; null where nothing does."),
        },
        "Landing": {
            "minute": About("When it landed.", _MINUTE),
            "role": About("Who took the action."),
            "action_type": About("The verb."),
            "target": About("On what."),
            "measured": About("Signals of the target before and after."),
        },
        "Measured": {
            "signal": About("What was measured."),
            "unit": About("Of the two values."),
            "before": About("In the minute before."),
            "after": About("In the minute it landed."),
        },
        "Reading": {
            "minute": About("When.", _MINUTE),
            "source": About("With which instrument."),
            "target": About("At what."),
            "parts": About("Charts, log views, traces, tables, diffs and statements."),
        },
        "Chart": {
            "part": About("`chart`."),
            "title": About("What it is of."),
            "start": About("The minute of each first value.", _MINUTE),
            "series": About("Its lines."),
            "marks": About("What happened within it."),
            "kind": About("What it is of, for programs."),
        },
        "Series": {
            "name": About("The signal, the instance, the volume or the shard."),
            "unit": About("Of its values."),
            "values": About("One a minute; null where none was collected."),
        },
        "Mark": {
            "minute": About("When.", _MINUTE),
            "kind": About("A kind of change, or `automation`."),
            "text": About("The version, or the agent and its act."),
        },
        "LogView": {
            "part": About("`logs`."),
            "title": About("Whose log."),
            "entries": About("Lines, oldest first."),
        },
        "LogEntry": {
            "minute": About("When.", _MINUTE),
            "instance": About("Which instance wrote it."),
            "level": About("Its level."),
            "template": About("The text, `*` for what varies."),
            "text": About("The line."),
            "times": About("Lines like it in that minute.", "count"),
            "event": About("What it reports, for programs; null for what they need not know."),
        },
        "TraceView": {
            "part": About("`traces`."),
            "title": About("Through what."),
            "traces": About("Requests that were sampled."),
        },
        "Trace": {
            "id": About("Its id."),
            "minute": About("When.", _MINUTE),
            "spans": About("Its spans, depth first."),
        },
        "Span": {
            "depth": About("How deep in the tree; 0 is the root.", "count"),
            "service": About("Who worked."),
            "operation": About("On what."),
            "start_ms": About("From the start of the request.", "ms"),
            "duration_ms": About("How long.", "ms"),
            "status": About("`ok`, or the error as it was reported."),
        },
        "Table": {
            "part": About("`table`."),
            "title": About("What it is of."),
            "columns": About("Its columns."),
            "rows": About("Its rows, a cell a column."),
            "kind": About("What it lists, for programs."),
            "stated": About("What texts in its cells say, as values."),
        },
        "Stated": {
            "row": About("Which row, from 0.", "index"),
            "column": About("Which column, by its name."),
            "values": About("Gates passed and asked for, or the key that was rejected."),
        },
        "Column": {
            "name": About("Its name."),
            "unit": About("Of its cells; empty for text and counts."),
        },
        "Diff": {
            "part": About("`diff`."),
            "minute": About("When it was changed.", _MINUTE),
            "service": About("Where."),
            "kind": About("What sort of change."),
            "version": About("Which version came of it."),
            "author": About("Who made it."),
            "ticket": About("Under which reference."),
            "text": About("What it says of itself."),
            "lines": About("As a unified diff has them."),
            "touches": About("Names of what it changes, for programs."),
        },
        "Statement": {
            "part": About("`statement`."),
            "title": About("What it is."),
            "lines": About("Its text."),
        },
        "LogLine": {
            "minute": About("When.", _MINUTE),
            "service": About("Whose log."),
            "level": About("How bad."),
            "text": About("The line."),
            "event": About("What it reports, for programs; null for what they need not know."),
            "callee": About("To which service calls fail; empty for other events."),
        },
        "Message": {
            "minute": About("When.", _MINUTE),
            "sender": About("Who said it."),
            "to": About("Whom it is meant for; null for all."),
            "text": About("The words."),
            "proposal": About("What the sender asks the receiver to do."),
            "finding": About("The finding that the sender shares."),
            "reply": About("What the message answers to a proposal; null where it answers none."),
        },
        "Reply": {
            "kind": About("What is answered."),
            "proposal": About("The proposal."),
        },
        "Proposal": {
            "action_type": About("The verb."),
            "target": About("On what."),
            "args": About("With what."),
            "cause": About("The cause that it is meant to end; null where none is named."),
        },
        "ServiceNode": {
            "name": About("The service."),
            "kind": About("Its tier."),
            "calls": About("The services it calls."),
        },
        "ServiceSignals": {
            "service": About("The service."),
            "health": About("Its health at a glance."),
            **{spec.field: About(spec.meaning, spec.unit) for spec in SIGNALS},
        },
        "Status": {
            "title": About("What the page said."),
            "minute": About("Now.", _MINUTE),
            "paged_at": About("When the page was.", "minute of the day"),
            "turns": About("How long the incident may last.", "turns"),
            "users_ok": About("User requests that succeeded this minute.", "share, 0 to 1"),
            "slo": About("The share that should.", "share, 0 to 1"),
            "held": About("For how long the objective has been met.", "minutes"),
            "hold": About("For how long it has to be.", "minutes"),
            "budget": About("Error budget left.", "percent"),
        },
        "StepRewardBreakdown": {
            **{part.name: About(part.meaning, "reward") for part in COMPONENTS},
        },
        "Ticket": {
            "minute": About("When.", _MINUTE),
            "text": About("What the customer wrote."),
        },
        "VerbChoice": {
            "action_type": About("The verb."),
            "group": About("Where a menu puts it."),
            "targets": About("What it can be used on; empty for a verb without target."),
            "arguments": About("Its arguments."),
            "minutes": About("How long it is in flight, at least and at most.", "minutes"),
        },
    }
)
"""The columns of the rows, by record."""
