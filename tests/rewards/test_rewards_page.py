"""The page about rewards says what the weights say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chaosops.env.desk import AHEAD_FOR, LAPSES_AFTER
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import FIRST_EDITION, SECOND_EDITION

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rewards.md").read_text("utf-8")
ROWS = {
    cells[1].strip(" `"): cells[2].strip()
    for line in PAGE.splitlines()
    if (cells := line.split("|"))[1:] and cells[1].strip().startswith("`")
}


def test_every_component_is_on_the_page() -> None:
    assert all(f"`{part.name}`" in PAGE for part in COMPONENTS)


@pytest.mark.parametrize("name", sorted(ROWS))
def test_the_points_of_a_component_are_its_weight(name: str) -> None:
    said = [float(number) for number in re.findall(r"-?\d+", ROWS[name])]
    special = {
        "early_root_cause_bonus": [SECOND_EDITION.certain_bonus],
        "wrong_diagnosis_penalty": [
            SECOND_EDITION.working_penalty,
            SECOND_EDITION.certain_penalty,
        ],
        "hint_penalty": list(SECOND_EDITION.hint_penalties),
    }
    assert said == special.get(name, [getattr(SECOND_EDITION, name, None)])


def test_the_stakes_are_in_the_table() -> None:
    weights = SECOND_EDITION
    for word, bonus, penalty in (
        ("working theory", weights.working_bonus, weights.working_penalty),
        ("certain", weights.certain_bonus, weights.certain_penalty),
    ):
        assert f"| {word} | {bonus:.0f} | {bonus / 2:g} | {penalty:.0f} |" in PAGE
    assert f"earns {weights.late_diagnosis_bonus:.0f} at most" in PAGE


def test_the_minutes_of_an_approval_are_those_of_the_desk() -> None:
    words = {8: "eight", 12: "twelve"}
    assert f"until it lapses after {words[LAPSES_AFTER]} minutes" in PAGE
    assert f"in advance, for {words[AHEAD_FOR]} minutes" in PAGE


def test_the_first_edition_has_its_own_weights() -> None:
    last = PAGE[PAGE.index("## Incidents of the first edition") :]
    for name in ("wrong_fix_penalty", "impact_penalty"):
        assert f"{-getattr(FIRST_EDITION, name):.0f}" in last
