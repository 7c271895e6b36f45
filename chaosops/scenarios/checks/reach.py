"""Checks for content that has no effect: it comes too late, is hidden, or changes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from chaosops.env.models import TURN_ORDER, AgentRole, Source
from chaosops.env.models.roles import roles_looking_at
from chaosops.scenarios.fields import names, parts, select
from chaosops.scenarios.problems import LINES, FieldPath, Wrong
from chaosops.scenarios.schema import Cascade, Effect, Evidence, FaultSpec, Profile, Tempting

FIRST_MINUTE: Final = -30
"""The minute in which the simulation begins."""

_COMES: Final[Mapping[str, str]] = {
    "faults.*.starts": "the fault never starts",
    "logs.*.first": "this is never shown",
    "changes.*.at": "this is never shown",
    "automation.*.events.*.at": "the agent never does this",
    "stuck_alerts.*.since": "the alert never fires",
    "tickets.*.at": "this ticket never arrives",
}
"""What has to come before the end, and what it means if it doesn't."""

_BOUND: Final = 240
"""The latest minute that the schema allows."""

_SHARES: Final = frozenset({"errors", "unreachable", "skew", "loss"})
"""Parameters that are shares of one."""


_Place = tuple[Source, str, str | None]
_Looks = frozenset[tuple[AgentRole, int]]


def rounds_of(data: Mapping[str, Any]) -> int | None:
    """Return the turns of each role; None if the file has no valid number."""
    rounds = data.get("max_steps")
    is_one = type(rounds) is int and 1 <= rounds <= _BOUND // len(TURN_ORDER)
    return rounds if is_one else None


def check_reach(data: Mapping[str, Any]) -> Iterator[Wrong]:
    """Find what has no effect, each with its field.

    Args:
        data: Rendered data, of any shape.
    """
    rounds = rounds_of(data)
    faults = parts(data, "faults.*", FaultSpec)
    if rounds is not None:
        turns = rounds * len(TURN_ORDER)
        yield from _check_lateness(data, turns)
        brought = {*names(data, "cascades.*.starts"), *names(data, "tempting.*.starts")}
        begins = {
            fault.id: fault.starts
            for _path, fault in faults
            if fault.starts is not None and fault.id not in brought
        }
        yield from _check_evidence(data, turns, begins)
    yield from _check_effects(data)
    yield from _check_second_failures(data, faults)
    for path, at in select(data, "tickets.*.at"):
        if type(at) is int and -_BOUND <= at < 0:
            yield Wrong(path, "tickets arrive from minute 0 on; use 0 or later")
    for path, starts in select(data, "faults.*.starts"):
        if type(starts) is int and -_BOUND <= starts < FIRST_MINUTE:
            words = f"the simulation starts at minute {FIRST_MINUTE}; use that or later"
            yield Wrong(path, words)


def _check_lateness(data: Mapping[str, Any], turns: int) -> Iterator[Wrong]:
    late = f"the incident ends at turn {turns}; use an earlier minute"
    for pattern, consequence in _COMES.items():
        for path, minute in select(data, pattern):
            if type(minute) is int and turns <= minute <= _BOUND:
                yield Wrong(path, f"{consequence}: {late}")
    starts = {path[:2]: minute for path, minute in select(data, "faults.*.starts")}
    for pattern in ("faults.*.effects.*.after", "tempting.*.effects.*.after"):
        for path, after in select(data, pattern):
            begins = starts.get(path[:2]) or 0
            if type(after) is not int or type(begins) is not int:
                continue
            if turns <= begins + after and begins < turns and after <= _BOUND:
                yield Wrong(path, f"this never takes effect: {late}")


def _check_evidence(
    data: Mapping[str, Any], turns: int, begins: Mapping[str, int]
) -> Iterator[Wrong]:
    """Check that each entry is shown to some role at some minute.

    Args:
        begins: The minute of each fault that starts on its own.
    """
    earlier: dict[_Place, list[tuple[FieldPath, _Looks]]] = {}
    for path, item in parts(data, "evidence.*", Evidence):
        able = roles_looking_at(item.source)
        if item.seen_by is not None and item.seen_by not in able:
            who = " or ".join(role.value for role in able)
            words = f"the {item.seen_by.value} can't investigate {item.source.value}; use {who}"
            yield Wrong((*path, "seen_by"), words)
            continue
        first = max(0, item.since, begins.get(item.while_live or "", 0))
        last = turns - 1 if item.until is None else min(item.until, turns - 1)
        looks = frozenset(
            (role, minute)
            for minute in range(first, last + 1)
            if (role := TURN_ORDER[minute % len(TURN_ORDER)]) in able
            and item.seen_by in (None, role)
        )
        if not looks:
            if item.since < turns and (item.until is None or item.until >= max(item.since, 0)):
                who = " or ".join(role.value for role in able)
                words = f"{who} has no turn between minute {first} and {last}"
                if first > last:
                    words = f"its fault only starts at minute {first}, after this ends"
                yield Wrong((*path, "at"), f"this is never shown: {words}; extend its time")
            continue
        place = (item.source, item.at, item.while_live)
        always = earlier.get((item.source, item.at, None), [])
        before = always + (earlier.get(place, []) if item.while_live else [])
        hiding = [at for at, seen in before if looks <= seen][:1] or [
            at for at, seen in before if looks & seen
        ]
        if looks <= frozenset().union(*(seen for at, seen in before if at in hiding)):
            words = (
                f"this is never shown, because of {LINES}: the first entry that applies to a place "
                "is shown; narrow that one with 'since', 'until', 'seen_by' or 'while_live', or "
                "move this one before it"
            )
            yield Wrong((*path, "at"), words, others=tuple(hiding))
        else:
            earlier.setdefault(place, []).append((path, looks))


def _check_effects(data: Mapping[str, Any]) -> Iterator[Wrong]:
    for pattern in ("faults.*.effects.*", "tempting.*.effects.*"):
        for path, effect in parts(data, pattern, Effect):
            parameter, value = effect.parameter, effect.value
            if value == (1.0 if parameter.is_factor else 0.0):
                how = "multiplied by 1" if parameter.is_factor else "more by 0"
                words = f"this changes nothing: {parameter.value} {how}; use another value"
                yield Wrong((*path, "value"), words)
            elif value < 0 and (parameter.is_factor or not parameter.value.endswith("_per_minute")):
                yield Wrong(
                    (*path, "value"), f"{parameter.value} can't be negative; use a larger value"
                )
            elif parameter.value in _SHARES and value > 1:
                words = f"{parameter.value} is a share from 0 to 1; write 0.12 for 12 percent"
                yield Wrong((*path, "value"), words)
            if effect.profile is Profile.RAMP and effect.over == 1:
                words = "a ramp needs more than 1 minute; set 'over' to its minutes"
                yield Wrong((*path, "profile"), words)
            elif effect.profile is not Profile.RAMP and effect.over != 1:
                words = "only a ramp uses this; add 'profile: ramp', or remove this"
                yield Wrong((*path, "over"), words)


def _check_second_failures(
    data: Mapping[str, Any], faults: list[tuple[FieldPath, FaultSpec]]
) -> Iterator[Wrong]:
    """Check that what a wrong fix starts is not there from the beginning."""
    by_itself = {
        fault.id: path for path, fault in faults if fault.starts is not None and fault.starts <= 0
    }
    started = [(path, cascade.starts) for path, cascade in parts(data, "cascades.*", Cascade)] + [
        (path, move.starts) for path, move in parts(data, "tempting.*", Tempting) if move.starts
    ]
    for path, fault in started:
        if fault in by_itself:
            words = (
                f"\"{fault}\" has started before the page, on {LINES}; remove its 'starts', or "
                "name a fault without one"
            )
            yield Wrong((*path, "starts"), words, others=((*by_itself[fault], "starts"),))
    for path, cascade in parts(data, "cascades.*", Cascade):
        if cascade.starts == cascade.while_live:
            words = "a fault can't trigger itself; name another one in 'while_live'"
            yield Wrong((*path, "while_live"), words)
