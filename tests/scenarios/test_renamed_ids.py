from pathlib import Path

import pytest

from chaosops.env.world_sim import Scenario
from chaosops.errors import ScenarioError
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.renamed_ids import current_id, renamed_ids, replaced_ids
from chaosops.scenarios.starter import write_starter
from chaosops.scenarios.summaries import file_of, summary_of
from tests.scenarios.files import INCIDENT, edited, write
from tests.worlds import built_in

STILL_THERE = [former for former, now in renamed_ids().items() if now not in replaced_ids()]


@pytest.mark.parametrize("former", STILL_THERE)
def test_a_former_id_opens_the_incident_under_its_new_one(former: str) -> None:
    current = current_id(former)
    assert current != former
    assert Scenario.load(former, seed=3) == Scenario.load(current, seed=3)
    assert Scenario.load(former).id == current
    path = file_of(former)
    assert path == file_of(current) == open_scenario(former).path
    seen = summary_of(path)
    assert seen is not None
    assert seen.id == current


def test_former_ids_lead_to_incidents_that_are_there_or_replaced_and_are_nobodys_now() -> None:
    ids = {source.id for source in built_in()}
    assert set(renamed_ids().values()) <= ids | set(replaced_ids())
    assert STILL_THERE
    assert not ids & set(renamed_ids())
    assert len(set(renamed_ids().values())) == len(renamed_ids())


@pytest.mark.parametrize(("gone", "instead"), replaced_ids().items())
def test_an_incident_that_is_gone_is_told_with_the_situation_instead_of_it(
    gone: str, instead: str
) -> None:
    assert instead in {source.id for source in built_in()}
    assert gone not in renamed_ids()
    with pytest.raises(ScenarioError, match=f"{gone} is no more: play {instead} instead"):
        open_scenario(gone)


@pytest.mark.parametrize("former", sorted(set(renamed_ids()) - set(STILL_THERE)))
def test_the_former_id_of_an_incident_that_is_gone_is_told_the_same(former: str) -> None:
    instead = replaced_ids()[current_id(former)]
    with pytest.raises(ScenarioError, match=f"{former} is no more: play {instead} instead"):
        open_scenario(former)


def test_a_persons_own_incident_may_have_the_id_of_one_that_is_gone(tmp_path: Path) -> None:
    gone = next(iter(replaced_ids()))
    path = write(tmp_path, edited(INCIDENT, "id: slow-sign-in", f"id: {gone}"), gone)
    assert open_scenario(gone, [tmp_path]).path == path


def test_an_id_that_was_never_renamed_stays_as_it_is() -> None:
    assert current_id("errors-come-and-go") == "errors-come-and-go"
    with pytest.raises(ScenarioError, match='no scenario "never-heard-of"'):
        open_scenario("never-heard-of")


def test_a_persons_own_incident_goes_before_a_built_in_one_that_once_had_its_id(
    tmp_path: Path,
) -> None:
    text = edited(INCIDENT, "id: slow-sign-in", "id: orders-stall")
    path = write(tmp_path, text, "orders-stall")
    assert open_scenario("orders-stall", [tmp_path]).path == path
    assert file_of("orders-stall", [tmp_path]) == path


def test_a_new_incident_cannot_have_a_former_id_of_a_built_in_one(tmp_path: Path) -> None:
    with pytest.raises(
        ScenarioError, match="is a former id of first-shift-5-orders-hang: choose another id"
    ):
        write_starter("first-shift-5-writes-wait", tmp_path)
    assert not list(tmp_path.iterdir())
