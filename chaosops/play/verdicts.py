"""Says whether a diagnosis was right, once the incident is over."""

from __future__ import annotations

from chaosops.env.models import Diagnosis
from chaosops.env.world_sim import Scenario
from chaosops.presenter.parts import verdict
from chaosops.scenarios.fitting import sites


def told_verdict(made: Diagnosis, scenario: Scenario | None) -> str:
    """Say whether a diagnosis is right; a right cause at a wrong place is told apart.

    Args:
        scenario: The truth; None if it is not known.
    """
    if not made.right or scenario is None or made.place in sites(scenario.incident.drawn):
        return verdict(made)
    return "right, but it was elsewhere" if made.place else "right, without its place"
