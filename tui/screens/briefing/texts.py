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

if TYPE_CHECKING:
    from chaosops.env.models.topology import Topology

_NAME: Final = 24
_KIND: Final = 10


def star_lines() -> Content:
    """Tell what each star needs."""
    return Content("\n").join(
        Content.assemble((f"☆ {star.value.capitalize()}: ", "bold"), needs)
        for star, needs in STARS.items()
    )


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
    lines = [Content.styled("The fleet", "bold"), Content.styled(kinds(topology), MUTED)]
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
