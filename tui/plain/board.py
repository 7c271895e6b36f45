"""What a role sees, in lines: how it stands, what is new, and the parts that can be asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, ChaosOpsObservation, Health, RoleView, Status
from chaosops.env.models.roles import ROLES
from chaosops.play.formatting import ROLE_NAMES, shown, signed
from chaosops.play.in_force import in_flight, in_force, told
from chaosops.play.outlook import expected_limits
from chaosops.play.plain_dialect import PLAIN, minutes, on_one_line
from chaosops.play.service_tree import fleet, health_of, unhealthy_minutes
from chaosops.play.turn_digest import landed_lines, points_line, steps_since, told_steps
from chaosops.play.waiting import waiting
from chaosops.presenter import PARTS, Weight, entries, recent, status_entry
from chaosops.text import Block, part_blocks

_LOG_TAIL: Final = 20

FIRST_PART: Final[dict[AgentRole, str]] = {
    role: spec.first_parts[0] for role, spec in ROLES.items()
}
"""What a role is told first."""


def status_line(status: Status, score: float) -> str:
    """How users fare, what is left of the budget, and the score."""
    return f"Users: {PLAIN.line(status_entry(status))}. Score {signed(score)}."


def digest_lines(
    steps: Sequence[EpisodeStep], observation: ChaosOpsObservation, late: Collection[int] = ()
) -> list[str]:
    """What has happened, was said and was found since the role's last turn, and what it paid.

    Args:
        late: Turns that passed because nobody took them in time.
    """
    view = observation.view
    since, before = steps_since(steps, view.role)
    if not since:
        return ["The page:", f"- {on_one_line(observation.message)}"]
    fresh = recent(view, before)
    statuses = [*(step.observation.view.status for step in since), view.status]
    landed = landed_lines(fresh, view, before, statuses)
    lines = [on_one_line(line) for line in (*told_steps(since, late), *landed)]
    lines += [PLAIN.line(said) for said in (*fresh.channel, *fresh.inbox)]
    lines += [on_one_line(PLAIN.line(found), 4_000) for found in fresh.findings]
    lines.append(points_line(since))
    return ["Since your last turn:", *(f"- {line}" for line in lines)]


def unhealthy_line(view: RoleView) -> str:
    """Tell the unhealthy services, worst first, and where to investigate first."""
    health = health_of(view)
    if not health:
        return ""
    services = fleet(view)
    past = {row.branch.name: row.past for row in services}
    worst = list(Health)
    unhealthy = sorted(
        (name for name, state in health.items() if state is not Health.HEALTHY),
        key=lambda name: -worst.index(health[name]),
    )
    if not unhealthy:
        return "All services are healthy."
    told = []
    for name in unhealthy:
        count, longer = unhealthy_minutes(past.get(name))
        since = f" for {'more than ' if longer else ''}{minutes(count)}" if count else ""
        told.append(f"{shown(name, 40)} {health[name].value}{since}")
    line = f"Unhealthy: {', '.join(told)}."
    deepest = {row.branch.name for row in services if row.is_deepest}
    roots = [shown(name, 40) for name in unhealthy if name in deepest]
    if roots:
        whose = "its" if len(roots) == 1 else "their"
        line += f" Investigate {' and '.join(roots)} first: {whose} own dependencies are healthy."
    return line


def flight_line(view: RoleView) -> str:
    """Everyone's actions under way."""
    items = in_flight(view)
    return f"In flight: {'; '.join(items)}." if items else "Nothing is in flight."


def force_line(view: RoleView) -> str:
    """What is still in force, with what undoes it; empty where nothing is."""
    items = "; ".join(map(told, in_force(view)))
    return f"Still in force: {items}." if items else ""


def waiting_line(view: RoleView, steps: Sequence[EpisodeStep]) -> str:
    """What can't wait much longer; empty where nothing does."""
    items = "; ".join(item[2:] for item in waiting(view, steps))
    return f"Can't wait: {items}." if items else ""


def limits_line(view: RoleView) -> str:
    """Which limits will be reached if it goes on like this; empty where none is near."""
    items = "; ".join(
        f"{shown(limit.service, 40)} {limit.words}" for limit in expected_limits(view)
    )
    return f"Ahead: {items}." if items else ""


def standing_lines(view: RoleView, steps: Sequence[EpisodeStep]) -> list[str]:
    """How the fleet stands, what is ahead, under way and in force, and what can't wait."""
    lines = (
        unhealthy_line(view),
        limits_line(view),
        flight_line(view),
        waiting_line(view, steps),
        force_line(view),
    )
    return [line for line in lines if line]


def part_lines(name: str, view: RoleView, wanted: str = "") -> list[str]:
    """A part of the view.

    Args:
        wanted: Only what has this in it.
    """
    blocks = list(part_blocks(name, view, PLAIN))
    if not blocks:
        return [f"{ROLE_NAMES[view.role]} can't see the {name}. Ask a teammate."]
    lines = []
    for block in blocks:
        items = [item for item in block.items if wanted.lower() in item.lower()]
        if block.items and not items:
            lines.append(f"{_title(block)}: none with '{shown(wanted, 40)}'.")
            continue
        if name == "logs":
            items = items[-_LOG_TAIL:]
        lines += block._replace(title=_title(block), items=tuple(items)).lines()
    return lines


def _title(block: Block) -> str:
    return f"{block.title[:1].upper()}{block.title[1:]}"


def first_lines(view: RoleView) -> list[str]:
    """Tell a role the board when its turn starts; of the services, the unhealthy ones."""
    name = FIRST_PART[view.role]
    services = entries(view, "services", "services")
    if name != "services" or not services:
        return part_lines(name, view)
    unhealthy = tuple(PLAIN.line(each) for each in services if each.weight is Weight.URGENT)
    title = "Unhealthy services; 'services' lists all"
    return Block(title, unhealthy).lines() if unhealthy else []


def visible_parts(view: RoleView) -> list[str]:
    """The names of the parts that the role has."""
    return [name for name, part in PARTS.items() if part.is_seen(view)]
