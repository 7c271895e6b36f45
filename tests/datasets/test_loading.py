import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import datasets
import pytest

from chaosops.datasets.rows import ROW_OF, Format
from chaosops.datasets.splits import Split, split_of
from chaosops.recording.events import ConsentScope
from chaosops.recording.turn_sources import TurnSource
from tests.datasets.games import SRE, export, game, rows
from tests.worlds import all_ids

ANYBODY = frozenset(TurnSource)
Load = Callable[[Path, Format], "datasets.DatasetDict"]


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Load:
    """The real library, with no way out to a network."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("loading a data set must not open a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return lambda target, kind: datasets.load_dataset(
        str(target), kind.value, cache_dir=str(tmp_path / "cache")
    )


def names() -> list[str]:
    """Incidents of both splits."""
    return [next(n for n in all_ids() if split_of(n, 0.3) is split) for split in Split]


@pytest.mark.parametrize("parquet", [False, True], ids=["jsonl", "parquet"])
@pytest.mark.parametrize("kind", list(Format))
def test_the_real_library_reads_what_was_written(
    kind: Format, parquet: bool, load: Load, tmp_path: Path
) -> None:
    for name in names():
        scopes = (ConsentScope.ACTIONS,)
        game(tmp_path / "logs", name, people=(SRE,), scopes=scopes, copilot="random", max_turns=12)
    plain = tmp_path / "plain"
    share = {"sources": ANYBODY, "test_share": 0.3}
    export(tmp_path / "logs", plain, kind, **share)
    export(tmp_path / "logs", tmp_path / "set", kind, **share, parquet=parquet)
    loaded = load(tmp_path / "set", kind)
    assert set(loaded) == {"train", "test"}
    for split in loaded:
        assert loaded[split].column_names == list(ROW_OF[kind].model_fields)
        assert list(loaded[split]) == rows(plain, kind, split)
    assert loaded["train"].features == loaded["test"].features


def test_sets_of_policies_and_of_people_have_the_same_types(load: Load, tmp_path: Path) -> None:
    game(tmp_path / "people", people=(SRE,), scopes=(ConsentScope.ACTIONS,), max_turns=8)
    game(tmp_path / "policies", policy="noop", max_turns=4)
    features: list[Any] = []
    for name in ("people", "policies"):
        export(tmp_path / name, tmp_path / f"set-{name}", Format.REWARDS, sources=ANYBODY)
        features.append(load(tmp_path / f"set-{name}", Format.REWARDS)["train"].features)
    assert features[0] == features[1]


@pytest.mark.parametrize("policy", ["random", "heuristic", "expert", "oracle", "noop"])
def test_every_incident_and_policy_goes_from_play_to_a_loaded_set(
    policy: str, load: Load, tmp_path: Path
) -> None:
    turns = sum(
        len(game(tmp_path / "logs", name, policy=policy, max_turns=None)[1]) for name in all_ids()
    )
    kinds = (Format.SFT, Format.GRPO, Format.REWARDS, Format.EPISODES)
    export(tmp_path / "logs", tmp_path / "set", *kinds, sources=ANYBODY, history=5)
    for kind in kinds:
        loaded = load(tmp_path / "set", kind)["train"]
        assert len(loaded) == (len(all_ids()) if kind is Format.EPISODES else turns)
        assert set(loaded["scenario"]) == set(all_ids())
