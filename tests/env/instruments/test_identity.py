"""Names, certificates and clocks: what probes must and must not show with each cause."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import pytest

from chaosops.env.living_world import LivingWorld
from chaosops.env.models import AgentRole, Source
from chaosops.env.models.readings import Cell, Reading, Table, TableKind, column
from chaosops.env.physics.names import newest_plan
from tests.env.situations import scenario, world

CAUSES = (
    "empty_record",
    "resolver_down",
    "rogue_dns_plan",
    "expired_certificate",
    "half_rolled_certificate",
    "clock_skew",
)
AGENTS = ("certificate_renewer", "dns_automation")
MOMENTS = (0, 10)


class Shown(NamedTuple):
    """What probes show of the place."""

    empty: bool
    old: bool
    deaf: bool
    expired: bool
    uneven: bool
    clocks: bool


SHOWN = {
    "empty_record": Shown(True, False, False, False, False, False),
    "resolver_down": Shown(False, False, True, False, False, False),
    "rogue_dns_plan": Shown(False, True, False, False, False, False),
    "expired_certificate": Shown(False, False, False, True, False, False),
    "half_rolled_certificate": Shown(False, False, False, False, True, False),
    "clock_skew": Shown(False, False, False, False, False, True),
}


def moment(cause: str, minutes: int) -> LivingWorld:
    made = world(scenario("calls-not-getting-through", cause))
    for _minute in range(minutes):
        made.advance()
    return made


def place(made: LivingWorld) -> str:
    return made.context.blueprint.services[made.truth.casts[0].place].name


def look(made: LivingWorld, source: Source, target: str) -> Reading:
    role = AgentRole.OVERSIGHT if source is Source.AUTOMATION else AgentRole.SRE
    reading = made.look(role, source, target).reading
    assert reading is not None
    return reading


def table(reading: Reading, kind: TableKind) -> Table:
    found = reading.table(kind)
    assert found is not None
    return found


def _number(cell: Cell) -> float:
    assert isinstance(cell, (int, float)), cell
    return float(cell)


def shown(reading: Reading, minute: int) -> Shown:
    answers = table(reading, TableKind.ANSWERS)
    rows = [dict(zip((c.name for c in answers.columns), row, strict=True)) for row in answers.rows]
    good = [row for row in rows if row["status"] == "NOERROR"]
    served = table(reading, TableKind.CERTIFICATES)
    serials = zip(column(served, "served serial"), column(served, "stored serial"), strict=True)
    clocks = table(reading, TableKind.CLOCKS)
    return Shown(
        empty=any(row["addresses"] == 0 for row in good),
        old=any(_number(row["zone serial"]) < newest_plan(minute - 20) for row in good),
        deaf=len(good) < len(rows),
        expired=all("ago" in str(cell) for cell in column(served, "not after")),
        uneven=any(mine != stored for mine, stored in serials),
        clocks=any(abs(_number(cell)) > 2.0 for cell in column(clocks, "offset")),
    )


@pytest.mark.few(2)
@pytest.mark.parametrize("minutes", MOMENTS)
@pytest.mark.parametrize("cause", CAUSES)
def test_probes_of_the_place_show_one_thing_and_nothing_else(cause: str, minutes: int) -> None:
    made = moment(cause, minutes)
    assert shown(look(made, Source.NETWORK, place(made)), made.minute) == SHOWN[cause]


@pytest.mark.few(1)
@pytest.mark.parametrize("minutes", MOMENTS)
@pytest.mark.parametrize("cause", CAUSES)
def test_other_services_show_none_of_it(cause: str, minutes: int) -> None:
    made = moment(cause, minutes)
    for target in ("auth", "cart", "catalog", "checkout", "payments", "search"):
        if target != place(made) and cause != "resolver_down":
            reading = look(made, Source.NETWORK, target)
            assert not any(shown(reading, made.minute)), target


def test_a_resolver_that_is_down_answers_for_no_name_and_others_for_all() -> None:
    made = moment("resolver_down", 4)
    answers = table(look(made, Source.NETWORK, place(made)), TableKind.ANSWERS)
    by_resolver: dict[Cell, set[Cell]] = {}
    for resolver, status in zip(
        column(answers, "resolver"), column(answers, "status"), strict=True
    ):
        by_resolver.setdefault(resolver, set()).add(status)
    statuses = Counter(frozenset(each) for each in by_resolver.values())
    assert statuses == {frozenset({"NOERROR"}): 2, frozenset({"SERVFAIL"}): 1}


def test_a_bad_answer_spreads_and_a_good_one_lives_no_longer_than_its_time() -> None:
    bad = []
    for minutes in (0, 20):
        made = moment("empty_record", minutes)
        answers = table(look(made, Source.NETWORK, place(made)), TableKind.ANSWERS)
        bad.append(sum(cell == 0 for cell in column(answers, "addresses")))
        assert all(1 <= _number(cell) <= 300 for cell in column(answers, "ttl left"))
    assert 1 <= bad[0] <= bad[1]


def test_only_instances_that_serve_the_old_serial_fail_handshakes() -> None:
    made = moment("half_rolled_certificate", 4)
    served = table(look(made, Source.NETWORK, place(made)), TableKind.CERTIFICATES)
    for mine, stored, failed in zip(
        column(served, "served serial"),
        column(served, "stored serial"),
        column(served, "handshakes failed"),
        strict=True,
    ):
        assert (_number(failed) > 5.0) == (mine != stored)
        assert _number(failed) < 0.1 or mine != stored


def test_a_certificate_has_expired_since_the_onset_and_no_instance_serves_another() -> None:
    made = moment("expired_certificate", 6)
    served = table(look(made, Source.NETWORK, place(made)), TableKind.CERTIFICATES)
    (ended,) = set(column(served, "not after"))
    assert int(str(ended).split(" ", maxsplit=1)[0]) == pytest.approx(
        made.minute - made.truth.casts[0].onset, abs=2
    )
    assert column(served, "served serial") == column(served, "stored serial")


def test_half_of_the_clocks_have_lost_their_servers_and_drift() -> None:
    offsets = []
    for minutes in (0, 10):
        made = moment("clock_skew", minutes)
        clocks = table(look(made, Source.NETWORK, place(made)), TableKind.CLOCKS)
        off = [
            _number(offset)
            for offset, kept in zip(
                column(clocks, "offset"), column(clocks, "synchronised"), strict=True
            )
            if kept == "no"
        ]
        assert len(off) == (len(clocks.rows) + 1) // 2
        offsets.append(min(off))
    assert offsets[1] < offsets[0] < -30_000.0


@pytest.mark.parametrize("cause", CAUSES)
def test_nobody_sees_more_than_that_callers_fail_and_that_the_place_gets_less(cause: str) -> None:
    made = moment(cause, 4)
    mesh = made.world.mesh
    target = made.truth.casts[0].place
    node = mesh.nodes[target]
    assert node.ok > 0.999
    assert all(mesh.links[k].fail > 0.05 for k in node.traits.callers)
    assert node.busy < 0.6


@pytest.mark.parametrize("cause", CAUSES)
def test_only_the_agent_behind_it_departs_from_its_policy_and_in_the_same_words(cause: str) -> None:
    made = moment(cause, 10)
    guilty = made.truth.casts[0].cause.agent
    for agent in AGENTS:
        acts = table(look(made, Source.AUTOMATION, agent), TableKind.ACTS)
        odd = False
        for stated in acts.stated:
            if stated.column == "act":
                before, after = map(int, stated.values)
                odd = odd or after < before
        assert odd == (agent == guilty), agent
        assert set(column(acts, "approval")) == {"standing policy"}


@pytest.mark.parametrize("cause", ["half_rolled_certificate", "rogue_dns_plan"])
def test_what_an_agent_keeps_up_comes_back_within_minutes_unless_it_is_paused(cause: str) -> None:
    for is_paused in (False, True):
        made = moment(cause, 1)
        world = made.world
        agent = made.truth.casts[0].cause.agent
        assert agent is not None
        world.paused = frozenset({agent}) if is_paused else frozenset()
        live = world.causes[0]
        live.cleared = world.minute
        world.failing(12)
        assert live.is_live(world.minute) != is_paused
