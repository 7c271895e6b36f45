"""`chaosops causes`: what it lists, shows, writes and tries."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from chaosops.scenarios.cause import At
from chaosops.scenarios.cause_list import PARTS, list_causes
from chaosops.scenarios.cause_starter import write_cause_starter
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.folders import cause_files
from chaosops.scenarios.own_causes import in_general
from tests.cli.helpers import Outcome, is_one_line_with_a_cure, run_here
from tests.env.situations import scenario
from tests.own_folder import ALIAS, OWN, own_cause, write_cause, write_folder
from tests.scenarios.files import edited, line_of

Capture = pytest.CaptureFixture[str]
_FIRST, _LAST = "<!-- cause trials: begin -->", "<!-- cause trials: end -->"


def test_list_has_every_cause_by_family_with_its_type_its_places_and_its_twins(
    capsys: Capture,
) -> None:
    rows = json.loads(run_here(capsys, "causes", "list", "--json").out)
    assert [row["id"] for row in rows] == [listed.cause.id for listed in list_causes(())[0]]
    assert set(cause_files(())) == {row["id"] for row in rows}
    assert [row["family"] for row in rows] == sorted(row["family"] for row in rows)
    row = next(row for row in rows if row["id"] == "pool_leak")
    assert row["failure_type"] == "pool_exhausted"
    assert row["fits"]["shop"]
    assert "row_lock" in row["twins"]
    assert all(row["built_in"] for row in rows)


def test_list_as_text_takes_one_family(capsys: Capture) -> None:
    outcome = run_here(capsys, "causes", "list", "--family", "queues")
    head, *rows = outcome.out.splitlines()
    assert head.split() == ["FAMILY", "CAUSE", "FAILURE", "TYPE", "FITS", "TWINS"]
    assert {row.split()[0] for row in rows} == {"queues"}
    wrong = run_here(capsys, "causes", "list", "--family", "queue")
    assert wrong.code == 2
    assert "choose from" in wrong.err


def test_list_has_the_causes_of_a_folder_and_names_broken_files(
    tmp_path: Path, capsys: Capture
) -> None:
    write_folder(tmp_path)
    write_cause(tmp_path, "broken", "id: broken\n")
    outcome = run_here(capsys, "causes", "list", "--scenarios", str(tmp_path), "--json")
    assert outcome.code == 1
    own = [row for row in json.loads(outcome.out) if not row["built_in"]]
    assert [row["id"] for row in own] == ["audit_lock", "ledger_freeze", OWN, "vault_lock"]
    assert own[1]["failure_type"] == "frozen_ledger"
    assert outcome.err.startswith(f"error: {tmp_path / 'causes' / 'own_locks' / 'broken.yaml'}:1")
    assert outcome.err.count("\n") == 1


def test_show_tells_first_what_one_may_know_then_the_rest(capsys: Capture) -> None:
    outcome = run_here(capsys, "causes", "show", "row_lock")
    known, rest = outcome.out.split("\nSpoilers\n")
    for word in ("row_lock", "database_waits", "A transaction that was left open", "shop: db"):
        assert word in known
    assert "terminate" not in known
    for words in ("terminate the service", "it comes back after 2 min", "Joyent", "its caller"):
        assert words in rest
    assert "{" not in outcome.out
    brief = run_here(capsys, "causes", "show", "row_lock", "--brief")
    assert brief.out.strip() == known.strip()


@pytest.mark.few(3)
@pytest.mark.parametrize("name", sorted(cause_files(())))
def test_show_is_in_plain_words_for_every_cause(name: str, capsys: Capture) -> None:
    outcome = run_here(capsys, "causes", "show", name)
    assert outcome.code == 0
    assert not [
        word for word in ("{place}", "{caller}", "{table}", "{build}") if word in outcome.out
    ]
    facts = json.loads(run_here(capsys, "causes", "show", name, "--json").out)
    assert facts["clears"]
    assert facts["tempts"]
    assert facts["same_kind"]


def test_everything_that_is_drawn_has_words_for_a_text_in_general() -> None:
    for name in dict(scenario("checkout-times-out", "row_lock").incident.drawn.words):
        assert in_general(f"{{{name}}}") != f"{{{name}}}"
    assert set(PARTS) == set(At)


def test_show_takes_a_path_and_an_authors_cause(tmp_path: Path, capsys: Capture) -> None:
    write_folder(tmp_path)
    by_id = run_here(capsys, "causes", "show", OWN, "--scenarios", str(tmp_path))
    path = tmp_path / "causes" / "own_locks" / f"{OWN}.yaml"
    assert run_here(capsys, "causes", "show", str(path)) == by_id
    assert f"or, typed: vacuum, {ALIAS}" in by_id.out


@pytest.mark.parametrize("name", ["row_lok", "x" * 10_000, "no\x1b[2J", "README.md", "a/b.yaml"])
def test_show_says_what_it_does_not_find(name: str, capsys: Capture) -> None:
    outcome = run_here(capsys, "causes", "show", name)
    assert outcome.code != 0
    assert is_one_line_with_a_cure(outcome.err)
    assert "\x1b" not in outcome.err
    if name == "row_lok":
        assert 'did you mean "row_lock"?' in outcome.err


@pytest.mark.slow
def test_new_writes_a_cause_that_validates_as_it_is(tmp_path: Path, capsys: Capture) -> None:
    home = tmp_path / "home"
    outcome = run_here(capsys, "causes", "new", "slow_table", "--to", str(home))
    path = home / "causes" / "own" / "slow_table.yaml"
    assert outcome.out == (f"wrote {path}: edit it, then run 'chaosops causes validate {path}'\n")
    assert (home / "cause.schema.json").is_file()
    assert path.read_text("utf-8").startswith(
        "# yaml-language-server: $schema=../../cause.schema.json\n"
    )
    tried = run_here(capsys, "causes", "validate", str(path))
    assert tried.code == 0
    assert tried.out.endswith("\n1 cause, 0 problems\n")


def test_new_goes_to_the_family_whose_folder_it_is_given(tmp_path: Path) -> None:
    at = tmp_path / "causes" / "mine"
    assert write_cause_starter("slow_table", at) == at / "slow_table.yaml"
    assert check_file(at / "slow_table.yaml") == []
    other = write_cause_starter("other_table", tmp_path / "causes", "yours")
    assert other == tmp_path / "causes" / "yours" / "other_table.yaml"
    assert check_file(other) == []


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("Upper", (), "is not an id"),
        ("x" * 41, (), "is not an id"),
        ("esc\x1b[2J", (), "is not an id"),
        ("row_lock", (), "has the id row_lock: choose another id"),
        ("disk-full", (), "reads like a built-in failure type"),
        ("fine", ("--family", "Not fine"), "is not the name of a family"),
        ("taken", (), "choose another id"),
    ],
)
def test_new_refuses_what_would_not_validate(
    name: str, more: tuple[str, ...], words: str, tmp_path: Path, capsys: Capture
) -> None:
    write_cause(tmp_path, "taken", "mine\n", "own")
    outcome = run_here(capsys, "causes", "new", name, "--to", str(tmp_path), *more)
    assert outcome.code != 0
    assert is_one_line_with_a_cure(outcome.err)
    assert words in outcome.err
    assert "\x1b" not in outcome.err
    assert (tmp_path / "causes" / "own" / "taken.yaml").read_text("utf-8") == "mine\n"
    assert len(list(tmp_path.rglob("*.yaml"))) == 1


def test_new_says_where_it_cannot_write(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "causes").write_text("a file")
    outcome = run_here(capsys, "causes", "new", "slow_table", "--to", str(tmp_path))
    assert outcome.code == 1
    assert is_one_line_with_a_cure(outcome.err)
    assert "choose a folder with --to" in outcome.err


def validated(capsys: Capture, *paths: Path) -> Outcome:
    return run_here(capsys, "causes", "validate", *map(str, paths))


@pytest.mark.slow
def test_validate_reports_each_problem_with_its_line_and_tries_the_sound_ones(
    tmp_path: Path, capsys: Capture
) -> None:
    sound = write_cause_starter("slow_table", tmp_path)
    text = edited(sound.read_text("utf-8"), "id: slow_table", "id: slow_tables")
    text = edited(text, "clears:", "clear:")
    broken = write_cause(tmp_path, "slow_tables", text, "own")
    outcome = validated(capsys, tmp_path)
    assert outcome.code == 1
    at = f"{broken}:{line_of(text, 'clear:')}: clear: "
    assert f'{at}unknown key "clear"; did you mean "clears"?\n' in outcome.out
    assert f"{sound}: 16 places on 4 topologies\n" in outcome.out
    assert "shop        catalog        -       yes  yes          yes" in outcome.out
    assert outcome.out.endswith("\n2 causes, 2 problems\n")


@pytest.mark.slow
def test_validate_names_the_line_of_a_move_that_is_not_as_the_file_says(
    tmp_path: Path, capsys: Capture
) -> None:
    path = write_cause_starter("slow_table", tmp_path)
    text = edited(path.read_text("utf-8"), "remains: 0.4, minutes: 12", "remains: 1.0")
    path.write_text(text, "utf-8")
    outcome = validated(capsys, path)
    assert outcome.code == 1
    at = f"{path}:{line_of(text, '- {action: disable_feature')}: eases.0: at schemas in pipeline"
    assert f"{at} and 15 more: no fewer requests fail with it; lower 'remains'" in outcome.out
    assert "0 of 1" in outcome.out
    found = json.loads(run_here(capsys, "causes", "validate", str(path), "--json").out)
    assert [problem["field"] for problem in found["problems"]] == ["eases.0"]
    trials = found["trials"][str(path)]
    assert {trial["topology"] for trial in trials} == {"pipeline", "shop", "storefront", "zones"}
    moves = trials[0]["moves"]
    assert [(move["list"], bool(move["problem"])) for move in moves][:2] == [
        ("clears", False),
        ("eases", True),
    ]


@pytest.mark.parametrize("part", ["", "causes", "causes/tables"])
def test_validate_finds_causes_of_a_folder_whatever_it_is_in(
    part: str, tmp_path: Path, capsys: Capture
) -> None:
    folder = tmp_path / "causes" / "mine"
    text = write_cause_starter("slow_table", tmp_path / "elsewhere").read_text("utf-8")
    write_cause(folder, "slow_table", edited(text, "clears:", "clear:"), "tables")
    outcome = validated(capsys, folder / part)
    assert "\n1 cause, " in outcome.out
    assert str(folder / "causes" / "tables" / "slow_table.yaml") in outcome.out


def _page(folder: Path, text: str = "") -> Path:
    page = folder / "page.md"
    page.write_text(text or f"Before.\n{_FIRST}\nold\n{_LAST}\nAfter.\n", "utf-8")
    return page


def test_validate_writes_the_outcome_into_a_page(tmp_path: Path, capsys: Capture) -> None:
    page = _page(tmp_path)
    cause = cause_files(())["slow_consumer"]
    outcome = run_here(capsys, "causes", "validate", str(cause), "--write", str(page))
    assert outcome.code == 0, outcome
    text = page.read_text("utf-8")
    assert text.startswith(f"Before.\n{_FIRST}\nEngine ")
    assert text.endswith(f"\n{_LAST}\nAfter.\n")
    assert "| queues | `slow_consumer` | pipeline 1 | 1 on 1 |" in text
    assert "old" not in text


def test_validate_tries_nothing_if_the_outcome_has_no_place_to_go(
    tmp_path: Path, capsys: Capture
) -> None:
    for page in (_page(tmp_path, "no comments\n"), tmp_path / "nowhere.md"):
        outcome = run_here(capsys, "causes", "validate", "--write", str(page))
        assert outcome.code == 1
        assert is_one_line_with_a_cure(outcome.err)
        assert outcome.out == ""


def test_validate_leaves_the_page_as_it_is_while_a_file_is_broken(
    tmp_path: Path, capsys: Capture
) -> None:
    page = _page(tmp_path)
    before = page.read_text("utf-8")
    sound = write_cause_starter("slow_table", tmp_path / "own")
    sound.write_text(edited(sound.read_text("utf-8"), "clears:", "clear:"), "utf-8")
    outcome = run_here(capsys, "causes", "validate", str(sound), "--write", str(page))
    assert outcome.code == 1
    assert "unknown key" in outcome.out
    assert "mend them first" in outcome.err
    assert page.read_text("utf-8") == before


@pytest.mark.parametrize(
    ("old", "new", "field", "message"),
    [
        ("{action: rollback}", "{action: diagnose}", "clears.0.action", "can never do this"),
        ("{limit: cpu}", "{limit: space}", "tempts.1.args.limit", "is not a value of limit"),
        ("{limit: cpu}", "{limits: cpu}", "tempts.1.args.limits", "has no argument"),
    ],
)
def test_a_move_that_no_game_offers_is_a_problem_of_the_file(
    old: str, new: str, field: str, message: str, tmp_path: Path
) -> None:
    path = write_cause_starter("slow_table", tmp_path)
    text = edited(path.read_text("utf-8"), old, new)
    path.write_text(text, "utf-8")
    (problem,) = check_file(path)
    assert problem.field == field
    assert message in problem.message
    assert problem.line == line_of(text, new)


def test_two_files_that_are_checked_one_by_one_are_compared_all_the_same(
    tmp_path: Path, capsys: Capture
) -> None:
    write_cause(tmp_path, OWN, own_cause(OWN))
    twin = write_cause(tmp_path, "z_lock", own_cause("z_lock", aliases="[vacuum lock]"))
    outcome = validated(capsys, twin)
    assert outcome.code == 1
    assert 'is named "vacuum lock" too; rename one of them' in outcome.out


@pytest.mark.slow
def test_validate_says_what_it_cannot_read_and_goes_on(tmp_path: Path, capsys: Capture) -> None:
    family = tmp_path / "causes" / "own"
    good = write_cause_starter("slow_table", tmp_path)
    os.mkfifo(family / "pipe.yaml")
    (family / "gone.yaml").symlink_to("nowhere.yaml")
    (family / "loop.yaml").symlink_to("loop.yaml")
    (family / "zero.yaml").symlink_to("/dev/zero")
    (family / "folder.yaml").mkdir()
    (family / "huge.yaml").write_text("a" * 2_000_000)
    (family / "deep.yaml").write_text("effects: " + "[" * 5_000)
    (family / "escape.yaml").write_text('id: "\x1b[2J"\n')
    outcome = validated(capsys, tmp_path)
    assert outcome.code == 1
    assert f"{good}: 16 places" in outcome.out
    assert "\x1b" not in outcome.out + outcome.err
    assert "Traceback" not in outcome.err
    named = ("pipe", "gone", "loop", "zero", "folder", "huge", "deep", "escape")
    for name in named:
        assert f"{family / name}.yaml" in outcome.out, name


@pytest.mark.parametrize("path", ["gone", "README.md", "empty"])
def test_validate_says_where_causes_belong(path: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "README.md").write_text("words")
    (tmp_path / "empty").mkdir()
    outcome = validated(capsys, tmp_path / path)
    assert outcome.code != 0
    assert is_one_line_with_a_cure(outcome.err)
