"""Causes of authors: what a diagnosis can name in a situation of theirs, and how files say it."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.models import ActionType, FailureType
from chaosops.env.models.verbs import ALL_CAUSES
from chaosops.errors import ChaosOpsError
from chaosops.scenarios.file_checks import check_file, check_files
from chaosops.scenarios.loader import open_scenario
from tests.own_folder import (
    ALIAS,
    DEFINED,
    NOT_CAST,
    NOWHERE,
    OWN,
    drawing,
    own_cause,
    write_cause,
    write_folder,
)
from tests.scenarios.files import edited, line_of
from tests.worlds import situations


def test_a_failure_type_of_ones_own_is_text_and_by_default_the_id(tmp_path: Path) -> None:
    write_folder(tmp_path)
    for name in (OWN, DEFINED):
        incident = drawing(tmp_path, name).incident
        assert type(incident.failure_type) is str
        assert incident.failure_type == name
        assert incident.solution[-1].action is ActionType.DIAGNOSE
        assert incident.solution[-1].args["cause"] == name
        assert incident.evidence[0].supports == (name,)


def test_a_built_in_failure_type_stays_one_in_an_authors_cause(tmp_path: Path) -> None:
    write_folder(tmp_path)
    write_cause(tmp_path, OWN, own_cause(OWN, "row_lock"))
    source = open_scenario("own-timeouts", [tmp_path])
    drawn = {source.render(seed).failure_type for seed in range(60)}
    assert FailureType.ROW_LOCK in drawn
    assert OWN not in drawn


def test_a_diagnosis_can_name_all_that_fits_in_one_alphabetical_list(tmp_path: Path) -> None:
    write_folder(tmp_path)
    source = open_scenario("own-timeouts", [tmp_path])
    lists = {source.render(seed).diagnosable for seed in range(40)}
    assert lists == {tuple(sorted((*ALL_CAUSES, OWN, DEFINED, NOT_CAST)))}
    assert NOWHERE not in lists.pop()


def test_built_in_situations_offer_what_they_did_whatever_an_author_adds(tmp_path: Path) -> None:
    write_folder(tmp_path)
    write_cause(tmp_path, "row_lock", own_cause("row_lock", "own_row_lock"))
    for built_in in situations():
        source = open_scenario(built_in.id, [tmp_path])
        assert source.content_hash == built_in.content_hash
        incident = source.render(3)
        assert incident == built_in.render(3)
        assert incident.diagnosable == ALL_CAUSES


def test_a_situation_finds_the_causes_of_its_folder_by_its_path_alone(tmp_path: Path) -> None:
    path = write_folder(tmp_path)
    assert check_file(path) == []
    by_path, by_id = open_scenario(path), open_scenario("own-timeouts", [tmp_path])
    assert by_path.content_hash == by_id.content_hash
    assert by_path.render(5) == by_id.render(5)


def test_what_a_diagnosis_can_name_is_part_of_what_a_recording_is_checked_against(
    tmp_path: Path,
) -> None:
    write_folder(tmp_path)
    before = open_scenario("own-timeouts", [tmp_path]).content_hash
    write_cause(tmp_path, "archive_lock", own_cause("archive_lock"))
    assert open_scenario("own-timeouts", [tmp_path]).content_hash != before


def test_a_broken_cause_that_no_situation_names_keeps_none_from_being_played(
    tmp_path: Path,
) -> None:
    write_folder(tmp_path)
    before = drawing(tmp_path)
    write_cause(tmp_path, "archive_lock", "id: [")
    assert drawing(tmp_path) == before


def test_a_definition_tells_nothing_of_what_was_drawn(tmp_path: Path) -> None:
    write_folder(tmp_path)
    text = edited(
        own_cause(OWN), "open holds rows,", "open holds rows of {table} in {place} for {caller},"
    )
    write_cause(tmp_path, OWN, text)
    source = open_scenario("own-timeouts", [tmp_path])
    said = set()
    for seed in range(40):
        incident = source.render(seed)
        said |= {own.glossary for own in incident.own_causes if own.name == OWN}
    assert len(said) == 1
    assert said.pop().startswith(
        "A transaction that was left open holds rows of a table in the service for its caller"
    )


def test_a_situation_of_authors_causes_is_as_sound_as_any(tmp_path: Path) -> None:
    write_folder(tmp_path)
    files, problems = check_files([tmp_path])
    assert len(files) == 5
    assert problems == []


LONG = "x" * 10_000

BROKEN = {
    "the name of a built-in type by accident": (
        "disk_full",
        "",
        "[]",
        "id",
        '"disk_full" is a built-in failure type; add "failure_type: disk_full"',
    ),
    "a built-in type spelled in another way": (
        OWN,
        "row-lock",
        "[]",
        "failure_type",
        'it reads like the built-in failure type "row_lock"; use that, or another name',
    ),
    "an id that reads like a built-in type": (
        "disk-full",
        "",
        "[]",
        "id",
        'it reads like the built-in failure type "disk_full"',
    ),
    "a slip": (OWN, "row_locks", "[]", "failure_type", 'did you mean "row_lock"?'),
    "the id of another cause": (
        OWN,
        "pool_leak",
        "[]",
        "failure_type",
        'another cause has the id "pool_leak"; use another name',
    ),
    "a name of 10,000 characters": (OWN, LONG, "[]", "failure_type", "is not a valid name"),
    "a name with an escape": (
        OWN,
        '"vacuum\\e[2Jlock"',
        "[]",
        "failure_type",
        "is not a valid name",
    ),
    "an alias of five words": (OWN, "", "[it is much too long]", "aliases.0", "not a valid name"),
    "an alias of 10,000 characters": (OWN, "", f"[{LONG}]", "aliases.0", "40 at most"),
    "an alias that is a built-in type": (
        OWN,
        "",
        "[row lock]",
        "aliases.0",
        'it reads like the built-in failure type "row_lock"; use another alias',
    ),
    "nine aliases": (OWN, "", "[a, b, c, d, e, f, g, h, i]", "aliases", "8 at most"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_name_that_can_be_taken_for_another_is_reported_with_its_cure(
    what: str, tmp_path: Path
) -> None:
    name, failure_type, aliases, field, message = BROKEN[what]
    text = own_cause(name, failure_type, aliases)
    path = write_cause(tmp_path, name, text)

    found = [problem for problem in check_file(path, [tmp_path]) if problem.field == field]

    assert len([problem for problem in found if message in problem.message]) == 1
    for problem in found:
        assert problem.line == line_of(text, f"{field.split('.')[0]}:")
        assert len(str(problem)) < 1_000
        assert "\x1b" not in str(problem)


@pytest.mark.parametrize(
    ("failure_type", "aliases", "field"),
    [
        (OWN, "[]", "failure_type"),
        ("", "[vacuum lock]", "aliases.0"),
        ("", "[vacuum]", "aliases.0"),
    ],
)
def test_two_causes_of_a_folder_do_not_share_a_name(
    failure_type: str, aliases: str, field: str, tmp_path: Path
) -> None:
    write_cause(tmp_path, OWN, own_cause(OWN, aliases="[vacuum]"))
    other = write_cause(tmp_path, "z_lock", own_cause("z_lock", failure_type, aliases))
    problems = check_files([tmp_path])[1]
    assert [(problem.path, problem.field) for problem in problems][-1:] == [(other, field)]
    assert problems[-1].message.endswith("rename one of them") or failure_type


def test_a_cause_with_a_clash_is_not_played(tmp_path: Path) -> None:
    write_folder(tmp_path)
    write_cause(tmp_path, OWN, own_cause(OWN, "row-lock"))
    with pytest.raises(ChaosOpsError, match=r"the file is broken: .*it reads like"):
        open_scenario("own-timeouts", [tmp_path])


def test_aliases_are_known_in_the_game_they_are_for(tmp_path: Path) -> None:
    write_folder(tmp_path)
    incident = drawing(tmp_path).incident
    by_name = {own.name: own for own in incident.own_causes}
    assert by_name[OWN].aliases == ("vacuum", ALIAS)
    assert by_name[NOT_CAST].glossary.startswith("A transaction that was left open")
