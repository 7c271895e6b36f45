"""Alerts: symptoms, from the minute they hold to the minute they do not."""

from __future__ import annotations

from typing import Any

import pytest

from chaosops.env.alerting import Alerting
from chaosops.env.models import Health, ServiceSignals, Severity
from chaosops.env.models.topology import Topology
from tests.worlds import all_ids, fleet, hand_made, play, scenario

_QUIET = ServiceSignals("a", Health.HEALTHY, 10, 0.0, 5, 10, 40, None, None, None, 0, 3)


def _alerting() -> Alerting:
    raw = fleet([{"name": "a", "kind": "edge", "rps_per_replica": 10, "base_ms": 5}]).model_dump()
    raw["alerts"] = [
        {
            "id": "errors",
            "signal": "errors",
            "kinds": ["edge"],
            "above": 0.05,
            "text": "{service}!",
        },
        {
            "id": "slow",
            "signal": "p95_ms",
            "services": ["a"],
            "above": 50,
            "minutes": 3,
            "text": "s",
        },
        {"id": "hit", "signal": "hit", "services": ["a"], "below": 80, "text": "hit"},
        {"id": "users", "signal": "users_ok", "below": 0.99, "minutes": 2, "text": "users"},
    ]
    raw["pages"] = {"site_success": "Users fail"}
    return Alerting(Topology.model_validate(raw), hand_made().incident)


def _firing(alerting: Alerting, minute: int, users_ok: float = 1.0, **changes: Any) -> list[str]:
    signals = (_QUIET._replace(**changes), *(_QUIET._replace(service=f"b{i}") for i in range(9)))
    alerting.advance(minute, signals, users_ok)
    return [alert.text for alert in alerting.firing]


def test_an_alert_fires_after_its_minutes_and_ceases_at_once() -> None:
    alerting = _alerting()
    seen = [_firing(alerting, minute, p95_ms=60) for minute in range(-9, -5)]
    assert seen == [[], [], ["s"], ["s"]]
    assert alerting.firing[0].minute == -7
    assert _firing(alerting, -5) == []
    assert _firing(alerting, -4, p95_ms=60) == []


def test_a_bound_itself_does_not_fire_and_what_is_not_there_neither() -> None:
    alerting = _alerting()
    assert _firing(alerting, -9, errors=0.05) == []
    assert _firing(alerting, -8, errors=0.0501) == ["a!"]
    assert _firing(alerting, -7, hit=None) == []
    assert _firing(alerting, -6, hit=79) == ["hit"]


def test_users_have_an_alert_of_their_own() -> None:
    alerting = _alerting()
    assert [_firing(alerting, minute, 0.98) for minute in (-3, -2)] == [[], ["users"]]


def test_the_page_comes_first_from_minute_zero_on() -> None:
    alerting = _alerting()
    assert _firing(alerting, -1, errors=0.5) == ["a!"]
    assert _firing(alerting, 0, errors=0.5) == ["Users fail", "a!"]
    assert alerting.firing[0].severity is Severity.PAGE
    assert alerting.firing[0].minute == 0


def test_minutes_in_which_nothing_changed_share_their_alerts() -> None:
    alerting = _alerting()
    _firing(alerting, 0, errors=0.5)
    first = alerting.firing
    _firing(alerting, 1, errors=0.6)
    assert alerting.firing is first


@pytest.mark.slow
def test_every_incident_opens_with_its_page() -> None:
    for name in all_ids():
        alerts = play(scenario(name), turns=0).observation.view.alerts
        assert alerts[0].text == scenario(name).page
        assert alerts[0].severity is Severity.PAGE
