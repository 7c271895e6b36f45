"""Sets of incidents by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.models import Difficulty
from chaosops.errors import ScenarioError
from chaosops.evaluation.baselines.sets import SETS, SetError, open_set
from chaosops.scenarios.starter import write_starter
from tests.worlds import built_in


@pytest.mark.slow
def test_the_levels_make_up_the_whole_set_and_situations_are_those_above_the_tutorial() -> None:
    every = {source.id for source in open_set("all")}
    assert every == {source.id for source in built_in()}
    levels = [open_set(level.value) for level in Difficulty]
    assert sorted(source.id for some in levels for source in some) == sorted(every)
    situations = {source.id for source in open_set("situations")}
    assert situations == every - {source.id for source in open_set("tutorial")}


@pytest.mark.slow
def test_sets_and_incidents_can_be_joined_each_incident_once(tmp_path: Path) -> None:
    path = write_starter("slow-mornings", tmp_path)
    found = open_set(f"paying-ends-in-an-error, easy,{path}")
    ids = [source.id for source in found]
    assert ids[0] == "paying-ends-in-an-error"
    assert ids[-1] == "slow-mornings"
    assert len(set(ids)) == len(ids) == len(open_set("easy")) + 1
    assert "slow-mornings" in {source.id for source in open_set("all", (tmp_path,))}


@pytest.mark.parametrize("text", ["generated:0:100", "easy,generated:7"])
def test_a_kind_of_set_that_does_not_exist_is_refused_with_those_that_do(text: str) -> None:
    with pytest.raises(SetError, match="no sets of the kind 'generated'") as caught:
        open_set(text)
    assert all(name in str(caught.value) for name in SETS)


@pytest.mark.parametrize("text", ["", "easy,", " ,easy"])
def test_a_set_without_a_name_is_refused(text: str) -> None:
    with pytest.raises(SetError, match="choose from all"):
        open_set(text)


def test_an_incident_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ScenarioError, match="orders-hanged"):
        open_set("orders-hanged")
