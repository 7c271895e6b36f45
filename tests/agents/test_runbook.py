"""The runbook against the set: what it says ends a cause ends it, where the cause sits."""

from __future__ import annotations

import pytest

from chaosops.agents.runbook import RUNBOOK
from chaosops.env.models import ActionType, FailureType
from chaosops.env.models.verbs import FIRST_EDITION_CAUSES
from chaosops.scenarios.schema import Incident, Move
from tests.worlds import ids, scenario


def _causes(incident: Incident) -> tuple[FailureType, ...]:
    return (incident.failure_type, *incident.also_right)


def _is_listed(move: Move, cause: FailureType) -> bool:
    """Whether the runbook has the move; it names limits and units, and no figures."""
    said = move.arguments()
    return any(
        fix.verb is move.action
        and all(fix.args.get(name, said.get(name)) == said.get(name) for name in ("limit", "unit"))
        for fix in RUNBOOK[cause].fixes
    )


def test_there_is_an_entry_for_every_cause_of_the_first_edition() -> None:
    assert set(RUNBOOK) == set(FIRST_EDITION_CAUSES)


@pytest.mark.parametrize("name", ids())
def test_it_lists_every_way_to_clear_an_incident(name: str) -> None:
    incident = scenario(name).incident
    unlisted = [
        move
        for fault in incident.faults
        for move in fault.clears
        if not any(_is_listed(move, cause) for cause in _causes(incident))
    ]
    # One replica less is one drained, which it lists.
    assert [move for move in unlisted if move.action is not ActionType.SCALE] == []
    for move in unlisted:
        drained = Move(action=ActionType.DRAIN, target=move.target)
        assert any(_is_listed(drained, cause) for cause in _causes(incident))


@pytest.mark.parametrize("name", ids())
def test_nothing_that_it_lists_tempts_where_the_cause_sits(name: str) -> None:
    incident = scenario(name).incident
    for cause in _causes(incident):
        places = {
            move.target
            for fault in incident.faults
            for move in fault.clears
            if _is_listed(move, cause)
        }
        assert [
            move for move in incident.tempting if move.target in places and _is_listed(move, cause)
        ] == []
