"""What comes into an application against figures that were worked out by hand."""

from __future__ import annotations

import pytest

from chaosops.env.physics.intake import Intake
from chaosops.env.physics.mesh import Mesh
from tests.env.physics.fleets import mesh, part

SHOP, API = 0, 1


def fleet() -> Mesh:
    """100 users a second, each of whom asks an API once; it can serve 200 a second on 4 cores."""
    made = mesh(
        [
            {"name": "shop", "kind": "edge", "calls": [{"to": "api", "timeout_ms": 5000}]},
            {
                "name": "api",
                "kind": "app",
                "replicas": 2,
                "rps_per_replica": 100,
                "servers": 4,
                "base_ms": 40,
                "queue_seconds": 0.2,
            },
        ]
    )
    run(made, 2)
    return made


def run(made: Mesh, minutes: int, parameter: str = "", value: float = 0.0) -> None:
    for _minute in range(minutes):
        made.reset_parameters()
        if parameter:
            intake(made).inject(parameter, value, made.blueprint.link_between(SHOP, API))
        made.advance(1.0)


def intake(made: Mesh) -> Intake:
    found = part(made, "api", "intake")
    assert isinstance(found, Intake)
    return found


def test_on_an_ordinary_day_nothing_comes_in_besides_the_ordinary_load() -> None:
    made = fleet()
    assert intake(made).is_idle
    assert (made.nodes[SHOP].offered, made.nodes[API].offered) == (100.0, 100.0)


def test_people_come_by_the_caller_and_go_by_and_by() -> None:
    made = fleet()
    run(made, 1, "people", 0.5)
    assert (made.nodes[SHOP].offered, made.nodes[API].offered) == (150.0, 150.0)
    assert made.users_ok == 1.0
    run(made, 2)
    # 5 % of the 50 go each minute.
    assert made.nodes[API].offered == pytest.approx(100.0 + 50.0 * 0.95**2)
    run(made, 100)
    assert (intake(made).is_idle, made.nodes[API].offered) == (True, 100.0)


def test_more_instances_serve_people() -> None:
    made = fleet()
    run(made, 5, "people", 2.0)
    # 300 a second for 200: a third is turned away once the queue is full.
    assert made.users_ok == pytest.approx(2 / 3)
    made.instances[API].resize(4, made.minute)
    run(made, 3, "people", 2.0)
    assert made.users_ok > 0.999


def test_bots_ask_for_more_than_there_is_capacity_however_much_that_is() -> None:
    made = fleet()
    for count in (2, 4):
        made.instances[API].resize(count, made.minute)
        run(made, 6, "bots", 0.25)
        # A quarter more than can be served: a fifth is turned away.
        assert made.nodes[API].offered == pytest.approx(1.25 * 100.0 * count)
        assert made.users_ok == pytest.approx(0.8)
        assert made.nodes[SHOP].offered == made.nodes[API].offered


def test_retries_fill_what_is_added_until_there_is_capacity_for_every_try() -> None:
    made = fleet()
    for count in (2, 4, 6):
        made.instances[API].resize(count, made.minute)
        run(made, 6, "retries", 0.25)
        assert made.nodes[API].offered == pytest.approx(1.25 * 100.0 * count)
        assert made.users_ok == pytest.approx(0.8)
        # The users ask no more than usual.
        assert made.nodes[SHOP].offered == 100.0
    # Eight tries of 100 requests a second are 800, which eight instances serve.
    made.instances[API].resize(8, made.minute)
    run(made, 6, "retries", 0.25)
    assert made.nodes[API].offered == pytest.approx(800.0)
    assert made.users_ok > 0.95


def test_handshakes_take_compute_from_requests() -> None:
    made = fleet()
    run(made, 6, "connects", 0.6)
    # 4 cores complete 2,800 handshakes a second; 60 % of them leave room for 80 of 100 requests.
    assert intake(made).connects == pytest.approx(1_680.0)
    assert made.users_ok == pytest.approx(0.8)
    assert made.nodes[API].busy == pytest.approx(1.0)
    run(made, 3)
    assert made.users_ok == 1.0


def test_a_batch_job_uses_up_what_the_others_need_and_leaves_the_processors_idle() -> None:
    made = fleet()
    run(made, 3, "batch", 0.25)
    assert intake(made).rejected == pytest.approx(0.2)
    assert made.users_ok == pytest.approx(0.8)
    # Seven of ten requests are the job's, and it gets what 80 of the others leave of 110.
    assert intake(made).batch == pytest.approx(100.0 * 7 / 3)
    assert intake(made).admitted == pytest.approx(30.0)
    assert made.nodes[API].busy == pytest.approx(0.65)
    made.instances[API].resize(6, made.minute)
    run(made, 2, "batch", 0.25)
    assert made.users_ok == pytest.approx(0.8)


def test_requests_that_never_end_fail_and_keep_every_core_busy() -> None:
    made = fleet()
    run(made, 3, "burning", 0.1)
    assert made.users_ok == pytest.approx(0.9)
    # 10 a second for 10 s each are 100 on 4 cores.
    assert made.nodes[API].busy > 0.999
    made.instances[API].resize(8, made.minute)
    run(made, 3, "burning", 0.1)
    assert made.users_ok == pytest.approx(0.9)
    assert made.nodes[API].busy > 0.99


def test_a_copy_goes_on_alone() -> None:
    made = fleet()
    run(made, 3, "people", 0.5)
    twin = made.copy()
    run(made, 1, "people", 0.9)
    assert intake(twin).people == 50.0
    run(twin, 1, "people", 0.9)
    assert (twin.users_ok, intake(twin).people) == (made.users_ok, intake(made).people)
