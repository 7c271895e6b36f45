"""What only a simulation shows of a file: told by validate, with line, field and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.trials import try_file
from chaosops.scenarios.file_checks import check_file
from tests.cli.helpers import run_here
from tests.scenarios.files import edited, line_of
from tests.scenarios.test_broken_causes import (
    SHOP,
    SITUATION,
    cause_file,
    own_cause,
    situation_file,
)

ROW_LOCK = "cause: row_lock, callers: [payments, cart, auth]"

_CATALOG_ERRORS = "{at: catalog, part: node, parameter: errors"

SENSELESS_CAUSES = {
    # what is wrong: (old, new, words on the line it is reported on, field, part of the message)
    "an effect in a component that the place does not have": (
        "part: locks",
        "part: cache",
        "part: cache",
        "effects.0.part",
        "store has no 'cache': node, instances, link, memory, locks",
    ),
    "an effect on a parameter that there is not": (
        "parameter: blocked",
        "parameter: stopped",
        "parameter: stopped",
        "effects.0.parameter",
        "locks has no parameter 'stopped': blocked",
    ),
    "a hard step in a parameter that there is not": (
        "parameter: fill",
        "parameter: full",
        "hard:",
        "course.hard.parameter",
        "disk has no parameter 'full'",
    ),
    "a place that no topology has": (
        "place: {kinds: [database], traits: [disk]}",
        "place: {kinds: [cache], traits: [sharded]}",
        "place:",
        "place",
        "it fits no service of",
    ),
    "an effect on a store where the place keeps no connections": (
        "part: locks, ",
        "part: locks, at: store, ",
        "part: locks",
        "effects.0.at",
        "nothing there is its store",
    ),
    "an effect on a consumer where the place hands on no messages": (
        "part: locks, ",
        "part: locks, at: consumer, ",
        "part: locks",
        "effects.0.at",
        "nothing there is its consumer",
    ),
}


@pytest.mark.parametrize("what", SENSELESS_CAUSES)
def test_a_cause_that_cannot_act_is_told(what: str, tmp_path: Path) -> None:
    old, new, words, field, message = SENSELESS_CAUSES[what]
    text = edited(own_cause(), old, new)
    path = cause_file(tmp_path, text)
    assert check_file(path, [tmp_path]) == []
    (problem,) = try_file(path, [tmp_path])
    assert problem.field == field
    assert message in problem.message
    assert problem.line == line_of(text, words)


@pytest.mark.slow
def test_a_magnitude_that_cannot_be_solved_is_told_at_the_cause(tmp_path: Path) -> None:
    """A lock that may hold one call in a thousand never fails as many as the level wants."""
    cause_file(tmp_path, edited(own_cause(), "most: 0.9", "most: 0.001"))
    text = edited(SITUATION, "cause: row_lock,", "cause: own_lock,")
    path = situation_file(tmp_path, text)
    (problem,) = try_file(path, [tmp_path])
    assert problem.field == "casts.0.cause"
    assert "own_lock" in problem.message
    assert problem.line == line_of(text, "cause: own_lock")


def test_a_topology_that_cannot_carry_its_own_load_is_told(tmp_path: Path) -> None:
    """Catalog gets 480 requests a second, more with retries, and one replica serves 333."""
    topologies = tmp_path / "topologies"
    topologies.mkdir()
    text = edited(SHOP, "id: shop\n", "id: small\n")
    before, after = text.split("- name: catalog", 1)
    text = f"{before}- name: catalog{edited(after, 'replicas: 3', 'replicas: 1')}"
    (topologies / "small.yaml").write_text(text, "utf-8")
    path = situation_file(tmp_path, edited(SITUATION, "topology: shop", "topology: small"))
    assert check_file(path) == []
    (problem,) = try_file(path, [tmp_path])
    assert problem.field == "topology"
    assert "small: catalog cannot carry its own load" in problem.message
    assert "1 replica serves 333" in problem.message
    assert "use 4 replicas" in problem.message


@pytest.mark.slow
def test_a_place_at_which_an_agent_helps_too_much_is_told_with_its_agents(tmp_path: Path) -> None:
    """Bots at the cart are met by replicas that the autoscaler adds, until it has no more."""
    bots = "cause: hostile_traffic, places: [cart], callers: [edge]"
    text = edited(SITUATION, ROW_LOCK, bots)
    (problem,) = try_file(situation_file(tmp_path, text))
    assert problem.field == "casts.0.cause"
    assert "(none will do; without the agents there it would" in problem.message


@pytest.mark.slow
def test_a_place_that_jumps_is_told_with_the_places_that_will_do(tmp_path: Path) -> None:
    """Search is optional in the shop, so a quota there hurts nobody; at the cart it does."""
    text = edited(SITUATION, ROW_LOCK, "cause: cpu_quota, places: [search, cart]")
    (problem,) = try_file(situation_file(tmp_path, text))
    assert problem.field == "casts.0.cause"
    assert "cpu_quota" in problem.message
    assert problem.message.endswith("(of those that it names, cart will do)")


@pytest.mark.slow
def test_a_decoy_in_a_parameter_that_there_is_not_is_told(tmp_path: Path) -> None:
    text = edited(SITUATION, "parameter: delay_ms", "parameter: delay")
    (problem,) = try_file(situation_file(tmp_path, text))
    assert problem.field == "decoys.0.parameter"
    assert "node has no parameter 'delay'" in problem.message


@pytest.mark.slow
def test_a_decoy_that_users_notice_is_told_with_the_share_that_fails(tmp_path: Path) -> None:
    """Each page needs the catalog, and a third of its requests would fail."""
    text = edited(SITUATION, "{at: search, part: node, parameter: errors", _CATALOG_ERRORS)
    (problem,) = try_file(situation_file(tmp_path, text))
    assert problem.field == "decoys.2.value"
    assert "of user requests fail by it at catalog, though nothing else is wrong" in problem.message
    assert "a decoy may make 0.2% of them fail" in problem.message


def test_validate_tries_what_is_well_formed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cause_file(tmp_path, edited(own_cause(), "part: locks", "part: cache"))
    done = run_here(capsys, "scenarios", "validate", str(path))
    assert done.code == 1
    assert "effects.0.part: store has no 'cache'" in done.out


@pytest.mark.proof
def test_the_built_in_set_passes_every_trial(capsys: pytest.CaptureFixture[str]) -> None:
    done = run_here(capsys, "scenarios", "validate")
    assert done.out.endswith("0 problems\n"), done.out
    assert done.code == 0
