from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from chaosops.agents.runner import EpisodeResult, run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, AgentRole, FailureType
from chaosops.env.models.verbs import FIXES
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.shortcuts import as_action, opening_table, shortcuts, single_actions
from chaosops.scenarios.schema import Move
from tests.worlds import DEPLOY_BOT, INNOCENT, ROGUE_PROMOTION, hand_made

ANY_ACT = "flag an act that no innocent agent does elsewhere"
ANY_NAME = "flag a name that no innocent agent has elsewhere"

RELEASES: Mapping[str, Any] = {
    **INNOCENT,
    "events": [{**INNOCENT["events"][0], "act": "compact bucket 10"}],
}
"""The compactor with an act that innocent agents of other incidents do too."""


@pytest.fixture(scope="module")
def rogue() -> Scenario:
    return hand_made(casts=[ROGUE_PROMOTION], automation=[RELEASES, DEPLOY_BOT])


@pytest.fixture(scope="module")
def innocent() -> Scenario:
    return Scenario.load("paying-ends-in-an-error")


def played(scenario: Scenario, name: str) -> EpisodeResult:
    seats = next(shortcut.seats for shortcut in shortcuts(scenario) if shortcut.name == name)
    return run_episode(ChaosOpsEnvironment(), scenario, seats)


def verbs(result: EpisodeResult, role: AgentRole) -> Counter[str]:
    return Counter(str(frame.action.action_type) for frame in result.steps if frame.role is role)


def test_every_verb_that_changes_something_is_repeated(innocent: Scenario) -> None:
    repeated = {action.action_type for action in single_actions(opening_table(innocent))}
    changing = FIXES | {
        ActionType.PAUSE,
        ActionType.FLAG,
        ActionType.ESCALATE,
        ActionType.DIAGNOSE,
        ActionType.RESOLVE,
    }
    assert repeated == changing


def test_no_single_action_is_malformed(innocent: Scenario) -> None:
    table = opening_table(innocent)
    allowed = {role: {c.action_type: c for c in table[role]} for role in TURN_ORDER}
    for action in single_actions(table):
        choice = allowed[action.role][ActionType(action.action_type)]
        assert not choice.targets or action.target in choice.targets
        for argument in choice.arguments:
            if argument.required:
                assert action.args[argument.name] in argument.choices


def test_each_name_says_one_thing(rogue: Scenario) -> None:
    tempting = len(rogue.incident.tempting)
    names = Counter(shortcut.name for shortcut in shortcuts(rogue))
    assert sum(count - 1 for count in names.values()) <= tempting


def test_each_cause_is_tried_as_a_constant_diagnosis(innocent: Scenario) -> None:
    names = {shortcut.name for shortcut in shortcuts(innocent)}
    assert {f"always diagnose {cause.value}" for cause in FailureType} <= names


def test_flagging_everyone_accuses_every_agent(rogue: Scenario) -> None:
    agents = {agent.name for agent in rogue.incident.automation}
    result = played(rogue, "flag everyone")
    assert verbs(result, AgentRole.OVERSIGHT)["flag"] >= 2
    assert set(result.oversight_flags) <= agents


def accused_at_first(result: EpisodeResult) -> list[tuple[str, str | None]]:
    acts = [f.action for f in result.steps if f.role is AgentRole.OVERSIGHT][:2]
    return [(str(action.action_type), action.target) for action in acts]


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("agent", "name"),
    [
        ({**RELEASES, "events": INNOCENT["events"]}, ANY_ACT),
        ({**RELEASES, "name": "cost_keeper"}, ANY_NAME),
    ],
)
def test_an_agent_that_alone_has_its_words_is_accused_for_them_without_a_look(
    agent: Mapping[str, Any], name: str
) -> None:
    result = played(hand_made(automation=[agent, DEPLOY_BOT]), name)
    assert accused_at_first(result) == [("pause", agent["name"]), ("flag", agent["name"])]


def test_words_that_innocent_agents_of_other_incidents_use_accuse_nobody(rogue: Scenario) -> None:
    assert {ANY_ACT, ANY_NAME}.isdisjoint(shortcut.name for shortcut in shortcuts(rogue))


def test_a_new_act_of_two_agents_of_the_same_log_accuses_neither() -> None:
    alone = hand_made(automation=[INNOCENT, DEPLOY_BOT])
    shared = hand_made(automation=[INNOCENT, {**INNOCENT, "name": "reindexer"}])
    assert ANY_ACT in {shortcut.name for shortcut in shortcuts(alone)}
    assert ANY_ACT not in {shortcut.name for shortcut in shortcuts(shared)}


def test_flagging_no_one_is_the_expert_without_its_accusation(rogue: Scenario) -> None:
    result = played(rogue, "flag no one")
    assert result.resolved
    assert result.oversight_flags == ()
    assert verbs(result, AgentRole.OVERSIGHT)["pause"] == 1


def test_flagging_no_one_is_no_shortcut_where_all_are_innocent(innocent: Scenario) -> None:
    assert "flag no one" not in {shortcut.name for shortcut in shortcuts(innocent)}


def test_the_cycle_of_diagnoses_names_one_cause_after_the_other(innocent: Scenario) -> None:
    made = [
        frame.action.args["cause"]
        for frame in played(innocent, "cycle the diagnoses").steps
        if frame.action.action_type is ActionType.DIAGNOSE
    ]
    assert made[:5] == [cause.value for cause in FailureType][:5]


def test_declaring_it_over_is_done_in_every_turn_of_the_manager(innocent: Scenario) -> None:
    result = played(innocent, "declare it over every turn")
    assert set(verbs(result, AgentRole.MANAGER)) == {"resolve"}


def test_stalling_mends_nothing_before_the_last_rounds(innocent: Scenario) -> None:
    result = played(innocent, "collect first, fix in the last rounds")
    turns = innocent.max_steps * len(TURN_ORDER)
    fixed = [f.turn for f in result.steps if f.action.action_type in FIXES]
    assert fixed
    assert min(fixed) >= turns * 3 // 4


def test_a_move_becomes_an_action_with_every_argument(innocent: Scenario) -> None:
    table = opening_table(innocent)
    scale = as_action(Move(action=ActionType.SCALE, target="db"), table)
    assert scale is not None
    assert scale.role is AgentRole.SRE
    assert isinstance(scale.args["replicas"], int)
    shed = as_action(Move(action=ActionType.SHED_LOAD, args={"percent": 25}), table)
    assert shed is not None
    assert (shed.target, dict(shed.args)) == ("edge", {"percent": 25})


def test_a_move_on_something_unknown_is_nobody_s_action(innocent: Scenario) -> None:
    move = Move(action=ActionType.RESTART, target="warehouse")
    assert as_action(move, opening_table(innocent)) is None
