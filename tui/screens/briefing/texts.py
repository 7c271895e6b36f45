"""What the briefing tells besides the page: the stars, each seat's duties, the fleet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from textual.content import Content

from chaosops.agents.duties import duties_of, told, words_of
from chaosops.env.models import TURN_ORDER, AgentRole, Difficulty
from chaosops.env.models.roles import ROLES
from chaosops.play.fleet_sketch import kinds, sketch
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown
from chaosops.play.setup import SeatChoice
from chaosops.play.stars import STARS
from tui.widgets.basic.lines import Row, wrap_row

if TYPE_CHECKING:
    from chaosops.env.models.topology import Topology

_STAR: Final = 9
"""The cells of a star and its name."""
_NAME: Final = 24
_KIND: Final = 10


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
