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
            "minute": About("When the alert started firing.", _MINUTE),
            "service": About("The service it fires on."),
            "severity": About("Whether it pages the on-call or opens a ticket."),
            "text": About("The alert's text."),
            "signal": About("The signal its rule watches; null for the page."),
        },
        "ArgumentChoice": {
            "name": About("The argument's name."),
            "choices": About("Allowed values; empty if any text is allowed."),
            "required": About("Whether it is required."),
        },
        "AuditEvent": {
            "minute": About("When it happened.", _MINUTE),
            "agent": About("The agent."),
            "act": About("What the agent did."),
            "target": About("What it acted on."),
            "reason": About("The agent's stated reason."),
            "approval": About("The stated approval."),
            "gates": About("The gates it relied on; null if it didn't rely on gates."),
        },
        "Gates": {
            "passed": About("Gates that passed.", "count"),
            "asked": About("Gates in total.", "count"),
        },
        "Change": {
            "minute": About("When the change was made.", _MINUTE),
            "service": About("The changed service."),
            "kind": About("The kind of change."),
            "version": About("The resulting version."),
            "author": About("The author of the change."),
            "text": About("The change's description."),
        },
        "Diagnosis": {
            "minute": About("When the diagnosis was made.", _MINUTE),
            "role": About("The role that made it."),
            "cause": About("The diagnosed cause."),
            "right": About("Whether the diagnosis is correct; null while it is sealed."),
            "place": About("The service where the cause is said to be; empty if none was named."),
            "stake": About("How sure it is said to be; null in recordings of old engines."),
        },
        "Credit": {
            "component": About("The component of the reward that it is part of."),
            "amount": About("What it earned; negative for a cost.", "reward"),
            "role": About("The role that ordered the deed."),
            "ordered": About("When it was ordered.", _MINUTE),
            "paid": About("When it was paid.", _MINUTE),
            "target": About("What the deed was aimed at; empty if at nothing."),
        },
        "ApprovalRequest": {
            "number": About("The request's number, from 1."),
            "role": About("The role that ordered the move."),
            "action_type": About("The verb."),
            "target": About("The target."),
            "args": About("The arguments."),
            "asked": About("When it was ordered.", _MINUTE),
            "lapses": About("When the request lapses.", _MINUTE),
            "readings": About(
                "How many looks the team has taken at the target, or anywhere if it is an entry; "
                "without one, it can't be approved."
            ),
        },
        "AgentRequest": {
            "number": About("The request's number, from 1."),
            "agent": About("The agent that asks."),
            "deed": About("What it would do."),
            "target": About("The service to which it would do it."),
            "args": About("How wide, or which build or plan it is about."),
            "command": About("The act in words, as in the audit log."),
            "claim": About("What it says it measured."),
            "gates": About("Of a promotion, the gates that the build passed; null otherwise."),
            "policy": About("The agent's written policy, in words."),
            "share": About("The share of the target's traffic that it concerns.", "percent"),
            "asked": About("When it asked.", _MINUTE),
            "lapses": About("When the request lapses, which counts as a denial.", _MINUTE),
        },
        "Claim": {
            "signal": About("What was measured."),
            "service": About("The service that it is said to be about."),
            "value": About("The value."),
            "unit": About("The unit of the value; empty for a count."),
        },
        "LastAction": {
            "role": About("The role."),
            "minute": About("When it acted.", _MINUTE),
            "text": About("Its last action, in words."),
            "action_type": About("The action's verb; null if the action was refused."),
        },
        "Finding": {
            "minute": About("When the investigation took place.", _MINUTE),
            "role": About("The role that investigated."),
            "source": About("The instrument used."),
            "target": About("The service or agent investigated."),
            "text": About("What it showed, in words."),
            "signs": About("The same in the runbook's terms."),
            "reading": About("The instrument's data; null in recordings of old engines."),
        },
        "Impact": {
            "failed": About("Failed user requests in this minute.", "share, 0 to 1"),
            "lost": About("Failed user requests since the page.", "thousands"),
            "tickets": About("The newest support tickets, oldest first."),
            "doing": About("Each role's last action."),
            "journeys": About("How users fare by the service at which they come in."),
        },
        "Journey": {
            "service": About("The service at which they come in."),
            "failed": About("Failed requests to it in this minute.", "share, 0 to 1"),
            "before": About("The same five minutes ago.", "share, 0 to 1"),
        },
        "UpdateDue": {
            "due": About("When it became due.", _MINUTE),
            "late": About("The first minute in which it is late.", _MINUTE),
            "closes": About("From when on it can't be sent any more.", _MINUTE),
            "draft": About("What the draft says."),
        },
        "UpdateContent": {
            "journey": About("The service at which the users come in who are hurt most."),
            "failed": About("Failed requests to it.", "percent"),
            "trend": About("Where that share is heading."),
            "cause": About("What is known of the cause."),
            "place": About("Where the cause is, or where the team is looking; may be empty."),
            "next": About("The next step."),
        },
        "StatusUpdate": {
            "minute": About("When it was sent.", _MINUTE),
            "due": About("When it became due.", _MINUTE),
            "content": About("What it says."),
            "calms": About("Whether the figures of that minute bear it out."),
        },
        "InFlight": {
            "role": About("The role that took the action."),
            "action_type": About("The verb."),
            "target": About("The target."),
            "args": About("The arguments."),
            "taken": About("When it was taken.", _MINUTE),
            "lands": About("The minute at whose end it lands.", _MINUTE),
        },
        "InForce": {
            "role": About("The role that took the action."),
            "action_type": About("The verb."),
            "target": About("The target."),
            "args": About("The arguments."),
            "since": About("When it took effect.", _MINUTE),
            "undo": About("The action that reverts it; null if there is none."),
        },
        "Landing": {
            "minute": About("When the action landed.", _MINUTE),
            "role": About("The role that took the action."),
            "action_type": About("The verb."),
            "target": About("The target."),
            "measured": About("Signals of the target before and after."),
        },
        "Measured": {
            "signal": About("The measured signal."),
            "unit": About("The unit of both values."),
            "before": About("The value in the minute before the action landed."),
            "after": About("The value in the minute the action landed."),
        },
        "Reading": {
            "minute": About("When it was taken.", _MINUTE),
            "source": About("The instrument."),
            "target": About("The service or agent it shows."),
            "parts": About("Charts, log views, traces, tables, diffs and statements."),
        },
        "Chart": {
            "part": About("`chart`."),
            "title": About("The chart's title."),
            "start": About("The minute of the first values.", _MINUTE),
            "series": About("The chart's series."),
            "marks": About("Events marked on the chart."),
            "kind": About("What the chart shows, as an identifier for programs."),
        },
        "Series": {
            "name": About("The signal, instance, volume, shard or partition."),
            "unit": About("The unit of the values."),
            "values": About("One value per minute; null if none was collected."),
        },
        "Mark": {
            "minute": About("When it happened.", _MINUTE),
            "kind": About("A kind of change, or `automation`."),
            "text": About("The version, or the agent and its act."),
        },
        "LogView": {
            "part": About("`logs`."),
            "title": About("The service whose log it is."),
            "entries": About("Log lines, oldest first."),
        },
        "LogEntry": {
            "minute": About("When it was logged.", _MINUTE),
            "instance": About("The instance that logged it."),
            "level": About("The log level."),
            "template": About("The text, with `*` for the parts that vary."),
            "text": About("The line."),
            "times": About("Matching lines in that minute.", "count"),
            "event": About("The reported event, for programs; null if they don't need it."),
        },
        "TraceView": {
            "part": About("`traces`."),
            "title": About("The service that the requests pass through."),
            "traces": About("Sampled requests."),
        },
        "Trace": {
            "id": About("The trace id."),
            "minute": About("When the request was made.", _MINUTE),
            "spans": About("The trace's spans, depth first."),
        },
        "Span": {
            "depth": About("Depth in the tree; 0 is the root.", "count"),
            "service": About("The service."),
            "operation": About("The operation."),
            "start_ms": About("Start, from the start of the request.", "ms"),
            "duration_ms": About("Duration.", "ms"),
            "status": About("`ok`, or the reported error."),
        },
        "Table": {
            "part": About("`table`."),
            "title": About("The table's title."),
            "columns": About("The columns."),
            "rows": About("The rows, one cell per column."),
            "kind": About("What the table lists, as an identifier for programs."),
            "stated": About("Values that the texts in its cells stand for."),
        },
        "Stated": {
            "row": About("The row, from 0.", "index"),
            "column": About("The column's name."),
            "values": About("Gates passed and required, or the rejected key."),
        },
        "Column": {
            "name": About("The column's name."),
            "unit": About("The unit of the cells; empty for text and counts."),
        },
        "Diff": {
            "part": About("`diff`."),
            "minute": About("When the change was made.", _MINUTE),
            "service": About("The changed service."),
            "kind": About("The kind of change."),
            "version": About("The resulting version."),
            "author": About("The author of the change."),
            "ticket": About("The change's ticket."),
            "text": About("The change's description."),
            "lines": About("Lines of a unified diff."),
            "touches": About("Names of what it changes, for programs."),
        },
        "Statement": {
            "part": About("`statement`."),
            "title": About("The statement's title."),
            "lines": About("The statement's lines."),
        },
        "LogLine": {
            "minute": About("When it was logged.", _MINUTE),
            "service": About("The service whose log it is."),
            "level": About("The log level."),
            "text": About("The line."),
            "event": About("The reported event, for programs; null if they don't need it."),
            "callee": About("The service that calls fail to; empty for other events."),
        },
        "Message": {
            "minute": About("When it was sent.", _MINUTE),
            "sender": About("The sender."),
            "to": About("The recipient; null for everyone."),
            "text": About("The message's text."),
            "proposal": About("The action that the sender asks for."),
            "finding": About("The finding that the sender shares."),
            "reply": About("The answer to a proposal; null if it answers none."),
        },
        "Reply": {
            "kind": About("The kind of answer."),
            "proposal": About("The proposal it answers."),
        },
        "Proposal": {
            "action_type": About("The verb."),
            "target": About("The target."),
            "args": About("The arguments."),
            "cause": About("The cause that the action is meant to fix; null if none is named."),
        },
        "ServiceNode": {
            "name": About("The service."),
            "kind": About("The service's tier."),
            "calls": About("The services it calls."),
        },
        "ServiceSignals": {
            "service": About("The service."),
            "health": About("The service's health at a glance."),
            **{spec.field: About(spec.meaning, spec.unit) for spec in SIGNALS},
        },
        "Status": {
            "title": About("The page's text."),
            "minute": About("The current minute.", _MINUTE),
            "paged_at": About("When the page was sent.", "minute of the day"),
            "turns": About("The most turns that the incident may last.", "turns"),
            "users_ok": About(
                "Availability: user requests that succeeded in this minute.", "share, 0 to 1"
            ),
            "slo": About("The availability objective.", "share, 0 to 1"),
            "held": About("How long the objective has been met.", "minutes"),
            "hold": About("How long the objective has to be met.", "minutes"),
            "budget": About("Remaining error budget.", "percent"),
            "frozen": About("Whether every fix needs an approval, after wrong ones."),
        },
        "StepRewardBreakdown": {
            **{part.name: About(part.meaning, "reward") for part in COMPONENTS},
        },
        "Ticket": {
            "minute": About("When it was opened.", _MINUTE),
            "text": About("The customer's words."),
        },
        "VerbChoice": {
            "action_type": About("The verb."),
            "group": About("Its group in the menu."),
            "targets": About("Possible targets; empty if the verb takes none."),
            "arguments": About("The verb's arguments."),
            "minutes": About("Least and most minutes until it lands.", "minutes"),
        },
    }
)
"""The columns of the rows, by record."""
