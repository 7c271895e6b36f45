"""Formatting: roles, verbs, health, clocks and numbers as text. Needs no screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    Finding,
    Health,
    Proposal,
    Status,
)
from chaosops.env.models.roles import ROLES
from chaosops.env.models.verbs import VERBS, VerbSpec
from chaosops.rewards.components import COMPONENT
from chaosops.text_safety import clean

ROLE_NAMES: Final[Mapping[AgentRole, str]] = {role: spec.name for role, spec in ROLES.items()}

_VERBS: Final[Mapping[str, VerbSpec]] = {verb.value: spec for verb, spec in VERBS.items()}

MUTED: Final = "$foreground-muted"
"""The style of secondary text."""

HEALTH_SHAPES: Final[Mapping[Health, str]] = {
    Health.HEALTHY: "●",
    Health.DEGRADED: "▲",
    Health.CRITICAL: "■",
    Health.DOWN: "✖",
}

HEALTH_STYLES: Final[Mapping[Health, str]] = {
    Health.HEALTHY: "$success",
    Health.DEGRADED: "$warning",
    Health.CRITICAL: "$error",
    Health.DOWN: "bold $error",
}

_BARS = "▁▂▃▄▅▆▇"


def shown(text: object, limit: int = 2_100) -> str:
    """Put foreign text on one line: replace unsafe characters, make line ends visible."""
    line = clean(str(text)[: limit + 1]).replace("\n", " ⏎ ").replace("\t", " ")
    return line if len(line) <= limit else line[: limit - 1] + "…"


def verb_word(verb: ActionType | str) -> str:
    """Return a verb's name for players: NOOP is "pass"."""
    known = _VERBS.get(str(verb))
    return (known.label if known else "") or shown(verb).replace("_", " ")


def in_words(name: object) -> str:
    """Replace the underscores of a name by blanks."""
    return shown(name, 80).replace("_", " ")


def role_word(value: object) -> str:
    """Return a role's name; any other text is returned as it is."""
    try:
        return ROLE_NAMES[AgentRole(str(value))]
    except ValueError:
        return shown(value, 80)


def clock(status: Status, minute: int) -> str:
    """Format the time of day of a minute counted from the page, as HH:MM."""
    of_day = (status.paged_at + minute) % 1440
    return f"{of_day // 60:02d}:{of_day % 60:02d}"


def signed(value: float) -> str:
    """Format a reward with its sign and one decimal."""
    return f"{value:+.1f}" if abs(value) >= 0.05 else "0.0"


def component_word(name: str) -> str:
    """Name a reward component in a word or two."""
    return COMPONENT[name].word


def describe(
    action: ChaosOpsAction, viewer: AgentRole | None = None, findings: Sequence[Finding] = ()
) -> str:
    """Describe an action in one line: "scale payments to 6", "message to Dev: ...".

    Args:
        viewer: Who reads it, without others' private messages; None for everything.
        findings: The acting role's findings, to name a shared one; by default it is a number.
    """
    args = dict(action.args)
    args.pop("hint", None)
    if action.action_type is ActionType.COMMUNICATE:
        to = args.get("to") or "all"
        if viewer is not None and to != "all" and viewer not in (action.role, to):
            return f"private message to {role_word(to)}"
        return _describe_message(args, findings)
    return _act_words(action.action_type, action.target, args)


def timed(text: str, *, is_late: bool) -> str:
    """Describe what was done in a turn, and mark one that passed because time ran out."""
    return f"{text}, out of time" if is_late else text


def finding_word(found: Finding) -> str:
    """Name a finding: "runtime of db"."""
    return f"{found.source.value} of {shown(found.target, 40)}"


def _describe_message(args: dict[str, Any], findings: Sequence[Finding]) -> str:
    to = role_word(args.get("to") or "all")
    proposal = args.get("proposal")
    text = shown(args.get("text") or "")
    if isinstance(proposal, Mapping):
        return f"propose to {to}: {proposal_words(proposal)}"
    place = args.get("finding")
    if place is not None:
        what = "a finding"
        if type(place) is int and place >= 0:
            known = place < len(findings)
            what = finding_word(findings[place]) if known else f"finding {place + 1}"
        return f"share {what} with {to}" + (f": {text}" if text else "")
    return f"message to {to}: {text}"


def proposal_words(proposal: Proposal | Mapping[str, Any]) -> str:
    """Describe a proposal: "restart db", with its cause if the sender names one."""
    if isinstance(proposal, Proposal):
        verb: object = proposal.action_type
        target, args = proposal.target, dict(proposal.args)
        cause: object = proposal.cause
    else:
        verb = proposal.get("action_type", "")
        target = proposal.get("target")
        inner = proposal.get("args")
        args = dict(inner) if isinstance(inner, Mapping) else {}
        cause = proposal.get("cause")
    named = "" if cause is None else f" (cause: {in_words(cause)})"
    return f"{_act_words(verb, target, args)}{named}"


def _act_words(verb: object, target: object, args: Mapping[str, Any]) -> str:
    """Join verb, target and arguments in the order in which they read best."""
    rest = dict(args)
    words = [shown(verb_word(str(verb)), 80)]
    spec = _VERBS.get(str(verb))
    if verb == ActionType.ASSIGN and isinstance(rest.get("proposal"), Mapping):
        task = proposal_words(rest.pop("proposal"))
        return f"assign {role_word(target)}: {task}"
    if spec and spec.before in rest:
        words.append(in_words(rest.pop(spec.before)))
        words += ["of"] if target is not None else []
    if target is not None:
        words.append(shown(target, 80))
    if spec and spec.after in rest:
        words += ["to", shown(rest.pop(spec.after), 80)]
    return " ".join(words + _argument_words(rest))


def _argument_words(args: Mapping[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in args.items():
        if value is not None:
            words += [shown(name, 80).replace("_", " "), shown(value, 200).replace("_", " ")]
    return words


def percent(share: float) -> str:
    """Format a share of 0 to 1 as a percentage with one decimal: "96.1 %"."""
    return f"{share * 100:.1f} %"


def milliseconds(value: int) -> str:
    """Format a latency: "940 ms", and from ten seconds on "12 s"."""
    if value < 1_000:
        return f"{value} ms"
    return f"{value / 1000:.1f} s" if value < 10_000 else f"{value // 1000} s"


def bar(share: float, cells: int = 5) -> str:
    """Draw a share of 0 to 1 as a bar of filled and open cells; any rest shows as one cell."""
    filled = round(min(1.0, max(0.0, share)) * cells)
    if share > 0 and not filled:
        filled = 1
    return "▰" * filled + "▱" * (cells - filled)


def sparkline(values: Sequence[float], low: float, high: float, width: int) -> str:
    """Draw values as at most `width` bars between `low` and `high`, right-aligned.

    If there are more values than bars, a bar shows the highest of its share of them.
    """
    span = max(high - low, 1e-9)
    count = min(width, len(values))
    edges = [round(i * len(values) / count) for i in range(count + 1)] if count else [0]
    marks = []
    for start, end in pairwise(edges):
        value = max(values[start:end])
        level = int(min(1.0, max(0.0, (value - low) / span)) * (len(_BARS) - 1) + 0.5)
        marks.append(_BARS[level])
    return "".join(marks).rjust(width)
