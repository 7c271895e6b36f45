"""Whatever bytes a terminal sends, the game takes them for no more than they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.recording.reader import read_recording
from tests.tui.games import scenario
from tests.tui.pty_game import PtyGame

if sys.platform == "win32":
    pytest.skip("needs a pty", allow_module_level=True)

from tui.driver import PasteFilter

START, END = "\x1b[200~", "\x1b[201~"

PIECES = st.sampled_from(["\x1b", "\x1b[", "\x1b[20", "0~", "1~", START, END, "a", "é", "\r", "0"])
TYPED = st.lists(PIECES, max_size=12).map("".join)


def filtered(*parts: str) -> str:
    pastes = PasteFilter()
    return "".join(pastes.filtered(part) for part in parts)


def test_a_paste_keeps_its_words_and_loses_its_escapes() -> None:
    typed = f"0\x1b[A{START}red \x1b[31m\x1b0\x1b\r{END}\x1b[B"
    assert filtered(typed) == f"0\x1b[A{START}red [31m0\r{END}\x1b[B"


@given(st.lists(TYPED, max_size=6))
def test_where_the_input_was_cut_does_not_matter(parts: list[str]) -> None:
    whole = filtered("".join(parts))
    cut = filtered(*parts)
    # What may be the beginning of a paste's end waits for the rest of it.
    assert whole.startswith(cut) or cut.startswith(whole)
    assert filtered(*parts, "x" + END) == filtered("".join(parts) + "x" + END)


@given(TYPED.filter(lambda text: START not in text))
def test_what_is_typed_passes_at_once_and_unchanged(text: str) -> None:
    pastes = PasteFilter()
    assert [pastes.filtered(key) for key in text] == list(text)


@given(TYPED)
def test_no_escape_is_left_in_a_paste_but_that_of_its_end(text: str) -> None:
    pasted = filtered(START, text, END).removeprefix(START)
    assert "\x1b" not in pasted.partition(END)[0]


@pytest.fixture
def game(tmp_path: Path) -> Iterator[PtyGame]:
    words = ("play", scenario().id, "--seed", "7", "--recordings", str(tmp_path / "games"))
    started = PtyGame(tmp_path / "config", words)
    yield started
    started.close()


@pytest.mark.parametrize(
    "sent",
    [
        b"\x1b[200~x \x1b0\x1b\r\x1b\r\x1b[31m y\x1b[201~",
        b"\x1b[200~caf\xe9\x1b[201~",
        b"\xe9",
        b"\xc3",
        b"\x1b[200~\xff\xfe\x00\x1b[201~",
        b"\x1b[99999999999u",
        b"\x1b[1;::u\x1b[1:2;3u",
        b"\x1b[97;1;1114112u",
    ],
)
def test_hostile_bytes_take_no_turn_and_end_no_game(
    sent: bytes, game: PtyGame, tmp_path: Path
) -> None:
    game.wait_for("Your turn")
    game.type(sent)
    game.type(b"0")
    game.wait_for("Enter")
    game.type(b"\r")
    game.wait_for("Your turn")
    game.type(b"\x03")
    assert game.ended() == 0
    (path,) = (tmp_path / "games").glob("*.jsonl")
    taken = [turn for turn in read_recording(path).turns if turn.human.source == "human"]
    assert [turn.frame.action.action_type for turn in taken] == ["noop"]
