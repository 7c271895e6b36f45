"""What the briefing tells besides the page: stars, duties, the fleet, looks and moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from textual.content import Content

from chaosops.agents.duties import duties_of, told, words_of
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.env.models.roles import ROLES
from chaosops.env.models.sources import SOURCES
from chaosops.env.models.verbs import VERBS
from chaosops.play.fleet_sketch import kinds, sketch
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.glossary import TERMS
from chaosops.play.setup import SeatChoice
from chaosops.play.stars import STARS
from chaosops.play.wording import verb_word
from tui.widgets.basic.lines import Row, wrap_row

if TYPE_CHECKING:
    from chaosops.env.models.topology import Topology

_STAR: Final = 9
"""The cells of a star and its name."""
_NAME: Final = 24
_KIND: Final = 10
_MOVE: Final = 17
_SEATS: Final = 13
_TERMS: Final = (
    "SLO",
    "error budget",
    "golden signals",
    "blast radius",
    "mitigation",
    "root cause",
)


def star_lines(width: int) -> Content:
    """Tell what each star needs, below its name if it takes more than a line."""
    rows = (
        Row(Content.assemble((f"☆ {star.value.capitalize():<7}", "bold"), needs), _STAR)
        for star, needs in STARS.items()
    )
    return Content("\n").join(line for row in rows for line in wrap_row(row, max(1, width)))


def duty_lines(seats: Mapping[AgentRole, SeatChoice], level: Difficulty) -> Content:
    """Tell what each seat has to do: a person by its duties, a policy by its habits."""
    lines = []
    for role in TURN_ORDER:
        seat = seats[role]
        lines.append(
            Content.assemble((ROLE_NAMES[role], "bold"), (f", {shown(seat.word, 60)}", MUTED))
        )
        if seat.person:
            tasks = ", ".join(words_of(duty, role) for duty in duties_of(role, level))
            lines.append(Content(f"{ROLES[role].duty} The seat {tasks}."))
        else:
            lines.append(Content(told(seat.policy or "noop", role) or ROLES[role].summary))
    return Content("\n").join(lines)


def look_lines(width: int) -> Content:
    """Tell what each instrument shows, and which seats have it."""
    told = []
    for source, spec in SOURCES.items():
        who = [ROLE_NAMES[role] for role in TURN_ORDER if source in ROLES[role].sources]
        told.append((spec.key, source.value, who, spec.shows))
    return _with_keys(told, width)


def move_lines(width: int) -> Content:
    """Tell what each move does, when it helps, and which seats have it."""
    told = []
    for verb, spec in VERBS.items():
        if spec.does:
            who = [ROLE_NAMES[role] for role in TURN_ORDER if verb in ROLES[role].verbs]
            told.append((spec.key, verb_word(verb), who, spec.note))
    return _with_keys(told, width)


def term_lines(width: int) -> Content:
    """Explain the terms that every briefing uses."""
    rows = (
        Row(Content.assemble((f" {term}  ", "bold"), (TERMS[term], MUTED)), 1) for term in _TERMS
    )
    return Content("\n").join(line for row in rows for line in wrap_row(row, max(1, width)))


def _with_keys(told: Sequence[tuple[str, str, Sequence[str], str]], width: int) -> Content:
    """Return lines of a key, a name, the seats that have it, and what it is for."""
    rows = []
    for key, name, who, text in told:
        seats = ", ".join(who).ljust(_SEATS)
        head = Content.assemble((f" {key}  ", "bold"), name.ljust(_MOVE), (seats, MUTED))
        rows.append(Row(head + Content(text), head.cell_length))
    return Content("\n").join(line for row in rows for line in wrap_row(row, max(1, width)))


def fleet_lines(topology: Topology, width: int) -> Content:
    """Draw the services as a tree, with what each is and as many facts as fit on its line."""
    services = sketch(topology)
    room = max(len(each.branch.guides) + len(each.branch.name) for each in services) + 2
    room = min(room, _NAME)
    lines = [
        Content.styled("The fleet", "bold"),
        *Content.styled(kinds(topology), MUTED).wrap(max(1, width)),
    ]
    for each in services:
        guides = each.branch.guides
        name = shown(each.branch.name, max(1, room - len(guides) - 1))
        lines.append(
            Content.assemble(
                (guides, MUTED),
                name.ljust(room - len(guides)),
                (each.kind.value.ljust(_KIND), MUTED),
                _fitting(each.facts, width - room - _KIND),
            )
        )
    return Content("\n").join(lines)


def _fitting(facts: Sequence[str], room: int) -> str:
    """Join the first facts that fit."""
    for count in range(len(facts), 0, -1):
        text = ", ".join(facts[:count])
        if len(text) <= room:
            return text
    return ""
