"""The inside of a queue: what its tables, its chart and the logs of its consumers agree on."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Source
from chaosops.env.models.readings import Cell, ChartKind, Reading, Table, TableKind, column
from tests.env.families import living

CAUSES = ("poison_message", "hot_partition", "slow_consumer", "rebalance_loop")
QUEUE, CONSUMER = "broker", "enrich"


def moment(cause: str, minutes: int = 4) -> LivingWorld:
    """A queue some minutes after the page."""
    made = living("queues", cause)
    for _minute in range(minutes):
        made.advance()
    return made


def look(made: LivingWorld, source: Source, target: str) -> Reading:
    reading = made.look(AgentRole.SRE, source, target).reading
    assert reading is not None
    return reading


def table(made: LivingWorld, kind: TableKind) -> Table:
    found = look(made, Source.RUNTIME, QUEUE).table(kind)
    assert found is not None
    return found


def partitions(made: LivingWorld, name: str) -> list[float]:
    return [_number(cell) for cell in column(table(made, TableKind.PARTITIONS), name)]


def _number(cell: Cell) -> float:
    assert isinstance(cell, (int, float)), cell
    return float(cell)


def lags(made: LivingWorld, back: int) -> list[float]:
    """The lag of each partition some minutes ago, as charted."""
    charts = look(made, Source.METRICS, QUEUE).charts()
    chart = next(chart for chart in charts if chart.kind is ChartKind.PARTITIONS)
    return [_number(series.values[-1 - back]) for series in chart.series]


@pytest.mark.few(1)
@pytest.mark.parametrize("cause", CAUSES)
def test_the_lag_is_what_lies_between_the_offsets_and_what_is_charted(cause: str) -> None:
    made = moment(cause)
    ends, committed = partitions(made, "end offset"), partitions(made, "committed offset")
    assert [end - at for end, at in zip(ends, committed, strict=True)] == partitions(made, "lag")
    assert partitions(made, "lag") == lags(made, 0)


@pytest.mark.parametrize("cause", CAUSES)
def test_before_the_onset_partitions_lag_by_what_is_not_committed_yet(cause: str) -> None:
    # 500 messages a second for 12 partitions, committed every 5 s, with some swing of traffic.
    assert 0.0 <= min(lags(moment(cause, 0), 20)) <= max(lags(moment(cause, 0), 20)) <= 260.0


@pytest.mark.parametrize("cause", CAUSES)
def test_offsets_move_by_what_comes_in_and_goes_out(cause: str) -> None:
    made = moment(cause)
    names = ("end offset", "in"), ("committed offset", "out")
    before = {name: partitions(made, name) for name, _rate in names}
    made.advance()
    for name, rate in names:
        for was, now, moved in zip(
            before[name], partitions(made, name), partitions(made, rate), strict=True
        ):
            assert now - was == pytest.approx(60.0 * moved, abs=60.0 * 6.0)


@pytest.mark.parametrize("cause", CAUSES)
def test_each_partition_is_read_by_the_member_that_has_it(cause: str) -> None:
    made = moment(cause)
    shown = table(made, TableKind.CONSUMERS)
    owners = column(table(made, TableKind.PARTITIONS), "consumer")
    for member, mine in zip(column(shown, "member"), column(shown, "partitions"), strict=True):
        assert mine == ", ".join(str(k) for k, owner in enumerate(owners) if owner == member)


def test_a_message_that_fails_keeps_the_offset_of_its_partition_and_stands_in_the_log() -> None:
    made = moment("poison_message")
    committed = [partitions(made, "committed offset")]
    for _look in range(5):
        made.advance()
        committed.append(partitions(made, "committed offset"))
    stuck = partitions(made, "errors, last minute").index(5.0)
    for k, offsets in enumerate(zip(*committed, strict=True)):
        assert len(set(offsets)) == (1 if k == stuck else 6)
    owner = column(table(made, TableKind.PARTITIONS), "consumer")[stuck]
    entries = [
        entry
        for entry in look(made, Source.LOGS, CONSUMER).log_entries()
        if "cannot decode" in entry.text
    ]
    assert entries
    for entry in entries:
        assert entry.instance == owner
        found = re.search(r"partition=(\d+) offset=(\d+)", entry.text)
        assert found is not None
        assert (int(found[1]), float(found[2])) == (stuck, committed[0][stuck])


def test_only_a_hot_partition_gets_more_than_the_others() -> None:
    for cause in CAUSES:
        made = moment(cause)
        came = [
            got + held
            for got, held in zip(partitions(made, "in"), partitions(made, "held back"), strict=True)
        ]
        assert (max(came) > 3.0 * sorted(came)[6]) == (cause == "hot_partition")


def test_only_a_group_that_rebalances_has_a_new_generation_every_minute() -> None:
    for cause in CAUSES:
        made = moment(cause)
        seen = []
        for _minute in range(4):
            seen.append(_number(column(table(made, TableKind.CONSUMERS), "generation")[0]))
            made.advance()
        step = 1.0 if cause == "rebalance_loop" else 0.0
        assert [now - was for was, now in pairwise(seen)] == [step] * 3
        (state,) = set(column(table(made, TableKind.CONSUMERS), "group state"))
        assert state == ("PreparingRebalance" if step else "Stable")


def test_only_slow_messages_take_longer() -> None:
    for cause in CAUSES:
        times = column(table(moment(cause), TableKind.CONSUMERS), "mean time")
        assert (min(map(_number, times)) > 80.0) == (cause == "slow_consumer")


def test_a_group_has_changed_when_its_youngest_member_joined() -> None:
    made = moment("slow_consumer")
    instances = look(made, Source.RUNTIME, CONSUMER).table(TableKind.INSTANCES)
    assert instances is not None
    ages = column(instances, "age")
    (rebalanced,) = set(column(table(made, TableKind.CONSUMERS), "last rebalance"))
    assert rebalanced in ages
    assert int(str(rebalanced).split()[0]) == min(int(str(age).split()[0]) for age in ages)


def test_a_member_that_joins_reads_partitions_of_the_others() -> None:
    made = moment("slow_consumer")
    before = _number(column(table(made, TableKind.CONSUMERS), "generation")[0])
    consumer = made.world.mesh.blueprint.index[CONSUMER]
    made.world.mesh.instances[consumer].resize(6, made.minute)
    made.advance()
    shown = table(made, TableKind.CONSUMERS)
    assert [str(mine).count(",") + 1 for mine in column(shown, "partitions")] == [2] * 6
    assert set(column(shown, "generation")) == {before + 1}
    assert set(column(shown, "last rebalance")) == {"0 min"}


def test_the_change_of_the_consumers_is_in_their_history_and_can_be_rolled_back() -> None:
    made = moment("rebalance_loop")
    incident = made.scenario.incident
    (move,) = incident.faults[0].clears
    assert (move.target, made.truth.casts[0].version) == (CONSUMER, move.args["change"])
    reading = made.look(AgentRole.DEV, Source.CHANGES, CONSUMER).reading
    assert reading is not None
    touched = {diff.version: diff.touches for diff in reading.diffs()}
    assert touched[str(move.args["change"])] == ("consumer.max_poll_records",)
