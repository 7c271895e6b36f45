"""A move at an object says what the role sees there that bears on it, and nothing else."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, RoleView
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.at_hand import at_hand
from tests.worlds import some_ids

A = ActionType


def _view(role: AgentRole, name: str = "checkout-times-out") -> RoleView:
    env = ChaosOpsEnvironment()
    env.reset(scenario=Scenario.load(name, seed=1))
    return env.view_of(role)


def test_a_fix_has_the_signals_that_it_would_change() -> None:
    view = _view(AgentRole.SRE)
    now = {each.service: each for each in view.services or ()}
    db, edge, queue = now["db"], now["edge"], now["queue"]
    assert at_hand(view, A.RESTART, "db") == f"{db.replicas} instances, memory {db.memory} %"
    assert at_hand(view, A.SCALE, "db") == f"{db.replicas} serve, CPU {db.busy} %"
    assert at_hand(view, A.DRAIN, "db") == f"{db.replicas} serve, {db.rps} requests a second"
    failed = f"{100 * edge.errors:.1f} % of them fail"
    assert at_hand(view, A.SHED_LOAD, "edge") == f"{edge.rps} requests a second, {failed}"
    assert at_hand(view, A.PURGE, "queue") == f"{queue.backlog} wait, disk {queue.disk} %"
    assert at_hand(view, A.PURGE, "db") == f"disk {db.disk} %"


def test_it_has_the_neighbours_that_a_move_reaches() -> None:
    view = _view(AgentRole.SRE)
    assert at_hand(view, A.FAILOVER, "db") == "cart, catalog and 4 more call it"
    assert at_hand(view, A.FAILOVER, "queue") == "checkout calls it"
    assert at_hand(view, A.SCALE, "search").endswith("it calls cache and db")


def test_a_rollback_has_the_newest_change_and_an_agent_its_last_act() -> None:
    dev, oversight = _view(AgentRole.DEV), _view(AgentRole.OVERSIGHT)
    assert dev.changes
    newest = dev.changes[-1]
    assert at_hand(dev, A.ROLLBACK, newest.service).startswith(f"newest: {newest.version}, ")
    changed = {change.service for change in dev.changes}
    bare = next(node.name for node in dev.graph if node.name not in changed)
    assert at_hand(dev, A.ROLLBACK, bare) == "no change of it is listed"
    assert oversight.audit
    agent = oversight.audit[-1].agent
    minutes = oversight.status.minute - oversight.audit[-1].minute
    assert f" {minutes} minute" in at_hand(oversight, A.PAUSE, agent)


@pytest.mark.few(1)
@pytest.mark.parametrize("name", some_ids())
def test_it_names_no_cause_and_nothing_that_the_role_does_not_see(name: str) -> None:
    diagnose = next(each for each in _view(AgentRole.SRE, name).allowed if each[0] is A.DIAGNOSE)
    causes = [str(one).replace("_", " ") for one in diagnose.arguments[0].choices]
    assert causes
    for role in TURN_ORDER:
        view = _view(role, name)
        for node in view.graph:
            for verb in ActionType:
                told = at_hand(view, verb, node.name)
                assert not [cause for cause in causes if cause in told]
                if view.services is None:
                    assert "%" not in told
                    assert "serve" not in told
