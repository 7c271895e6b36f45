"""What a terminal sends by itself is never a key; what is typed is one, at once and unchanged."""

from __future__ import annotations

from codecs import getincrementaldecoder

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from tui.terminal.driver import _Parser
from tui.terminal.sequences import MAX_SEQUENCE, PASTE_END, PASTE_START, Held, Piece, Sequences

INTRODUCERS = (b"\x1b]", b"\x1bP", b"\x1b_", b"\x1b^", b"\x1bX", b"\x9d", b"\xc2\x9d", b"\x90")
TERMINATORS = (b"\x07", b"\x1b\\", b"\x9c", b"\xc2\x9c", b"")
"""BEL, ST as two characters and as one, and none at all."""

CONTENTS = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x2FF, exclude_characters="\x7f")
)
STRINGS = st.builds(
    lambda start, content, end: (start, content.encode(), end),
    st.sampled_from(INTRODUCERS),
    CONTENTS.filter(lambda text: not any(0x7F < ord(c) < 0xA0 for c in text)),
    st.sampled_from(TERMINATORS),
)


def parts(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(data)) for cut in cuts})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


def events_of(reads: list[bytes], *, then_silence: bool = True) -> list[str]:
    """The keys and pastes that reads mean, as the driver finds them."""
    decode = getincrementaldecoder("utf-8")(errors="surrogateescape").decode
    sequences, parser = Sequences(), _Parser()
    found: list[str] = []
    pieces: list[Piece] = []
    for read in reads:
        pieces += sequences.fed(decode(read))
    if then_silence:
        pieces += sequences.timed_out()
    for piece in pieces:
        for message in parser.read(piece):
            if isinstance(message, events.Key):
                found.append(message.key)
            elif isinstance(message, events.Paste):
                found.append(f"paste {message.text}")
        if parser.is_waiting:
            parser = _Parser()
    return found


@given(STRINGS, st.lists(st.integers(0, 40), max_size=5))
def test_no_string_of_a_terminal_is_a_key_wherever_it_is_cut_and_however_it_ends(
    string: tuple[bytes, bytes, bytes], cuts: list[int]
) -> None:
    assert events_of(parts(b"".join(string), cuts)) == []


@given(STRINGS.filter(lambda string: string[2] != b""), st.lists(st.integers(0, 40), max_size=5))
def test_a_key_after_a_string_that_has_ended_is_a_key(
    string: tuple[bytes, bytes, bytes], cuts: list[int]
) -> None:
    assert events_of(parts(b"".join(string) + b"5\x1b[A", cuts)) == ["5", "up"]


@given(STRINGS)
def test_after_a_string_that_never_ends_keys_come_through_again_once_it_is_silent(
    string: tuple[bytes, bytes, bytes],
) -> None:
    sequences = Sequences()
    decode = getincrementaldecoder("utf-8")(errors="surrogateescape").decode
    sequences.fed(decode(string[0] + string[1]))
    assert sequences.held is Held.SEQUENCE
    assert sequences.timed_out() == []
    assert sequences.fed("5") == [Piece("5")]


REPORTS = (
    b"\x1b[?62;1;2;4c",
    b"\x1b[?62;1;2;4;6;9;15;16;17;18;21;22;28;29;52c",
    b"\x1b[>41;370;0c",
    b"\x1b[?2026;2$y",
    b"\x1b[8;24;80t",
    b"\x1b[?997;1n",
    b"\x1b[?1u",
    b"\x1b[0n",
    b"\x1b[<0;5;5M\x1b[<0;5;5m",
    b"\x1b[M !!",
    b"\x1b[32;5;5M",
    b"\x9b?62c",
)


@pytest.mark.parametrize("report", REPORTS)
@given(cuts=st.lists(st.integers(0, 40), max_size=3))
def test_no_report_of_a_terminal_is_a_key(report: bytes, cuts: list[int]) -> None:
    assert events_of(parts(report, cuts)) == []


@given(st.from_regex(rb"\A\x1b\[[0-9;:<=>?]{1,60}[ -#%-/]{0,2}[@-~]\Z"))
def test_a_sequence_is_a_key_that_exists_or_nothing_but_never_its_characters(data: bytes) -> None:
    typed = [key for key in events_of([data]) if len(key) == 1]
    # Kitty and xterm send characters as numbers, in sequences that end with u or ~.
    assert not typed or data[-1:] in b"u~"


KEYS = {
    b"\x1b": ["escape"],
    b"\x1b\x1b": ["escape", "escape"],
    b"\x1bx": ["alt+x"],
    b"\x1bq": ["alt+q"],
    b"\x1b[A": ["up"],
    b"\x1bOA": ["up"],
    b"\x1bOP": ["f1"],
    b"\x1b[[A": ["f1"],
    b"\x1b[5~": ["pageup"],
    b"\x1b[1;5A": ["ctrl+up"],
    b"\x1b[1;5P": ["ctrl+f1"],
    b"\x1b[53A": [],
    b"\x1b[3$": ["shift+delete"],
    b"\x1b[27u": ["escape"],
    b"\x1b[99;5u": ["ctrl+c"],
    b"\x1b\x1b[A": ["escape", "up"],
    b"\x1b[": ["left_square_bracket"],
    b"se\r": ["s", "e", "enter"],
    "é".encode(): ["é"],
    b"\x03": ["ctrl+c"],
    b"\x1b[1;5\x1b[B": ["down"],
    b"\x1b[1;5\x18x": ["x"],
}


@pytest.mark.few(3)
@pytest.mark.parametrize("data", KEYS)
@given(cuts=st.lists(st.integers(0, 10), max_size=3))
def test_keys_are_the_same_keys_wherever_the_link_cut_them(data: bytes, cuts: list[int]) -> None:
    assert events_of(parts(data, cuts)) == KEYS[data]


@pytest.mark.parametrize(
    ("first", "rest", "keys"),
    [
        (b"\x1b", b"[5~", ["escape", "pageup"]),
        (b"\x1b", b"]11;rgb:1e1e/1e1e/2e2e\x1b\\", ["escape"]),
        (b"\x1b", b"OA", ["escape", "up"]),
        (b"\x1b[", b"5~", ["left_square_bracket", "pageup"]),
        (b"\x1b[5", b"~", ["~"]),
        (b"\x1b", b"5", ["escape", "5"]),
        (b"\x1b", b"[", ["escape", "left_square_bracket"]),
    ],
)
def test_the_rest_of_a_sequence_that_came_too_late_is_not_typed(
    first: bytes, rest: bytes, keys: list[str]
) -> None:
    sequences, parser = Sequences(), _Parser()
    pieces = [
        *sequences.fed(first.decode()),
        *sequences.timed_out(),
        *sequences.fed(rest.decode()),
    ]
    messages = [message for piece in pieces for message in parser.read(piece)]
    names = [message.key for message in messages if isinstance(message, events.Key)]
    assert ["~" if name == "tilde" else name for name in names] == keys


PIECES = st.sampled_from(
    ["\x1b", "\x1b[", "\x1b[20", "0~", "1~", PASTE_START, PASTE_END, "a", "é", "\r", "0", "\x1b]"]
)
TYPED = st.lists(PIECES, max_size=12).map("".join)


@given(TYPED, st.lists(st.integers(0, 60), max_size=6))
def test_where_the_input_was_cut_does_not_matter(text: str, cuts: list[int]) -> None:
    data = text.encode()
    assert events_of(parts(data, cuts)) == events_of([data])


@given(TYPED.filter(lambda text: "\x1b" not in text))
def test_what_is_typed_passes_at_once_and_unchanged(text: str) -> None:
    sequences = Sequences()
    assert [piece.text for key in text for piece in sequences.fed(key)] == list(text)
    assert sequences.held is Held.NOTHING


@given(TYPED.map(lambda text: text.replace("~", "")))
def test_no_escape_in_a_paste_is_a_key(inside: str) -> None:
    found = events_of([(PASTE_START + inside + PASTE_END + "x").encode()])
    expected = inside.replace("\x1b", "")
    assert found == [f"paste {expected}", "x"]


def test_a_paste_that_never_ends_is_over_after_a_silence() -> None:
    sequences = Sequences()
    sequences.fed(PASTE_START + "abc")
    assert sequences.held is Held.PASTE
    assert sequences.timed_out() == [Piece(PASTE_END, is_sequence=True)]
    assert sequences.fed("x") == [Piece("x")]


@given(st.binary(max_size=200))
def test_no_bytes_at_all_are_a_fault_and_little_of_them_is_held(data: bytes) -> None:
    sequences = Sequences()
    sequences.fed(data.decode("utf-8", "surrogateescape"))
    assert sequences.held is Held.PASTE or len(sequences._begun) <= MAX_SEQUENCE + 1
