"""The description of the format, as a page: made from the models, so that it cannot go stale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    TURN_ORDER,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    FrozenMap,
    RoleView,
)
from chaosops.env.models.roles import ROLES, roles_seeing
from chaosops.recording.board_marks import BoardMark, PinnedReading
from chaosops.recording.encoding import SHARED
from chaosops.recording.events import (
    SCHEMA_VERSION,
    Consent,
    Footer,
    Header,
    HumanPart,
    Note,
    Seat,
    Ui,
    Workload,
)
from chaosops.recording.instrument_looks import InstrumentLook
from chaosops.recording.layout import fields_of, is_union, item_of, records, view_parts
from chaosops.recording.reference_rows import ROWS, About
from chaosops.recording.suggestions import OtherCandidate, Suggestion
from chaosops.scenarios.carryover import Carryover

COMMAND: Final = "chaosops recordings fields > docs/recordings.md"

_ANYBODY = "who has the file"
_FREE_TEXT = "who has the file; in data sets only with consent to `free_text`"
_ALL_ROLES = "every role"
_THE_ROLE = "the role itself"
_OWN = frozenset({"role", "inbox", "findings", "allowed"})
_TITLES = MappingProxyType({"ChaosOpsObservation": "Observation", "RoleView": "View"})

SEEN_BY: Final[Mapping[str, tuple[AgentRole, ...]]] = MappingProxyType(
    {
        part: roles_seeing(part)
        for part in RoleView._fields
        if any(part in spec.sees for spec in ROLES.values())
    }
)
"""The parts of a view that only some roles see; they are null for the others."""


VIEW: Final[Mapping[str, About]] = MappingProxyType(
    {
        "role": About("Whose view it is."),
        "status": About("The incident's status line."),
        "alerts": About("Firing alerts."),
        "channel": About("Messages to everyone, the newest 60."),
        "inbox": About("Messages to this role, or from it to one other role, the newest 60."),
        "in_flight": About("Actions that were taken but haven't landed."),
        "landed": About("Actions that landed, the newest 20."),
        "in_force": About("Lasting effects of actions, oldest first."),
        "diagnoses": About("Diagnoses that were made."),
        "findings": About("Findings of this role's own investigations, oldest first."),
        "graph": About("The services and their dependencies."),
        "allowed": About("Every action that the role may take now."),
        "services": About("Current signals. The SRE sees all of them, Dev errors and latency."),
        "history": About("Signals of the last 30 minutes, oldest first; `services` is the last."),
        "logs": About("The tail of the logs that this role can read, oldest first."),
        "changes": About("The change history, oldest first."),
        "audit": About("The automation's audit log, oldest first."),
        "agents": About("Names of the automation agents."),
        "paused": About("Paused agents."),
        "flagged": About("Agents flagged as rogue."),
        "health": About("Each service and its health at a glance."),
        "impact": About("The impact on customers."),
        "landings": About(
            "Measurements of actions that landed, the newest 20; null in recordings of engines "
            "up to 5."
        ),
        "paid": About(
            "What the seats' deeds earned or cost, oldest first; null in recordings of engines "
            "up to 5."
        ),
        "requests": About(
            "Moves that wait for the Manager's approval, oldest first; null where no move needs "
            "one."
        ),
        "due": About("The status update that is due; null if none is."),
        "updates": About(
            "Status updates that were sent, oldest first; null in recordings of old engines."
        ),
        "agent_requests": About(
            "What automation agents ask Oversight for, oldest first; null for other roles."
        ),
    }
)
"""The parts of a view."""

MEASURING_ONLY: Final = frozenset(
    {"landings", "paid", "requests", "due", "updates", "agent_requests"}
)
"""The parts of a view that recordings of the first edition lack."""

FRAME: Final[Mapping[str, About]] = MappingProxyType(
    {
        "turn": About("The turn's number, from 0.", "turns"),
        "role": About("Whose turn it was."),
        "observation": About("What the role saw before it acted."),
        "action": About("What the role did. In the event, it is stored beside the frame."),
        "reward": About("The sum of the breakdown.", "reward"),
        "breakdown": About("The turn's reward by component."),
        "done": About("Whether the episode ended with this turn."),
        "message": About("The result of the action, in words."),
    }
)

OBSERVATION: Final[Mapping[str, About]] = MappingProxyType(
    {
        "turn_role": About("Whose turn it is."),
        "view": About("What that role sees, stored as a difference."),
        "step": About("Turns taken so far.", "turns"),
        "reward": About("The reward of the previous turn; 0 in the first.", "reward"),
        "done": About("Whether the episode was over; always false in a turn."),
        "message": About("The result of the previous turn, in words."),
        "refused": About("Whether the previous action was malformed and its turn lost."),
    }
)

ACTION: Final[Mapping[str, About]] = MappingProxyType(
    {
        "role": About("The role that acted."),
        "action_type": About("The verb. Text that isn't a verb is kept, and the turn is lost."),
        "target": About("A service, an agent or a role."),
        "args": About(
            "Arguments by name. A person's words are in `text`; data sets include them only with "
            "consent to `free_text`."
        ),
    }
)

_INTRODUCTION: Final = f"""\
# Recordings

<!-- Made by `{COMMAND}`. -->

A recording is an ASCII text file of JSON lines with one event per line: a header, an event for
each turn, and a footer. Each event is on disk before the next turn starts. Notes appear between
turns, with the number of the next turn, and after the footer. This page describes version
{SCHEMA_VERSION} of the format. A file may be compressed with gzip (`.jsonl.gz`).

| event | parts |
| --- | --- |
| `{{"kind": "header", "header": ..., "seal": ...}}` | [header](#header) |
| `{{"kind": "turn", "action": ..., "human": ..., "marks": ..., "frame": ..., "seal": ...}}` | \
[action](#action), [human](#human), [frame](#frame) |
| `{{"kind": "footer", "footer": ..., "seal": ...}}` | [footer](#footer) |
| `{{"kind": "note", "note": ..., "seal": ...}}` | [note](#note) |

Action and frame are deterministic: the same scenario, seed and actions give the same text.
`chaosops recordings verify` simulates a recording again and compares them. Everything that isn't
deterministic is in the human part, which omits default values. Times that end in `_at_ms` are
milliseconds since 1970-01-01 UTC.

`seal` is the first 16 hex digits of SHA-256 over the previous line's seal and the line without its
own seal. `marks` has a CRC-32 for each value of the action, over its path and value. They show
which line, and which value in it, was changed; they are neither secrets nor signatures.
"""

_LAYOUT: Final = f"""\
### How the view is stored

Records are rows: arrays whose columns are named in the header. A view is stored as a difference:

- A missing part is unchanged since the same role's previous view or, if all roles share it
  ({", ".join(f"`{name}`" for name in SHARED)}), since the last view of any role.
- `observation.view` has the parts that changed.
- `observation.moved` has the lists that were extended, as `[start, added]`: the previous list from
  index `start` on, followed by the added items. It is left out if there are none.
- `services` is left out if it equals the newest minute of `history`.
- A log line that reports no event ends before its `event` column.
- A `breakdown` ends after its last component that is not zero.
- In `history`, a minute is stored as its differences from the previous minute, each
  `[row, column, value, column, value, ...]`, or complete, as `{{"rows": [...]}}`.
"""


def page() -> str:
    """Return the whole page as Markdown."""
    parts = [
        _INTRODUCTION,
        _model_section(
            "Header",
            Header,
            {"ui": Ui, "carryover": Carryover, "seats": Seat, "consent": Consent},
        ),
        _section("Action", ACTION, get_type_hints(ChaosOpsAction), _THE_ROLE, level=2),
        _model_section(
            "Human",
            HumanPart,
            {
                "suggestion": Suggestion,
                "others": OtherCandidate,
                "instruments": InstrumentLook,
                "board": BoardMark,
                "pins": PinnedReading,
            },
        ),
        _section("Frame", FRAME, get_type_hints(EpisodeStep), _ANYBODY, level=2),
        _section("Observation", OBSERVATION, get_type_hints(ChaosOpsObservation), _THE_ROLE),
        _view_section(),
        _LAYOUT,
        *(_row_section(name, record) for name, record in records().items()),
        _model_section("Footer", Footer, {}),
        _model_section("Note", Note, {"workload": Workload}),
    ]
    return "\n".join(parts)


def words_of(kind: Any) -> str:
    """Describe a type in words."""
    if get_origin(kind) is Annotated:
        return words_of(get_args(kind)[0])
    if get_origin(kind) is Literal:
        return " or ".join(f"`{value}`" for value in get_args(kind))
    if is_union(kind):
        choices = sorted(get_args(kind), key=lambda part: part is type(None))
        return " or ".join(dict.fromkeys(words_of(part) for part in choices))
    item = item_of(kind)
    if item is not None:
        return f"list of {words_of(item)}"
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return f"[{', '.join(words_of(part) for part in parts)}]"
    if origin is dict:
        return f"object of {words_of(parts[1])} by {words_of(parts[0])}"
    if fields_of(kind):
        name = _TITLES.get(kind.__name__, kind.__name__)
        return f"[{name}](#{name.lower()})"
    simple = {str: "text", int: "integer", float: "number", bool: "true or false"}
    if kind in simple:
        return simple[kind]
    if kind is type(None):
        return "null"
    if kind is FrozenMap or kind is Any or kind is Mapping or origin is not None:
        return "object"
    if issubclass(kind, StrEnum):
        return _choices(kind)
    return "object"


def _choices(kind: type[StrEnum]) -> str:
    names = [f"`{member.value}`" for member in kind]
    return " ".join(names) if len(names) <= 8 else f"one of {len(names)} `{kind.__name__}` names"


def _model_section(title: str, model: type[BaseModel], inner: Mapping[str, type[BaseModel]]) -> str:
    lines = [f"## {title}\n", *_head("field", "type", "unit", "meaning", "seen by")]
    lines += _model_lines("", model)
    for name, part in inner.items():
        lines += _model_lines(f"{name}.", part)
    return "\n".join(lines) + "\n"


def _model_lines(prefix: str, model: type[BaseModel]) -> Iterator[str]:
    hints = get_type_hints(model)
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        is_private = isinstance(extra, dict) and bool(extra.get("free_text"))
        unit = "ms" if name.endswith("_ms") else ""
        seen_by = _FREE_TEXT if is_private else _ANYBODY
        yield _line(
            f"`{prefix}{name}`", words_of(hints[name]), unit, str(field.description), seen_by
        )


def _section(
    title: str, about: Mapping[str, About], hints: Mapping[str, Any], seen_by: str, level: int = 3
) -> str:
    lines = [f"{'#' * level} {title}\n", *_head("field", "type", "unit", "meaning", "seen by")]
    for name, (meaning, unit) in about.items():
        lines.append(_line(f"`{name}`", words_of(hints[name]), unit, meaning, seen_by))
    return "\n".join(lines) + "\n"


def _view_section() -> str:
    lines = ["### View\n", *_head("part", "type", "meaning", "seen by")]
    for name, kind in view_parts().items():
        seen_by = ", ".join(role.value for role in TURN_ORDER if role in SEEN_BY.get(name, ()))
        own = _THE_ROLE if name in _OWN else _ALL_ROLES
        lines.append(_line(f"`{name}`", words_of(kind), VIEW[name].meaning, seen_by or own))
    return "\n".join(lines) + "\n"


def _row_section(name: str, record: type[tuple[Any, ...]]) -> str:
    lines = [f"#### {name}\n", *_head("column", "type", "unit", "meaning")]
    hints = get_type_hints(record)
    for column in fields_of(record):
        meaning, unit = ROWS[name][column]
        lines.append(_line(f"`{column}`", words_of(hints[column]), unit, meaning))
    return "\n".join(lines) + "\n"


def _head(*titles: str) -> Sequence[str]:
    return [_line(*titles), _line(*("---" for _title in titles))]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")
