"""What monitoring reports of a service, against figures worked out by hand."""

import pytest

from chaosops.env.physics.monitor import Monitor
from chaosops.env.samples import History, measure
from tests.env.physics.fleets import mesh, part, run


def test_monitoring_reports_what_is_there_and_nothing_changes_by_it() -> None:
    fleet = mesh(
        [
            {"name": "front", "kind": "edge", "calls": [{"to": "app"}]},
            {"name": "app", "kind": "app"},
        ]
    )
    monitor = part(fleet, "front", "monitor")
    assert isinstance(monitor, Monitor)
    run(fleet, 2)
    (front, *_others) = measure(fleet, 1, 2)
    assert front.reported == front.errors
    run(fleet, 1, [(monitor, "checks", 0.06), (monitor, "counted", 0.1), (monitor, "late", 9.0)])
    assert fleet.users_ok == 1.0
    (front, *_others) = measure(fleet, 1, 3)
    assert front.reported == pytest.approx(1.0 - (1.0 - front.errors) * 0.94 * 0.9)
    assert front.delay == 9
    twin = fleet.copy()
    run(fleet, 1)
    assert part(twin, "front", "monitor").late == 9.0
    assert (monitor.checks, monitor.counted, monitor.late) == (0.0, 0.0, 0.0)


def test_figures_that_are_late_are_those_of_an_earlier_minute() -> None:
    fleet = mesh(
        [
            {"name": "front", "kind": "edge", "calls": [{"to": "app"}]},
            {"name": "app", "kind": "app"},
        ]
    )
    monitor = part(fleet, "app", "monitor")
    history = History()
    for minute in range(5):
        run(fleet, 1, [(monitor, "late", 3.0)])
        history.add(minute, measure(fleet, 1, minute))
    app = fleet.blueprint.index["app"]
    assert history.collected()[app] is history.minutes[-4][app]
    assert history.collected()[0] is history.minutes[-1][0]
