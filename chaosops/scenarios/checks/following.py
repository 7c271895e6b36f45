"""Checks of causes that follow another one: whether each can begin, and has a place to sit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chaosops.env.models.topology import Topology
from chaosops.env.models.verbs import LANDING, services_for
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fitting import Placement, parts_of, placements
from chaosops.scenarios.following import FollowSpec, When, in_order, spots_after
from chaosops.scenarios.problems import FieldPath, Wrong, instead, listed, shown
from chaosops.scenarios.situation import CastSpec


class _Chained(NamedTuple):
    """A cause of a chain, with every place where it may sit."""

    cause: Cause
    spots: tuple[Placement, ...]


def check_followers(
    path: FieldPath, spec: CastSpec, causes: Mapping[str, Cause], topology: Topology
) -> Iterator[Wrong]:
    """Yield what is wrong with the followers of a cast.

    Args:
        path: The path to the cast in the situation's file.
        causes: The sound causes that the situation names, by id.
    """
    first = causes.get(spec.cause)
    if first is None or any(each.cause not in causes for each in spec.follows):
        return  # the names are reported already
    spots = tuple(
        spot
        for spot in placements(first, topology)
        if (not spec.places or spot.place in spec.places)
        and (not spec.callers or spot.caller in spec.callers)
    )
    chain = {spec.cause: _Chained(first, spots)}
    for each in in_order(spec.follows, spec.cause):
        leader, cause = chain.get(each.of or spec.cause), causes[each.cause]
        if leader is None:
            continue
        field = (*path, "follows", spec.follows.index(each))
        found = [
            *_unfit(field, cause),
            *_untriggered(field, each, leader, topology),
            *_unplaced(field, each, cause, leader, topology),
        ]
        yield from found
        if not found:
            after = (
                spot for place in leader.spots for spot in spots_after(each, cause, place, topology)
            )
            chain[each.cause] = _Chained(cause, tuple(dict.fromkeys(after)))


def _unfit(field: FieldPath, cause: Cause) -> Iterator[Wrong]:
    """Yield why a cause can only be the first of a chain."""
    if cause.agent is not None:
        why = f"{cause.id} is what the agent {cause.agent} does from the page on"
    elif cause.course.rollout is not None:
        why = f"{cause.id} is rolled out from the page on"
    elif cause.harmless:
        why = f"{cause.id} is harmless, so nobody would notice it"
    else:
        return
    yield Wrong((*field, "cause"), f"{why}; let it begin the chain, or use another cause")


def _untriggered(
    field: FieldPath, spec: FollowSpec, leader: _Chained, topology: Topology
) -> Iterator[Wrong]:
    """Yield why nothing sets a follower off."""
    cause = leader.cause
    if spec.when is When.CLEARED:
        cures = list(dict.fromkeys(m.action for m in cause.clears if m.returns is None))
        if not cures:
            words = f"nothing clears {cause.id} for good, so nothing sets it off; use 'landed'"
            yield Wrong((*field, "when"), words)
        for i, verb in enumerate(spec.by):
            if cures and verb not in cures:
                words = (
                    f"{verb.value} doesn't clear {cause.id}, so it never sets this off; use "
                    f"{listed(verb.value for verb in cures)}"
                )
                yield Wrong((*field, "by", i), words)
    elif spec.when is When.LANDED:
        parts = {parts_of(spot, topology)[spec.on] for spot in leader.spots}
        if None in parts:
            words = f"{cause.id} has no {spec.on.value} here; choose another part"
            yield Wrong((*field, "on"), words)
            return
        for i, verb in enumerate(spec.by):
            places = services_for(verb, topology) if verb in LANDING else ()
            missing = sorted(str(part) for part in parts if part not in places)
            if missing:
                words = (
                    f"{verb.value} never lands on {missing[0]}, so it never sets this off; choose "
                    "another action or part"
                )
                yield Wrong((*field, "by", i), words)


def _unplaced(
    field: FieldPath, spec: FollowSpec, cause: Cause, leader: _Chained, topology: Topology
) -> Iterator[Wrong]:
    """Yield names that are no place of a follower, and why it has none."""
    fitting = tuple(placements(cause, topology))
    if not fitting:
        words = f"{cause.id} fits nowhere in {topology.id}; remove it, or use another topology"
        yield Wrong((*field, "cause"), words)
        return
    wrong = [
        *_misnamed(field, "places", spec.places, [spot.place for spot in fitting], cause),
        *_misnamed(field, "callers", spec.callers, [spot.caller for spot in fitting], cause),
    ]
    yield from wrong
    if wrong:
        return
    if spec.next_zone and not any(effect.part == "zones" for effect in cause.effects):
        words = f"{cause.id} is about no zone; remove it"
        yield Wrong((*field, "next_zone"), words)
    for spot in leader.spots:
        if not any(spots_after(spec, cause, spot, topology)):
            anyone = spec.model_copy(update={"callers": ()})
            key = "cause" if spec.at is None else "at"
            if any(spots_after(anyone, cause, spot, topology)):
                key = "callers"
            places = listed(dict.fromkeys(each.place for each in fitting))
            words = (
                f"{cause.id} fits nowhere when {leader.cause.id} is at {spot.place}; it could be "
                f"at {places}: change its 'at', 'places' or 'callers', or the places of "
                f"{leader.cause.id}"
            )
            yield Wrong((*field, key), words)
            return


def _misnamed(
    field: FieldPath,
    key: str,
    names: Sequence[str],
    fitting: Sequence[str | None],
    cause: Cause,
) -> Iterator[Wrong]:
    known = list(dict.fromkeys(name for name in fitting if name is not None))
    for i, name in enumerate(names):
        if name not in known:
            cure = instead(name, known) if known else f"it needs no '{key}': remove it"
            words = f'{cause.id} cannot be at "{shown(name)}"; {cure}'
            yield Wrong((*field, key, i), words)
