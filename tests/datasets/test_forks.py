import json
from pathlib import Path

import pytest

from chaosops.agents.runner import Stepper, run_episode
from chaosops.agents.seats import seat_policies
from chaosops.datasets.errors import ExportError
from chaosops.datasets.forks import EpisodeReplayer, ForkError, RatedAction, pairs
from chaosops.datasets.rows import Format
from chaosops.datasets.simulator_reward import make_simulator_reward
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, ActionType, ChaosOpsAction
from chaosops.errors import RecordingError
from chaosops.recording.events import ConsentScope
from chaosops.recording.reader import read_recording
from chaosops.recording.turn_sources import Decider, TurnSource
from chaosops.text import render_action
from tests.datasets.games import SRE, export, game, offered, resealed, rows
from tests.worlds import scenario

NAME = "first-shift-1-product-pages"
ANYBODY = frozenset(TurnSource)
ACTIONS = (ConsentScope.ACTIONS,)
NOOP = ChaosOpsAction(SRE, ActionType.NOOP)


@pytest.mark.slow
def test_a_fork_pays_what_the_episode_pays_from_there() -> None:
    played = scenario(NAME)
    experts = seat_policies(dict.fromkeys(TURN_ORDER, "expert"), played)
    result = run_episode(ChaosOpsEnvironment(), played, experts)
    replayer = EpisodeReplayer(played)
    for turn, step in enumerate(result.steps):
        before = [earlier.action for earlier in result.steps[:turn]]
        (fork,) = replayer.rate(before, [step.action], seen=step.observation)
        assert fork.paid == sum(later.reward for later in result.steps[turn:])


def test_a_turn_that_looks_different_in_the_simulator_is_no_crossroads() -> None:
    played = scenario(NAME)
    result = run_episode(ChaosOpsEnvironment(), played, {})
    replayer = EpisodeReplayer(played)
    other = result.steps[1].observation
    with pytest.raises(ForkError, match="a different observation"):
        replayer.rate([], [NOOP], seen=other)
    with pytest.raises(ForkError, match="over before"):
        replayer.rate([step.action for step in result.steps] + [NOOP], [NOOP])


def test_the_options_of_a_turn_are_allowed_distinct_and_always_the_same() -> None:
    played = scenario(NAME)
    step = run_episode(ChaosOpsEnvironment(), played, {}, max_turns=1).steps[0]
    options = EpisodeReplayer(played).options(step, 6)
    assert options[0] == step.action
    assert len(set(options)) == len(options) > 3
    assert EpisodeReplayer(played).options(step, 6) == options


def test_the_best_fork_goes_before_each_that_pays_less() -> None:
    forks = [RatedAction(NOOP, paid) for paid in (1.0, 5.0, 5.0, 4.5)]
    assert [(better.paid, worse.paid) for better, worse in pairs(forks)] == [(5.0, 1.0), (5.0, 4.5)]
    assert [worse.paid for _, worse in pairs(forks, 1.0)] == [1.0]
    assert list(pairs(forks[1:3])) == []


def test_a_copilot_that_is_overruled_makes_a_pair(tmp_path: Path) -> None:
    path, steps = game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="random")
    export(path, tmp_path / "set", Format.PREFERENCE)
    made = rows(tmp_path / "set", Format.PREFERENCE)
    overruled = {
        turn.frame.turn: turn.human.suggestion
        for turn in read_recording(path).turns
        if turn.human.suggestion is not None and not turn.human.suggestion.accepted
    }
    assert {row["turn"] for row in made} == set(overruled)
    for row in made:
        proposed = overruled[row["turn"]]
        assert proposed is not None
        assert row["origin"] == "override"
        assert row["chosen"][0]["content"] == render_action(steps[row["turn"]].action)
        assert json.loads(row["rejected"][0]["content"])["action_type"] == proposed.action_type
        assert row["margin"] == row["chosen_return"] - row["rejected_return"]


@pytest.mark.few(1)
@pytest.mark.parametrize("forks", [None, 2], ids=["override", "fork"])
def test_a_hint_that_was_read_before_is_no_part_of_what_an_action_is_worth(
    forks: int | None, tmp_path: Path
) -> None:
    made = []
    for number, hints in enumerate(({}, {"hint": [1, 2, 3]})):
        logs, target = tmp_path / f"logs{number}", tmp_path / f"set{number}"
        first = ChaosOpsAction(SRE, ActionType.NOOP, None, hints)
        path, _ = game(
            logs, people=(SRE,), scopes=ACTIONS, copilot="random", turns=1, moves={0: first}
        )
        export(path, target, Format.PREFERENCE, forks=forks)
        names = ("chosen", "rejected", "margin", "origin", "chosen_return")
        made.append([[row[name] for name in names] for row in rows(target, Format.PREFERENCE)])
    assert made[0] == made[1] != []


def test_a_copilot_that_is_followed_makes_none(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="expert")
    with pytest.raises(ExportError, match="add --forks N"):
        export(path, tmp_path / "set", Format.PREFERENCE)


def _offers_of_the_first_turn() -> list[ChaosOpsAction]:
    played = scenario(NAME).lasting(24)
    expert = seat_policies({SRE: "expert"}, played)[SRE]
    return offered(expert, Stepper(ChaosOpsEnvironment(), played).observation, SRE, several=True)


@pytest.mark.few(1)
@pytest.mark.parametrize("place", range(3))
def test_a_candidate_that_is_taken_is_preferred_to_each_other_one(
    tmp_path: Path, place: int
) -> None:
    offers = _offers_of_the_first_turn()
    assert len(offers) == 3
    path, _ = game(
        tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="expert", several=True,
        turns=1, moves={0: offers[place]},
    )  # fmt: skip
    export(path, tmp_path / "set", Format.PREFERENCE)
    made = rows(tmp_path / "set", Format.PREFERENCE)
    left = [render_action(offer) for offer in offers if offer != offers[place]]
    assert [row["rejected"][0]["content"] for row in made] == left
    rate = EpisodeReplayer(scenario(NAME).lasting(24)).rate
    (paid,) = rate([], [offers[place]])
    for row in made:
        assert row["origin"] == "choice"
        assert row["chosen"][0]["content"] == render_action(offers[place])
        assert row["chosen_return"] == paid.paid
        assert row["margin"] == row["chosen_return"] - row["rejected_return"]


def test_what_is_done_instead_is_preferred_to_every_candidate(tmp_path: Path) -> None:
    path, _ = game(
        tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="expert", several=True,
        turns=1, moves={0: NOOP},
    )  # fmt: skip
    export(path, tmp_path / "set", Format.PREFERENCE)
    made = rows(tmp_path / "set", Format.PREFERENCE)
    rejected = [row["rejected"][0]["content"] for row in made]
    assert rejected == [render_action(offer) for offer in _offers_of_the_first_turn()]
    assert {(row["origin"], row["chosen"][0]["content"]) for row in made} == {
        ("override", render_action(NOOP))
    }


def test_a_turn_that_ran_out_of_time_prefers_nothing(tmp_path: Path) -> None:
    path, _ = game(
        tmp_path / "logs", people=(SRE,), scopes=ACTIONS, copilot="expert", several=True,
        turns=1, moves={0: NOOP}, decider=Decider.TIMEOUT,
    )  # fmt: skip
    with pytest.raises(ExportError, match="add --forks N"):
        export(path, tmp_path / "set", Format.PREFERENCE)


@pytest.mark.slow
def test_a_turn_can_be_rated_again_against_what_else_could_be_done(tmp_path: Path) -> None:
    path, steps = game(tmp_path / "logs", policy="heuristic", turns=9)
    turns = frozenset({0, 4})
    export(path, tmp_path / "set", Format.PREFERENCE, sources=ANYBODY, forks=4, turns=turns)
    made = rows(tmp_path / "set", Format.PREFERENCE)
    assert {row["turn"] for row in made} <= turns
    replayer = EpisodeReplayer(scenario(NAME).lasting(24))
    for row in made:
        before = [step.action for step in steps[: row["turn"]]]
        for name in ("chosen", "rejected"):
            data = json.loads(row[name][0]["content"])
            action = ChaosOpsAction(SRE, data["action_type"], data["target"], data["args"])
            assert replayer.rate(before, [action])[0].paid == row[f"{name}_return"]
        assert row["margin"] > 0
        assert row["origin"] == "fork"


@pytest.mark.slow
def test_forks_are_the_same_in_several_processes(tmp_path: Path) -> None:
    paths = [
        game(tmp_path / name, people=(SRE,), scopes=ACTIONS, copilot="random", turns=5)[0]
        for name in ("one", "two")
    ]
    wide = {"sources": ANYBODY, "forks": 2}
    for jobs in (1, 2):
        export(paths, tmp_path / f"set{jobs}", Format.PREFERENCE, **wide, jobs=jobs)
    alone, together = (rows(tmp_path / f"set{jobs}", Format.PREFERENCE) for jobs in (1, 2))
    assert alone == together
    assert {row["origin"] for row in alone} == {"fork", "override"}
    assert len({row["episode"] for row in alone}) == 2


@pytest.mark.slow
def test_a_least_margin_leaves_out_the_close_ones(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs", turns=5)
    wide = {"sources": ANYBODY, "forks": 4}
    export(path, tmp_path / "all", Format.PREFERENCE, **wide)
    margins = sorted(row["margin"] for row in rows(tmp_path / "all", Format.PREFERENCE))
    least = margins[len(margins) // 2]
    export(path, tmp_path / "some", Format.PREFERENCE, **wide, least_margin=least)
    kept = sorted(row["margin"] for row in rows(tmp_path / "some", Format.PREFERENCE))
    assert kept == [margin for margin in margins if margin >= least]
    assert len(kept) < len(margins)


def test_a_game_on_another_version_of_the_incident_makes_no_pairs(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs")
    resealed(path, 1, lambda event: event["header"].update(scenario_sha256="0" * 64))
    with pytest.raises(ExportError, match="1 episode with another version of the incident"):
        export(path, tmp_path / "set", Format.PREFERENCE, forks=1, verify=False)


@pytest.mark.slow
@pytest.mark.parametrize("play_on", [True, False])
def test_the_simulator_pays_a_model_what_it_pays_a_player(play_on: bool, tmp_path: Path) -> None:
    path, steps = game(tmp_path / "logs", max_turns=None)
    export(path, tmp_path / "set", Format.GRPO, Format.REWARDS, sources=ANYBODY)
    asked = rows(tmp_path / "set", Format.GRPO)[:6]
    done = rows(tmp_path / "set", Format.REWARDS)[:6]
    columns = {name: [row[name] for row in asked] for name in asked[0] if name != "prompt"}
    paid = make_simulator_reward(play_on=play_on)(
        [row["completion"] for row in done], prompts=[row["prompt"] for row in asked], **columns
    )
    assert paid == [row["return_to_go" if play_on else "reward"] for row in done]
    assert len(steps) > 6


def test_an_answer_that_is_no_action_costs_the_turn(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs")
    export(path, tmp_path / "set", Format.GRPO, sources=ANYBODY)
    row = rows(tmp_path / "set", Format.GRPO)[0]
    columns = {name: [value] * 3 for name, value in row.items()}
    bad, empty, good = make_simulator_reward(play_on=False)(
        ["restart everything", [], render_action(NOOP)], **columns
    )
    assert bad == empty == good - 20.0


def test_a_prompt_of_another_version_is_no_reward(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs")
    export(path, tmp_path / "set", Format.GRPO, sources=ANYBODY)
    row = rows(tmp_path / "set", Format.GRPO)[0] | {"scenario_sha256": "0" * 64}
    with pytest.raises(RecordingError, match="another version"):
        make_simulator_reward()(["{}"], **{name: [value] for name, value in row.items()})


def test_of_a_message_in_parts_what_is_text_is_the_answer(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs")
    export(path, tmp_path / "set", Format.GRPO, sources=ANYBODY)
    row = rows(tmp_path / "set", Format.GRPO)[0]
    columns = {name: [value] * 2 for name, value in row.items()}
    parts = [
        {"type": "thinking", "thinking": "restart it?", "text": "no"},
        {"type": "text", "text": f"So: {render_action(NOOP)}"},
    ]
    whole, in_parts = make_simulator_reward(play_on=False)(
        [render_action(NOOP), [{"role": "assistant", "content": parts}]], **columns
    )
    assert whole == in_parts
