"""Commands that are typed in the search: found with their values, or said what is wrong."""

from __future__ import annotations

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.state import FormState, Stage
from chaosops.play.action_form.suggestions import offers_of
from chaosops.play.wording import describe


def _form(role: AgentRole) -> FormState:
    played = Scenario.load("checkout-times-out", seed=1)
    env = ChaosOpsEnvironment()
    env.reset(scenario=played)
    return FormState(0, env.view_of(role), offers_of(played))


@pytest.mark.parametrize(
    ("role", "typed", "words"),
    [
        (AgentRole.SRE, "scale payments to 4", "scale payments to 4"),
        (AgentRole.SRE, "drain db zone", "drain db (zone)"),
        (AgentRole.SRE, "diagnose row lock at db certain", "diagnose row lock at db (certain)"),
        (AgentRole.SRE, "diagnose row lock", "diagnose › row lock …"),
        (AgentRole.MANAGER, "assign dev rollback payments", "assign Dev: rollback payments"),
    ],
)
def test_a_command_with_values_or_at_no_object_is_found_as_it_was_typed(
    role: AgentRole, typed: str, words: str
) -> None:
    form = _form(role)
    found = form.found(typed).moves
    assert [move.words for move in found] == [words]
    form.begin_at(found[0])
    done = "…" not in words
    assert form.stage is (Stage.CONFIRM if done else Stage.CHOOSE)
    if done:
        assert form.action is not None
        assert describe(form.action) == words
    assert form.back()


@pytest.mark.parametrize(
    ("role", "typed", "why"),
    [
        (AgentRole.SRE, "drain identity", "On what? 'identity' is not a choice; there are: edge"),
        (AgentRole.SRE, "restart paymnts", "did you mean payments?"),
        (AgentRole.SRE, "rollback paymnts", "SRE cannot rollback, Dev can: ask with"),
        (AgentRole.SRE, "share 1", "Share: no findings yet."),
        (AgentRole.MANAGER, "status update", "Status update is not possible now."),
        (AgentRole.SRE, "fly db", ""),
        (AgentRole.SRE, "restart db", ""),
    ],
)
def test_what_is_wrong_with_a_command_is_said(role: AgentRole, typed: str, why: str) -> None:
    form = _form(role)
    found = form.found(typed)
    assert why in found.why_none
    assert bool(found.why_none) is bool(why)
    assert bool(found.moves) is (typed == "restart db")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("diagnose lock", ["diagnose › row lock …", "diagnose › migration lock …"]),
        ("diagnose row", ["diagnose › row lock …"]),
        ("diagnose row lock at d", ["diagnose › row lock › db …"]),
        ("drain db zo", ["drain db (zone)"]),
    ],
)
def test_a_command_is_completed_from_a_part_of_its_next_answer(
    typed: str, completed: list[str]
) -> None:
    found = _form(AgentRole.SRE).found(typed)
    words = [move.words for move in found.moves]
    assert found.why_none == ""
    assert set(completed) <= set(words)
    assert len(words) < 8
