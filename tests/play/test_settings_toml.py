"""The settings' TOML: an edit changes one value, and every problem has its line."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.play.settings_toml import Place, Scalar, TomlError, edited, lines_of, parsed

RICH = """\
# mine
theme = "nord"  # blue
future = [1,
  2]

[seats]
sre = "you + expert"

[keys]
"incident.hint" = "f4"

[[plugins]]
name = "x"
"""

scalars = st.one_of(st.booleans(), st.integers(-9, 9), st.text("ab\"'\\#=[]é ", max_size=6))
names = st.sampled_from(["theme", "mouse", "a-b", "x.y", "é"])
tables = st.sampled_from(["", "keys", "seats", "new"])


@given(st.dictionaries(st.tuples(tables, names), scalars | st.none(), max_size=6))
def test_an_edit_changes_what_it_says_and_nothing_else(
    changes: dict[tuple[str, str], Any],
) -> None:
    new = edited(RICH, changes)
    assert new is not None
    expected = parsed(RICH)
    for (table, name), value in changes.items():
        place = expected.setdefault(table, {}) if table else expected
        if value is None:
            place.pop(name, None)
        else:
            place[name] = value
    after = parsed(new)
    assert {k: v for k, v in after.items() if v != {}} == {
        k: v for k, v in expected.items() if v != {}
    }
    assert new.startswith("# mine\n")


def test_a_value_is_replaced_in_its_line_and_its_comment_stays() -> None:
    assert edited(RICH, {("", "theme"): "gruvbox"}) == RICH.replace("nord", "gruvbox")
    assert edited(RICH, {("keys", "incident.hint"): "f5"}) == RICH.replace("f4", "f5")


def test_a_value_of_several_lines_is_replaced() -> None:
    assert edited('theme = """\nnord"""\nmouse = true\n', {("", "theme"): "gruvbox"}) == (
        'theme = "gruvbox"\nmouse = true\n'
    )


PARTS = st.lists(
    st.sampled_from(
        [
            "theme = 'x' # a\n",
            "keys = 5\n",
            "keys = { a = 1, 'x.y' = 'b' }\n",
            "keys.a.b = 1\n",
            "keys.theme = 1\n",
            "[keys]\n",
            "[keys.a]\n",
            "[[keys]]\n",
            "[seats]\n",
            "[ 'seats' ]\n",
            "[seats.x]\ny = 1\n",
            "x.y = 'z'\n",
            '\'x.y\' = """\n#\n"""\n',
            "mouse = true\n",
            "a-b = [\n1, # one\n]\n",
            "\n",
            "# \ufffc\n",
        ]
    ),
    max_size=6,
    unique=True,
).map("".join)


@given(PARTS, st.dictionaries(st.tuples(tables, names), scalars | st.none(), max_size=4))
def test_a_text_of_any_form_is_edited_exactly_or_not_at_all(
    text: str, changes: dict[Place, Scalar | None]
) -> None:
    try:
        expected = parsed(text)
    except TomlError:
        return
    new = edited(text, changes)
    if new is None:
        return
    after = parsed(new)
    for (table, name), value in changes.items():
        place = after.get(table, {}) if table else after
        assert (name in place if isinstance(place, dict) else False) is (value is not None)
        if value is not None:
            assert place[name] == value
    changed = {table or name for table, name in changes}
    assert {k: v for k, v in after.items() if k not in changed} == {
        k: v for k, v in expected.items() if k not in changed
    }


@given(PARTS, st.lists(st.tuples(tables, names | st.just("a")), max_size=4))
def test_the_line_of_an_entry_is_one_of_the_text_or_0(text: str, places: list[Place]) -> None:
    try:
        data = parsed(text)
    except TomlError:
        return
    lines = lines_of(text, places)
    for (table, name), line in lines.items():
        assert 0 <= line <= text.count("\n")
        if not table and name not in data:
            assert line == 0


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("", "theme"), 2),
        (("", "future"), 3),
        (("", "seats"), 6),
        (("seats", "sre"), 7),
        (("seats", "gone"), 6),
        (("keys", "incident.hint"), 10),
        (("", "plugins"), 12),
        (("", "gone"), 0),
    ],
)
def test_an_entry_has_its_line_and_one_that_is_not_there_that_of_its_table(
    place: Place, line: int
) -> None:
    assert lines_of(RICH, [place]) == {place: line}


@pytest.mark.parametrize(
    ("text", "line"),
    [("mouse = = true\n", 1), ("a = 1\n[b]\n[b]\n", 3), ("\n\ntheme = nord\n", 3)],
)
def test_what_is_not_toml_is_an_error_with_its_line(text: str, line: int) -> None:
    with pytest.raises(TomlError) as caught:
        parsed(text)
    assert caught.value.line == line
    assert " at line " not in str(caught.value)


def test_values_nested_too_deep_are_an_error() -> None:
    with pytest.raises(TomlError):
        parsed("x = " + "[" * 30_000)
