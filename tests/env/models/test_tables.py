"""The tables of roles and verbs: each member has a row, and the rows agree with each other."""

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    EMPTY,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ApprovalRequest,
    ArgumentChoice,
    RoleView,
    Source,
    Stake,
    VerbChoice,
)
from chaosops.env.models.roles import ROLES, roles_looking_at, roles_with
from chaosops.env.models.verb_spec import TargetKind
from chaosops.env.models.verbs import DECISIONS, VERBS
from chaosops.play.action_form.picks import picks
from chaosops.play.action_form.risks import risk_words
from chaosops.play.wording import verb_word
from chaosops.rewards.reward_fn import RewardWeights
from tests.worlds import scenario


def test_every_role_has_a_row_and_a_turn() -> None:
    assert set(ROLES) == set(AgentRole) == set(TURN_ORDER)


def test_every_verb_has_a_row_and_a_role_that_may_use_it() -> None:
    assert set(VERBS) == set(ActionType)
    assert all(roles_with(verb) for verb in ActionType)


def test_every_source_can_be_looked_at_by_somebody() -> None:
    assert all(roles_looking_at(source) for source in Source)


def test_a_role_sees_parts_that_a_view_has() -> None:
    assert all(spec.sees <= set(RoleView._fields) for spec in ROLES.values())


@pytest.mark.parametrize("verb", ActionType)
def test_a_verb_works_on_kinds_of_service_where_it_is_used_on_services(verb: ActionType) -> None:
    spec = VERBS[verb]
    assert bool(spec.kinds) is (spec.target is TargetKind.SERVICE)


@pytest.mark.parametrize("verb", ActionType)
def test_a_verb_is_worded_by_arguments_that_it_takes(verb: ActionType) -> None:
    spec = VERBS[verb]
    names = {argument.name for argument in spec.arguments} | {"source"}
    assert {spec.before, spec.after} <= names | {""}


def test_no_two_verbs_have_a_word_or_an_alias_in_common() -> None:
    words = [verb_word(verb) for verb in ActionType]
    words += [alias for spec in VERBS.values() for alias in spec.aliases]
    assert len(set(words)) == len(words)


@pytest.mark.few(3)
@pytest.mark.parametrize("role", TURN_ORDER)
@pytest.mark.parametrize("name", ["sign-in-form-rejects-some", "checkout-times-out"])
def test_whatever_a_role_may_do_says_what_a_slip_costs_in_points(
    name: str, role: AgentRole
) -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario=scenario(name))
    request = ApprovalRequest(1, AgentRole.SRE, ActionType.FAILOVER, "db", EMPTY, 0, 8)
    choice = ArgumentChoice("request", (1,), True)
    view = env.view_of(role)
    asked = tuple(VerbChoice(verb, "decide", (), (choice,), (0, 0)) for verb in DECISIONS)
    view = view._replace(requests=(request,), allowed=(*view.allowed, *asked))
    for pick in picks(view):
        assert "{" not in risk_words(pick.verb.action_type)


def test_a_slip_costs_what_the_weights_say() -> None:
    env = ChaosOpsEnvironment()
    env.reset(scenario=scenario("sign-in-form-rejects-some"))
    offered = picks(env.view_of(AgentRole.SRE))
    said = {pick.label: risk_words(pick.verb.action_type) for pick in offered}
    weights = RewardWeights()
    assert f"costs {-weights.wrong_fix_penalty:.0f} " in said["restart"]
    working, certain = -weights.working_penalty, -weights.certain_penalty
    assert f"costs {working:.0f} as a working theory and {certain:.0f}" in said["diagnose"]
    sure = risk_words(ActionType.DIAGNOSE, stake=Stake.CERTAIN)
    assert sure == (
        "; earns 30 if right before the cure; costs 30 where it is wrong and stands when "
        "the cure is ordered; changing it costs 5"
    )
