from functools import cache

import pytest

from chaosops.env.casting import CURVES, CastingError, Curve, cast, left_alone, settled
from chaosops.env.models import Difficulty
from chaosops.env.physics.blueprint import Blueprint
from chaosops.env.physics.mesh import Mesh
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.fitting import placements
from tests.env.situations import sources
from tests.sampling import first_of_each

SOURCES = sources()
TRUTHS = [
    (source.id, cause.id, spot)
    for source in SOURCES
    for cause, spot in source.drawing.every()
    if not cause.harmless
]


def _source(name: str) -> tuple[Cause, ...]:
    source = next(source for source in SOURCES if source.id == name)
    return tuple(source.drawing.causes.values())


@cache
def _mesh(name: str) -> Mesh:
    source = next(source for source in SOURCES if source.id == name)
    return settled(Blueprint(source.topology))


@pytest.mark.few(3)
@pytest.mark.parametrize(("source", "cause", "spot"), first_of_each(TRUTHS, lambda case: case[1]))
def test_as_many_requests_fail_as_the_level_wants_and_the_hard_step_comes_late(
    source: str, cause: str, spot: tuple[str, str | None]
) -> None:
    mesh = _mesh(source)
    index = mesh.blueprint.index
    found = next(c for c in _source(source) if c.id == cause)
    caller = -1 if spot[1] is None else index[spot[1]]
    made = cast(found, index[spot[0]], caller, mesh, CURVES[Difficulty.MEDIUM])
    failed, _world = left_alone(made, mesh, 46)
    assert 0.01 <= failed[0] <= 0.04
    assert 1.7 * failed[0] <= failed[10] <= 3.5 * failed[0]
    for minute, wanted in CURVES[Difficulty.MEDIUM].points:
        assert failed[minute] == pytest.approx(wanted, rel=0.4)
    assert made.hard_at == 38


def test_the_same_place_gives_the_same_magnitudes() -> None:
    mesh = _mesh("checkout-times-out")
    cause = next(c for c in _source("checkout-times-out") if c.id == "row_lock")
    index = mesh.blueprint.index
    once, again = (
        cast(cause, index["db"], index["payments"], mesh, CURVES[Difficulty.MEDIUM])
        for _time in range(2)
    )
    assert once == again


def test_a_magnitude_that_cannot_be_solved_is_an_error_with_the_most_there_is() -> None:
    mesh = _mesh("checkout-times-out")
    cause = next(c for c in _source("checkout-times-out") if c.id == "row_lock")
    index = mesh.blueprint.index
    with pytest.raises(CastingError, match=r"at minute 0 90\.0% .* at most .*% can; choose"):
        cast(cause, index["db"], index["search"], mesh, Curve(((0, 0.9),)))


def test_a_cause_fits_wherever_its_place_and_a_caller_do() -> None:
    source = next(source for source in SOURCES if source.id == "checkout-times-out")
    row_lock = source.drawing.causes["row_lock"]
    found = [(spot.place, spot.caller) for spot in placements(row_lock, source.topology)]
    # Every application that keeps a pool to the database and fails without it.
    assert found == [
        ("db", name) for name in ("cart", "catalog", "search", "auth", "payments", "notifications")
    ]
