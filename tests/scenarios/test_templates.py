from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.rendering import MAX_SEED
from tests.scenarios.files import FIXTURE, INCIDENT, edited, write
from tests.worlds import built_in

seeds = st.integers(0, MAX_SEED)


@pytest.mark.slow
@given(seeds)
def test_a_seed_always_gives_the_same_incident(seed: int) -> None:
    first, second = open_scenario(FIXTURE), open_scenario(FIXTURE)

    assert first.render(seed) == second.render(seed) == first.render(seed)


@given(seeds)
def test_a_variant_is_picked_as_a_whole(seed: int) -> None:
    incident = open_scenario(FIXTURE).render(seed)
    effect = incident.faults[0].effects[0]

    assert (effect.service, effect.value, incident.logs[1].service) in {
        ("auth", 4.0, "cart"),
        ("notifications", 5.5, "search"),
    }
    assert incident.solution[1].target == effect.service
    assert incident.hints.answer == f"Roll back {effect.service}."


@given(seeds)
def test_a_text_that_is_one_variable_takes_its_type_and_range(seed: int) -> None:
    starts = open_scenario(FIXTURE).render(seed).faults[0].starts

    assert type(starts) is int
    assert -30 <= starts <= -20


@given(seeds)
def test_an_id_has_digits_where_the_pattern_says(seed: int) -> None:
    text = open_scenario(FIXTURE).render(seed).changes[0].text

    assert text[:4] == "CHG-"
    assert text[4:8].isdecimal()
    assert text[8:] == ": keep sessions longer"


def test_double_braces_are_braces() -> None:
    assert open_scenario(FIXTURE).render(3).logs[1].text == 'took {"items": 3}'


def test_seeds_spread_over_what_there_is_to_choose() -> None:
    source = open_scenario(FIXTURE)
    rendered = [source.render(seed) for seed in range(300)]
    victims = Counter(incident.faults[0].effects[0].service for incident in rendered)
    hosts = Counter(incident.logs[0].text for incident in rendered)
    minutes = {incident.faults[0].starts for incident in rendered}

    assert min(victims.values()) > 100
    assert len(hosts) == 3
    assert min(hosts.values()) > 60
    assert minutes == set(range(-30, -19))


def test_another_variable_leaves_the_choices_of_the_others_alone(tmp_path: Path) -> None:
    text = edited(INCIDENT, "  host:", "  pod: {choices: [a, b, c]}\n  host:")
    text = edited(text, "nudge: Compare", "nudge: In {pod}, compare")
    more = open_scenario(write(tmp_path, text))
    plain = open_scenario(FIXTURE)

    assert check_file(more.path) == []
    for seed in range(20):
        assert more.render(seed).faults == plain.render(seed).faults
        assert more.render(seed).changes == plain.render(seed).changes


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1, True, 1.5, "7", None])
def test_what_is_no_seed_is_refused_with_the_range(seed: Any) -> None:
    source = open_scenario(FIXTURE)

    with pytest.raises(ScenarioError, match="whole number from 0 to 4294967295"):
        source.render(seed)


def test_the_first_and_the_last_seed_are_fine() -> None:
    source = open_scenario(FIXTURE)

    assert source.render(0).id == source.render(MAX_SEED).id == "slow-sign-in"


_PRINT = """
import hashlib, sys
from chaosops.scenarios.loader import open_scenario
source = open_scenario(sys.argv[1] + "/slow-sign-in.yaml")
text = "".join(source.render(seed).model_dump_json() for seed in range(40))
print(source.content_hash, hashlib.sha256(text.encode()).hexdigest())
"""


def test_every_process_renders_the_same_under_any_hash_seed() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _PRINT, str(FIXTURE.parent)],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("0", "1", "4711")
    }

    assert len(outputs) == 1


def test_what_seed_7_gives_is_fixed_for_good() -> None:
    """A change here breaks every recording there is."""
    incident = open_scenario(FIXTURE).render(7)

    assert (
        incident.faults[0].effects[0].service,
        incident.faults[0].starts,
        incident.changes[0].text[:8],
        incident.logs[0].text,
    ) == ("notifications", -27, "CHG-6964", "gc pause 812 ms on beta")


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30))
def test_any_text_can_be_written_with_doubled_braces(tmp_path: Path, words: str) -> None:
    written = f"x{words}".replace("{", "{{").replace("}", "}}").replace("'", "''")
    text = edited(INCIDENT, "Look at what grows.", f"'{written}'")

    assert open_scenario(write(tmp_path, text)).render(1).hints.direction == f"x{words}"


def test_a_variable_can_stand_twice_in_one_text(tmp_path: Path) -> None:
    text = edited(INCIDENT, "Roll back {victim}.", "Now {victim}, {victim}!")
    incident = open_scenario(write(tmp_path, text)).render(2)
    victim = incident.faults[0].effects[0].service

    assert incident.hints.answer == f"Now {victim}, {victim}!"


def test_too_many_choices_are_refused(tmp_path: Path) -> None:
    many = ", ".join(f"h{i}" for i in range(101))
    problems = check_file(write(tmp_path, edited(INCIDENT, "alpha, beta, gamma", many)))

    assert [problem.field for problem in problems] == ["variables.host.choices"]
    assert "at most 100" in problems[0].message


@pytest.mark.parametrize("what", ["choices", "variants"])
def test_the_limits_of_a_file_are_checked_before_what_is_limited_is_looked_at(
    what: str, tmp_path: Path
) -> None:
    if what == "choices":
        many = ", ".join(f"h{i}" for i in range(40_000))
        text = edited(INCIDENT, "alpha, beta, gamma", many)
    else:
        (first,) = re.findall(r"^variants:\n((?:  - .*\n)+)", INCIDENT, re.M) or [""]
        text = edited(INCIDENT, first, first.splitlines(keepends=True)[0] * 2_000)
    begun = time.process_time()
    problems = check_file(write(tmp_path, text))
    assert [p.message for p in problems if "at most 100" in p.message]
    assert time.process_time() - begun < 6


def _reworded(folder: Path, name: str, key: str) -> Scenario:
    text = edited(INCIDENT, "id: slow-sign-in", f"id: {name}{key}")
    text = edited(text, "lesson: ", "lesson: In other words, ")
    return Scenario.load(write(folder, text, name), 7)


def test_a_stream_key_keeps_every_draw_when_a_file_is_renamed_and_reworded(tmp_path: Path) -> None:
    before = Scenario.load(FIXTURE, 7)
    after = _reworded(tmp_path, "login-slow", "\nstream_key: slow-sign-in")
    assert after.incident.logs == before.incident.logs
    assert after.incident.faults == before.incident.faults
    assert after.stream("traffic").random() == before.stream("traffic").random()


def test_without_a_stream_key_another_id_is_another_draw(tmp_path: Path) -> None:
    before = Scenario.load(FIXTURE, 7)
    assert _reworded(tmp_path / "a", "slow-sign-in", "").incident.logs == before.incident.logs
    after = _reworded(tmp_path / "b", "login-slow", "")
    assert after.incident.logs != before.incident.logs
    assert after.stream("traffic").random() != before.stream("traffic").random()


def test_each_built_in_incident_pins_its_stream_key() -> None:
    keys = [source.render(0).stream_key for source in built_in()]
    assert all(keys)
    assert len(set(keys)) == len(keys)
