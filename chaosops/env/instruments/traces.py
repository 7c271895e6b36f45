"""Traces: a few sampled requests as trees of spans.

The sampler keeps some ordinary requests, and a few more of those that were slow or failed. What
a span waited for is not a field; it shows in a gap before it, in its length and in its error.
"""

from __future__ import annotations

from typing import Final

from chaosops.env.models.readings import Part, Span, SpanStatus, Trace, TraceView
from chaosops.env.physics.node import Link, Node
from chaosops.env.scene import Scene

_TRACES: Final = 6
_DEEPEST: Final = 3
_MOST_SPANS: Final = 18
_WORTH_SAMPLING: Final = 0.003
_WORTH_FAILING: Final = 0.01
_FIRST_ODD: Final = 2
_WORTH_SHOWING: Final = 0.2
_MOST_TRIES: Final = 4


def look(scene: Scene, target: int) -> tuple[Part, ...]:
    """Show requests through a service: ordinary ones, then slow ones."""
    slow = _slowest(scene, target)
    traces = []
    for n in range(_TRACES):
        odd = slow if n >= _FIRST_ODD and slow is not None else None
        spans: list[Span] = []
        _span(scene, target, "", 0, 0.0, odd, spans, n)
        roll = int(scene.chance(6_000 + n) * 0xFFFFFF)
        traces.append(Trace(f"{roll:06x}", scene.minute - n % 3, tuple(spans[:_MOST_SPANS])))
    return (TraceView("traces", scene.traits(target).name, tuple(traces)),)


def _slowest(scene: Scene, target: int) -> Link | None:
    """Find the call below a service that is most often slow or failing."""
    seen: list[int] = [target]
    best: Link | None = None
    most = _WORTH_SAMPLING
    for service in seen:
        for link in scene.mesh.nodes[service].links:
            odd = link.stalled + link.broken + link.starved
            if link.extra_tries > _WORTH_SHOWING:
                odd += link.fail
            if link.traits.waits and odd > most:
                best, most = link, odd
            if link.to not in seen and link.traits.waits and len(seen) < 12:
                seen.append(link.to)
    return best


def _span(
    scene: Scene,
    service: int,
    operation: str,
    depth: int,
    start: float,
    odd: Link | None,
    spans: list[Span],
    key: int,
) -> tuple[float, SpanStatus]:
    """Add a span and those below it; return its duration and status."""
    node = scene.mesh.nodes[service]
    place = len(spans)
    name = scene.traits(service).name
    spans.append(Span(depth, name, "", 0, 0, SpanStatus.OK))
    own = scene.shaken(node.own_ms + node.wait_ms * 0.3, 0.25, 6_100 + 40 * key + service)
    at = start + 0.4 * own
    status = SpanStatus.OK
    if depth < _DEEPEST:
        for link in node.links:
            if not link.traits.waits or len(spans) >= _MOST_SPANS:
                continue
            is_odd = odd is not None and link.number == odd.number
            leads = odd is not None and _leads_to(scene, link.to, odd)
            usual = link.traits.per_request * link.passes
            if not (is_odd or leads) and scene.chance(6_200 + link.number, key) > usual:
                continue
            took, came = _call(
                scene, link, node, depth, at, odd if leads else None, is_odd, spans, key
            )
            at += took
            if came is not SpanStatus.OK and link.traits.required:
                status = came
                break
    if status is SpanStatus.OK and _fails(scene, service, key, depth):
        status = SpanStatus.ERROR
    total = at - start + 0.6 * own
    spans[place] = Span(
        depth,
        name,
        operation or _own_operation(scene, service, key),
        int(start + 0.5),
        int(total + 0.5),
        status,
    )
    return total, status


def _fails(scene: Scene, service: int, key: int, depth: int) -> bool:
    """Whether a service fails a sampled request by itself; the sampler keeps more that failed."""
    node = scene.mesh.nodes[service]
    share = 1.0 - node.sound * node.keeps
    if share < _WORTH_FAILING:
        return False
    if depth == 0 and key == _FIRST_ODD:
        return True
    return scene.chance(6_700 + 40 * key + service) < share


def _call(
    scene: Scene,
    link: Link,
    node: Node,
    depth: int,
    at: float,
    odd: Link | None,
    is_odd: bool,
    spans: list[Span],
    key: int,
) -> tuple[float, SpanStatus]:
    """Add a call with its retries; return its total duration and how it ended."""
    timeout = link.traits.timeout_ms
    to = scene.mesh.nodes[link.to]
    operation = _operation(scene, link, is_odd, key)
    if is_odd and link.starved > max(link.stalled, link.broken):
        return link.acquire_ms, SpanStatus.NO_CONNECTION
    tries = int(link.traits.retries) + 1 if is_odd else 1
    again = is_odd and link.extra_tries > _WORTH_SHOWING
    if again:
        tries = min(_MOST_TRIES, int(link.attempts + link.extra_tries) + 1)
    taken = 0.0
    status = SpanStatus.OK
    for _try in range(tries):
        if is_odd and link.stalled > 0.0:
            took = min(link.stall_ms, timeout)
            status = SpanStatus.TIMEOUT if link.stall_ms >= timeout else SpanStatus.OK
        elif is_odd and link.broken > 0.0:
            took = min(link.broken_ms, timeout)
            status = SpanStatus.DEADLOCK if link.broken_ms else SpanStatus.ERROR
        elif again:
            took = scene.shaken(to.own_ms + to.wait_ms, 0.03, 6_800 + 40 * key + link.number)
            status = SpanStatus.ERROR
        elif odd is None and scene.traits(link.to).is_database:
            took = scene.shaken(to.fixed_ms + to.wait_ms, 0.4, 6_300 + 40 * key + link.number)
        else:
            took, status = _span(scene, link.to, operation, depth + 1, at + taken, odd, spans, key)
            return taken + took, status
        spans.append(
            Span(
                depth + 1, to.traits.name, operation, int(at + taken + 0.5), int(took + 0.5), status
            )
        )
        taken += took
        if status is SpanStatus.OK:
            break
    return taken, status


def _leads_to(scene: Scene, service: int, odd: Link) -> bool:
    """Whether a request through a service can reach that call."""
    if odd.traits.caller == service:
        return True
    return any(
        _leads_to(scene, link.to, odd)
        for link in scene.mesh.nodes[service].links
        if link.traits.waits
    )


def _own_operation(scene: Scene, service: int, key: int) -> str:
    """Return what a request asks of a service: a statement of a database, otherwise a route."""
    traits = scene.traits(service)
    name = traits.name
    if traits.is_database and traits.callers:
        pick = int(scene.chance(6_500 + service, key) * len(traits.callers))
        return _operation(scene, scene.mesh.links[traits.callers[pick]], False, key)
    return f"GET /{name}" if scene.chance(6_400 + service, key) < 0.7 else f"POST /{name}"


def _operation(scene: Scene, link: Link, is_odd: bool, key: int) -> str:
    traits = scene.traits(link.to)
    if not traits.is_database:
        return ""
    table = link.traits.table
    if is_odd:
        for cause in scene.world.causes:
            query = cause.cast.cause.shows.query
            if query is not None and cause.is_live(scene.minute):
                return scene.fill(query, scene.minute, 6_500 + key).replace("{table}", table)[:70]
    verb = scene.chance(6_600 + link.number, key)
    return f"SELECT {table}" if verb < 0.6 else f"UPDATE {table}"
