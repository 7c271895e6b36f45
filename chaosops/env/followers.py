"""Casts the causes that follow another one: how strong each is, and what it waits for.

A follower is as strong as the level's curve asks for, counted from its own beginning, in the fleet
that the action leaves which sets it off: after a zone is drained, a third of the instances is
missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from chaosops.env.casting import Curve, after_action, cast, hard_rate
from chaosops.env.causes import NEVER, Cast, Follow
from chaosops.env.controllers.base import Controller
from chaosops.env.models import ActionType, AgentRole, FrozenMap, InFlight
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.cause import Cause, Shows
from chaosops.scenarios.change_history import fill
from chaosops.scenarios.following import DrawnFollower, FollowSpec, When
from chaosops.scenarios.schema import Bound

_TIMED: Final = frozenset({When.ONSET, When.UNCLEARED})


def trigger(spec: FollowSpec, leader: Cast) -> tuple[ActionType, int, dict[str, Any]] | None:
    """Return the action that sets a follower off: its verb, its target and its arguments.

    Args:
        leader: The cause that it follows, where it sits.

    Returns:
        None if time sets it off, or if nothing can.
    """
    if spec.when in _TIMED:
        return None
    if spec.when is When.LANDED:
        target = leader.service(spec.on)
        return None if target < 0 else (spec.by[0], target, _least(spec.args))
    for move in leader.cause.clears:
        if move.returns is None and (not spec.by or move.action in spec.by):
            return move.action, leader.service(move.at), _least(move.args)
    return None


def follower_cast(
    spec: FollowSpec,
    cause: Cause,
    place: int,
    caller: int,
    leader: Cast,
    mesh: Mesh,
    curve: Curve,
    *,
    level: float = 1.0,
    controllers: Sequence[Controller] = (),
) -> Cast:
    """Put a follower in a place, as strong as the curve requires once it was set off.

    Raises:
        CastingError: It can't make that many requests fail there.
    """
    sets_off = trigger(spec, leader)
    fleet = mesh
    if sets_off is not None:
        verb, target, args = sets_off
        name = mesh.blueprint.services[target].name
        item = InFlight(AgentRole.SRE, verb, name, FrozenMap(args), 0, 0)
        fleet = after_action(mesh, item, level)
    return cast(cause, place, caller, fleet, curve, level=level, controllers=controllers)


def waiting(made: Cast, drawn: DrawnFollower, leaders: Sequence[Cast], mesh: Mesh) -> Cast:
    """Return a follower as it is before it begins.

    Args:
        made: It in its place, as strong as it gets.
        leaders: The causes before it, the first one first.
    """
    spec, leader = drawn.spec, leaders[drawn.of]
    on = leader.service(spec.on) if spec.when is When.LANDED else -1
    made = made._replace(
        cause=told_there(drawn),
        version=drawn.version,
        hard_at=drawn.hard_at,
        follow=Follow(drawn.of, spec.when, spec.by, on, spec.args, drawn.after, spec.next_zone),
    )
    made = made._replace(hard_rate=hard_rate(made, mesh))
    if spec.when in _TIMED and leader.onset < NEVER:
        return made.begun(leader.onset + drawn.after)
    return made._replace(onset=NEVER)


def told_there(drawn: DrawnFollower) -> Cause:
    """Return the cause of a follower with the names of its own place in its texts."""
    words = dict(drawn.words)

    def filled(value: Any) -> Any:
        if isinstance(value, str):
            return fill(value, words)
        if isinstance(value, dict):
            return {key: filled(item) for key, item in value.items()}
        return tuple(map(filled, value)) if isinstance(value, list | tuple) else value

    shows = drawn.cause.shows
    told = Shows.model_validate(filled(shows.model_dump()))
    return drawn.cause.model_copy(update={"shows": told})


def _least(args: Any) -> dict[str, Any]:
    """Return the least that arguments ask for."""
    return {
        name: (want.at_most if want.at_least is None else want.at_least)
        if isinstance(want, Bound)
        else want
        for name, want in args.items()
    }
