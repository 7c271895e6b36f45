from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chaosops.adapters.learning.learned import (
    FILE_VARIABLE,
    LearnedFileError,
    LearnedPolicy,
    load,
    rounded,
)
from chaosops.adapters.learning.linear import LinearPolicy
from chaosops.adapters.learning.ppo import PpoSettings
from chaosops.adapters.learning.training import TrainingPlan, train
from chaosops.adapters.seat_game import SeatGame
from chaosops.agents.registry import Policies
from chaosops.errors import ChaosOpsError
from tests.worlds import DEV, SRE, built_in, scenario

NAME = "chaosops.adapters.learning.learned:seated"
INCIDENT = "paying-ends-in-an-error"
PLAN = TrainingPlan(SRE, "hurried", (INCIDENT,), (1, 2, 3), 6)


def tiny(plan: TrainingPlan = PLAN) -> LinearPolicy:
    sources = [source for source in built_in() if source.id == INCIDENT]
    return train(plan, sources, PpoSettings(batch=3, passes=2))


@pytest.fixture(scope="module")
def learned() -> LearnedPolicy:
    return LearnedPolicy(PLAN, rounded(tiny()))


@pytest.mark.slow
def test_the_same_plan_gives_the_same_weights_and_another_seed_others(
    learned: LearnedPolicy,
) -> None:
    again = rounded(tiny())
    assert again == learned.policy
    assert again != LinearPolicy.blank(again.parts, len(again.value))
    assert rounded(tiny(PLAN._replace(seed=1))) != again


def test_a_policy_is_the_same_after_it_was_saved(learned: LearnedPolicy, tmp_path: Path) -> None:
    learned.save(tmp_path / "a.json")
    assert load(tmp_path / "a.json") == learned


def test_it_is_seated_by_its_place(
    learned: LearnedPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned.save(tmp_path / "a.json")
    monkeypatch.setenv(FILE_VARIABLE, str(tmp_path / "a.json"))
    policy = Policies().make(NAME, scenario(INCIDENT, 9), 9)
    game = SeatGame(scenario(INCIDENT, 9), SRE, "expert")
    while not game.done:
        action = policy(game.observation, SRE)
        assert action == learned(game.observation, SRE)
        game.take(action)
    assert not any(step.breakdown.miscommunication_penalty for step in game.steps)


def test_without_a_name_the_file_in_the_current_folder_is_loaded(
    learned: LearnedPolicy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FILE_VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ChaosOpsError, match=r"learned\.json can't be read"):
        Policies().make(NAME, scenario(INCIDENT), 0)
    learned.save(tmp_path / "learned.json")
    assert Policies().make(NAME, scenario(INCIDENT), 0) == learned


def test_it_refuses_a_seat_that_it_was_not_trained_for(learned: LearnedPolicy) -> None:
    game = SeatGame(scenario(INCIDENT), DEV, "noop")
    with pytest.raises(ChaosOpsError, match="trained as sre, not as dev: seat it as sre"):
        learned(game.observation, DEV)


def spoil(kept: dict[str, Any], what: str) -> object:
    if what == "format":
        return {**kept, "format": 2}
    if what == "features":
        return {**kept, "features": kept["features"][1:]}
    if what == "moves":
        return {**kept, "parts": dict(list(kept["parts"].items())[1:])}
    if what == "short":
        return {**kept, "value": kept["value"][1:]}
    if what == "infinite":
        return {**kept, "value": [1e999, *kept["value"][1:]]}
    if what == "words":
        return {**kept, "parts": {**kept["parts"], "any decide": ["x"] * len(kept["value"])}}
    if what == "plan":
        return {**kept, "plan": {"role": "sre"}}
    if what == "role":
        return {**kept, "plan": {**kept["plan"], "role": "chef"}}
    return ["something else"]


@pytest.mark.parametrize(
    ("what", "why"),
    [
        ("format", "its format is not 1"),
        ("list", "its format is not 1"),
        ("features", "its features are those of another version"),
        ("moves", "its moves are those of another version"),
        ("short", "the weights of 'value' are not"),
        ("infinite", "the weights of 'value' are not"),
        ("words", "the weights of 'any decide' are not"),
        ("plan", "its plan is incomplete"),
        ("role", "its plan is incomplete"),
    ],
)
def test_a_file_that_does_not_fit_is_an_error_with_the_cure(
    learned: LearnedPolicy, tmp_path: Path, what: str, why: str
) -> None:
    path = tmp_path / "a.json"
    learned.save(path)
    path.write_text(json.dumps(spoil(json.loads(path.read_text()), what)))
    with pytest.raises(LearnedFileError, match=why) as caught:
        load(path)
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith("train it again")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "\0\0"])
def test_what_is_no_json_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(LearnedFileError, match="it is not JSON; train it again"):
        load(path)


def test_a_folder_is_no_policy(tmp_path: Path) -> None:
    with pytest.raises(LearnedFileError, match="it is a folder"):
        load(tmp_path)
