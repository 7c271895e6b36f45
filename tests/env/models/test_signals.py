"""The table of signals: it names every figure of a service once, and who sees it."""

from chaosops.env.models import AgentRole, Health, ServiceSignals
from chaosops.env.models.signals import SIGNALS, seen_by
from chaosops.env.models.topology import Signal

_ALL = ServiceSignals("db", Health.DOWN, 1, 0.5, 2, 3, 4, 5, 6, 7, 8, 9, 10)


def test_the_table_has_every_figure_in_the_order_of_the_fields() -> None:
    assert ("service", "health", *(spec.field for spec in SIGNALS)) == ServiceSignals._fields


def test_no_two_signals_share_a_heading_a_name_or_a_place() -> None:
    for part in ("heading", "name", "place"):
        assert len({getattr(spec, part) for spec in SIGNALS}) == len(SIGNALS)


def test_whatever_an_alert_rule_can_watch_is_in_the_table() -> None:
    watched = {signal.value for signal in Signal} - {Signal.USERS_OK.value}
    assert watched <= {spec.field for spec in SIGNALS}


def test_a_role_sees_the_signals_that_the_table_gives_it() -> None:
    assert seen_by(AgentRole.SRE, _ALL) == _ALL
    dev = seen_by(AgentRole.DEV, _ALL)
    seen = {spec.field for spec in SIGNALS if getattr(dev, spec.field) is not None}
    assert seen == {"errors", "p95_ms"}
    assert dev[:2] == ("db", Health.DOWN)
