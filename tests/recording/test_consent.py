import re
import tomllib
from pathlib import Path

import pytest

from chaosops.errors import RecordingError
from chaosops.recording.consent import VERSION, WORDS, ConsentStore
from chaosops.recording.events import Consent, ConsentScope

ACTIONS, FREE_TEXT = ConsentScope.ACTIONS, ConsentScope.FREE_TEXT


def test_nobody_has_agreed_before_being_asked(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path / "config")
    assert not store.asked
    assert store.current is None
    assert store.withdrawn == ()
    assert not store.path.exists()


def test_an_agreement_is_kept_with_its_version_its_scopes_and_when(tmp_path: Path) -> None:
    given = ConsentStore(tmp_path / "config").give([FREE_TEXT, ACTIONS])
    kept = ConsentStore(tmp_path / "config")
    assert kept.asked
    assert kept.current == given
    assert given.version == VERSION
    assert given.scopes == (ACTIONS, FREE_TEXT)
    assert given.given_at_ms > 0
    assert given.player.pseudonym == given.pseudonym
    assert given.player.consent == Consent(
        version=VERSION, scopes=(ACTIONS, FREE_TEXT), given_at_ms=given.given_at_ms
    )
    assert kept.path.stat().st_mode & 0o777 == 0o600


def test_a_player_who_declines_is_not_asked_again(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path)
    store.decline()
    assert store.asked
    assert store.current is None


def test_a_pseudonym_is_random_and_stays_until_a_withdrawal(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path)
    first = store.give([ACTIONS])
    assert store.give([ACTIONS, FREE_TEXT]).pseudonym == first.pseudonym
    assert store.withdraw() == (first.pseudonym,)
    assert store.current is None
    assert store.asked
    second = store.give([ACTIONS])
    assert second.pseudonym != first.pseudonym
    assert store.withdrawn == (first.pseudonym,)
    names = {ConsentStore(tmp_path / str(i)).give([ACTIONS]).pseudonym for i in range(20)}
    assert len(names) == 20


def test_a_withdrawal_says_when(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path)
    store.give([ACTIONS])
    store.withdraw()
    (kept,) = tomllib.loads(store.path.read_text())["agreements"]
    assert kept["withdrawn_at_ms"] >= kept["given_at_ms"]


def test_consent_to_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="name one of actions, free_text"):
        ConsentStore(tmp_path).give([])


def test_the_file_names_no_machine_and_no_account(tmp_path: Path) -> None:
    store = ConsentStore(tmp_path)
    store.give([ACTIONS])
    text = store.path.read_text()
    assert set(re.findall(r"^(\w+) =", text, re.MULTILINE)) == {
        "format", "asked_version", "pseudonym", "version", "scopes", "given_at_ms",
    }  # fmt: skip
    assert str(Path.home()) not in text
    assert [path.name for path in tmp_path.iterdir()] == ["consent.toml"]


@pytest.mark.parametrize(
    "content",
    [
        b"format = ",
        b"format = 2\n",
        b"\xff\xfe",
        b"format = 1\nasked_version = 'x'\n",
        b"format = 1\n[[agreements]]\npseudonym = 'me'\n",
        b"format = 1\nname = 'x'\n",
        b"format = 1\nasked_version = 1979-05-27\n",
    ],
)
def test_a_broken_file_is_named_with_the_cure_and_left_alone(
    content: bytes, tmp_path: Path
) -> None:
    store = ConsentStore(tmp_path)
    store.path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"is broken: .*remove it"):
        _ = store.current
    with pytest.raises(RecordingError, match="is broken"):
        store.give([ACTIONS])
    assert store.path.read_bytes() == content


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("in the way")
    store = ConsentStore(tmp_path / "config")
    with pytest.raises(RecordingError, match=r"consent\.toml"):
        store.give([ACTIONS])


def test_every_scope_has_words() -> None:
    assert set(WORDS) == set(ConsentScope)
