"""The page about rewards says what the weights say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chaosops.env.desk import AHEAD_FOR, LAPSES_AFTER
from chaosops.env.models import (
    CauseFamily,
    Journey,
    NextStep,
    Trend,
    UpdateContent,
    UpdatePoint,
)
from chaosops.env.models.updates import SHARES
from chaosops.env.status_desk import CALM_FOR, DUE, OPEN_FOR, UpdateFacts, contradicted
from chaosops.rewards.components import COMPONENTS
from chaosops.rewards.reward_fn import RewardWeights

WEIGHTS = RewardWeights()
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
        "wrong_fix_penalty": [
            WEIGHTS.wrong_fix_penalty,
            WEIGHTS.wrong_instance_fix_penalty,
        ],
        "early_root_cause_bonus": [WEIGHTS.certain_bonus],
        "wrong_diagnosis_penalty": [
            WEIGHTS.working_penalty,
            WEIGHTS.certain_penalty,
        ],
        "hint_penalty": list(WEIGHTS.hint_penalties),
        "status_update_penalty": [
            WEIGHTS.status_update_penalty,
            WEIGHTS.untrue_update_penalty,
        ],
    }
    assert said == special.get(name, [getattr(WEIGHTS, name, None)])


def test_the_stakes_are_in_the_table() -> None:
    weights = WEIGHTS
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


def test_the_minutes_of_status_updates_are_those_of_the_desk() -> None:
    assert "in minutes {}, {} and {}. ".format(*DUE) in PAGE
    assert OPEN_FOR == 8
    assert "can't be sent any more after eight of them" in PAGE
    assert CALM_FOR == 10
    assert "in the next ten minutes" in PAGE


def test_the_example_of_a_draft_is_out_of_date_in_the_share_alone() -> None:
    said = re.search(
        r"in minute 11 a draft says that (\d+) % of requests fail at `edge` and that this is "
        r"rising, but the impact shows (\d+) % now and (\d+) % five minutes ago. Sent as it is, it "
        r"costs (\d+); amended to (\d+) %, it is true",
        PAGE,
    )
    assert said is not None
    drafted, now, before, cost, amended = (int(number) for number in said.groups())
    facts = UpdateFacts(
        (Journey("edge", now / 100, before / 100),),
        CauseFamily.NOT_KNOWN,
        "",
        frozenset(),
        under_way=False,
        fixed=False,
    )
    draft = UpdateContent(
        "edge", drafted, Trend.RISING, CauseFamily.NOT_KNOWN, "", NextStep.INVESTIGATE
    )
    assert contradicted(draft, facts) is UpdatePoint.FAILED
    assert cost == -WEIGHTS.untrue_update_penalty
    assert amended in SHARES
    assert contradicted(draft._replace(failed=amended), facts) is None
