"""Copies, sequences, cached keys and stored objects: what each cause of data shows and does not."""

from __future__ import annotations

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Source
from chaosops.env.models.readings import Cell, Reading, Table, TableKind, column
from tests.env.situations import scenario, world

CAUSES = (
    "lost_leader",
    "replica_lag",
    "two_writers",
    "stale_cache",
    "id_exhaustion",
    "cleanup_overreach",
)
SITUATION = "profile-changes-lost"
MINUTES = (1, 10)


def moment(cause: str, minutes: int) -> LivingWorld:
    """A shop some minutes after the page."""
    made = world(scenario(SITUATION, cause))
    for _minute in range(minutes):
        made.advance()
    return made


def table(made: LivingWorld, target: str, kind: TableKind) -> Table:
    reading: Reading | None = made.look(AgentRole.SRE, Source.RUNTIME, target).reading
    assert reading is not None
    found = reading.table(kind)
    assert found is not None
    return found


def rows(made: LivingWorld, target: str, kind: TableKind) -> list[dict[str, Cell]]:
    found = table(made, target, kind)
    names = [head.name for head in found.columns]
    return [dict(zip(names, row, strict=True)) for row in found.rows]


def number(cell: Cell) -> float:
    assert isinstance(cell, (int, float)), cell
    return float(cell)


def hurt(made: LivingWorld) -> str:
    """The application whose requests fail."""
    draw = made.scenario.incident.drawn
    return draw.caller or draw.place


def tables_of(made: LivingWorld, caller: str) -> set[str]:
    blueprint = made.world.mesh.blueprint
    service = blueprint.services[blueprint.index[caller]]
    return {blueprint.links[number].table for number in service.links}


def groups(made: LivingWorld) -> dict[str, list[dict[str, Cell]]]:
    """The members of each group of the database."""
    found: dict[str, list[dict[str, Cell]]] = {}
    for row in rows(made, "db", TableKind.REPLICATION):
        found.setdefault(str(row["table"]), []).append(row)
    return found


def of_the_caller(made: LivingWorld) -> list[dict[str, Cell]]:
    (name,) = set(groups(made)) & tables_of(made, hurt(made))
    return groups(made)[name]


@pytest.mark.few(2)
@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_groups_that_nothing_is_wrong_with_have_one_primary_and_current_copies(
    cause: str, minutes: int
) -> None:
    made = moment(cause, minutes)
    own = tables_of(made, hurt(made)) if cause in CAUSES[:3] else set()
    for name, members in groups(made).items():
        if name in own:
            continue
        assert [row["role"] for row in members].count("primary") == 1
        for row in members:
            assert row["read only"] == ("off" if row["role"] == "primary" else "on")
            assert 0.0 <= number(row["replay lag"]) <= 0.31
            assert number(row["flushed"]) == number(members[0]["flushed"])


@pytest.mark.parametrize("minutes", MINUTES)
def test_a_lost_leader_leaves_its_group_without_a_primary_and_with_current_copies(
    minutes: int,
) -> None:
    members = of_the_caller(moment("lost_leader", minutes))
    assert {row["role"] for row in members} == {"replica"}
    assert {row["read only"] for row in members} == {"on"}
    assert {number(row["flushed"]) - number(row["replayed"]) for row in members} == {0.0}


@pytest.mark.parametrize("minutes", MINUTES)
def test_copies_that_are_behind_have_flushed_what_they_have_not_replayed(minutes: int) -> None:
    members = of_the_caller(moment("replica_lag", minutes))
    (primary,) = [row for row in members if row["role"] == "primary"]
    assert primary["flushed"] == primary["replayed"]
    for row in members:
        if row is primary:
            continue
        assert row["flushed"] == primary["flushed"]
        assert number(row["replay lag"]) > 20.0
        assert number(row["replayed"]) < number(row["flushed"])


@pytest.mark.parametrize("minutes", MINUTES)
def test_two_writers_are_two_primaries_that_both_go_on_with_histories_of_their_own(
    minutes: int,
) -> None:
    made = moment("two_writers", minutes)
    before = [row for row in of_the_caller(made) if row["role"] == "primary"]
    assert [row["read only"] for row in before] == ["off", "off"]
    assert before[0]["flushed"] != before[1]["flushed"]
    for _minute in range(5):
        made.advance()
    after = [row for row in of_the_caller(made) if row["role"] == "primary"]
    for was, now in zip(before, after, strict=True):
        assert number(now["flushed"]) > number(was["flushed"])


@pytest.mark.few(1)
@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_only_an_exhausted_sequence_stands_at_its_maximum_and_refuses(
    cause: str, minutes: int
) -> None:
    made = moment(cause, minutes)
    own = tables_of(made, hurt(made)) if cause == "id_exhaustion" else set()
    for row in rows(made, "db", TableKind.SEQUENCES):
        at_end = str(row["sequence"]).removesuffix("_id_seq") in own
        assert (row["last value"] == row["maximum"]) == at_end
        assert (number(row["refused"]) > 0.0) == at_end
        assert (number(row["ids"]) > 0.0) == (not at_end)


def test_sequences_count_up() -> None:
    made = moment("two_writers", 1)
    before = column(table(made, "db", TableKind.SEQUENCES), "last value")
    made.advance()
    after = column(table(made, "db", TableKind.SEQUENCES), "last value")
    assert all(number(b) > number(a) for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_only_a_stale_cache_holds_versions_that_its_store_has_replaced(
    cause: str, minutes: int
) -> None:
    made = moment(cause, minutes)
    owners = {hurt(made)} if cause == "stale_cache" else set()
    for row in rows(made, "cache", TableKind.INVALIDATIONS):
        stopped = row["consumer"] in owners
        assert (number(row["applied"]) == 0.0) == stopped
        assert (number(row["last applied"]) >= 60.0) == stopped
        assert number(row["published"]) > 0.0
    old = {
        str(row["owner"])
        for row in rows(made, "cache", TableKind.CACHE_KEYS)
        if row["cached version"] != row["stored version"]
    }
    assert old == owners


@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_a_cache_hits_as_often_as_usual_whatever_the_data_are(cause: str, minutes: int) -> None:
    hits = column(table(moment(cause, minutes), "cache", TableKind.CACHE_NODES), "hits")
    assert all(91.0 <= number(hit) <= 93.0 for hit in hits)


@pytest.mark.parametrize("minutes", MINUTES)
@pytest.mark.parametrize("cause", CAUSES)
def test_objects_are_there_unless_a_cleanup_took_them(cause: str, minutes: int) -> None:
    made = moment(cause, minutes)
    overreached = cause == "cleanup_overreach"
    for row in rows(made, hurt(made), TableKind.OBJECTS):
        assert (number(row["referenced, missing"]) > 0.0) == overreached
        assert (number(row["not found"]) > 0.2) == overreached
        assert (number(row["stored"]) < number(row["referenced"])) <= overreached
        assert (number(row["deleted today"]) > 5_000.0) == overreached


@pytest.mark.parametrize("cause", CAUSES)
def test_a_cleanup_deletes_as_much_as_its_acts_say_and_only_a_faulty_one_more_than_it_may(
    cause: str,
) -> None:
    made = moment(cause, 4)
    reading = made.look(AgentRole.OVERSIGHT, Source.AUTOMATION, "cleanup_job").reading
    assert reading is not None
    acts = reading.table(TableKind.ACTS)
    assert acts is not None
    wide = set()
    for stated, target in zip(acts.stated[::2], column(acts, "target"), strict=True):
        before, after = map(number, stated.values)
        if before - after > 5_000:
            wide.add(target)
    assert wide == ({hurt(made)} if cause == "cleanup_overreach" else set())
