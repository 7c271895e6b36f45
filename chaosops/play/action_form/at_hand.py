"""What a role sees at a service or an agent that bears on a move there. Needs no screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from chaosops.env.models import ActionType, RoleView, ServiceKind, ServiceNode, ServiceSignals
from chaosops.play.formatting import shown
from chaosops.play.plain_dialect import ago

_NAMED: Final = 2
"""How many neighbours are named; the others are counted."""


def at_hand(view: RoleView, verb: ActionType, target: str) -> str:
    """Say what the role sees now that bears on a move, such as "2 serve, CPU 48 %".

    It comes from the topology and the signals alone, and is empty where the role sees neither.
    """
    tell = _TELLS.get(verb)
    return "" if tell is None else ", ".join(tell(view, target))


def _instances(view: RoleView, target: str) -> Iterator[str]:
    now = _signals(view, target)
    if now is not None:
        yield from _count(now.replicas, "instance")
        yield from _percent("memory", now.memory)


def _capacity(view: RoleView, target: str) -> Iterator[str]:
    now = _signals(view, target)
    if now is not None:
        yield from _serving(now)
        yield from _percent("CPU", now.busy)
    called = _node(view, target)
    if called is not None and called.calls:
        yield f"it calls {_some(called.calls)}"


def _load(view: RoleView, target: str) -> Iterator[str]:
    now = _signals(view, target)
    if now is not None:
        yield from _serving(now)
        yield from _requests(now)


def _traffic(view: RoleView, target: str) -> Iterator[str]:
    now = _signals(view, target)
    if now is not None:
        yield from _requests(now)
        yield f"{100 * now.errors:.1f} % of them fail"


def _piled_up(view: RoleView, target: str) -> Iterator[str]:
    now = _signals(view, target)
    if now is not None:
        node = _node(view, target)
        if now.backlog or (node is not None and node.kind is ServiceKind.QUEUE):
            yield f"{now.backlog or 0} wait"
        yield from _percent("disk", now.disk)
        yield from _percent("cache hits", now.hit)


def _limits(view: RoleView, target: str) -> Iterator[str]:
    now = _signals(view, target)
    if now is not None:
        yield from _percent("memory", now.memory)
        yield from _percent("pool", now.pool)
        yield from _percent("CPU", now.busy)


def _callers(view: RoleView, target: str) -> Iterator[str]:
    callers = [node.name for node in view.graph if target in node.calls]
    if callers:
        yield f"{_some(callers)} {'calls' if len(callers) == 1 else 'call'} it"


def _newest_change(view: RoleView, target: str) -> Iterator[str]:
    if view.changes is None:
        return
    own = [change for change in view.changes if change.service == target]
    if own:
        newest = own[-1]
        when = ago(view.status.minute - newest.minute)
        yield f"newest: {shown(newest.version, 30)}, {when}"
    else:
        yield "no change of it is listed"


def _last_act(view: RoleView, target: str) -> Iterator[str]:
    acts = [event for event in view.audit or () if event.agent == target]
    if acts:
        yield f"its last act was {ago(view.status.minute - acts[-1].minute)}"


_TELLS: Final[Mapping[ActionType, Callable[[RoleView, str], Iterator[str]]]] = MappingProxyType(
    {
        ActionType.RESTART: _instances,
        ActionType.SCALE: _capacity,
        ActionType.FAILOVER: _callers,
        ActionType.DRAIN: _load,
        ActionType.SHED_LOAD: _traffic,
        ActionType.PURGE: _piled_up,
        ActionType.RAISE_LIMIT: _limits,
        ActionType.ROLLBACK: _newest_change,
        ActionType.ROTATE: _callers,
        ActionType.PAUSE: _last_act,
        ActionType.FLAG: _last_act,
    }
)


def _signals(view: RoleView, target: str) -> ServiceSignals | None:
    return next((now for now in view.services or () if now.service == target), None)


def _node(view: RoleView, target: str) -> ServiceNode | None:
    return next((node for node in view.graph if node.name == target), None)


def _serving(now: ServiceSignals) -> Iterator[str]:
    if now.replicas is not None:
        yield "1 serves" if now.replicas == 1 else f"{now.replicas} serve"


def _requests(now: ServiceSignals) -> Iterator[str]:
    if now.rps is not None:
        yield f"{now.rps} requests a second"


def _count(number: int | None, what: str) -> Iterator[str]:
    if number is not None:
        yield f"{number} {what}" if number == 1 else f"{number} {what}s"


def _percent(name: str, value: int | None) -> Iterator[str]:
    if value is not None:
        yield f"{name} {value} %"


def _some(names: Sequence[str]) -> str:
    """Name the first few, and count the rest."""
    told = [shown(name, 40) for name in names]
    if len(told) <= _NAMED + 1:
        return " and ".join(filter(None, (", ".join(told[:-1]), told[-1])))
    return f"{', '.join(told[:_NAMED])} and {len(told) - _NAMED} more"
