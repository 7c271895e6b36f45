"""Words actions in flight, and lasting effects with the actions that undo them."""

from __future__ import annotations

from typing import Final

from chaosops.env.models import RoleView
from chaosops.env.models.verbs import VERBS
from chaosops.play.cells import CellPlace, words
from chaosops.play.formatting import shown
from chaosops.play.wording import verb_word
from chaosops.presenter import Entry, Moment, TakenAction, Undo, entries


def in_flight(view: RoleView) -> list[str]:
    """Describe everyone's actions in flight, soonest first: "scale db to 6, SRE, 2 min left"."""
    items = sorted(entries(view, "flight", "flight"), key=_landing)
    return [words(item, _FLIGHT, without=("taken",)) for item in items]


def in_flight_brief(view: RoleView) -> list[str]:
    """Describe them without who ordered them and how wide: "scale db, 2 min left"."""
    items = sorted(entries(view, "flight", "flight"), key=_landing)
    return [words(item, _FLIGHT_BRIEF, without=("taken", "who")) for item in items]


def in_flight_count(view: RoleView) -> str:
    """Count them, with the minutes of the soonest: "2 in flight, 1 min left"."""
    items = sorted(entries(view, "flight", "flight"), key=_landing)
    lands = items[0].find("lands") if items else None
    left = f", {_minutes_left(lands)}" if isinstance(lands, Moment) else ""
    return f"{len(items)} in flight{left}"


def _bare(deed: TakenAction) -> str:
    return f"{verb_word(deed.action_type)} {shown(deed.target, 40)}"


def _landing(item: Entry) -> tuple[int, ...]:
    times = (item.find("lands"), item.find("taken"))
    return tuple(time.minute for time in times if isinstance(time, Moment))


def _minutes_left(lands: Moment) -> str:
    return f"{max(0, 1 - lands.ago)} min left"


def in_force(view: RoleView) -> list[Entry]:
    """Return what is in force, what can be undone before what can't."""
    return sorted(entries(view, "flight", "force"), key=lambda item: item.find("undo") == _NEVER)


def effect(item: Entry) -> str:
    """Describe a lasting effect: "25 % of the load of edge shed"."""
    return words(item, (_EFFECT,), without=("time", "who", "undo"))


def effect_and_undo(item: Entry) -> str:
    """Describe a lasting effect and how to undo it: "..., undo: scale cart to 3 (SRE)"."""
    return words(item, (_EFFECT, _UNDO), without=("time", "who"))


def told(item: Entry) -> str:
    """Describe a lasting effect, since when it lasts, who caused it and how to undo it."""
    return words(item, (_EFFECT, CellPlace("time", " since "), CellPlace("who", " by "), _UNDO))


def _effect(deed: TakenAction) -> str:
    target = shown(deed.target, 40)
    lasting = VERBS[deed.action_type].lasting
    if not lasting:
        return f"{verb_word(deed.action_type)} {target}"
    args = {name: shown(value, 20) for name, value in deed.args.items()}
    unit = "a zone" if args.get("unit") == "zone" else "an instance"
    return lasting.format_map({**args, "target": target, "unit": unit})


_NEVER: Final = Undo(None, ())
_EFFECT: Final = CellPlace("act", say=_effect)
_UNDO: Final = CellPlace("undo", ", ")
_FLIGHT: Final = (
    CellPlace("act"),
    CellPlace("who", ", "),
    CellPlace("lands", ", ", say=_minutes_left),
)
_FLIGHT_BRIEF: Final = (
    CellPlace("act", say=_bare),
    CellPlace("lands", ", ", say=_minutes_left),
)
