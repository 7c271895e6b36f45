from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chaosops.text_safety import clean, has_unsafe
from tests.strategies import HOSTILE

_any_text = st.text() | st.sampled_from(HOSTILE) | st.lists(st.sampled_from(HOSTILE)).map("".join)


@given(_any_text)
def test_clean_text_can_be_printed_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert not has_unsafe(cleaned)
    assert clean(cleaned) == cleaned
    cleaned.encode()


@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"))))
def test_text_in_any_script_is_left_alone(text: str) -> None:
    assert clean(text) == text


def test_tabs_and_lines_are_kept_and_line_ends_are_made_alike() -> None:
    assert clean("a\tb\r\nc\rd\n") == "a\tb\nc\nd\n"


def test_what_drives_a_terminal_is_replaced() -> None:
    assert clean("\x1b[2J\x9b\x07\u202e\ud800") == "\ufffd[2J" + "\ufffd" * 4
