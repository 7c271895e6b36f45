import json
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from chaosops.datasets.errors import ExportError
from chaosops.datasets.rows import ROW_OF, Format
from chaosops.env.models import AgentRole, ChaosOpsAction
from chaosops.recording.events import ConsentScope
from chaosops.recording.turn_sources import Decider, TurnSource
from chaosops.rewards.reward_fn import StepRewardBreakdown
from chaosops.text import parse_action, render_action, render_observation, render_rules
from tests.datasets.games import BOTH, DEV, MESSAGE, NONSENSE, SRE, export, game, rows

ANYBODY = frozenset(TurnSource)
PEOPLE = (SRE, DEV)
ACTIONS = (ConsentScope.ACTIONS,)

_TURN_KEYS = {
    "episode", "scenario", "seed", "difficulty", "player", "turn", "role", "source", "policy",
    "hints", "shown_at_ms", "submitted_at_ms", "latency_ms", "rationale", "confidence",
}  # fmt: skip


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        (Format.SFT, {"prompt", "completion"}),
        (Format.GRPO, {"prompt", "replay", "max_turns", "scenario_sha256"}),
        (
            Format.REWARDS,
            {"prompt", "completion", "reward", "reward_breakdown", "done", "return_to_go"},
        ),
        (
            Format.PREFERENCE,
            {"prompt", "chosen", "rejected", "margin", "origin", "chosen_return",
             "rejected_return"},
        ),
    ],
)  # fmt: skip
def test_every_row_of_a_format_has_the_same_keys_and_no_null(
    kind: Format, keys: set[str], tmp_path: Path
) -> None:
    game(tmp_path / "logs", people=PEOPLE, scopes=ACTIONS, copilot="random", moves={4: NONSENSE})
    export(tmp_path / "logs", tmp_path / "set", kind)
    made = rows(tmp_path / "set", kind)
    assert made
    for row in made:
        assert set(row) == keys | _TURN_KEYS
        assert None not in row.values()
        prompt = row["prompt"]
        assert [message["role"] for message in prompt] == ["system", "user"]
        for name in ("completion", "chosen", "rejected"):
            if name in row:
                assert [message["role"] for message in row[name]] == ["assistant"]
                json.loads(row[name][0]["content"])


def test_sft_has_a_line_for_each_turn_of_a_person(tmp_path: Path) -> None:
    _, steps = game(tmp_path / "logs", people=PEOPLE, scopes=BOTH)
    export(tmp_path / "logs", tmp_path / "set", Format.SFT)
    made = rows(tmp_path / "set", Format.SFT)
    theirs = [step for step in steps if step.role in PEOPLE]
    assert [row["turn"] for row in made] == [step.turn for step in theirs]
    for row, step in zip(made, theirs, strict=True):
        system, user = row["prompt"]
        assert system["content"] == render_rules(step.role)
        assert user["content"] == render_observation(step.observation)
        answer = row["completion"][0]["content"]
        assert parse_action(answer, step.observation.view) == step.action
        assert (row["role"], row["source"], row["player"]) == (step.role.value, "human", "a1b2")
        assert (row["latency_ms"], row["confidence"]) == (3_000, -1)


def test_turns_of_policies_are_there_when_they_are_asked_for(tmp_path: Path) -> None:
    _, steps = game(tmp_path / "logs", people=PEOPLE, scopes=ACTIONS)
    for seats, wanted in (
        (frozenset({TurnSource.SCRIPTED}), [s.turn for s in steps if s.role not in PEOPLE]),
        (ANYBODY, [step.turn for step in steps]),
    ):
        target = tmp_path / f"set{len(seats)}"
        export(tmp_path / "logs", target, Format.SFT, sources=seats)
        assert [row["turn"] for row in rows(target, Format.SFT)] == wanted
        assert {row["policy"] for row in rows(target, Format.SFT)} >= {"expert"}


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("decider", "copilot", "source"),
    [
        (Decider.HUMAN, "", TurnSource.HUMAN),
        (Decider.HUMAN, "random", TurnSource.COPILOT),
        (Decider.LLM, "", TurnSource.LLM),
        (Decider.LLM, "random", TurnSource.LLM),
    ],
)
def test_a_turn_is_chosen_by_who_took_it_and_not_by_whose_seat_it_is(
    decider: Decider, copilot: str, source: TurnSource, tmp_path: Path
) -> None:
    _, steps = game(
        tmp_path / "logs", people=PEOPLE, scopes=ACTIONS, decider=decider, copilot=copilot
    )
    export(tmp_path / "logs", tmp_path / "set", Format.GRPO, sources=frozenset({source}))
    wanted = [step.turn for step in steps if step.role in PEOPLE]
    assert [row["turn"] for row in rows(tmp_path / "set", Format.GRPO)] == wanted
    others = frozenset(TurnSource) - {source, TurnSource.SCRIPTED}
    with pytest.raises(ExportError, match="--source"):
        export(tmp_path / "logs", tmp_path / "none", Format.GRPO, sources=others)


def test_only_some_roles_are_there_when_they_are_asked_for(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, roles=frozenset({DEV}))
    assert {row["role"] for row in rows(tmp_path / "set", Format.SFT)} == {"dev"}


def test_an_action_that_was_refused_is_priced_but_not_taught(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=PEOPLE, scopes=ACTIONS, moves={4: NONSENSE})
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, Format.REWARDS)
    assert 4 not in {row["turn"] for row in rows(tmp_path / "set", Format.SFT)}
    breakdown = {row["turn"]: row for row in rows(tmp_path / "set", Format.REWARDS)}
    assert breakdown[4]["reward_breakdown"]["miscommunication_penalty"] == -20.0


def test_a_hint_is_named_beside_the_answer_and_not_in_it(tmp_path: Path) -> None:
    hinted = ChaosOpsAction(SRE, "noop", None, {"hint": [1, 2]})
    game(tmp_path / "logs", people=PEOPLE, scopes=ACTIONS, moves={0: hinted})
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, Format.GRPO)
    first = rows(tmp_path / "set", Format.SFT)[0]
    assert json.loads(first["completion"][0]["content"])["args"] == {}
    later = rows(tmp_path / "set", Format.GRPO)[1]
    assert json.loads(later["replay"])[0]["args"] == {"hint": [1, 2]}


def test_what_a_message_replies_to_is_in_the_replay_and_not_in_the_answer(tmp_path: Path) -> None:
    reply = {"kind": "declines", "proposal": {"action_type": "noop"}}
    said = ChaosOpsAction(SRE, "communicate", None, {"to": "dev", "text": "no", "reply": reply})
    game(tmp_path / "logs", people=PEOPLE, scopes=ACTIONS, moves={0: said})
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, Format.GRPO)
    first = rows(tmp_path / "set", Format.SFT)[0]
    assert "reply" not in json.loads(first["completion"][0]["content"])["args"]
    later = rows(tmp_path / "set", Format.GRPO)[1]
    assert json.loads(later["replay"])[0]["args"]["reply"]["kind"] == "declines"


def test_returns_are_the_exact_sums_of_what_follows(tmp_path: Path) -> None:
    _, steps = game(tmp_path / "logs", policy="random", max_turns=40)
    export(tmp_path / "logs", tmp_path / "set", Format.REWARDS, sources=ANYBODY)
    made = rows(tmp_path / "set", Format.REWARDS)
    rewards = [step.reward for step in steps]
    assert [row["reward"] for row in made] == rewards
    assert [row["return_to_go"] for row in made] == list(accumulate(rewards[::-1]))[::-1]
    assert [row["done"] for row in made] == [step.done for step in steps]
    for row, step in zip(made, steps, strict=True):
        assert row["reward_breakdown"] == step.breakdown._asdict()
        assert set(row["reward_breakdown"]) == set(StepRewardBreakdown._fields)


def test_a_game_that_did_not_end_has_no_returns_but_can_be_taught(tmp_path: Path) -> None:
    game(tmp_path / "logs", turns=6, finish=False)
    game(tmp_path / "logs", seed=1)
    report = export(
        tmp_path / "logs", tmp_path / "set", Format.REWARDS, Format.SFT, sources=ANYBODY
    )
    assert {row["seed"] for row in rows(tmp_path / "set", Format.REWARDS)} == {1}
    assert {row["seed"] for row in rows(tmp_path / "set", Format.SFT)} == {0, 1}
    assert report.left_out == {}
    assert report.left_out_of == {"rewards": {"unfinished episodes, which have no returns": 1}}


def test_earlier_signals_can_be_cut(tmp_path: Path) -> None:
    _, steps = game(tmp_path / "logs")
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY, history=5)
    for row, step in zip(rows(tmp_path / "set", Format.SFT), steps, strict=True):
        assert row["prompt"][1]["content"] == render_observation(step.observation, minutes=5)


def test_an_episode_is_one_row_with_all_its_turns(tmp_path: Path) -> None:
    path, steps = game(tmp_path / "logs", people=PEOPLE, scopes=ACTIONS)
    export(path, tmp_path / "set", Format.EPISODES)
    (row,) = rows(tmp_path / "set", Format.EPISODES)
    assert set(row) == set(ROW_OF[Format.EPISODES].model_fields)
    assert row["turns"] == len(steps)
    assert row["rewards"] == [step.reward for step in steps]
    assert row["actions"] == [render_action(step.action) for step in steps]
    assert row["roles"][:4] == ["sre", "oversight", "dev", "manager"]
    assert (row["seat_sre"], row["seat_manager"]) == ("human", "scripted expert")
    assert row["outcome"] == ("resolved" if row["mttr"] > 0 else "out_of_turns")
    assert (row["quality"], row["mental"], row["comment"]) == (-1, -1, "")


def test_an_unfinished_episode_says_so(tmp_path: Path) -> None:
    path, steps = game(tmp_path / "logs", turns=6, finish=False)
    export(path, tmp_path / "set", Format.EPISODES)
    (row,) = rows(tmp_path / "set", Format.EPISODES)
    assert (row["outcome"], row["turns"], row["mttr"], row["ended_at_ms"]) == (
        "unfinished", len(steps), -1, -1,
    )  # fmt: skip


@pytest.mark.parametrize("role", [AgentRole.SRE])
def test_a_message_is_taught_with_its_words_where_that_is_agreed_to(
    role: AgentRole, tmp_path: Path
) -> None:
    both = (ConsentScope.ACTIONS, ConsentScope.FREE_TEXT)
    game(tmp_path / "logs", people=(role,), scopes=both, moves={0: MESSAGE})
    export(tmp_path / "logs", tmp_path / "set", Format.SFT)
    answer: dict[str, Any] = json.loads(
        rows(tmp_path / "set", Format.SFT)[0]["completion"][0]["content"]
    )
    assert answer["args"]["text"] == MESSAGE.args["text"]
