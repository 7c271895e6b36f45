"""The proven seeds that ship: of this engine and content, and as good as they are said to be."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from chaosops.env.engine import ENGINE
from chaosops.env.world_sim import Scenario
from chaosops.evaluation import seed_proofs
from chaosops.evaluation.proven_seeds import (
    FIRST_SEED,
    LEVELS,
    ProvenSeeds,
    ProvenSeedsError,
    as_text,
    proven_situation,
    read_seeds,
    shipped_path,
    shipped_seeds,
)
from chaosops.evaluation.seed_proofs import is_proven, prove_seeds
from chaosops.evaluation.shortcuts import shortcuts, shortcuts_that_may_resolve
from chaosops.scenarios.loader import find_scenarios, open_scenario
from tests.cli.helpers import run_here

WRITE = "run 'chaosops scenarios seeds --write chaosops/evaluation/proven_seeds.json'"


def test_the_shipped_seeds_are_of_this_engine_and_content_and_every_situation_has_some() -> None:
    known = shipped_seeds()
    assert known.engine == ENGINE, WRITE
    sources = {source.id: source for source in find_scenarios() if source.level in LEVELS}
    assert set(known.situations) == set(sources), WRITE
    for name, one in known.situations.items():
        source = sources[name]
        assert one.is_of(source), f"{name} was changed: {WRITE}"
        assert (one.level, one.topology) == (source.level, source.topology.id)
        assert len(one.seeds) >= 8
        assert list(one.seeds) == sorted(set(one.seeds))
        assert min(one.seeds) >= FIRST_SEED


@pytest.mark.proof
@pytest.mark.parametrize("name", sorted(shipped_seeds().situations))
def test_one_of_each_situation_drawn_by_its_content_is_proven(name: str) -> None:
    """The command that writes them proves all of them; this finds one that no longer is."""
    one = shipped_seeds().situations[name]
    seed = Random(f"{ENGINE}/{one.content}").choice(one.seeds)
    assert is_proven(Scenario.load(name, seed)), seed


def test_the_shortcuts_that_are_left_out_only_name_a_cause() -> None:
    scenario = Scenario.load("checkout-times-out", FIRST_SEED)
    every = {shortcut.name for shortcut in shortcuts(scenario)}
    kept = {shortcut.name for shortcut in shortcuts_that_may_resolve(scenario)}
    assert kept < every
    assert all(name.startswith("repeat diagnose ") for name in every - kept)


def test_seeds_are_found_from_the_smallest_on_and_what_is_current_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[tuple[str, int]] = []

    def every_third(scenario: Scenario) -> bool:
        tried.append((scenario.id, scenario.seed))
        return scenario.seed % 3 == 0

    monkeypatch.setattr(seed_proofs, "is_proven", every_third)
    sources = [open_scenario("checkout-times-out"), open_scenario("first-shift-3-slow-pages")]
    (found,) = prove_seeds(sources, 3)
    assert found.seeds == (1_002, 1_005, 1_008)
    assert len(tried) == len(set(tried))
    tried.clear()
    before = ProvenSeeds(ENGINE, {found.id: found})
    (more,) = prove_seeds(sources, 4, before=before)
    assert more.seeds == (1_002, 1_005, 1_008, 1_011)
    assert [seed for _id, seed in tried] == [1_009, 1_010, 1_011]
    tried.clear()
    (fewer,) = prove_seeds(sources, 2, before=before)
    assert (fewer.seeds, tried) == ((1_002, 1_005), [])
    tried.clear()
    (anew,) = prove_seeds(sources, 1, before=before._replace(engine=ENGINE - 1))
    assert (anew.seeds, len(tried)) == ((1_002,), 3)


def test_a_situation_whose_seeds_fail_ends_with_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seed_proofs, "is_proven", lambda scenario: scenario.seed == 1_001)
    (found,) = prove_seeds([open_scenario("checkout-times-out")], 3)
    assert found.seeds == (1_001,)


def test_what_is_written_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "seeds.json"
    path.write_text(as_text(shipped_seeds()), "utf-8")
    assert read_seeds(path) == shipped_seeds()
    assert shipped_path().read_text("utf-8") == as_text(shipped_seeds())


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"\xff",
        b'{"engine": 7}',
        b'{"engine": "7", "situations": {}}',
        b'{"engine": 7, "situations": {"a": {"level": "hard"}}}',
        (
            b'{"engine": 7, "situations": {"a": {"level": "odd", "topology": "shop", '
            b'"content": "0123456789abcdef", "seeds": [1]}}}'
        ),
        (
            b'{"engine": 7, "situations": {"a": {"level": "hard", "topology": "shop", '
            b'"content": "0123456789abcdef", "seeds": [-1]}}}'
        ),
    ],
)
def test_a_file_that_is_broken_is_refused_with_the_cure(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "seeds.json"
    path.write_bytes(text)
    with pytest.raises(ProvenSeedsError, match="install chaosops again") as caught:
        read_seeds(path)
    assert str(path) in str(caught.value)


def test_the_fingerprint_tells_other_seeds_and_another_engine() -> None:
    known = shipped_seeds()
    name, one = next(iter(known.situations.items()))
    fewer = {**known.situations, name: one._replace(seeds=one.seeds[:-1])}
    assert known._replace(engine=ENGINE + 1).fingerprint != known.fingerprint
    assert known._replace(situations=fewer).fingerprint != known.fingerprint


def test_the_command_checks_them_and_tells_what_is_stale(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_here(capsys, "scenarios", "seeds").code == 0
    known = shipped_seeds()
    gone = proven_situation(open_scenario("checkout-times-out"), (1_000,))._replace(id="not-here")
    path = tmp_path / "seeds.json"
    stale = {
        **{name: one for name, one in known.situations.items() if name != "sign-in-errors"},
        "checkout-times-out": known.situations["checkout-times-out"]._replace(content="0" * 16),
        "not-here": gone,
    }
    path.write_text(as_text(ProvenSeeds(ENGINE - 1, stale)), "utf-8")
    monkeypatch.setattr("chaosops.cli.scenarios_seeds.shipped_path", lambda: path)
    done = run_here(capsys, "scenarios", "seeds")
    assert done.code == 1
    wrong = [line for line in done.out.splitlines() if line.startswith("FAIL")]
    assert len(wrong) == 4
    assert all("chaosops scenarios seeds --write" in line for line in wrong)
    for told in ("of engine", "not-here: there is no such", "was changed since", "is missing"):
        assert any(told in line for line in wrong), told


def test_the_command_writes_what_it_has_proven(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(seed_proofs, "is_proven", lambda scenario: True)
    path = tmp_path / "seeds.json"
    done = run_here(capsys, "scenarios", "seeds", "--write", str(path), "--number", "2")
    assert done.code == 0
    written = read_seeds(path)
    assert written.is_current
    assert {one.seeds for one in written.situations.values()} == {(1_000, 1_001)}
