"""What the plain mode tells of a role's view: the renderer's facts in words for people."""

from __future__ import annotations

import re

import pytest

from chaosops.agents.policies import expert_policy, pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    FrozenMap,
    InFlight,
    LogLevel,
    LogLine,
    Message,
    Proposal,
    RoleView,
    Sign,
)
from chaosops.env.world_sim import Scenario
from chaosops.presenter import PARTS
from tests.tui.games import frames
from tests.tui.plain_games import SPELLED_OUT
from tui.plain.board import (
    digest_lines,
    first_lines,
    limits_line,
    part_lines,
    waiting_line,
)

SRE, DEV = AgentRole.SRE, AgentRole.DEV


@pytest.fixture(scope="module")
def played() -> list[EpisodeStep]:
    return frames({role: expert_policy(1) for role in TURN_ORDER}, turns=24)


def last_view(steps: list[EpisodeStep], role: AgentRole) -> RoleView:
    return [step.observation.view for step in steps if step.role is role][-1]


def with_signs(view: RoleView) -> RoleView:
    """The view with a finding as recordings of the first edition have them."""
    signs = (Sign.HEAP_GROWTH, Sign.MEMORY_HIGH)
    return view._replace(findings=(view.findings[0]._replace(signs=signs, reading=None),))


@pytest.mark.parametrize("role", TURN_ORDER)
def test_no_part_has_a_sign_that_is_spelled_out_or_a_minute_in_brackets(
    role: AgentRole, played: list[EpisodeStep]
) -> None:
    said = "\n".join(line for name in PARTS for line in part_lines(name, last_view(played, role)))
    assert "Alerts:\n- " in said
    assert not SPELLED_OUT.search(said)
    assert not re.search(r"\[-?\d+\]", said)


def test_a_finding_is_told_with_its_signs_in_words(played: list[EpisodeStep]) -> None:
    view = with_signs(last_view(played, SRE))
    assert part_lines("findings", view)[1].endswith("(signs: heap growth, memory high)")


def test_a_message_is_quoted_on_one_line_with_what_it_asks_for(played: list[EpisodeStep]) -> None:
    proposal = Proposal(ActionType.SCALE, "cart", FrozenMap({"replicas": 4}))
    said = Message(0, DEV, SRE, "one\ntwo", proposal, None)
    view = last_view(played, SRE)._replace(inbox=(said,))
    (line,) = part_lines("channel", view)[-1:]
    assert line.endswith('Dev to SRE: "one / two"; proposal: scale cart to 4')


def test_a_finding_that_the_message_tells_already_is_not_told_twice(
    played: list[EpisodeStep],
) -> None:
    view = with_signs(last_view(played, SRE))
    found = view.findings[0]
    said = Message(0, DEV, None, f"db: {found.text}", None, found)
    (line,) = part_lines("channel", view._replace(channel=(said,)))[1:2]
    assert line.count(found.text) == 1
    assert "; signs: " in line
    other = said._replace(text="look at this")
    (line,) = part_lines("channel", view._replace(channel=(other,)))[1:2]
    assert line.count(found.text) == 1
    assert "; finding: " in line


def test_what_is_under_way_is_told_as_it_would_be_typed(played: list[EpisodeStep]) -> None:
    item = InFlight(DEV, ActionType.SCALE, "cart", FrozenMap({"replicas": 4}), 0, 3)
    view = last_view(played, SRE)
    view = view._replace(in_flight=(item,), status=view.status._replace(paged_at=60))
    assert "- 01:00 Dev: scale cart to 4, lands 01:03" in part_lines("flight", view)


def test_what_was_found_said_and_done_since_the_last_turn_is_told_once(
    played: list[EpisodeStep],
) -> None:
    turn = next(
        step.turn
        for step in played
        if step.turn > 4 and step.role is SRE and step.observation.view.findings
    )
    seen = played[turn].observation
    heard = Message(0, DEV, None, "heard before", None, None)
    before = played[turn - 4].observation
    old = before._replace(view=before.view._replace(channel=(heard,), inbox=(heard,)))
    steps = [*played[: turn - 4], played[turn - 4]._replace(observation=old)]
    steps += played[turn - 3 : turn]
    said = Message(turn - 1, DEV, SRE, "for you alone", None, None)
    told = Message(turn - 1, DEV, None, "for all", None, None)
    view = seen.view._replace(inbox=(heard, said), channel=(heard, told))
    lines = digest_lines(steps, seen._replace(view=view))
    assert lines[0] == "Since your last turn:"
    assert lines[1:5] == [f"- {step.message}" for step in steps[turn - 4 :]]
    assert [line.partition(" to ")[2] for line in lines if '"' in line] == [
        'all: "for all"',
        'SRE: "for you alone"',
    ]


def test_a_search_says_where_nothing_has_the_word(played: list[EpisodeStep]) -> None:
    view = last_view(played, SRE)
    assert part_lines("logs", view, "zebra") == ["Log tail: none with 'zebra'."]


def test_only_the_newest_lines_of_a_long_log_are_told(played: list[EpisodeStep]) -> None:
    log = tuple(LogLine(i, "db", LogLevel.INFO, f"line {i}") for i in range(50))
    lines = part_lines("logs", last_view(played, SRE)._replace(logs=log))
    assert len(lines) == 21
    assert lines[-1].endswith("line 49")
    assert part_lines("logs", last_view(played, SRE)._replace(logs=log), "line 3")[1].endswith(
        "line 3"
    )


def test_who_sits_down_is_told_the_unhealthy_services_first_or_none() -> None:
    (first,) = frames(turns=1)
    view = first.observation.view
    assert first_lines(view)[0] == "Unhealthy services; 'services' lists all:"
    assert all(" healthy" not in line for line in first_lines(view))
    assert view.services is not None
    well = [row for row in view.services if row.health.value == "healthy"]
    assert first_lines(view._replace(services=tuple(well))) == []


def test_what_cannot_wait_and_which_limit_is_near_are_told_in_lines() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load("calls-not-getting-through", seed=1))
    while stepper.observation.view.status.minute < 24:
        stepper.take(pass_turn(stepper.observation, stepper.role))
    view = stepper.observation.view
    assert limits_line(view) == "Ahead: cart disk: limit in 14-16 min (3 of your turns)."
    told = waiting_line(view, stepper.steps)
    assert told.startswith("Can't wait: the Manager owes a status update, late in ")
    assert told.endswith("error budget empty in 20-22 min.")
    calm = view._replace(due=None, requests=())
    assert waiting_line(calm, ()) == ""
