from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from chaosops.scenarios.problems import MAX_PROBLEMS
from chaosops.scenarios.yaml_source import MAX_BYTES, MAX_DEPTH, read_document
from tests.scenarios.files import FIXTURE, INCIDENT, write


def value_of(tmp_path: Path, scalar: str) -> Any:
    document = read_document(write(tmp_path, f"key: {scalar}\n"))
    assert document.problems == ()
    assert document.data is not None
    return document.data["key"]


@pytest.mark.parametrize(
    "scalar", ["no", "yes", "on", "off", "No", "y", "08", "0123", "12:30", "1_000", "2024-05-01"]
)
def test_words_that_older_yaml_took_for_something_else_stay_text(
    tmp_path: Path, scalar: str
) -> None:
    assert value_of(tmp_path, scalar) == scalar


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("7", 7),
        ("-3", -3),
        ("0", 0),
        ("0x1F", 31),
        ("0o17", 15),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("'7'", "7"),
        ('"true"', "true"),
        ("''", ""),
    ],
)
def test_scalars_are_read_as_yaml_1_2_has_them(tmp_path: Path, scalar: str, value: Any) -> None:
    got = value_of(tmp_path, scalar)

    assert got == value
    assert type(got) is type(value)


def test_every_field_knows_its_line(tmp_path: Path) -> None:
    text = "a: 1\nb:\n  - c: 2\n    d: >\n      long\n      text\n  - [x,\n     y]\n"
    lines = read_document(write(tmp_path, text)).lines

    assert lines["a",] == 1
    assert lines["b", 0, "c"] == 3
    assert lines["b", 0, "d"] == 4
    assert lines["b", 1, 0] == 7
    assert lines["b", 1, 1] == 8


def test_a_field_that_is_not_there_is_placed_at_what_is_around_it(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, "a: 1\nb:\n  c: 2\n"))

    assert document.line(("b", "x", 3)) == 2


def test_a_byte_order_mark_and_windows_line_ends_make_no_difference(tmp_path: Path) -> None:
    plain = read_document(write(tmp_path, INCIDENT, "plain"))
    windows = b"\xef\xbb\xbf" + INCIDENT.replace("\n", "\r\n").encode()
    other = read_document(write(tmp_path, windows, "windows"))

    assert other.problems == ()
    assert other.data == plain.data
    assert other.lines == plain.lines


@pytest.mark.parametrize(
    ("content", "line", "field", "words"),
    [
        (b"", 1, "", "the file is empty; write"),
        (b"# only a comment\n", 1, "", "the file is empty; write"),
        (b"- a\n- b\n", 1, "", "must contain keys"),
        (b"just words\n", 1, "", "must contain keys"),
        (b"a: 1\nb: \xff\xfe\n", 2, "", "byte 8 is not UTF-8; save the file as UTF-8"),
        ("a: 1".encode("utf-16"), 1, "", "not UTF-8; save"),
        (b"a: 1\nb:\n\tc: 2\n", 3, "", "the indent contains a tab; use spaces"),
        (b"a: 1\nb:\n  \tc: 2\n", 3, "", "the indent contains a tab; use spaces"),
        (b"a: 1\nb: 2\na: 3\n", 3, "a", "already on line 1; keep one"),
        (b"a:\n  b: 1\n  b: 2\n", 3, "a.b", "already on line 2; keep one"),
        (b"a: &x 1\n", 1, "a", "anchors are not allowed; remove"),
        (b"a: &x 1\nb: *x\n", 2, "b", "aliases are not allowed; write"),
        (b"a:\n  <<: {b: 1}\n", 2, "a.<<", "merge keys are not allowed; write"),
        (b"a: !!python/object:os.system x\n", 1, "a", "tags are not allowed; remove"),
        (b"a: !mine {b: 1}\n", 1, "a", "tags are not allowed; remove"),
        (b"a: 1\n---\nb: 2\n", 2, "", "a second document starts here; use one"),
        (b"a: 1\n? [x, y]\n: 2\n", 2, "", "a key must be a word; put"),
        (b"a: 1\n? {x: y}\n: 2\n", 2, "", "a key must be a word; put"),
        (b"a: .inf\n", 1, "a", "out of range; use"),
        (b"a: .NaN\n", 1, "a", "out of range; use"),
        (b"a: 1e999\n", 1, "a", "out of range; use"),
        (b"a: " + b"9" * 300 + b"\n", 1, "a", "out of range; use"),
        (b"a: b: c\n", 1, "", "in quotes"),
        (b"a: @b\n", 1, "", "in quotes"),
        (b"a: 1\nb: 'open\n", 2, "", "close the quote"),
        (b'a: "\\q"\n', 1, "", "use single quotes"),
        (b"a: [1, 2\nb: 3\n", 2, "", "not valid YAML"),
        (b"a: 1\n b: 2\n", 2, "", "not valid YAML"),
        (b"a: 1\nb: \x1b[31mred\n", 2, "", "U+001B"),
        (b"a: 1\n# \x07\n", 2, "", "U+0007"),
        (b"a: \x00\n", 1, "", "U+0000"),
        (b"a: 1\rb: 2\n", 1, "", "U+000D"),
        ("a: 1\nb: \u202eevil\n".encode(), 2, "", "U+202E"),
        ("a: \u2028\n".encode(), 1, "", "U+2028"),
        (b'a: 1\nb: "\\e[31m"\n', 2, "b", "U+001B"),
        (b'a: 1\nb: "\\u202e"\n', 2, "b", "U+202E"),
        (b'a: 1\n"\\x07": 2\n', 2, "\ufffd", "U+0007"),
    ],
)
def test_what_is_refused_is_named_with_line_field_and_cure(
    tmp_path: Path, content: bytes, line: int, field: str, words: str
) -> None:
    problem = read_document(write(tmp_path, content)).problems[-1]

    assert (problem.line, problem.field) == (line, field)
    assert words in problem.message
    assert "\n" not in str(problem)
    assert str(problem).isprintable()


def test_all_problems_of_a_file_are_found_at_once(tmp_path: Path) -> None:
    text = 'a: 1\na: 2\nb: &x 3\nc: *x\nd: "\\e"\ne: !t 1\n'
    problems = read_document(write(tmp_path, text)).problems

    assert [problem.line for problem in problems] == [2, 3, 4, 5, 6]


def test_a_file_over_one_mebibyte_is_refused_unread(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, b"a: " + b"x" * 2 * MAX_BYTES))

    assert document.data is None
    assert "over 1 MiB" in document.problems[0].message


def test_a_file_of_just_one_mebibyte_is_read(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, b"a: " + b"x" * (MAX_BYTES - 3)))

    assert document.problems == ()


@pytest.mark.parametrize(
    "content",
    [
        "a: " + "[" * 500_000,
        "a: " + "{b: " * 200_000,
        "a:\n  " + "- " * 400_000 + "x",
        "? " * 400_000,
    ],
    ids=["lists", "mappings", "dashes", "keys"],
)
def test_a_deeply_nested_file_is_given_up_at_once(tmp_path: Path, content: str) -> None:
    document = read_document(write(tmp_path, content))

    assert document.data is None
    assert any(words in str(document.problems[0]) for words in ("flatten it", "must be a word"))


def test_nesting_is_allowed_up_to_its_limit(tmp_path: Path) -> None:
    depth = MAX_DEPTH - 1
    good = read_document(write(tmp_path, "a: " + "[" * depth + "]" * depth))
    bad = read_document(write(tmp_path, "a: " + "[" * MAX_DEPTH + "]" * MAX_DEPTH))

    assert good.problems == ()
    assert "nested deeper" in bad.problems[0].message


def test_a_file_with_too_many_values_is_given_up(tmp_path: Path) -> None:
    document = read_document(write(tmp_path, "a: [" + "1, " * 100_000 + "1]"))

    assert document.data is None
    assert "over 50000 values" in document.problems[0].message


@pytest.mark.parametrize("row", ["\x07\n", " \tx\n", "a: *b\n"], ids=["bells", "tabs", "aliases"])
def test_a_flood_of_problems_is_cut_short(tmp_path: Path, row: str) -> None:
    problems = read_document(write(tmp_path, row * 30_000)).problems

    assert len(problems) <= 2 * (MAX_PROBLEMS + 1)
    assert problems[100].message == "more problems follow from here; fix the others first"


def test_an_alias_bomb_stays_small(tmp_path: Path) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    path = write(tmp_path, "\n".join(rows))
    tracemalloc.start()
    try:
        document = read_document(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert document.data is None
    assert peak < 5_000_000


def test_what_is_no_file_is_a_problem_too(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")

    assert "no such file" in read_document(tmp_path / "nowhere.yaml").problems[0].message
    assert "not a file" in read_document(tmp_path).problems[0].message
    assert "not a file" in read_document(tmp_path / "pipe.yaml").problems[0].message
    assert "cannot be read" in read_document(tmp_path / ("x" * 500)).problems[0].message


@pytest.mark.parametrize("name", ["incident", "storefront"])
def test_the_parser_without_the_c_library_gives_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = FIXTURE if name == "incident" else write(tmp_path, 'a: no\nb: "7"\nc: [1, {d: ~}]\n')
    fast = read_document(path)
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    plain = read_document(path)

    assert plain == fast


@given(st.binary(max_size=200))
def test_no_bytes_make_it_raise(tmp_path: Path, content: bytes) -> None:
    document = read_document(write(tmp_path, content))

    assert document.data is not None or document.problems


_PIECES = [
    *("a: ", "- ", "? ", ": ", "&x ", "*x", "!t ", "<<: ", ", ", "|\n", ">\n", "---\n", "...\n"),
    *("{", "}", "[", "]", "'", '"', "#", "%", "\n", "  ", "\t", "b", "1", "~", "\\", "\x1b", "{v}"),
]
_yaml_like = st.lists(st.sampled_from(_PIECES), max_size=30).map("".join)


@given(_yaml_like)
def test_no_text_that_looks_like_yaml_makes_it_raise(tmp_path: Path, content: str) -> None:
    document = read_document(write(tmp_path, content))

    assert document.data is not None or document.problems
    assert all("\n" not in str(problem) for problem in document.problems)


_data = st.dictionaries(
    st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=8).filter(
        lambda key: key != "<<"
    ),
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(10**12), 10**12)
        | st.floats(-1e12, 1e12)
        | st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=20),
        lambda inner: st.lists(inner, max_size=3),
        max_leaves=8,
    ),
    min_size=1,
    max_size=4,
)


@given(_data)
def test_json_is_read_as_the_data_that_it_is(tmp_path: Path, data: dict[str, Any]) -> None:
    document = read_document(write(tmp_path, json.dumps(data)))

    assert document.problems == ()
    assert document.data == data
