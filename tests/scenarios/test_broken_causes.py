"""Every kind of broken cause and situation: each gets its line, its field and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.errors import ChaosOpsError
from chaosops.scenarios.file_checks import check_file, check_files
from chaosops.scenarios.folders import builtin_folder
from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import edited, line_of

CAUSE = (builtin_folder() / "causes" / "database_waits" / "row_lock.yaml").read_text("utf-8")
SITUATION = (builtin_folder() / "medium" / "checkout-times-out.yaml").read_text("utf-8")
SCALING = next(line for line in SITUATION.splitlines() if "kind: autoscaler" in line)
SHOP = (builtin_folder() / "topologies" / "shop.yaml").read_text("utf-8")


def cause_file(home: Path, text: str, name: str = "own_lock", family: str = "own") -> Path:
    """A cause file of a person's own, in a scenario folder."""
    path = home / "causes" / family / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def own_cause() -> str:
    """A copy of a good cause under a name and in a family of its own."""
    text = edited(CAUSE, "id: row_lock", "id: own_lock")
    return edited(text, "family: database_waits", "family: own")


def situation_file(home: Path, text: str) -> Path:
    path = home / "medium" / "own-timeouts.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(edited(text, "id: checkout-times-out", "id: own-timeouts"), "utf-8")
    return path


BROKEN_CAUSES = {
    # what is broken: (old, new, words on the line it is reported on, field, part of the message)
    "an unknown key": ("clears:", "clear:", "clear:", "clear", 'did you mean "clears"?'),
    "no magnitude to solve": (
        "drive: level, ",
        "",
        "effects:",
        "effects",
        "none has a drive, so the magnitude cannot be solved; add one",
    ),
    "a twin of itself": (
        "twins: [deadlock, ",
        "twins: [own_lock, deadlock, ",
        "twins:",
        "twins",
        "a cause cannot be its own twin; name two others",
    ),
    "a twin that nobody knows": (
        "twins: [deadlock, ",
        "twins: [dead_lock, ",
        "twins:",
        "twins.0",
        'no cause "dead_lock"; did you mean "deadlock"?',
    ),
    "one twin alone": (
        "twins: [deadlock, ddl_lock, pool_leak, plan_flip, slow_disk]",
        "twins: [deadlock]",
        "twins:",
        "twins",
        "this needs 2 or more, and has 1",
    ),
    "an effect on a caller that it does not have": (
        "caller: {kinds: [app], traits: [pooled]}\n",
        "",
        "part: locks",
        "effects.0",
        "this cause has no caller; describe it under 'caller'",
    ),
    "another id than its file": (
        "id: own_lock",
        "id: other_lock",
        "id: other_lock",
        "id",
        'the file\'s name says "own_lock"; make the id and the name the same',
    ),
    "another family than its folder": (
        "family: own",
        "family: database_waits",
        "family: database_waits",
        "family",
        'its folder says "own"; move it, or rename it',
    ),
    "a failure type that there is not": (
        "failure_type: row_lock",
        "failure_type: row_locks",
        "failure_type",
        "failure_type",
        'did you mean "row_lock"?',
    ),
}

BROKEN_SITUATIONS = {
    "a cause that nobody knows": (
        "cause: row_lock,",
        "cause: rowlock,",
        "cause: rowlock",
        "casts.0.cause",
        'no cause "rowlock"; did you mean "row_lock"?',
    ),
    "a cause at a place where it does not fit": (
        "cause: row_lock,",
        "cause: row_lock, places: [cache],",
        "cause: row_lock",
        "casts.0.places.0",
        'row_lock cannot be at "cache"; use one of: db',
    ),
    "a page that the topology does not have": (
        "page: ",
        "page: no_",
        "page:",
        "page",
        "shop has no page",
    ),
    "a decoy at a service that there is not": (
        "- {at: search, part: node",
        "- {at: serach, part: node",
        "at: serach",
        "decoys.0.at",
        'shop has no service "serach"; did you mean "search"?',
    ),
    "an act of an agent on a service that there is not": (
        "act: delete expired sessions, target: db",
        "act: delete expired sessions, target: dbb",
        "target: dbb",
        "automation.2.events.1.target",
        'shop has no service "dbb"; did you mean "db"?',
    ),
    "a release of a service that there is not": (
        "{service: search, build: r6604",
        "{service: serach, build: r6604",
        "service: serach",
        "automation.1.releases.0.service",
        'shop has no service "serach"; did you mean "search"?',
    ),
    "scripted acts of an agent that acts by a policy": (
        "    releases:\n",
        "    events: [{at: 1, act: a, target: db, reason: a, approval: a}]\n    releases:\n",
        "events: [{at: 1",
        "automation.1.events",
        "what this agent does follows from 'standing'; remove one of them",
    ),
    "a topology that nobody knows": (
        "topology: shop",
        "topology: shops",
        "topology: shops",
        "topology",
        'no topology "shops"',
    ),
}


@pytest.mark.parametrize("what", BROKEN_CAUSES)
def test_a_broken_cause_is_told_with_its_line_and_a_cure(what: str, tmp_path: Path) -> None:
    old, new, words, field, message = BROKEN_CAUSES[what]
    text = edited(own_cause(), old, new)
    found = check_file(cause_file(tmp_path, text), [tmp_path])
    assert [problem.field for problem in found if problem.field == field] == [field], found
    (problem,) = (problem for problem in found if problem.field == field)
    assert message in problem.message
    assert problem.line == line_of(text, words)


@pytest.mark.parametrize("what", BROKEN_SITUATIONS)
def test_a_broken_situation_is_told_with_its_line_and_a_cure(what: str, tmp_path: Path) -> None:
    old, new, words, field, message = BROKEN_SITUATIONS[what]
    text = edited(SITUATION, old, new)
    path = situation_file(tmp_path, text)
    (problem,) = check_file(path)
    assert problem.field == field
    assert message in problem.message
    assert problem.line == line_of(text, words)
    with pytest.raises(ChaosOpsError, match=r"own-timeouts\.yaml"):
        open_scenario(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("- name: autoscaler", "- name: scaler", 'needs an agent "autoscaler" with a policy'),
        ("cpu_low: 20", "cpu_low: 25", ""),
        (
            SCALING,
            "    standing: {kind: health_checker}",
            "cannot change the policy of autoscaler: cpu_low",
        ),
    ],
)
def test_a_cause_needs_its_agent_and_a_policy_that_it_can_change(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    cause = "cause: row_lock, callers: [payments, cart, auth]"
    text = edited(SITUATION, cause, "cause: rogue_scale_in")
    found = check_file(situation_file(tmp_path, edited(text, old, new)))
    assert [problem.field for problem in found] == (["casts.0.cause"] if message else [])
    assert all(message in problem.message for problem in found)


@pytest.mark.parametrize(
    ("policy", "field", "message"),
    [
        ("{kind: patcher, most: 5}", ".most", 'unknown key "most"; '),
        ("{kind: patcher, minutes_between: soon}", ".minutes_between", "must be a whole number"),
        ("{kind: patchr}", "", 'there is no kind "patchr"; did you mean "patcher"?'),
        ("{minutes_between: 20}", "", 'required key "kind" is missing; add it here'),
    ],
)
def test_a_broken_policy_is_told_by_the_keys_of_its_kind(
    policy: str, field: str, message: str, tmp_path: Path
) -> None:
    text = edited(SITUATION, SCALING, f"    standing: {policy}")
    found = check_file(situation_file(tmp_path, text))
    assert found[0].field == f"automation.0.standing{field}"
    assert message in found[0].message
    assert "cpu_low" not in found[0].message


def test_a_good_cause_and_a_good_situation_of_ones_own_have_no_problem(tmp_path: Path) -> None:
    assert check_file(cause_file(tmp_path, own_cause()), [tmp_path]) == []
    text = edited(SITUATION, "cause: row_lock,", "cause: own_lock,")
    assert check_file(situation_file(tmp_path, text), [tmp_path]) == []


def test_a_broken_cause_is_named_where_a_situation_uses_it(tmp_path: Path) -> None:
    cause_file(tmp_path, edited(own_cause(), "clears:", "clear:"))
    text = edited(SITUATION, "cause: row_lock,", "cause: own_lock,")
    (problem,) = check_file(situation_file(tmp_path, text), [tmp_path])
    assert problem.field == "casts.0.cause"
    assert "the file is broken" in problem.message
    assert "own_lock.yaml" in problem.message


def test_two_causes_of_one_id_are_told_wherever_they_are(tmp_path: Path) -> None:
    text = edited(CAUSE, "family: database_waits", "family: own")
    path = cause_file(tmp_path, text, "row_lock")
    _files, problems = check_files([tmp_path])
    (problem,) = problems
    assert (problem.path, problem.field) == (path, "id")
    assert "has the same id; rename one of them" in problem.message
    assert "database_waits" in problem.message


@pytest.mark.parametrize(
    ("text", "where"),
    [(CAUSE, "a folder causes/database_waits"), (SHOP, "a folder topologies")],
    ids=["a cause", "a topology"],
)
def test_a_file_in_the_wrong_folder_is_told_where_it_belongs(
    text: str, where: str, tmp_path: Path
) -> None:
    path = tmp_path / "stray.yaml"
    path.write_text(text, "utf-8")
    (problem,) = check_file(path)
    assert f"move it into {where}" in problem.message


def test_causes_are_checked_with_their_folder(tmp_path: Path) -> None:
    path = cause_file(tmp_path, edited(own_cause(), "clears:", "clear:"))
    files, problems = check_files([tmp_path])
    assert files == [path]
    assert {problem.path for problem in problems} == {path}
