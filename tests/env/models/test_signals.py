"""The table of signals: it names every figure of a service once."""

from chaosops.env.models import ServiceSignals, Signal
from chaosops.env.models.signals import SIGNALS


def test_the_table_has_every_figure_in_the_order_of_the_fields() -> None:
    assert ("service", "health", *(spec.field for spec in SIGNALS)) == ServiceSignals._fields


def test_no_two_signals_share_a_heading_a_name_or_a_place() -> None:
    for part in ("heading", "name", "place"):
        assert len({getattr(spec, part) for spec in SIGNALS}) == len(SIGNALS)


def test_whatever_an_alert_rule_can_watch_is_in_the_table() -> None:
    watched = {signal.value for signal in Signal} - {Signal.USERS_OK.value}
    assert watched <= {spec.field for spec in SIGNALS}
