"""Healthy services show what real ones do, and the page says where they don't, and why."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.env.instruments.healthy_figures import FIGURES, MARK, SEEDS, Figure, page, spread, within
from tests.env.instruments.healthy_services import (
    Hour,
    Population,
    look_at,
    one_of_each_topology,
    population,
    quiet_situations,
)
from tests.env.situations import scenario, world

_PAGE = Path(__file__).parents[3] / "docs" / "physics.md"


@cache
def few() -> Population:
    """Two incidents, on fleets that together have every component."""
    known = {source.topology.id: source for source in one_of_each_topology()}
    return population((known["pipeline"], known["shop"]), 1)


@cache
def all_of_the_page() -> Population:
    return population(quiet_situations(), SEEDS)


def named(name: str) -> Figure:
    return next(figure for figure in FIGURES if figure.name == name)


def test_medians_of_healthy_services_are_as_usual_but_where_the_page_says_why() -> None:
    measured = {f.name: spread(f.measure(few())) for f in FIGURES if not f.differs}
    assert {name: it for name, it in measured.items() if not within(named(name), it)} == {}


@pytest.mark.parametrize(
    ("situation", "cause", "names"),
    [
        ("checkout-times-out", "slow_disk", ("sessions, active",)),
        ("checkout-times-out", "row_lock", ("longest wait for a lock",)),
        ("checkout-times-out", "pool_leak", ("pool, in use", "pool, waiting")),
        ("search-p99-high", "collector_thrash", ("time in gc", "longest pause of gc")),
    ],
)
def test_the_same_figures_of_a_sick_service_are_not(
    situation: str, cause: str, names: tuple[str, ...]
) -> None:
    made = world(scenario(situation, cause))
    place = made.scenario.incident.drawn.place
    for _minute in range(20):
        made.advance()
    kind = next(service.kind for service in made.topology.services if service.name == place)
    sick = Population((Hour("shop", place, kind, (look_at(made, place),)),), ())
    for name in names:
        figure = named(name)
        measured = spread(figure.measure(sick))
        assert not within(figure, measured), (name, measured)


def test_percentiles_lie_between_the_two_values_next_to_them() -> None:
    assert spread(range(101)) == (5.0, 50.0, 95.0, 101)
    assert spread([4.0, 1.0, 2.0]) == (pytest.approx(1.1), 2.0, pytest.approx(3.8), 3)
    assert spread([7.0]) == (7.0, 7.0, 7.0, 1)


def test_healthy_services_are_of_four_topologies_and_exclude_what_is_not_well() -> None:
    assert {source.topology.id for source in quiet_situations()} == {
        "pipeline",
        "shop",
        "storefront",
        "zones",
    }
    assert len(quiet_situations()) >= 8
    services = {(hour.topology, hour.service) for hour in few().hours}
    assert ("shop", "edge") not in services
    assert ("shop", "db") in services


@pytest.mark.slow
def test_the_page_is_current() -> None:
    text = _PAGE.read_text("utf-8")
    assert f"<!-- {MARK}: begin -->\n{page(all_of_the_page())}\n<!-- {MARK}: end -->" in text


@pytest.mark.slow
def test_the_page_says_why_just_where_the_median_is_not_as_usual() -> None:
    unusual = {f.name for f in FIGURES if not within(f, spread(f.measure(all_of_the_page())))}
    assert unusual == {figure.name for figure in FIGURES if figure.differs}
