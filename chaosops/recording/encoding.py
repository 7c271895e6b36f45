"""Encodes frames as JSON values, without repeating what didn't change.

Records are rows (see `chaosops.recording.layout`). A view is written as the difference to the
same role's previous view, and in the parts that all roles share (`SHARED`) to the last view of
any role: a part that didn't change is left out, and a list of which a piece is
still there is under `moved` as `[start, added]`: the previous list from `start` on, followed by
the added items. `history` is packed (see `chaosops.recording.timeline`), and `services` is left out
if it is its newest minute. A log line that reports no event ends before that column, and a
breakdown after its last component that is not zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole, ChaosOpsAction, LogLine, RoleView
from chaosops.recording.timeline import pack
from chaosops.rewards.reward_fn import StepRewardBreakdown

Json = dict[str, Any]

HISTORY: Final = "history"
_LOGS: Final = "logs"

SHARED = (
    "alerts",
    "channel",
    "in_flight",
    "landed",
    "in_force",
    "diagnoses",
    "graph",
    "paid",
    "requests",
    "due",
    "updates",
)
"""The parts of a view that are the same for every role."""

UNKNOWN: Final[Any] = object()
"""A part of a view that is not known yet."""

_NOTHING_KNOWN: Final = dict.fromkeys(RoleView._fields, UNKNOWN)
_BEFORE_EVENT: Final = LogLine._fields.index("event")


def _without_last_zeros(breakdown: StepRewardBreakdown) -> tuple[float, ...]:
    """Cut off the components after the last one that is not zero, which is their default."""
    paid = len(breakdown)
    while paid and breakdown[paid - 1] == 0.0:
        paid -= 1
    return tuple(breakdown[:paid])


class ViewMemory:
    """The views so far, to which the next one is written as a difference."""

    def __init__(
        self, views: Mapping[AgentRole, RoleView] | None = None, last: RoleView | None = None
    ) -> None:
        self._views = dict(views or {})
        self._last = last

    def copy(self) -> ViewMemory:
        """Return an independent copy."""
        return ViewMemory(self._views, self._last)

    def before(self, role: AgentRole) -> Json:
        """Return the parts by name that are known before the next view of a role."""
        old, last = self._views.get(role), self._last
        known = dict(_NOTHING_KNOWN) if old is None else old._asdict()
        if last is not None:
            for name in SHARED:
                known[name] = getattr(last, name)
        return known

    def keep(self, view: RoleView) -> None:
        """Remember a view."""
        self._views[view.role] = self._last = view


class FrameEncoder:
    """Encodes the frames of one episode, in their order.

    Attributes:
        memory: The views of the frames so far.
    """

    def __init__(self) -> None:
        self.memory = ViewMemory()

    def encode(self, frame: EpisodeStep) -> Json:
        """Encode a frame without its action, for `to_text`."""
        seen = frame.observation
        whole, moved = self._difference(seen.view)
        observation: Json = {"turn_role": seen.turn_role, "view": whole}
        if moved:
            observation["moved"] = moved
        observation["step"] = seen.step
        observation["reward"] = seen.reward
        observation["done"] = seen.done
        observation["message"] = seen.message
        if seen.refused:
            observation["refused"] = True
        return {
            "turn": frame.turn,
            "role": frame.role,
            "observation": observation,
            "reward": frame.reward,
            "breakdown": _without_last_zeros(frame.breakdown),
            "done": frame.done,
            "message": frame.message,
        }

    def _difference(self, view: RoleView) -> tuple[Json, Json]:
        known = self.memory.before(view.role)
        self.memory.keep(view)
        known["services"] = newest_of(view.history, known["services"])
        whole: Json = {}
        moved: Json = {}
        for name, before in known.items():
            now: Any = getattr(view, name)
            if before is now or before == now:
                continue
            start = _kept_from(before, now) if type(before) is type(now) is tuple else None
            if start is not None:
                added = now[len(before) - start :]
                moved[name] = (start, _packed(name, added, before[-1]))
            else:
                whole[name] = _packed(name, now, None)
        return whole, moved


def _packed(name: str, rows: Any, last: Any) -> Any:
    """Return the rows of a part as they are written; `last` is the row before them."""
    if rows is None:
        return None
    if name == HISTORY:
        return pack(rows, last)
    if name == _LOGS:
        return [row if row.event or row.callee else row[:_BEFORE_EVENT] for row in rows]
    return rows


def action_parts(action: ChaosOpsAction) -> Json:
    """Return an action's parts by name."""
    return {
        "role": action.role,
        "action_type": action.action_type,
        "target": action.target,
        "args": action.args,
    }


def newest_of(history: Any, otherwise: Any) -> Any:
    """Return `services` if it is left out: the newest minute of the history."""
    return history[-1] if history else otherwise


def _kept_from(old: tuple[object, ...], new: tuple[object, ...]) -> int | None:
    """Return from which index on the old list is the beginning of the new one; None if none."""
    length = len(old)
    for start in range(max(0, length - len(new)), length):
        if old[start] == new[0] and old[start:] == new[: length - start]:
            return start
    return None
