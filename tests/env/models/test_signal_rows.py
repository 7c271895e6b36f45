"""The rows of a minute are the same values however they are kept."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chaosops.env.models import TURN_ORDER, AgentRole, Health, ServiceSignals, SignalRows
from chaosops.env.models.signal_rows import MOST, PackedRows, RoleCut, SeenRows
from chaosops.env.models.signals import SIGNALS, SignalFormat
from chaosops.env.new_records import SignalPacker

_WHOLE = ServiceSignals("db", Health.DOWN, 1, 0.5, 2, 3, 4, 5, 6, 7, 8, 9, 10)
_SHARES = st.integers(0, 10_000).map(lambda step: step / 10_000)
_NUMBERS = {
    SignalFormat.SHARE: _SHARES,
    SignalFormat.PERCENT: st.none() | st.integers(0, 100),
}


@st.composite
def _rows(draw: st.DrawFn) -> tuple[ServiceSignals, ...]:
    """What a panel reads: shares of four decimals, percents, and numbers that are not negative."""
    count = draw(st.integers(0, 4))
    return tuple(
        ServiceSignals(
            f"service-{k}",
            draw(st.sampled_from(Health)),
            *(  # type: ignore[arg-type]
                draw(_NUMBERS.get(spec.format, st.none() | st.integers(0, MOST)))
                for spec in SIGNALS
            ),
        )
        for k in range(count)
    )


def _packed(*rows: ServiceSignals) -> PackedRows:
    return SignalPacker(tuple(row.service for row in rows)).pack(rows)


@given(_rows())
def test_packed_rows_are_the_rows_that_were_packed(rows: tuple[ServiceSignals, ...]) -> None:
    packed = _packed(*rows)
    assert tuple(packed) == rows
    assert packed == rows == SignalRows(rows) == packed
    assert hash(packed) == hash(SignalRows(rows)) == hash(rows)
    assert [type(row) for row in packed] == [ServiceSignals] * len(rows)


@given(_rows())
def test_rows_are_the_same_after_pickling_copying_and_validating(
    rows: tuple[ServiceSignals, ...],
) -> None:
    cut = RoleCut(AgentRole.DEV, tuple(range(len(rows))))
    for kept in (SignalRows(rows), _packed(*rows), SeenRows(_packed(*rows), cut)):
        assert pickle.loads(pickle.dumps(kept)) == kept
        assert type(pickle.loads(pickle.dumps(kept))) is type(kept)
        assert copy.copy(kept) is kept
        assert copy.deepcopy(kept) == kept


def test_rows_are_read_by_place_from_the_end_and_in_slices() -> None:
    other = _WHOLE._replace(service="edge")
    for rows in (SignalRows((_WHOLE, other)), _packed(_WHOLE, other)):
        assert (rows[0], rows[-1]) == (_WHOLE, other)
        assert rows[1:] == (other,)
        assert len(rows) == 2
        with pytest.raises(IndexError):
            rows[2]


def test_rows_that_differ_in_one_signal_are_not_equal() -> None:
    moved = _WHOLE._replace(memory=5)
    assert _packed(_WHOLE) != _packed(moved)
    assert _packed(_WHOLE) != SignalRows((moved,))
    assert _packed(_WHOLE) != _packed(_WHOLE._replace(service="other"))


def test_a_number_beyond_what_is_packed_is_shown_as_the_largest() -> None:
    (row,) = _packed(_WHOLE._replace(backlog=MOST + 5))
    assert row.backlog == MOST


def test_a_packed_minute_of_twelve_services_takes_less_than_half_a_kilobyte() -> None:
    data = _packed(*(_WHOLE._replace(service=f"service-{k}") for k in range(12)))._data
    assert len(data) <= 12 * 30


@pytest.mark.parametrize("role", TURN_ORDER)
def test_a_role_sees_of_a_service_what_the_table_of_signals_says(role: AgentRole) -> None:
    (seen,) = SeenRows(SignalRows((_WHOLE,)), RoleCut(role, (0,)))
    assert (seen.service, seen.health) == ("db", Health.DOWN)
    for spec in SIGNALS:
        shown = getattr(_WHOLE, spec.field) if role in spec.seen_by else None
        assert getattr(seen, spec.field) == shown


def test_dev_sees_errors_and_latency_of_the_services_of_its_tier() -> None:
    whole = _packed(_WHOLE, _WHOLE._replace(service="edge"))
    (seen,) = SeenRows(whole, RoleCut(AgentRole.DEV, (1,)))
    assert seen._asdict() == {
        **dict.fromkeys(ServiceSignals._fields),
        "service": "edge",
        "health": Health.DOWN,
        "errors": 0.5,
        "p95_ms": 2,
    }
