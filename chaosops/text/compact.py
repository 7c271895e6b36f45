"""A compact observation: what changed and what matters, for models with a short context.

The facts are those of `render_observation`, and so are the names, numbers and quotes. Left out is
what says the same twice (earlier signals that did not move, services that are well, ordinary log
lines), and, where there is no room, what is oldest; how much that is, is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from chaosops.env.models import ArgumentChoice, ChaosOpsObservation, RoleView, Status
from chaosops.presenter import (
    PARTS,
    Entry,
    Section,
    SignalValue,
    Weight,
    entries,
    messages,
    status_entry,
)
from chaosops.presenter.rows import Wording
from chaosops.text.blocks import one_line
from chaosops.text.dialect import Dialect
from chaosops.text.figures import clock, number
from chaosops.text.observation import example_line, line_rule
from chaosops.text.parts import reading_words, section_block
from chaosops.text.rules import render_compact_rules
from chaosops.text.signals import movement_words
from chaosops.text.tokens import estimated_tokens

COMPACT_TOKENS: Final = 1024
"""The tokens that rules, observation, answer and chat template should fit in."""

_OTHER_PARTS: Final = 64 + 24 + 14
"""The tokens for an answer, a chat template, and the line that tells how much was left out."""

_READING: Final = 700
"""Characters for a reading: half of what a prompt has room for."""

_DIGITS: Final = re.compile(r"\d+(?:\.\d+)?")


class _Compact(Dialect):
    """The dialect of compact prompts, which repeats nothing."""

    compares = True
    repeats = False


_DIALECT: Final = _Compact()


_STATUS: Final = Wording(
    "{succeeded} succeed, objective {objective} met for {held} of {hold} minutes, "
    "error budget {budget} %"
)


class _Fact(NamedTuple):
    """A line that can be left out.

    Attributes:
        weight: The lines with the lowest weights are kept the longest.
        section: Its title.
        beside: Whether it is on the line of its title.
        short: What is kept of it in any case.
    """

    weight: int
    section: str
    text: str
    beside: bool = False
    short: str = ""


_WEIGHTS: Final[Mapping[str, tuple[int, int]]] = MappingProxyType(
    {
        "asked": (1, 1),
        "flight": (2, 2),
        "diagnoses": (4, 1),
        "findings": (-1, 6),
        "channel": (7, 5),
        "impact": (8, 3),
        "audit": (8, 3),
        "changes": (10, 3),
        "logs": (12, 3),
        "alerts": (16, 3),
        "graph": (24, 1),
    }
)
"""For each other part of a view, or a section of one that counts for more, the weight of its newest
line and the step to each older one."""


_KEPT: Final = frozenset({"flight"})
"""Sections of which every line is kept."""

_UNHEALTHY: Final = 0
_WELL: Final = 6
"""What a service that is unhealthy weighs, and one that is healthy."""

_CHANGED: Final = "services that changed or are unhealthy (ten minutes ago > now)"


def render_compact(observation: ChaosOpsObservation, *, tokens: int = COMPACT_TOKENS) -> str:
    """Render what the role sees, shortened to a number of tokens with its rules and an answer.

    The result of the last turn, what is unhealthy or in flight, the newest finding and the possible
    actions are always included.

    Args:
        tokens: The number of tokens, by the rule of `estimated_tokens`.
    """
    view = observation.view
    head = [one_line(line) for line in _head(observation)]
    tail = [one_line(line) for line in _verbs(view)]
    room = tokens - _OTHER_PARTS - estimated_tokens(render_compact_rules(view.role))
    room -= sum(estimated_tokens(line) + 1 for line in (*head, *tail))
    facts = [fact._replace(text=one_line(fact.text)) for fact in _facts(view)]
    kept = _what_fits(facts, room)
    lines = list(head)
    for section in dict.fromkeys(fact.section for fact in kept):
        told = [fact for fact in kept if fact.section == section]
        if told[0].beside:
            lines.append(f"{section}: {', '.join(fact.text for fact in told)}")
        else:
            lines += [f"{section}:", *(f"- {fact.text}" for fact in told)]
    if len(kept) < len(facts):
        lines.append(f"left out for length: {len(facts) - len(kept)} older or lesser lines")
    return "\n".join([*lines, *tail])


def _what_fits(facts: Sequence[_Fact], room: int) -> list[_Fact]:
    """Return the facts with the lowest weights that fit, in their order."""
    kept = {place: fact.short for place, fact in enumerate(facts) if fact.short}
    sections = {facts[place].section for place in kept}
    room -= sum(estimated_tokens(text) + 3 for text in (*kept.values(), *sections))
    for place, fact in sorted(enumerate(facts), key=lambda numbered: numbered[1].weight):
        cost = estimated_tokens(fact.text) - estimated_tokens(fact.short)
        if not fact.short:
            cost += 3
        if fact.section not in sections:
            cost += estimated_tokens(fact.section) + 2
        if cost <= room:
            room -= cost
            kept[place] = fact.text
            sections.add(fact.section)
    return [fact._replace(text=kept[i]) for i, fact in enumerate(facts) if i in kept]


def _head(observation: ChaosOpsObservation) -> Iterator[str]:
    view = observation.view
    status = view.status
    over = " The incident is over." if observation.done else ""
    whose = "" if observation.turn_role is view.role else f", and it is {observation.turn_role}'s"
    yield (
        f"You are {view.role.value}. Turn {observation.step + 1} of {status.turns}{whose}, minute "
        f"{status.minute}, {clock(status, status.minute)}.{over}"
    )
    yield f"page: {status.title}"
    yield f"users: {_DIALECT.line(_STATUS.reworded(status_entry(status)))}"
    yield f"last turn: {observation.message} (reward {number(observation.reward)})"


def _verbs(view: RoleView) -> Iterator[str]:
    names = tuple(str(node.find("name")) for node in entries(view, "graph", "graph"))
    yield f"services: {', '.join(names)}"
    yield "you may now ('?': need not be given):"
    for choice in view.allowed:
        low, high = choice.minutes
        minutes = f" ({low} min)" if low == high else f" ({low} to {high} min)"
        parts = [_targets(choice.targets, names)] if choice.targets else []
        parts += [_argument(argument, names) for argument in choice.arguments]
        told = f": {'; '.join(parts)}" if parts else ""
        yield f"- {choice.action_type.value}{minutes if high else ''}{told}"
    yield from line_rule(view)
    yield from example_line(view)


def _targets(targets: Sequence[str], names: Sequence[str]) -> str:
    """List the targets or, if that is shorter, the services that are not targets."""
    others = [name for name in names if name not in targets]
    if len(others) >= len(targets) or not set(targets) <= set(names):
        return f"target {', '.join(targets)}"
    return f"target a service but {', '.join(others)}" if others else "target a service"


def _argument(argument: ArgumentChoice, names: Sequence[str]) -> str:
    name = argument.name if argument.required else f"{argument.name}?"
    if names and set(argument.choices) == set(names):
        return f"{name} a service"
    return f"{name} {', '.join(str(choice) for choice in argument.choices)}".strip()


def _facts(view: RoleView) -> Iterator[_Fact]:
    """Yield the facts, section by section, each oldest first."""
    for name, part in PARTS.items():
        if name == "channel":
            yield from _messages(view)
            continue
        for section in part.sections(view):
            match section.name:
                case "services":
                    yield from _services(section.entries)
                case "health":
                    yield from _health(section.entries)
                case "findings":
                    yield from _findings(section, view.status)
                case "logs":
                    yield from _newest(name, "warnings and errors", _log(section.entries))
                case "graph":
                    yield from _newest(name, "calls", _calls(section.entries))
                case _:
                    block = section_block(section, view.status, _DIALECT)
                    weighed = section.name if section.name in _WEIGHTS else name
                    kept = section.name in _KEPT
                    yield from _newest(
                        weighed, block.title, block.items, beside=block.beside, kept=kept
                    )


def _newest(
    weighed: str, section: str, lines: Iterable[str], *, beside: bool = False, kept: bool = False
) -> Iterator[_Fact]:
    told = tuple(lines)
    first, step = _WEIGHTS[weighed]
    for place, text in enumerate(told):
        weight = first + step * (len(told) - 1 - place)
        yield _Fact(weight, section, text, beside, text if kept else "")


def _services(entries: Sequence[Entry]) -> Iterator[_Fact]:
    """Tell the services that changed or are unhealthy in full, and the others by name."""
    same = []
    for entry in entries:
        name = _DIALECT.joined(
            cell for cell in entry.cells if not isinstance(cell.value, SignalValue)
        )
        figures = [cell.value for cell in entry.cells if isinstance(cell.value, SignalValue)]
        told = ", ".join(filter(None, map(movement_words, figures)))
        words = f"{name}: {told}" if told else name
        if entry.weight is Weight.URGENT:
            yield _Fact(_UNHEALTHY, _CHANGED, words, short=name)
        elif told:
            yield _Fact(_WELL, _CHANGED, words)
        else:
            same.append(str(entry.find("service")))
    if same:
        yield _Fact(_WELL, "well and as before", ", ".join(same), beside=True)


def _health(entries: Sequence[Entry]) -> Iterator[_Fact]:
    unhealthy = [_DIALECT.line(entry) for entry in entries if entry.weight is Weight.URGENT]
    yield _Fact(_UNHEALTHY, "unhealthy", ", ".join(unhealthy) or "none", beside=True)


def _findings(section: Section, status: Status) -> Iterator[_Fact]:
    """Yield each finding with its reading, whose weight grows with its age; keep the newest."""
    first, step = _WEIGHTS["findings"]
    for place, entry in enumerate(section.entries):
        weight = first + step * (len(section.entries) - 1 - place)
        told = _DIALECT.line(entry)
        is_newest = place == len(section.entries) - 1
        yield _Fact(weight, section.title, told, short=told if is_newest else "")
        for text in reading_words(entry, status, _DIALECT, room=_READING):
            yield _Fact(weight + step // 2, section.title, text)


def _messages(view: RoleView) -> Iterator[_Fact]:
    first, step = _WEIGHTS["channel"]
    told = {_DIALECT.line(entry): entry for entry in messages(view)}
    for place, (text, entry) in enumerate(told.items()):
        weight = first + step * (len(told) - 1 - place)
        yield _Fact(weight, "messages", text)
        for shared in reading_words(entry, view.status, _DIALECT, room=_READING):
            yield _Fact(weight + step // 2, "messages", shared)


def _log(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield warnings and errors; of lines that only differ in numbers, only the newest.

    They are in the order of their newest lines.
    """
    alike: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        if entry.weight is not Weight.QUIET:
            key = str(entry.find("service")), _DIGITS.sub("0", str(entry.find("text")))
            alike[key] = [*alike.pop(key, ()), entry]
    for same in alike.values():
        since = _DIALECT.joined(same[0].cells[:1])
        times = f" x{len(same)} since {since}" if len(same) > 1 else ""
        yield f"{_DIALECT.line(same[-1])}{times}"


def _calls(entries: Sequence[Entry]) -> Iterator[str]:
    """List the calls of services, without tiers."""
    for entry in entries:
        if entry.weight is not Weight.QUIET:
            yield _DIALECT.joined(cell for cell in entry.cells if cell.name != "kind")
