"""The vocabulary: values that cannot change, and actions that can always be made."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import (
    EMPTY,
    MALFORMED,
    MAX_TEXT,
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    FrozenMap,
)
from chaosops.text_safety import has_unsafe
from tests.strategies import json_values, texts

_maps = st.dictionaries(texts, json_values, max_size=4)


def _made(**parts: Any) -> ChaosOpsAction:
    return ChaosOpsAction(AgentRole.SRE, **{"action_type": "noop", **parts})


@given(_maps)
def test_a_frozen_map_is_equal_to_what_it_was_made_of_and_to_its_copies(values: Any) -> None:
    frozen = FrozenMap(values)
    assert frozen == FrozenMap(frozen) == FrozenMap(dict(frozen))
    assert frozen == copy.deepcopy(frozen) == pickle.loads(pickle.dumps(frozen))
    assert hash(frozen) == hash(FrozenMap(dict(reversed(list(frozen.items())))))


@given(_maps)
def test_a_frozen_map_does_not_follow_its_source(values: dict[str, Any]) -> None:
    frozen = FrozenMap(values)
    as_it_was = copy.deepcopy(frozen)
    for value in values.values():
        if isinstance(value, list | dict):
            value.clear()
    values.clear()
    assert frozen == as_it_was


def test_equal_frozen_maps_hash_alike() -> None:
    assert hash(FrozenMap({"a": 1})) == hash(FrozenMap({"a": 1.0}))
    inner = {"a": 1, "b": [2, {"c": 3}]}
    turned = dict(reversed(inner.items()))
    assert FrozenMap({"x": inner}) == FrozenMap({"x": turned})
    assert hash(FrozenMap({"x": inner})) == hash(FrozenMap({"x": turned}))


def test_a_frozen_map_cannot_be_written() -> None:
    frozen: Any = FrozenMap({"a": {"b": [1]}})
    for write in (
        lambda: frozen.__setitem__("a", 1),
        lambda: frozen.__delitem__("a"),
        lambda: setattr(frozen, "a", 1),
        lambda: setattr(frozen, "_items", {}),
        lambda: delattr(frozen, "_items"),
        lambda: frozen["a"]["b"].append(2),
        lambda: frozen["a"].__setitem__("b", 2),
        lambda: frozen._items.__setitem__("a", 1),
    ):
        with pytest.raises((AttributeError, TypeError)):
            write()
    assert frozen == {"a": {"b": [1]}}
    assert dict(EMPTY) == {}


@given(_maps)
def test_a_frozen_map_can_be_written_down_as_json(values: dict[str, Any]) -> None:
    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in value.items()}
        return [plain(item) for item in value] if isinstance(value, tuple) else value

    text = json.dumps(plain(FrozenMap(values)), allow_nan=False)
    assert FrozenMap(json.loads(text)) == FrozenMap(values)


class _Awkward(Mapping[str, Any]):
    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 3


class _Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise RuntimeError("no")

    def __hash__(self) -> int:
        raise RuntimeError("no")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no")


def _endless() -> dict[str, Any]:
    ring: dict[str, Any] = {}
    ring["ring"] = ring
    return ring


def _deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(50_000):
        nested = [nested]
    return nested


_WEIRD = (
    _Awkward(),
    _Text("noop"),
    _endless(),
    _deep(),
    {"x": _Awkward(), "y": _Text("z")},
    {"x": 10**5000, "y": float("nan"), "z": float("inf")},
    {(): 1, 3: 4, None: 5},
    {"x" * 10_000: "y" * 10_000},
    {str(k): k for k in range(100_000)},
    [1] * 100_000,
    object(),
    type,
    "\ud800\x1b[31m\u202e",
)


@pytest.mark.parametrize("weird", _WEIRD, ids=lambda weird: type(weird).__name__)
@pytest.mark.parametrize("part", ["action_type", "target", "args"])
def test_making_an_action_never_raises_and_keeps_little(part: str, weird: Any) -> None:
    made = _made(**{part: weird})
    assert hash(made) == hash(_made(**{part: weird}))
    assert made == _made(**{part: weird})
    text = repr(made)
    text.encode()
    assert not has_unsafe(text)
    assert len(pickle.dumps(made)) < 64 * (MAX_TEXT + 1_000)


@given(st.one_of(texts, st.integers(), st.floats(), st.none(), st.binary(), json_values))
def test_text_that_is_a_verb_becomes_one_and_the_rest_stays_text(verb: Any) -> None:
    made = _made(action_type=verb)
    if isinstance(verb, str) and verb in set(ActionType):
        assert made.action_type is ActionType(verb)
    else:
        assert type(made.action_type) is str


def test_of_arguments_as_long_as_a_book_nothing_is_kept() -> None:
    longest = {"to": "dev", "text": "x" * MAX_TEXT, "finding": 0}
    assert _made(args=longest).args == longest
    book = {str(i): ["x" * MAX_TEXT] * 60 for i in range(60)}
    for too_much in (book, {"a": {"b": book}}, book["0"]):
        assert _made(args=too_much).args == {MALFORMED: "<too much>"}


def test_arguments_that_are_no_mapping_are_kept_as_malformed() -> None:
    assert _made(args=[1, 2]).args == {MALFORMED: (1, 2)}
    assert _made(args=None).args is EMPTY


def test_what_is_no_json_value_is_kept_as_the_name_of_its_type() -> None:
    assert _made(args={"a": {1}, "b": b"x"}).args == {"a": "<set>", "b": "<bytes>"}
    assert _made(target=3).target == "<int>"
    assert _made(action_type=None).action_type == "<NoneType>"


def test_text_is_cut_and_cleaned_where_it_enters() -> None:
    made = _made(args={"text": "a\x1b[31mb\r\n" + "x" * 10_000})
    assert made.args["text"].startswith("a\ufffd[31mb\n")
    assert len(made.args["text"]) == MAX_TEXT + 1


def test_oversight_speaks_before_a_fix_of_dev_can_end_the_episode() -> None:
    assert [role.value for role in TURN_ORDER] == ["sre", "oversight", "dev", "manager"]
    assert {role.value for role in AgentRole} == {"sre", "dev", "manager", "oversight"}
