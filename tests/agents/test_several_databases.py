"""A fleet with two databases: what one of them shows says nothing of the other."""

from __future__ import annotations

import pytest

from chaosops.agents.reasoning import CauseBelief, beliefs, looks, suspects
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction, FailureType, RoleView, Source
from chaosops.scenarios.scenario import Scenario

BEHIND_BOTH = ("store", "warehouse")


def _made(cause: str, place: str) -> Scenario:
    """A seed that draws the cause there, with both databases suspected."""
    for seed in range(200):
        made = Scenario.load("dashboards-fail-to-load", seed=seed)
        truth = made.incident.drawn
        if (truth.cause.id, truth.place) == (cause, place):
            view = ChaosOpsEnvironment().reset(scenario=made).view
            if set(BEHIND_BOTH) <= set(suspects(view)):
                return made
    raise AssertionError((cause, place))


def _after_looks(made: Scenario, *targets: str) -> list[RoleView]:
    """What SRE sees at the page, and after each look into the runtime of a database."""
    env = ChaosOpsEnvironment()
    seen = [env.reset(scenario=made).view]
    for target in targets:
        look = ChaosOpsAction(
            AgentRole.SRE, ActionType.INVESTIGATE, target, {"source": Source.RUNTIME.value}
        )
        turn = env.step(look)
        while turn.turn_role is not AgentRole.SRE:
            turn = env.step(ChaosOpsAction(turn.turn_role, ActionType.NOOP))
        seen.append(turn.view)
    return seen


def _share(held: tuple[CauseBelief, ...], cause: FailureType) -> float:
    return max(belief.share for belief in held if belief.cause is cause)


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("cause", "kind"),
    [("row_lock", FailureType.ROW_LOCK), ("replica_lag", FailureType.REPLICA_LAG)],
)
def test_a_cause_is_not_ruled_out_while_one_database_is_left_to_look_into(
    cause: str, kind: FailureType
) -> None:
    made = _made(cause, "warehouse")
    opening, one, both = _after_looks(made, "store", "warehouse")
    assert _share(beliefs(one), kind) > 0.5 * _share(beliefs(opening), kind)
    inside = [look.target for look in looks(one, beliefs(one)) if look.source is Source.RUNTIME]
    assert "warehouse" in inside
    proven = beliefs(both)[0]
    assert (proven.cause, proven.place, proven.settled) == (kind, "warehouse", True)


def test_it_is_ruled_out_once_every_suspected_database_was_looked_into() -> None:
    opening, one, both = _after_looks(_made("pool_leak", "queries"), *BEHIND_BOTH)
    before, then, after = (
        _share(beliefs(view), FailureType.ROW_LOCK) for view in (opening, one, both)
    )
    assert then > 0.5 * before
    assert after < 0.1 * before
