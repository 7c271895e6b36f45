"""Moves of a cause that no game offers: each gets its line, its field and a cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.scenarios.file_checks import check_file
from tests.scenarios.files import edited, line_of
from tests.scenarios.test_broken_causes import cause_file, own_cause

_CLEARS = "{action: terminate}"
_TEMPTS = "{action: rollback, at: caller, why:"

WRONG_MOVES = {
    # what is wrong: (old, new, words on the line it is reported on, field, part of the message)
    "a cure that never lands": (
        _CLEARS,
        "{action: pause}",
        "{action: pause}",
        "clears.0.action",
        "'pause' can never do this: only actions that land affect a cause; use one of: ",
    ),
    "a wrong fix that changes nothing": (
        _TEMPTS,
        "{action: diagnose, at: caller, why:",
        "diagnose",
        "tempts.2.action",
        "'diagnose' can never do this: a wrong fix has to change the system; use one of: ",
    ),
    "a mitigation that never lands": (
        "tempts:",
        "eases:\n  - {action: flag, remains: 0.5}\ntempts:",
        "{action: flag",
        "eases.0.action",
        "'flag' can never do this: only actions that land affect a cause",
    ),
    "an argument that the verb has not": (
        _CLEARS,
        "{action: terminate, args: {replicas: 3}}",
        "replicas: 3",
        "clears.0.args.replicas",
        "'terminate' has no argument \"replicas\"; remove it",
    ),
    "an argument with another name": (
        _CLEARS,
        "{action: scale, args: {replica: 3}}",
        "replica: 3",
        "clears.0.args.replica",
        '\'scale\' has no argument "replica"; did you mean "replicas"?',
    ),
    "a number that no one can choose": (
        _CLEARS,
        "{action: scale, args: {replicas: {at_least: 900}}}",
        "at_least: 900",
        "clears.0.args.replicas",
        "replicas can't take such a value: 1, 2, 3, 4, 5, 6, 8, 10, 12",
    ),
    "a range between two choices": (
        _CLEARS,
        "{action: scale, args: {replicas: {at_least: 7, at_most: 7}}}",
        "at_most: 7",
        "clears.0.args.replicas",
        "replicas can't take such a value: 1, 2, 3, 4, 5, 6, 8, 10, 12",
    ),
    "a number that is no choice": (
        _CLEARS,
        "{action: scale, args: {replicas: 7}}",
        "replicas: 7",
        "clears.0.args.replicas",
        '"7" is not a value of replicas',
    ),
    "a number in quotes": (
        _CLEARS,
        '{action: scale, args: {replicas: "3"}}',
        'replicas: "3"',
        "clears.0.args.replicas",
        '"3" is not a value of replicas',
    ),
    "a word that is no choice": (
        _TEMPTS,
        "{action: raise_limit, at: caller, args: {limit: memry}, why:",
        "memry",
        "tempts.2.args.limit",
        '"memry" is not a value of limit; did you mean "memory"?',
    ),
    "bounds the wrong way round": (
        _CLEARS,
        "{action: scale, args: {replicas: {at_least: 8, at_most: 3}}}",
        "at_most: 3",
        "clears.0.args.replicas",
        "no number is at least 8 and at most 3; swap them",
    ),
    "bounds of nothing": (
        _CLEARS,
        "{action: scale, args: {replicas: {}}}",
        "replicas: {}",
        "clears.0.args.replicas",
        "this sets no bound; add 'at_least' or 'at_most', or remove it",
    ),
}


@pytest.mark.parametrize("what", WRONG_MOVES)
def test_a_move_that_no_game_offers_is_named_with_line_field_and_cure(
    what: str, tmp_path: Path
) -> None:
    old, new, words, field, message = WRONG_MOVES[what]
    text = edited(own_cause(), old, new)

    (problem,) = check_file(cause_file(tmp_path, text), [tmp_path])

    assert problem.field == field
    assert message in problem.message
    assert problem.line == line_of(text, words)


@pytest.mark.parametrize(
    "move",
    [
        "{action: escalate}",
        "{action: scale, args: {replicas: 8}}",
        "{action: scale, args: {replicas: {at_least: 7}}}",
        "{action: scale, args: {replicas: {at_least: 1, at_most: 1}}}",
        "{action: drain, args: {unit: instance}}",
    ],
)
def test_a_move_that_a_game_offers_is_fine(move: str, tmp_path: Path) -> None:
    text = edited(own_cause(), _CLEARS, move)
    assert check_file(cause_file(tmp_path, text), [tmp_path]) == []
