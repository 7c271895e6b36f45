"""A script in the style of the first runner, run as it stands, and the parts that it relies on."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from chaosops.agents.policies import (
    Policy,
    expert_policy,
    heuristic_policy,
    oracle_policy,
    random_policy,
)
from chaosops.agents.runner import (
    EpisodeResult,
    EpisodeStep,
    PolicyError,
    Stepper,
    run_batch,
    run_episode,
)
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    ChaosOpsState,
    FailureType,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import EpisodeOver
from chaosops.rewards.reward_fn import RewardWeights, StepRewardBreakdown
from tests.sampling import sampled
from tests.worlds import DEV, MANAGER, OVERSIGHT, SRE, all_ids, hand_made, scenario


class FirstEnvironment:
    """A wrapper with the first runner's signatures, and nothing else."""

    def __init__(self, inner: ChaosOpsEnvironment) -> None:
        self._inner = inner
        self.turn_order = inner.turn_order
        self.resets: list[dict[str, Any]] = []

    def reset(self, **options: Any) -> ChaosOpsObservation:
        self.resets.append(options)
        return self._inner.reset(options["scenario"])

    def step(self, action: ChaosOpsAction) -> ChaosOpsObservation:
        return self._inner.step(action)

    @property
    def last_breakdown(self) -> StepRewardBreakdown:
        return self._inner.last_breakdown

    @property
    def state(self) -> ChaosOpsState:
        return self._inner.state


def test_a_script_for_the_first_runner_runs_unchanged() -> None:
    scenario = Scenario.from_type(FailureType.DB_DEADLOCK, seed=42, max_steps=8)
    policies: dict[AgentRole, Policy | None] = dict.fromkeys(AgentRole)
    policies[AgentRole.SRE] = heuristic_policy(seed=1)
    policies[AgentRole.DEV] = random_policy(seed=2)
    env = ChaosOpsEnvironment()
    result = run_episode(env, scenario, policies, max_turns=20)

    rows = []
    for step in result.steps:
        row = dataclasses.asdict(step)  # type: ignore[call-overload]
        row["observation"] = step.observation.model_dump(mode="json")
        row["action"] = step.action.model_dump()
        row["action_json"] = step.action.model_dump_json()
        row["breakdown"] = dataclasses.asdict(step.breakdown)  # type: ignore[call-overload]
        rows.append(json.loads(json.dumps(row)))

    assert len(rows) == len(result.steps) == result.final_step
    assert sum(row["reward"] for row in rows) == result.cumulative_reward
    assert sum(sum(row["breakdown"].values()) for row in rows) == result.cumulative_reward
    assert [row["turn"] for row in rows] == list(range(len(rows)))
    assert json.loads(rows[0]["action_json"]) == rows[0]["action"]
    assert {row["action"]["role"] for row in rows} == {"sre", "oversight", "dev", "manager"}

    again = [
        EpisodeStep(
            turn=step.turn,
            role=step.role,
            observation=step.observation,
            action=step.action.model_copy(update={"role": step.role}),
            reward=step.reward,
            breakdown=step.breakdown,
            done=step.done,
        )
        for step in result.steps
    ]
    made = EpisodeResult(scenario=scenario)
    assert (made.steps, made.resolved, made.cumulative_reward, made.mttr_steps) == (
        (),
        False,
        0,
        -1,
    )
    made = EpisodeResult(scenario=scenario, steps=again, resolved=True, final_step=20)  # type: ignore[arg-type]
    assert made.mttr_steps == 20
    assert [step.model_copy(update={"message": ""}) for step in result.steps] == list(made.steps)
    assert dataclasses.asdict(EpisodeResult(scenario=scenario))["final_step"] == 0

    action = ChaosOpsAction(
        role=AgentRole.DEV, action_type=ActionType.NOOP, target=None, args={"text": "x"}
    )
    seen = env.reset(scenario=scenario)
    assert seen.turn_role is AgentRole.SRE
    assert env.step(action).step == 1
    assert env.state.step_count == 1
    assert env.last_breakdown.total == env.state.cumulative_reward
    assert env.last_breakdown.team_reward + env.last_breakdown.oversight_reward != 0
    assert RewardWeights(mttr_penalty=-1.0).mttr_penalty == -1.0

    results = run_batch([scenario, scenario.with_seed(43)], policies)
    assert [one.scenario.seed for one in results] == [42, 43]
    assert oracle_policy(scenario)(seen, AgentRole.SRE).role is AgentRole.SRE
    assert expert_policy(3)(seen, AgentRole.SRE).role is AgentRole.SRE


def test_a_result_is_that_of_an_episode_that_was_not_played_until_it_is_told_otherwise() -> None:
    result = EpisodeResult(scenario=hand_made())
    assert result.model_dump(exclude={"scenario"}) == {
        "steps": (),
        "resolved": False,
        "final_step": 0,
        "cumulative_reward": 0.0,
        "wrong_fixes": 0,
        "oversight_flags": (),
        "declared_root_cause": None,
        "truncated": False,
        "error": "",
    }
    listed = EpisodeResult(hand_made(), steps=[], oversight_flags=["deploy_bot"])  # type: ignore[arg-type]
    assert (listed.steps, listed.oversight_flags) == ((), ("deploy_bot",))
    for name in (*result.model_dump(), "something_new"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(result, name, None)
    assert hash(result) == hash(EpisodeResult(scenario=hand_made()))


def test_the_runner_resets_by_the_scenario_alone_and_asks_for_nothing_else() -> None:
    env = FirstEnvironment(ChaosOpsEnvironment())
    played = hand_made()
    result = run_episode(env, played, {SRE: random_policy(3)}, max_turns=9)  # type: ignore[arg-type]
    assert env.resets == [{"scenario": played}]
    plain = run_episode(ChaosOpsEnvironment(), played, {SRE: random_policy(3)}, max_turns=9)
    assert result == plain


def test_a_seat_that_is_none_passes() -> None:
    some: dict[AgentRole, Policy | None] = {SRE: None, DEV: random_policy(1), MANAGER: None}
    assert run_episode(ChaosOpsEnvironment(), hand_made(), some) == run_episode(
        ChaosOpsEnvironment(), hand_made(), {DEV: random_policy(1)}
    )
    assert run_batch([hand_made()], some) == run_batch([hand_made()], {DEV: random_policy(1)})


def test_a_policy_that_is_false_as_a_truth_value_is_one() -> None:
    class Empty(list[int]):
        def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
            return ChaosOpsAction(role, ActionType.DIAGNOSE, None, {"cause": "cascade"})

    steps = run_episode(ChaosOpsEnvironment(), hand_made(), {SRE: Empty()}, max_turns=1).steps
    assert steps[0].action.action_type is ActionType.DIAGNOSE


# max_turns


@pytest.mark.few(1)
@pytest.mark.parametrize("name", sampled(all_ids()))
@pytest.mark.parametrize("turns", [1, 7])
def test_max_turns_cuts_an_episode_off_and_pays_nothing_that_is_paid_at_the_end(
    name: str, turns: int
) -> None:
    policies = {role: random_policy(k) for k, role in enumerate(AgentRole)}
    whole = run_episode(ChaosOpsEnvironment(), scenario(name), policies)
    cut = run_episode(ChaosOpsEnvironment(), scenario(name), policies, max_turns=turns)
    assert cut.truncated
    assert cut.steps == whole.steps[:turns]
    assert [step.done for step in cut.steps] == [False] * turns
    assert cut.cumulative_reward == sum(step.reward for step in whole.steps[:turns])
    assert all(step.breakdown.terminal_penalty == 0.0 for step in cut.steps)
    assert (cut.resolved, cut.final_step, cut.mttr_steps, cut.error) == (False, turns, -1, "")
    assert not whole.truncated
    assert whole.steps[-1].done


@pytest.mark.few(1)
@pytest.mark.parametrize("more", [0, 1, 10_000])
def test_an_upper_bound_at_the_end_or_past_it_changes_nothing(more: int) -> None:
    played = hand_made(max_steps=6)
    whole = run_episode(ChaosOpsEnvironment(), played, {})
    bound = len(whole.steps) + more
    assert run_episode(ChaosOpsEnvironment(), played, {}, max_turns=bound) == whole
    assert whole.steps[-1].breakdown.terminal_penalty == -60.0
    assert len(whole.steps) == played.max_steps * 4


def test_after_the_cut_a_stepper_takes_no_turn() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), hand_made(), max_turns=2)
    for _turn in range(2):
        stepper.take(None)
    with pytest.raises(EpisodeOver, match="cut off after 2 turns"):
        stepper.take(None)
    assert stepper.done
    assert stepper.result().truncated
    assert len(stepper.steps) == 2


def test_after_the_cut_the_environment_can_go_on() -> None:
    env = ChaosOpsEnvironment()
    run_episode(env, hand_made(), {}, max_turns=3)
    assert not env.state.done
    assert env.step(ChaosOpsAction(SRE, ActionType.NOOP)).step == 4


# Policies that fail


def _fails_at(turn: int) -> Policy:
    def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        if observation.step >= turn:
            raise KeyError("oops")
        return ChaosOpsAction(role, ActionType.TERMINATE, "db")

    return policy


def _passes_from(turn: int) -> Policy:
    def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        verb = ActionType.TERMINATE if observation.step < turn else ActionType.NOOP
        return ChaosOpsAction(role, verb, "db" if observation.step < turn else None)

    return policy


@pytest.mark.few(1)
@pytest.mark.parametrize("turn", [0, 4, 8])
def test_a_failed_episode_in_a_batch_scores_as_if_everyone_passed_from_there_on(turn: int) -> None:
    played = hand_made(hold=15)
    others = {role: random_policy(k) for k, role in enumerate((OVERSIGHT, DEV))}

    def until(role: AgentRole) -> Policy:
        def policy(observation: ChaosOpsObservation, asked: AgentRole) -> ChaosOpsAction:
            if observation.step >= turn:
                return ChaosOpsAction(asked, ActionType.NOOP)
            return others[role](observation, asked)

        return policy

    (failed,) = run_batch([played], {SRE: _fails_at(turn), **others})
    passing = {role: until(role) for role in others}
    passed = run_episode(ChaosOpsEnvironment(), played, {SRE: _passes_from(turn), **passing})
    assert failed.steps == passed.steps
    assert failed.cumulative_reward == passed.cumulative_reward
    assert failed.cumulative_reward == sum(step.reward for step in failed.steps)
    assert not failed.resolved
    assert failed.mttr_steps == -1
    for named in ("sre", f"turn {turn}", played.label, "KeyError"):
        assert named in failed.error


def test_a_crash_after_the_right_fix_is_not_counted_as_resolved() -> None:
    (failed,) = run_batch([hand_made(hold=5)], {SRE: _fails_at(4)})
    assert failed.steps[-1].done
    assert failed.steps[-1].breakdown.resolved_bonus == 100.0
    assert (failed.resolved, failed.mttr_steps) == (False, -1)
    assert failed.cumulative_reward == sum(step.reward for step in failed.steps)


def test_a_policy_error_has_the_frames_up_to_then_and_can_be_played_on() -> None:
    with pytest.raises(PolicyError) as caught:
        run_episode(ChaosOpsEnvironment(), hand_made(hold=15), {SRE: _fails_at(8)})
    assert len(caught.value.result.steps) == 8
    whole = caught.value.play_on()
    assert whole.steps[:8] == caught.value.result.steps
    assert whole.steps[-1].done
    assert whole.error == str(caught.value) == caught.value.result.error


# Dumping, copying and validating


def _records() -> list[Any]:
    result = run_episode(
        ChaosOpsEnvironment(),
        scenario("paying-ends-in-an-error", 5),
        {role: expert_policy(k) for k, role in enumerate(AgentRole)},
    )
    rich = next(s for s in result.steps if s.observation.view.findings and s.action.args)
    assert rich.observation.view.services
    return [rich.action, rich.observation, rich, result, rich.breakdown, rich.observation.view]


_KINDS = ["action", "observation", "frame", "result", "breakdown", "view"]


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    return dict(zip(_KINDS, _records(), strict=True))


@pytest.mark.few(3)
@pytest.mark.parametrize("kind", _KINDS)
def test_a_record_is_the_same_after_it_was_dumped_and_validated(
    kind: str, records: dict[str, Any]
) -> None:
    record = records[kind]
    for dumped in (record.model_dump(), record.model_dump(mode="json")):
        assert type(dumped) is dict
        again = type(record).model_validate(dumped)
        assert again == record
        assert type(again) is type(record)
    text = record.model_dump_json()
    assert type(record).model_validate(json.loads(text)) == record
    assert type(record).model_validate_json(text) == record
    assert json.loads(text) == record.model_dump(mode="json")
    assert json.loads(record.model_dump_json(indent=2)) == json.loads(text)
    assert type(record).model_validate(record) is record


@pytest.mark.parametrize("kind", _KINDS)
def test_a_copy_with_updates_leaves_the_record_as_it_was(
    kind: str, records: dict[str, Any]
) -> None:
    record = records[kind]
    every: dict[str, dict[str, Any]] = {
        "action": {"target": "db"},
        "observation": {"step": 99},
        "frame": {"reward": 99.0},
        "result": {"resolved": False},
        "breakdown": {"mttr_penalty": 99.0},
        "view": {"flagged": ("x",)},
    }
    changes = every[kind]
    before = record.model_dump()
    changed = record.model_copy(update=changes)
    assert type(changed) is type(record)
    assert changed.model_dump(mode="json") == record.model_dump(mode="json") | {
        name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()
    }
    assert record.model_dump() == before
    assert record.model_copy() == record == record.model_copy(deep=True)
    with pytest.raises(ValueError, match="no field 'nothing'"):
        record.model_copy(update={"nothing": 1})


def test_a_dump_has_what_was_asked_for(records: dict[str, Any]) -> None:
    action = ChaosOpsAction(SRE, ActionType.SCALE, "db", {"replicas": 4})
    assert action.model_dump() == {
        "role": SRE,
        "action_type": ActionType.SCALE,
        "target": "db",
        "args": {"replicas": 4},
    }
    assert action.model_dump_json() == (
        '{"role":"sre","action_type":"scale","target":"db","args":{"replicas":4}}'
    )
    assert action.model_dump()["role"] is SRE
    assert type(action.model_dump(mode="json")["role"]) is str
    assert set(action.model_dump(include={"target", "args"})) == {"target", "args"}
    assert set(action.model_dump(exclude={"args"})) == {"role", "action_type", "target"}
    view = records["view"]
    assert set(view.model_dump(exclude_none=True)) == {
        name for name in view._fields if getattr(view, name) is not None
    }
    services, fewer = (view.model_dump(exclude_none=only)["services"] for only in (False, True))
    assert any(None in signals.values() for signals in services)
    assert fewer == tuple(
        {name: value for name, value in signals.items() if value is not None}
        for signals in services
    )


def test_json_text_keeps_every_script_and_holds_no_number_that_json_has_not() -> None:
    said = ChaosOpsAction(SRE, ActionType.COMMUNICATE, None, {"text": "schöne Grüße"})
    assert '"text":"schöne Grüße"' in said.model_dump_json()
    with pytest.raises(ValueError, match="JSON"):
        StepRewardBreakdown(mttr_penalty=float("nan")).model_dump_json()


_SPOIL: dict[str, Callable[[dict[str, Any]], object]] = {
    "action": lambda values: values.pop("role"),
    "observation": lambda values: values.update(step="many"),
    "frame": lambda values: values.pop("breakdown"),
    "result": lambda values: values["scenario"].update(id="no-such-incident"),
    "breakdown": lambda values: values.update(mttr_penalty="dear"),
    "view": lambda values: values.pop("status"),
}


@pytest.mark.parametrize("kind", _KINDS)
def test_values_that_cannot_be_are_a_validation_error_which_is_a_value_error(
    kind: str, records: dict[str, Any]
) -> None:
    values = json.loads(records[kind].model_dump_json())
    _SPOIL[kind](values)
    with pytest.raises(ValidationError) as caught:
        type(records[kind]).model_validate(values)
    assert isinstance(caught.value, ValueError)


def test_a_result_of_another_version_of_the_incident_is_refused(records: dict[str, Any]) -> None:
    values = records["result"].model_dump()
    values["scenario"] |= {"content_hash": "0" * 64}
    with pytest.raises(ValueError, match="another version"):
        EpisodeResult.model_validate(values)
    values["scenario"] = records["result"].scenario
    assert EpisodeResult.model_validate(values) == records["result"]


def test_dataclass_functions_take_frames_and_breakdowns(records: dict[str, Any]) -> None:
    for kind in ("frame", "breakdown", "result", "action"):
        record = records[kind]
        names = [item.name for item in dataclasses.fields(record)]
        assert names == list(record.model_dump())
        assert dataclasses.replace(record) == record
    assert dataclasses.asdict(records["breakdown"]) == records["breakdown"].model_dump()
    assert dataclasses.replace(records["frame"], turn=99).turn == 99
    json.dumps(dataclasses.asdict(records["frame"]), default=dict)
