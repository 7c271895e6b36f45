"""What the loop promises, on every built-in incident."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache, partial
from itertools import pairwise
from operator import delitem, setitem
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.agents.policies import POLICY_NAMES, make_policy, random_policy
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
    MAX_TEXT,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    FailureType,
    FrozenMap,
    RoleView,
    SignalRows,
    VerbChoice,
)
from chaosops.env.world_sim import Scenario
from chaosops.errors import EpisodeOver
from chaosops.rewards.reward_fn import StepRewardBreakdown
from tests.sampling import sampled
from tests.worlds import (
    DEV,
    MANAGER,
    NINE,
    OVERSIGHT,
    SRE,
    all_ids,
    environment,
    hand_made,
    scenario,
    some_ids,
    world_part,
)

every_incident = pytest.mark.parametrize("name", sampled(all_ids()))
some_incidents = pytest.mark.parametrize("name", some_ids())


def _all_play(played: Scenario, policy: str, seed: int = 0) -> EpisodeResult:
    policies = {role: make_policy(policy, played, seed + k) for k, role in enumerate(TURN_ORDER)}
    return run_episode(environment(played), played, policies)


# Frames


_VALUES = (tuple, SignalRows, FrozenMap, ChaosOpsAction)


def _parts(value: object, path: str = "observation") -> Iterator[tuple[str, object]]:
    yield path, value
    if isinstance(value, FrozenMap):
        for key, item in value.items():
            yield from _parts(item, f"{path}[{key!r}]")
    elif isinstance(value, tuple | SignalRows):
        for k, item in enumerate(value):
            yield from _parts(item, f"{path}[{k}]")
    elif isinstance(value, ChaosOpsAction):
        yield from _parts(value.args, f"{path}.args")


def _attempts(value: Any) -> Iterator[Callable[[], object]]:
    """Ways to write to a part, each of which would work on an ordinary object."""
    names = (*getattr(value, "_fields", ()), *getattr(type(value), "__slots__", ()))
    for name in (*names, "something_new"):
        if name.startswith("__"):
            continue
        yield partial(setattr, value, name, None)
        yield partial(delattr, value, name)
    for key in (0, "x"):
        yield partial(setitem, value, key, None)
        yield partial(delitem, value, key)
    yield lambda: value.append(None)
    yield lambda: value.update({"x": None})
    yield lambda: value.__dict__.update({"x": None})


def _kind(value: object) -> type:
    return type(value)


@pytest.mark.few(1)
@some_incidents
def test_every_part_of_every_frame_is_a_plain_value_that_cannot_be_written(name: str) -> None:
    result = _all_play(scenario(name, 3), "random")
    seen: dict[int, object] = {}
    written_to: set[type] = set()
    for frame in result.steps:
        for path, part in _parts(tuple(frame)):
            if id(part) in seen:
                continue
            seen[id(part)] = part
            is_scalar = part is None or isinstance(part, bool | int | float | str | StrEnum)
            assert is_scalar or isinstance(part, _VALUES), path
            if isinstance(part, int | float) and not isinstance(part, bool):
                assert math.isfinite(part), path
            if is_scalar or _kind(part) in written_to:
                continue
            written_to.add(_kind(part))
            before = pickle.loads(pickle.dumps(part))
            for attempt in _attempts(part):
                with pytest.raises((AttributeError, TypeError)):
                    attempt()
            assert part == before, path
    assert {ChaosOpsObservation, RoleView, FrozenMap, tuple} <= written_to


@pytest.mark.few(1)
@some_incidents
def test_frames_that_were_kept_stay_as_they_were_made(name: str) -> None:
    played = scenario(name, 5)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    policies = {role: random_policy(k) for k, role in enumerate(TURN_ORDER)}
    taken: list[tuple[EpisodeStep, EpisodeStep, bytes]] = []
    while not stepper.done:
        role = stepper.role
        frame = stepper.take(policies[role](stepper.observation, role))
        taken.append((frame, pickle.loads(pickle.dumps(frame)), pickle.dumps(tuple(frame))))
    for kept, as_it_was, as_bytes in taken:
        assert kept == as_it_was
        assert tuple(kept) == pickle.loads(as_bytes)
    assert stepper.steps == tuple(kept for kept, _, _ in taken)


def test_kept_frames_of_a_leak_show_its_memory_as_it_was_minute_by_minute() -> None:
    leak = hand_made(casts=[{"cause": "memory_leak", "places": ["cart"]}])

    def shown(view: RoleView) -> dict[int, int | None]:
        assert view.history is not None
        first = view.status.minute - len(view.history) + 1
        return {
            first + k: next(s.memory for s in minute if s.service == "cart")
            for k, minute in enumerate(view.history)
        }

    result = run_episode(ChaosOpsEnvironment(), leak, {})
    rounds = [shown(frame.observation.view) for frame in result.steps if frame.role is SRE]
    assert len(rounds) >= 5
    for earlier, later in pairwise(rounds):
        for minute in earlier.keys() & later.keys():
            assert earlier[minute] == later[minute]
        assert max(later) == max(earlier) + len(TURN_ORDER)
    # Memory swings from minute to minute, and a leak raises it.
    every = {minute: level or 0 for seen in rounds for minute, level in seen.items()}
    before = [level for minute, level in every.items() if minute < leak.incident.drawn.onset]
    after = [level for minute, level in every.items() if minute >= 0]
    assert min(after) >= max(before) - 2
    assert fmean(after) > max(before)


@pytest.mark.few(2)
@every_incident
def test_frames_share_what_did_not_change(name: str) -> None:
    frames = _all_play(scenario(name), "noop").steps
    last: dict[AgentRole, RoleView] = {}
    shared = 0
    for frame in frames:
        view = frame.observation.view
        before = last.get(frame.role)
        last[frame.role] = view
        if before is None:
            continue
        assert view.graph is before.graph
        for field in ("alerts", "channel", "inbox", "findings", "diagnoses", "in_flight", "landed"):
            old, new = getattr(before, field), getattr(view, field)
            if old == new:
                assert new is old or new == (), field
                shared += 1
        if frame.role is not OVERSIGHT and (view.due is None) is (before.due is None):
            assert view.allowed is before.allowed
        for field in ("changes", "audit", "paused", "flagged", "health"):
            old, new = getattr(before, field), getattr(view, field)
            if old is not None and old == new:
                assert new is old or new == (), field
        if view.history is not None and before.history is not None:
            for minute in before.history[len(TURN_ORDER) :]:
                assert any(minute is kept for kept in view.history)
    assert shared > 0


# Sums


@pytest.mark.few(1)
@every_incident
@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_the_rewards_of_the_frames_sum_exactly_to_the_cumulative_reward(
    name: str, policy: str
) -> None:
    result = _all_play(scenario(name, 2), policy)
    rewards = [frame.reward for frame in result.steps]
    assert sum(rewards) == result.cumulative_reward
    assert math.fsum(rewards) == result.cumulative_reward
    assert sum(reversed(rewards)) == result.cumulative_reward
    assert sum(sorted(rewards)) == result.cumulative_reward
    for frame in result.steps:
        assert frame.breakdown.total == frame.reward == sum(frame.breakdown)


@pytest.mark.few(1)
@every_incident
def test_the_terminal_penalty_is_in_the_last_frame_of_an_unresolved_episode_alone(
    name: str,
) -> None:
    played = scenario(name)
    result = _all_play(played, "noop")
    assert not result.resolved
    assert result.mttr_steps == -1
    # Its error budget is spent before the last turn, and then it is taken away.
    most = played.max_steps * len(TURN_ORDER)
    is_real = played.failure_type is not FailureType.FALSE_ALARM
    assert played.par < len(result.steps) <= most
    assert (len(result.steps) < most) is is_real
    assert [frame.breakdown.terminal_penalty for frame in result.steps[:-1]] == [0.0] * (
        len(result.steps) - 1
    )
    assert result.steps[-1].breakdown.terminal_penalty == -60.0
    assert [frame.done for frame in result.steps] == [False] * (len(result.steps) - 1) + [True]


@pytest.mark.few(1)
@every_incident
def test_a_resolved_episode_ends_with_its_bonus_and_no_terminal_penalty(name: str) -> None:
    result = _all_play(scenario(name), "oracle")
    assert result.resolved
    assert result.mttr_steps == result.final_step == len(result.steps)
    assert result.steps[-1].breakdown.resolved_bonus == 100.0
    assert all(frame.breakdown.terminal_penalty == 0.0 for frame in result.steps)
    assert all(frame.breakdown.resolved_bonus == 0.0 for frame in result.steps[:-1])


# The turn order and the end


@every_incident
def test_the_roles_take_turns_in_order_and_see_their_own_view(name: str) -> None:
    for frame in _all_play(scenario(name), "random").steps:
        assert frame.role is TURN_ORDER[frame.turn % len(TURN_ORDER)]
        assert frame.observation.turn_role is frame.role is frame.observation.view.role
        assert frame.observation.step == frame.turn == frame.observation.view.status.minute
        assert frame.action.role is frame.role
    assert ChaosOpsEnvironment().turn_order == (SRE, OVERSIGHT, DEV, MANAGER)


@pytest.mark.few(1)
@every_incident
def test_after_the_end_a_step_raises_and_changes_nothing(name: str) -> None:
    env = ChaosOpsEnvironment()
    stepper = Stepper(env, scenario(name).lasting(4))
    while not stepper.done:
        stepper.take(ChaosOpsAction(stepper.role, ActionType.NOOP))
    before = (env.state, env.last_breakdown, stepper.observation, stepper.result())
    for action in (
        ChaosOpsAction(SRE, ActionType.RESTART, "db"),
        ChaosOpsAction(MANAGER, ActionType.RESOLVE),
        None,
    ):
        with pytest.raises(EpisodeOver, match="reset"):
            env.step(action)  # type: ignore[arg-type]
        with pytest.raises(EpisodeOver):
            stepper.take(action)
    assert (env.state, env.last_breakdown, stepper.observation, stepper.result()) == before


def test_there_is_no_step_and_no_state_before_a_reset() -> None:
    env = ChaosOpsEnvironment()
    with pytest.raises(EpisodeOver, match="reset"):
        env.step(ChaosOpsAction(SRE, ActionType.NOOP))
    with pytest.raises(EpisodeOver, match="reset"):
        _ = env.state
    assert env.last_breakdown == StepRewardBreakdown()


@every_incident
@pytest.mark.parametrize("max_turns", [0, -1, -40])
def test_less_than_one_turn_is_a_value_error(name: str, max_turns: int) -> None:
    with pytest.raises(ValueError, match="max_turns"):
        run_episode(ChaosOpsEnvironment(), scenario(name), {}, max_turns=max_turns)


@pytest.mark.few(1)
@some_incidents
@pytest.mark.parametrize("policy", ["random", "expert"])
def test_a_used_environment_is_as_good_as_a_fresh_one(name: str, policy: str) -> None:
    used = ChaosOpsEnvironment()
    for other in some_ids()[:4]:
        run_episode(used, scenario(other, 9), {SRE: random_policy(1)}, max_turns=9)
    played = scenario(name, 6)
    policies = {role: make_policy(policy, played, 6) for role in TURN_ORDER}
    again = run_episode(used, played, policies)
    assert again == run_episode(ChaosOpsEnvironment(), played, policies)


def test_a_reset_in_the_middle_starts_afresh() -> None:
    env = ChaosOpsEnvironment()
    first = env.reset(scenario=hand_made())
    env.step(ChaosOpsAction(SRE, ActionType.RESTART, "cart"))
    assert env.state.wrong_fixes == 1
    assert env.reset(scenario=hand_made()) == first
    assert (first.reward, first.step, first.done) == (0.0, 0, False)
    assert env.state.wrong_fixes == env.state.step_count == 0
    assert env.state.cumulative_reward == 0.0
    assert env.last_breakdown == StepRewardBreakdown()


@pytest.mark.few(1)
@some_incidents
def test_looking_at_any_role_at_any_time_changes_no_frame(name: str) -> None:
    played = scenario(name, 4)
    policies = {role: random_policy(k) for k, role in enumerate(TURN_ORDER)}
    expected = run_episode(ChaosOpsEnvironment(), played, policies).steps
    env = ChaosOpsEnvironment()
    with pytest.raises(EpisodeOver, match="reset"):
        env.view_of(SRE)
    stepper = Stepper(env, played)
    while not stepper.done:
        role = stepper.role
        assert env.view_of(role) == stepper.observation.view
        for other in TURN_ORDER[len(stepper.steps) % 3 :]:
            seen = env.view_of(other)
            assert seen.role is other
            assert seen.status == stepper.observation.view.status
        stepper.take(policies[role](stepper.observation, role))
    assert stepper.steps == expected


# Policies that misbehave


@pytest.mark.few(2)
@every_incident
def test_roles_without_a_policy_pass(name: str) -> None:
    alone = run_episode(ChaosOpsEnvironment(), scenario(name), {SRE: random_policy(4)})
    assert {frame.action.action_type for frame in alone.steps if frame.role is not SRE} == {
        ActionType.NOOP
    }
    assert any(frame.action.action_type is not ActionType.NOOP for frame in alone.steps)


def _writes(path: str) -> Callable[[ChaosOpsObservation, AgentRole], ChaosOpsAction]:
    *way, last = path.split(".")

    def policy(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        part: Any = observation
        for name in way:
            part = part[int(name)] if name.isdigit() else getattr(part, name)
        if last.isdigit():
            part[int(last)] = None
        else:
            setattr(part, last, None)
        return ChaosOpsAction(role, ActionType.NOOP)

    return policy


@pytest.mark.few(1)
@some_incidents
@pytest.mark.parametrize(
    "path", ["step", "view", "view.services", "view.services.0", "view.services.0.errors", "new"]
)
def test_a_policy_that_writes_to_its_observation_ends_its_episode_with_an_error(
    name: str, path: str
) -> None:
    policies = {OVERSIGHT: random_policy(2), DEV: _writes(path)}
    with pytest.raises(PolicyError) as caught:
        run_episode(ChaosOpsEnvironment(), scenario(name, 8), policies)
    message = str(caught.value)
    assert "dev" in message
    assert "turn 2" in message
    assert scenario(name, 8).label in message
    assert name in message
    assert "8" in scenario(name, 8).label
    assert "\n" not in message
    assert isinstance(caught.value.__cause__, AttributeError | TypeError)
    kept = caught.value.result
    assert [frame.role for frame in kept.steps] == [SRE, OVERSIGHT]
    assert kept.error == message
    undisturbed = run_episode(
        ChaosOpsEnvironment(), scenario(name, 8), {OVERSIGHT: random_policy(2)}
    )
    assert kept.steps == undisturbed.steps[:2]
    assert sum(frame.reward for frame in kept.steps) == kept.cumulative_reward


@pytest.mark.few(1)
@some_incidents
def test_a_policy_that_hides_its_writing_harms_nobody(name: str) -> None:
    def vandal(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        for _path, part in _parts(observation):
            if isinstance(part, _VALUES):
                for attempt in _attempts(part):
                    try:
                        attempt()
                    except (AttributeError, TypeError):
                        continue
        return ChaosOpsAction(role, ActionType.NOOP)

    def result(sre: Callable[..., ChaosOpsAction] | None) -> EpisodeResult:
        others = {role: random_policy(k) for k, role in enumerate(TURN_ORDER)}
        mixed = {**others, SRE: sre} if sre else {r: others[r] for r in TURN_ORDER if r is not SRE}
        return run_episode(ChaosOpsEnvironment(), scenario(name), mixed, max_turns=12)

    assert result(vandal) == result(None)


def test_a_policy_error_is_one_line_whatever_was_raised() -> None:
    def multi_line(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        raise RuntimeError("first\nsecond \x1b[31m")

    with pytest.raises(PolicyError) as caught:
        run_episode(ChaosOpsEnvironment(), hand_made(), {SRE: multi_line})
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert "RuntimeError" in str(caught.value)


def test_in_a_batch_the_other_episodes_go_on() -> None:
    def breaks_on_odd_seeds(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        if observation.step == 4 and observation.view.status == odd[4].observation.view.status:
            raise ZeroDivisionError("no luck")
        return ChaosOpsAction(role, ActionType.NOOP)

    name = all_ids()[0]
    odd = run_episode(ChaosOpsEnvironment(), scenario(name, 1), {}).steps
    batch = [scenario(name, seed) for seed in (0, 1, 2)]
    results = run_batch(batch, {SRE: breaks_on_odd_seeds})
    assert [result.scenario.seed for result in results] == [0, 1, 2]
    assert [bool(result.error) for result in results] == [False, True, False]
    assert "ZeroDivisionError" in results[1].error
    assert results[1].steps == odd
    for result in results[::2]:
        assert result == run_episode(ChaosOpsEnvironment(), result.scenario, {})


@pytest.mark.few(1)
@every_incident
def test_an_action_of_another_role_is_taken_as_the_one_whose_turn_it_is(name: str) -> None:
    restarted = scenario(name).topology.names()[0]

    def pretends(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        return ChaosOpsAction(MANAGER, ActionType.RESTART, restarted)

    frames = run_episode(
        ChaosOpsEnvironment(), scenario(name), {SRE: pretends, OVERSIGHT: pretends}, max_turns=2
    ).steps
    assert [frame.action.role for frame in frames] == [SRE, OVERSIGHT]
    assert frames[0].breakdown.miscommunication_penalty == 0.0
    assert frames[1].breakdown.miscommunication_penalty == -20.0


# Malformed actions

_JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    3,
    10**400,
    -(2**63),
    0.5,
    3.0,
    math.nan,
    math.inf,
    b"bytes",
    object(),
    lambda: None,
    {1, 2},
    [],
    {},
    {"a": {"b": {"c": {"d": {"e": 1}}}}},
    [[[[[[1]]]]]],
    "",
    " ",
    "\x00",
    "\ud800",
    "\u202edb",
    "\x1b[31m",
    "x" * 100_000,
    "RESTART",
    "db; drop table",
    "[/bold]",
    ActionType.NOOP,
    AgentRole.SRE,
    FailureType.CASCADE,
    2j,
)
_junk = st.one_of(
    st.sampled_from(_JUNK),
    st.text(max_size=30),
    st.integers(),
    st.floats(),
    st.binary(max_size=8),
    st.recursive(
        st.sampled_from(_JUNK),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    ),
)

_PLACES = (
    st.just("verb"),
    st.just("foreign verb"),
    st.just("target"),
    st.just("argument"),
    st.just("missing argument"),
    st.just("unknown argument"),
    st.just("no arguments"),
    st.just("hint"),
    st.just("message"),
    st.just("no action"),
)


def _is_plainly(value: object, options: tuple[object, ...]) -> bool:
    value = value.value if isinstance(value, StrEnum) else value
    return any(type(value) is type(option) and value == option for option in options)


def _lookalike(option: str | int) -> object:
    """What is equal to the option, or reads like it, and is something else."""
    if isinstance(option, str):
        return option.upper()
    return bool(option) if option in (0, 1) else float(option)


def _good_arguments(draw: st.DrawFn, choice: VerbChoice) -> dict[str, Any]:
    made: dict[str, Any] = {
        argument.name: draw(st.sampled_from(argument.choices))
        for argument in choice.arguments
        if argument.choices
    }
    if choice.action_type is ActionType.COMMUNICATE:
        made["text"] = "hello"
    elif choice.action_type is ActionType.ASSIGN:
        made["proposal"] = {"action_type": "noop"}
    return made


@st.composite
def _malformed(draw: st.DrawFn, view: RoleView) -> object:
    """An action with exactly one thing wrong with it, by the list of what is allowed alone."""
    allowed = view.allowed
    place = draw(st.one_of(*_PLACES))
    choice = draw(st.sampled_from(allowed))
    target: Any = draw(st.sampled_from(choice.targets)) if choice.targets else None
    args: Any = _good_arguments(draw, choice)
    verb: Any = choice.action_type
    mine = tuple(option.action_type.value for option in allowed)
    if place == "no action":
        return draw(_junk)
    if place == "verb":
        verb = draw(_junk.filter(lambda junk: not _is_plainly(junk, mine)))
    elif place == "foreign verb":
        verb = draw(st.sampled_from([other for other in ActionType if other.value not in mine]))
    elif place == "target":
        if choice.targets:
            target = draw(_junk.filter(lambda junk: not _is_plainly(junk, choice.targets)))
        else:
            target = draw(_junk.filter(lambda junk: junk is not None))
    elif place == "argument":
        choice = draw(st.sampled_from([c for c in allowed if any(a.choices for a in c.arguments)]))
        verb = choice.action_type
        target = draw(st.sampled_from(choice.targets)) if choice.targets else None
        args = _good_arguments(draw, choice)
        argument = next(a for a in choice.arguments if a.choices)
        alike = st.sampled_from([_lookalike(option) for option in argument.choices])
        args[argument.name] = draw(
            (alike | _junk).filter(lambda j: j is not None and not _is_plainly(j, argument.choices))
        )
    elif place == "missing argument":
        choice = next(c for c in allowed if any(a.required for a in c.arguments))
        verb = choice.action_type
        target = draw(st.sampled_from(choice.targets)) if choice.targets else None
        args = _good_arguments(draw, choice)
        del args[next(a.name for a in choice.arguments if a.required)]
    elif place == "unknown argument":
        names = {argument.name for argument in choice.arguments} | {"hint", "say"}
        args[draw(st.text(min_size=1, max_size=12).filter(lambda t: t not in names))] = draw(_junk)
    elif place == "no arguments":
        args = draw(_junk.filter(lambda junk: junk is not None and not isinstance(junk, Mapping)))
    elif place == "hint":
        bad = st.sampled_from([[0], [4], [1, 1], [True], [1.0], "1", 1, [None], [[1]], {"1": 1}])
        args["hint"] = draw(bad | _junk.filter(lambda junk: junk != []))
    else:
        verb, target = ActionType.COMMUNICATE, None
        args = draw(st.sampled_from(_BAD_MESSAGES))
    return ChaosOpsAction(view.role, verb, target, args)


_BAD_MESSAGES: tuple[dict[str, Any], ...] = (
    {},
    {"text": ""},
    {"text": " \n\t "},
    {"text": "x" * (MAX_TEXT + 1)},
    {"text": 3},
    {"text": ["hello"]},
    {"to": "nobody", "text": "hello"},
    {"to": True, "text": "hello"},
    {"to": ["sre", "dev"], "text": "hello"},
    {"text": "look", "finding": 0},
    {"text": "look", "finding": -1},
    {"text": "look", "finding": True},
    {"text": "look", "finding": "0"},
    {"text": "look", "finding": 10**9},
    {"text": "do it", "proposal": {"action_type": "noop"}},
    {"to": "all", "text": "do it", "proposal": {"action_type": "noop"}},
    {"to": "manager", "proposal": {"action_type": "restart", "target": "db"}},
    {"to": "manager", "proposal": "noop"},
    {"to": "manager", "proposal": {}},
    {"to": "manager", "proposal": {"action_type": "noop", "target": 3}},
    {"to": "manager", "proposal": {"action_type": "noop", "args": [1]}},
    {"to": "manager", "proposal": {"action_type": "noop", "extra": 1}},
    {"to": "manager", "proposal": {"action_type": "resolve", "target": "db"}},
    {"to": "manager", "proposal": {"action_type": "noop", "args": {"hint": [1]}}},
    {"to": "manager", "proposal": {"action_type": "escalate", "target": "nowhere"}},
    {"to": "manager", "proposal": {"action_type": "diagnose", "args": {"cause": "bad luck"}}},
    {"to": "manager", "proposal": {"action_type": "communicate", "args": {"text": "x"}}},
)


def _passed(played: Scenario, turn: int, action: object | None) -> list[EpisodeStep]:
    """The frames around a turn in which one role did this and everyone else passed."""
    stepper = Stepper(environment(played), played, max_turns=turn + 1 + len(TURN_ORDER))
    frames: list[EpisodeStep] = []
    while not stepper.done:
        passing = ChaosOpsAction(stepper.role, ActionType.NOOP)
        is_it = action is not None and len(frames) == turn
        frames.append(stepper.take(action if is_it else passing))
    return frames


@cache
def _scene(name: str, turn: int) -> list[EpisodeStep]:
    return _passed(scenario(name, 1), turn, None)


def _alike(ours: EpisodeStep, theirs: EpisodeStep) -> bool:
    return (
        world_part(ours.observation.view) == world_part(theirs.observation.view)
        and ours.breakdown.impact_penalty == theirs.breakdown.impact_penalty
        and ours.done == theirs.done
    )


@pytest.mark.few(1)
@some_incidents
@settings(max_examples=20)
@given(data=st.data())
def test_a_malformed_action_costs_the_turn_and_leaves_the_world_as_passing_would(
    name: str, data: st.DataObject
) -> None:
    turn = data.draw(st.integers(0, 3))
    passed = _scene(name, turn)
    action = data.draw(_malformed(passed[turn].observation.view))
    frames = _passed(scenario(name, 1), turn, "no action" if action is None else action)
    spoiled = frames[turn]
    assert spoiled.breakdown.miscommunication_penalty == -20.0
    assert "lost the turn: " in spoiled.message
    assert len(spoiled.message) < 1_000
    spoiled.message.encode()
    assert spoiled.breakdown._replace(miscommunication_penalty=0.0) == (
        passed[turn].breakdown._replace(hint_penalty=spoiled.breakdown.hint_penalty)
    )
    assert spoiled.action.role is TURN_ORDER[turn]
    hash(spoiled.action)
    assert len(frames) == len(passed)
    assert all(_alike(ours, theirs) for ours, theirs in zip(frames, passed, strict=True))


@pytest.mark.few(1)
@pytest.mark.parametrize("turn", range(len(TURN_ORDER)))
def test_an_argument_that_is_null_is_one_that_is_not_given(turn: int) -> None:
    played = scenario("paying-ends-in-an-error", 1)
    view = _scene("paying-ends-in-an-error", turn)[turn].observation.view
    for choice in view.allowed:
        target = choice.targets[0] if choice.targets else None
        args = {a.name: a.choices[0] for a in choice.arguments if a.required and a.choices}
        if choice.action_type is ActionType.COMMUNICATE:
            args["text"] = "hello"
        for argument in choice.arguments:
            others = {name: value for name, value in args.items() if name != argument.name}
            without, null = (
                _passed(played, turn, ChaosOpsAction(view.role, choice.action_type, target, given))
                for given in (others, others | {argument.name: None})
            )
            for one, other in zip(without, null, strict=True):
                assert one._replace(action=other.action) == other


@given(st.data())
@settings(max_examples=30)
def test_whatever_a_policy_returns_the_turn_is_taken_and_the_sums_stay_exact(
    data: st.DataObject,
) -> None:
    env = environment(_ANYTHING)
    stepper = Stepper(env, _ANYTHING, max_turns=8)
    while not stepper.done:
        verb = data.draw(st.sampled_from(ActionType) | _junk)
        target = data.draw(st.sampled_from(["db", "cart", "edge", "autoscaler", "sre"]) | _junk)
        args = data.draw(_junk | st.dictionaries(st.sampled_from(_ARGS), _junk, max_size=3))
        action = data.draw(st.sampled_from([ChaosOpsAction(SRE, verb, target, args), verb, args]))
        before = len(stepper.steps)
        frame = stepper.take(action)
        assert len(stepper.steps) == before + 1
        assert frame.breakdown.total == frame.reward
        assert frame.action == pickle.loads(pickle.dumps(frame.action))
    assert sum(frame.reward for frame in stepper.steps) == env.state.cumulative_reward


_ANYTHING = hand_made()
_ARGS = ("source", "to", "text", "proposal", "finding", "replicas", "percent", "cause", "hint")


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", FailureType)
def test_every_failure_type_has_an_incident_for_every_seed(kind: FailureType) -> None:
    made = [Scenario.from_type(kind, seed=seed) for seed in range(12)]
    assert [one.failure_type for one in made] == [kind] * 12
    assert [one.seed for one in made] == list(range(12))
    assert len({one.id for one in made}) == 1
    for one in made:
        drawn = scenario(one.id, one.seed)
        assert (one == drawn) is (drawn.failure_type is kind)
        if one == drawn:
            assert one.incident == drawn.incident


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", FailureType)
def test_an_incident_of_a_failure_type_can_be_made_harder_and_shorter(kind: FailureType) -> None:
    made = Scenario.from_type(kind, seed=3, difficulty=Difficulty.HARD, max_steps=2)
    assert (made.failure_type, made.seed) == (kind, 3)
    assert (made.difficulty, made.max_steps) == (Difficulty.HARD, 2)
    assert made.incident == Scenario.from_type(kind, seed=3).incident
    assert len(run_episode(ChaosOpsEnvironment(), made, {}).steps) == 2 * len(TURN_ORDER)


def test_another_word_than_a_failure_type_is_a_value_error() -> None:
    with pytest.raises(ValueError, match="bad_luck"):
        Scenario.from_type("bad_luck")  # type: ignore[arg-type]


@pytest.mark.few(1)
@pytest.mark.parametrize("kind", NINE)
def test_an_incident_of_a_failure_type_is_a_value_like_any_other(kind: FailureType) -> None:
    made = [Scenario.from_type(kind, seed=seed) for seed in range(4)]
    for one in made:
        for same in (
            Scenario.from_type(kind, seed=one.seed),
            pickle.loads(pickle.dumps(one)),
            Scenario.model_validate(one.model_dump()),
            Scenario.model_validate_json(one.model_dump_json()),
            one.with_seed(one.seed),
        ):
            assert same == one
            assert hash(same) == hash(one)
            assert same.incident == one.incident
    assert len(set(made)) == len(made)
    for one in made:
        other = one.with_seed(77)
        assert (other.seed, other.failure_type) == (77, kind)
        assert other == Scenario.from_type(kind, seed=77)
