"""What is in flight and what is still in force, in words, with what undoes it."""

from __future__ import annotations

from chaosops.env.models import InForce, RoleView
from chaosops.env.models.roles import roles_with
from chaosops.env.models.verbs import VERBS
from chaosops.play.formatting import (
    ROLE_NAMES,
    clock,
    in_flight_words,
    proposal_words,
    shown,
    verb_word,
)


def in_flight(view: RoleView) -> list[str]:
    """Everyone's actions under way in words, those that land soonest first."""
    items = sorted(view.in_flight, key=lambda item: (item.lands, item.taken))
    return [in_flight_words(item, view.status.minute) for item in items]


def undoable_first(view: RoleView) -> list[InForce]:
    """What is in force: what can be taken back before what cannot, each in its order."""
    return sorted(view.in_force, key=lambda item: item.undo is None)


def in_force_words(item: InForce) -> str:
    """What it is: "25 % of the load of edge shed"."""
    target = shown(item.target, 40)
    lasting = VERBS[item.action_type].lasting
    if not lasting:
        return f"{verb_word(item.action_type)} {target}"
    args = {name: shown(value, 20) for name, value in item.args.items()}
    unit = "a zone" if args.get("unit") == "zone" else "an instance"
    return lasting.format_map({**args, "target": target, "unit": unit})


def undo_words(item: InForce) -> str:
    """What undoes it, and who can: "undo: scale cart to 3 (SRE)"."""
    if item.undo is None:
        return "can't be undone"
    who = " or ".join(ROLE_NAMES[role] for role in roles_with(item.undo.action_type))
    return f"undo: {proposal_words(item.undo)} ({who})"


def told(item: InForce, view: RoleView) -> str:
    """All there is to say of one of them, in a line."""
    since = clock(view.status, item.since)
    return f"{in_force_words(item)} since {since} by {ROLE_NAMES[item.role]}, {undo_words(item)}"
