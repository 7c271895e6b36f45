from __future__ import annotations

import json

import pytest

from tests.cli.helpers import run_here

Capture = pytest.CaptureFixture[str]


def test_a_name_in_one_or_several_words_is_explained(capsys: Capture) -> None:
    for words in (("row", "lock"), ("row lock",), ("ROW_LOCK",)):
        done = run_here(capsys, "glossary", *words)
        assert done.code == 0
        assert done.out.startswith("row lock (Causes: database waits): ")
        assert "what ends it:" in done.out
        assert "what tells it from its twins: runtime:" in done.out


def test_without_a_word_every_name_is_listed_by_family(capsys: Capture) -> None:
    said = run_here(capsys, "glossary").out
    assert "Signals: requests per second, p95, errors" in said
    assert "Causes: queues: " in said
    assert len(said.splitlines()) < 40


def test_a_part_of_several_names_lists_them(capsys: Capture) -> None:
    said = run_here(capsys, "glossary", "lock").out
    assert said.startswith("Causes: database waits: DDL lock, row lock, deadlock")


def test_what_fits_one_text_alone_is_explained(capsys: Capture) -> None:
    assert run_here(capsys, "glossary", "joyent").out.startswith("row lock (")


def test_an_unknown_word_is_an_error_with_near_names(capsys: Capture) -> None:
    done = run_here(capsys, "glossary", "rwo", "lock")
    assert done.code == 2
    assert "did you mean row lock" in done.err
    far = run_here(capsys, "glossary", "qqqqqqqqqq\x1b[2J")
    assert far.code == 2
    assert "see 'chaosops glossary'" in far.err
    assert "\x1b" not in far.err


def test_json_has_the_facts(capsys: Capture) -> None:
    (found,) = json.loads(run_here(capsys, "glossary", "terminate", "--json").out)
    assert found["kind"] == "action"
    assert found["facts"]["who"] == ["SRE, Dev"]
    assert len(json.loads(run_here(capsys, "glossary", "--json").out)) > 100
