"""Generated situations: the same for the same seed, sound files, and proven."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from chaosops.evaluation.gates import expert_resolves
from chaosops.generation import generator
from chaosops.generation.candidates import DraftMaker
from chaosops.generation.draft import SituationDraft, situation_text
from chaosops.generation.drafts_in_files import open_draft, open_texts
from chaosops.generation.errors import GenerationError
from chaosops.generation.fleets import builtin_topologies
from chaosops.generation.generator import generate
from chaosops.generation.proof import GateFailure, SituationProof
from chaosops.generation.spec import LEVELS, SituationSpec
from chaosops.generation.truths import OpenedTruth, alike, most_cures, opened, peer_likeness
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.situation import LEAST_CASTS
from tests.generation.drafts import unproven

TOPOLOGIES = sorted(builtin_topologies())


@settings(max_examples=8)
@given(st.integers(0, 2**32 - 1), st.sampled_from(LEVELS), st.sampled_from(TOPOLOGIES))
def test_every_draft_is_a_sound_file_with_causes_enough(
    seed: int, level: Difficulty, topology: str
) -> None:
    draft = unproven(seed, level, topology)
    if draft is None:
        return
    source = open_draft(draft)
    assert source.id == draft.id
    assert source.level is level
    assert len(draft.casts) >= LEAST_CASTS[level]
    drawn = {(cause.id, spot) for cause, spot in source.drawing.every()}
    assert drawn == {(cast.cause.id, spot) for cast in draft.casts for spot in cast.spots}


@pytest.mark.few(1)
@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_draws_the_same_text_and_another_seed_another(level: Difficulty) -> None:
    unproven.cache_clear()
    texts = []
    for seed in (3, 3, 4):
        unproven.cache_clear()
        draft = unproven(seed, level, "shop")
        assert draft is not None
        texts.append(situation_text(draft))
    assert texts[0] == texts[1]
    assert texts[2].replace("shop-4", "shop-3") != texts[0]


@pytest.mark.slow
def test_agents_that_causes_need_are_there_with_a_policy_and_others_beside_them() -> None:
    guilty = set()
    for seed in range(12):
        draft = unproven(seed, Difficulty.MEDIUM, "shop")
        assert draft is not None
        acting = {agent.name for agent in draft.agents if agent.standing is not None}
        needed = {cast.cause.agent for cast in draft.casts if cast.cause.agent}
        assert needed <= acting
        assert acting - needed
        assert 3 <= len(draft.agents) <= 6
        guilty |= needed
    assert len(guilty) >= 4


@cache
def some_opened() -> tuple[OpenedTruth, ...]:
    """A few truths of a draft: all of them would take long."""
    draft = unproven(1, Difficulty.EASY, "shop")
    assert draft is not None
    few = {cast.cause.id: cast.spots[:1] for cast in draft.casts[:5]}
    return tuple(opened(open_draft(draft.with_spots(few)), ChaosOpsEnvironment()))


@pytest.mark.slow
def test_truths_that_open_alike_keep_to_the_bounds_and_the_others_are_left_out() -> None:
    every = some_opened()
    group = alike(every)
    assert len(group) >= 3
    assert all(peer_likeness(one, group) >= 0.6 for one in group)
    assert all(peer_likeness(one, (*group, one)) < 0.6 for one in every if one not in group)
    assert most_cures(group) >= 3


def test_a_cause_that_nobody_resembles_has_no_peers() -> None:
    one, *others = some_opened()
    assert peer_likeness(one, [one]) == 0.0
    assert peer_likeness(one, [one, others[0]]) == 0.0
    assert alike([one, others[0]]) == ()


def test_a_situation_that_no_draft_proves_is_an_error_that_names_the_gate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DraftMaker, "draft", lambda _maker, _number: None)
    with pytest.raises(GenerationError) as caught:
        generate(SituationSpec(1, Difficulty.EASY, "shop"))
    said = str(caught.value)
    assert "seed 1, level easy on shop: none of 8 drafts could be proven" in said
    assert "opens alike: too few causes fit together" in said
    assert "use another seed" in said


@pytest.mark.proof
def test_truths_that_fail_a_gate_are_taken_out_until_too_few_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proven: list[int] = []

    class Unwilling:
        """Finds fault with the first truth, whichever it is."""

        def __init__(self, truths: Sequence[OpenedTruth], env: object, dice: object) -> None:
            self._truths = truths

        def prove(self) -> SituationProof:
            proven.append(len(self._truths))
            first = self._truths[0].truth
            return SituationProof(
                (), GateFailure("stands still", (first,), f"{first} doesn't get worse")
            )

    monkeypatch.setattr(generator, "Prover", Unwilling)
    monkeypatch.setattr(generator, "TRIES", 1)
    with pytest.raises(GenerationError, match="the last one failed at"):
        generate(SituationSpec(2, Difficulty.EASY, "shop"))
    assert 1 <= len(proven) <= generator.REPAIRS + 1
    assert proven == sorted(proven, reverse=True)
    assert len(set(proven)) == len(proven)


def test_a_draft_whose_file_has_a_problem_is_a_try_that_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One broken draft must not end a batch, so it is told as any other that can't be proven."""
    real = DraftMaker.draft

    def shown(maker: DraftMaker, number: int) -> SituationDraft | None:
        draft = real(maker, number)
        assert draft is not None
        named = str(draft.casts[0].cause.diagnosis).replace("_", " ")
        wording = draft.wording._replace(title=f"Perhaps a {named}")
        return draft._replace(wording=wording)

    monkeypatch.setattr(DraftMaker, "draft", shown)
    monkeypatch.setattr(generator, "TRIES", 1)
    with pytest.raises(GenerationError, match="the last one failed at a sound file"):
        generate(SituationSpec(2, Difficulty.HARD, "shop"))


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (SituationSpec(1, Difficulty.TUTORIAL), "written by hand: choose from easy"),
        (SituationSpec(1, Difficulty.EASY, services=7), "use 8 to 40"),
        (SituationSpec(1, Difficulty.EASY, services=41), "use 8 to 40"),
        (SituationSpec(1, Difficulty.EASY, "shop", 12), "a topology or a number"),
        (SituationSpec(1, Difficulty.EASY, "shopp"), 'did you mean "shop"'),
        (SituationSpec(-1, Difficulty.EASY), "not a seed"),
    ],
)
def test_an_impossible_spec_is_refused_with_what_to_ask_for(spec: SituationSpec, said: str) -> None:
    with pytest.raises(GenerationError, match=said):
        generate(spec)


def test_a_text_with_a_problem_is_refused_with_its_line() -> None:
    draft = unproven(1, Difficulty.EASY, "shop")
    assert draft is not None
    text = situation_text(draft).replace("topology: shop", "topology: shopp")
    with pytest.raises(ScenarioError, match=r"gen-easy-shop-1\.yaml:\d+: topology: no topology"):
        open_texts(draft.id, text, "shop", None)


@pytest.mark.proof
@pytest.mark.parametrize("level", LEVELS)
def test_what_is_written_is_what_was_proven_and_the_expert_resolves_other_seeds(
    level: Difficulty, tmp_path: Path
) -> None:
    made = generate(SituationSpec(2, level, "shop"))
    path = tmp_path / f"{made.id}.yaml"
    path.write_text(made.text, "utf-8")
    assert check_file(path) == []
    again = open_texts(made.id, made.text, made.topology_id, made.topology_text)
    assert again.content_hash == made.source.content_hash
    for margin in ("opens alike", "the expert resolves it", "stands still", "no shortcut pays"):
        assert f"# - {margin}" in made.text
    assert all(len(line) <= 100 for line in made.text.splitlines() if line.startswith("#"))
    scenarios = [Scenario.of(made.source, seed) for seed in range(10_000, 10_020)]
    resolved = [expert_resolves([scenario]).passed for scenario in scenarios]
    assert sum(resolved) >= 18


@pytest.mark.proof
def test_the_same_seed_makes_the_same_file() -> None:
    spec = SituationSpec(2, Difficulty.EASY, "shop")
    assert generate(spec).text == generate(spec).text
