"""What people's actions have left in force, and what undoes it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.runner import Stepper
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, InForce
from chaosops.env.models.verbs import AGENT_VERBS, FIXES
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE, Move, hand_made, move, play, view_of

Undo = tuple[str, str, dict[str, Any]]

LASTING: list[tuple[AgentRole, Move, Undo | None]] = [
    (SRE, move("shed_load", "edge", percent=25), ("shed_load", "edge", {"percent": 0})),
    (SRE, move("scale", "cart", replicas=5), ("scale", "cart", {"replicas": 3})),
    (SRE, move("drain", "cart"), ("scale", "cart", {"replicas": 3})),
    (SRE, move("drain", "cart", unit="zone"), ("scale", "cart", {"replicas": 3})),
    (SRE, move("raise_limit", "cart", limit="memory"), None),
    (SRE, move("failover", "db"), None),
    (SRE, move("purge", "db"), None),
    (OVERSIGHT, move("pause", "compactor"), ("resume", "compactor", {})),
    (DEV, move("disable_feature", "cart"), None),
    (DEV, move("rollback", "cart"), None),
]
"""Each action that lasts in the storefront, where cart runs three instances at the page."""

PASSING: list[tuple[AgentRole, Move]] = [
    (SRE, move("restart", "cart")),
    (SRE, move("terminate", "db")),
    (DEV, move("rotate", "edge")),
    (MANAGER, move("escalate", "bank")),
    (OVERSIGHT, move("flag", "compactor")),
]
"""Each action whose effect is over once it has landed."""


def _after(role: AgentRole, *actions: Move) -> Stepper:
    """A long episode with the actions in the role's first turns, until all of them have landed."""
    first = TURN_ORDER.index(role)
    moves = {first + 4 * i: action for i, action in enumerate(actions)}
    return play(hand_made(max_steps=15, par=60), moves, turns=first + 4 * len(actions) + 8)


def _in_force(stepper: Stepper) -> tuple[InForce, ...]:
    return stepper.observation.view.in_force


@pytest.mark.parametrize(("role", "action", "undo"), LASTING)
def test_what_lasts_is_in_force_for_every_role_from_its_landing_on_with_what_undoes_it(
    role: AgentRole, action: Move, undo: Undo | None
) -> None:
    stepper = _after(role, action)
    for seat in TURN_ORDER:
        view = view_of(stepper, seat)
        (lasting,) = view.in_force
        assert (lasting.role, lasting.target) == (role, action[1])
        landed = next(item for item in view.landed if item.target == lasting.target)
        assert lasting.since == landed.lands
        made = lasting.undo
        assert (None if made is None else move(made[0], made[1], **made[2])) == undo


def test_nothing_is_in_force_before_it_lands() -> None:
    stepper = play(hand_made(), {0: move("drain", "cart")}, turns=1)
    assert stepper.observation.view.in_flight
    assert _in_force(stepper) == ()


@pytest.mark.parametrize(("role", "action"), PASSING)
def test_what_is_over_once_it_has_landed_is_not_in_force(role: AgentRole, action: Move) -> None:
    stepper = _after(role, action)
    assert stepper.observation.view.landed
    assert _in_force(stepper) == ()


def test_each_verb_that_changes_the_fleet_is_known_to_last_or_to_pass() -> None:
    lasting = {action[0] for _role, action, _undo in LASTING}
    known = lasting | {action[0] for _role, action in PASSING} | {"resume"}
    assert known == FIXES | AGENT_VERBS | {ActionType.ESCALATE}


@pytest.mark.few(1)
@pytest.mark.parametrize(("role", "action", "undo"), [row for row in LASTING if row[2]])
def test_what_is_undone_is_in_force_no_longer(role: AgentRole, action: Move, undo: Undo) -> None:
    assert len(_in_force(_after(role, action))) == 1
    assert _in_force(_after(role, action, undo)) == ()


def test_a_second_shed_stands_in_the_place_of_the_first() -> None:
    shed = [move("shed_load", "edge", percent=percent) for percent in (10, 50)]
    (lasting,) = _in_force(_after(SRE, *shed))
    assert lasting.args == {"percent": 50}


def test_two_limits_of_a_service_are_in_force_side_by_side() -> None:
    raised = [move("raise_limit", "cart", limit=limit) for limit in ("memory", "cpu", "memory")]
    limits = [lasting.args["limit"] for lasting in _in_force(_after(SRE, *raised))]
    assert limits == ["cpu", "memory"]


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.builds(
                lambda count: move("scale", "cart", replicas=count), st.sampled_from((1, 3, 4, 12))
            ),
            st.builds(
                lambda unit: move("drain", "cart", unit=unit), st.sampled_from(("instance", "zone"))
            ),
            st.builds(
                lambda share: move("shed_load", "edge", percent=share), st.sampled_from((0, 25, 75))
            ),
        ),
        max_size=4,
    )
)
def test_a_service_has_its_usual_instances_and_load_exactly_where_nothing_is_in_force(
    actions: list[Move],
) -> None:
    view = _after(SRE, *actions).view_of(SRE)
    assert view.services is not None
    now = {row.service: row for row in view.services}
    in_force = {lasting.target for lasting in view.in_force}
    assert (now["cart"].replicas != 3) == ("cart" in in_force)
    sheds = [item for item in view.landed if item.action_type is ActionType.SHED_LOAD]
    assert ("edge" in in_force) == bool(sheds and sheds[-1].args["percent"])
