from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.models import FailureType, Source
from chaosops.env.models.signals import SIGNALS
from chaosops.env.models.verbs import VERBS
from chaosops.play.glossary import TERMS
from chaosops.play.reference.book import entry_lines, reference
from chaosops.play.reference.entries import (
    EntryKind,
    GlossaryEntry,
    by_family,
    exactly,
    fitting,
    near,
    normal,
)
from chaosops.play.reference.tables import INSTRUMENT_NOTES, SIGNAL_NOTES
from chaosops.play.wording import verb_word
from chaosops.scenarios.file_reader import FileReader
from chaosops.scenarios.folders import cause_files

ENTRIES = reference()


def of(kind: EntryKind) -> dict[str, GlossaryEntry]:
    return {entry.name: entry for entry in ENTRIES if entry.kind is kind}


def labels(entry: GlossaryEntry) -> set[str]:
    return {fact.label for fact in entry.facts}


def test_everything_in_the_tables_has_an_entry() -> None:
    assert len(of(EntryKind.SIGNAL)) == len(SIGNALS)
    assert set(of(EntryKind.INSTRUMENT)) == {source.value for source in Source}
    assert set(of(EntryKind.ACTION)) == {verb_word(verb) for verb in VERBS}
    assert set(of(EntryKind.TERM)) == set(TERMS)
    assert {spec.field for spec in SIGNALS} == set(SIGNAL_NOTES)
    assert set(Source) == set(INSTRUMENT_NOTES)
    assert all(spec.note for spec in VERBS.values())


def test_every_cause_and_every_failure_type_is_in_it() -> None:
    found = of(EntryKind.CAUSE)
    files = set(cause_files(()))
    assert len(found) == len(files)
    names = {normal(name) for entry in found.values() for name in (entry.name, *entry.aliases)}
    assert {normal(kind) for kind in FailureType} <= names


def test_a_cause_says_how_it_looks_what_tells_it_apart_and_what_ends_it() -> None:
    reader = FileReader(())
    for name, path in cause_files(()).items():
        (entry,) = [e for e in of(EntryKind.CAUSE).values() if normal(e.name) == normal(name)]
        cause = reader.cause(path).cause
        assert cause is not None
        assert {"how it looks", "what tells it from its twins", "what ends it"} <= labels(entry)
        twins = next(fact.lines for fact in entry.facts if fact.label == "its twins")
        assert len(twins) == len(cause.twins)
        assert entry.summary


def test_no_text_has_a_blank_to_be_filled_in() -> None:
    for entry in ENTRIES:
        assert not [line for line in entry_lines(entry) if "{" in line or "}" in line], entry.name


def test_keys_differ_and_families_stand_together_without_a_search() -> None:
    assert len({entry.key for entry in ENTRIES}) == len(ENTRIES)
    kinds = [entry.kind for entry in fitting(ENTRIES, "")]
    assert kinds == sorted(kinds, key=list(dict.fromkeys(kinds)).index)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("row lock", "row lock"),
        ("ROW_LOCK", "row lock"),
        ("cpu", "CPU"),
        ("kill", "terminate"),
        ("dns outage", "empty record"),
        ("lock", "DDL lock"),
        ("joyent", "row lock"),
        ("p95", "p95"),
    ],
)
def test_a_word_finds_names_first_then_other_names_then_texts(words: str, first: str) -> None:
    assert fitting(ENTRIES, words)[0].name == first


def test_a_name_is_found_alone_and_a_part_of_one_is_not() -> None:
    assert [entry.name for entry in exactly(ENTRIES, "Row Lock")] == ["row lock"]
    assert {entry.kind for entry in exactly(ENTRIES, "p95")} == {EntryKind.SIGNAL, EntryKind.TERM}
    assert not exactly(ENTRIES, "row")
    assert not exactly(ENTRIES, "")


def test_words_that_fit_nothing_have_near_names() -> None:
    assert not fitting(ENTRIES, "rwo lock")
    assert near(ENTRIES, "rwo lock")[0] == "row lock"
    assert not near(ENTRIES, "x" * 5_000)


def test_a_family_stands_where_its_first_entry_is() -> None:
    found = fitting(ENTRIES, "lock")
    families = by_family(found)
    assert next(iter(families)) == found[0].family
    assert sum(map(len, families.values())) == len(found)


def test_causes_of_a_folder_are_added_and_broken_ones_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "causes" / "database_waits"
    folder.mkdir(parents=True)
    text = cause_files(())["row_lock"].read_text("utf-8")
    (folder / "our_lock.yaml").write_text(text.replace("id: row_lock", "id: our_lock"), "utf-8")
    (folder / "broken.yaml").write_text("id: [", "utf-8")
    names = {entry.name for entry in reference([tmp_path])}
    assert "our lock" in names
    assert "broken" not in names
    assert len(names) == len({entry.name for entry in ENTRIES}) + 1


def test_no_fact_says_a_thing_twice() -> None:
    for entry in reference():
        for fact in entry.facts:
            assert len(set(fact.lines)) == len(fact.lines), (entry.name, fact)
