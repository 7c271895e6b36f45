"""Draws what is wrong with a service besides the cause, and does not matter."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from chaosops.env.casting import settled
from chaosops.env.decoy_trials import MOST_NOTICED, noticed_share
from chaosops.env.models import ServiceKind
from chaosops.env.models.topology import CallMode, Topology
from chaosops.env.physics.blueprint import Blueprint
from chaosops.generation.dice import SeededDice
from chaosops.generation.wording import DecoyTemplate, capital, filled, phrasebook
from chaosops.scenarios.situation import Decoy

_HARMLESS_KINDS: Final = frozenset({ServiceKind.APP, ServiceKind.EXTERNAL})
_MOST_DECOYS: Final = 3


def draw_decoys(topology: Topology, avoid: Iterable[str], dice: SeededDice) -> tuple[Decoy, ...]:
    """Draw decoys: delays and errors of services that every caller can do without.

    What users would notice is left out, such as delays of what empties a queue.

    Args:
        avoid: Services where a cause may be.
    """
    called = {
        call.to
        for spec in topology.services
        for call in spec.calls
        if call.mode is CallMode.REQUIRED
    }
    taken = called | {entry.service for entry in topology.entries} | set(avoid)
    free = [
        spec.name
        for spec in topology.services
        if spec.name not in taken and spec.kind in _HARMLESS_KINDS
    ]
    mesh = settled(Blueprint(topology))
    pairs = [
        (name, template)
        for name in free
        for template in phrasebook().decoys
        if noticed_share(_decoy(name, template, max(template.value)), mesh) <= MOST_NOTICED
    ]
    return tuple(
        _decoy(name, template, _round(dice.within(*template.value)))
        for name, template in dice.some(pairs, _MOST_DECOYS)
    )


def _decoy(name: str, template: DecoyTemplate, value: float) -> Decoy:
    return Decoy(
        at=name,
        part="node",
        parameter=template.parameter,
        value=value,
        text=filled(template.text, {"Service": capital(name)}),
    )


def _round(value: float) -> float:
    return round(value, 2) if value < 1 else float(round(value, -1))
