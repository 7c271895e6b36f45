from __future__ import annotations

from itertools import count

from chaosops.env.models import AgentRole
from chaosops.play.instrument_use import InstrumentUse, Watched
from chaosops.play.readings import KnownFinding, LogFilter, Looking
from chaosops.recording.instrument_looks import MAX_LOOKS
from tests.readings import LOG, SHARDS, finding

SRE, DEV = AgentRole.SRE, AgentRole.DEV
CHART = Looking("chart", "cpu by shard", minutes=60)
LOGS = Looking("logs", "db", filter=LogFilter(level="WARN", words="lock"), rows=(3, 20))
FIRST = KnownFinding(finding(SHARDS), 0)
SECOND = KnownFinding(finding(LOG), 1)


class Watch:
    """A clock that stands until it is turned."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def use(watch: Watch) -> InstrumentUse:
    return InstrumentUse(watch, watch)


def test_what_was_in_view_is_kept_with_its_last_state_and_its_time() -> None:
    watch = Watch()
    seen = use(watch)
    seen.watch(SRE, [Watched(FIRST, CHART)])
    watch.now += 2.5
    seen.watch(SRE, [Watched(FIRST, CHART._replace(minutes=10, cursor=-3, chosen="shard 0"))])
    watch.now += 4
    seen.watch(SRE, [Watched(SECOND, LOGS)])
    watch.now += 1
    seen.watch(SRE, ())
    watch.now += 60
    first, second = seen.taken(SRE)
    assert (first.finding, first.source, first.target, first.taken_at) == (0, "runtime", "db", 0)
    assert (first.part, first.title) == ("chart", "cpu by shard")
    assert (first.window, first.cursor, first.chosen) == (10, -3, "shard 0")
    assert (first.opened_at_ms, first.in_view_ms) == (100_000, 6_500)
    assert (second.level, second.words, second.first_row, second.last_row) == (
        "WARN",
        "lock",
        3,
        20,
    )
    assert second.in_view_ms == 1_000
    assert seen.taken(SRE) == ()


def test_a_pause_does_not_count() -> None:
    watch = Watch()
    seen = use(watch)
    seen.watch(SRE, [Watched(FIRST, CHART)])
    watch.now += 1
    seen.pause()
    watch.now += 500
    seen.go_on()
    watch.now += 1
    (look,) = seen.taken(SRE)
    assert look.in_view_ms == 2_000


def test_what_is_in_view_while_others_play_belongs_to_the_next_turn_of_who_looks() -> None:
    watch = Watch()
    seen = use(watch)
    seen.watch(SRE, [Watched(FIRST, CHART)])
    watch.now += 3
    assert seen.taken(DEV) == ()
    watch.now += 3
    (look,) = seen.taken(SRE)
    assert look.in_view_ms == 6_000


def test_what_stays_in_view_over_a_turn_begins_anew_with_the_next() -> None:
    watch = Watch()
    seen = use(watch)
    seen.watch(SRE, [Watched(FIRST, CHART)])
    watch.now += 3
    assert [look.in_view_ms for look in seen.taken(SRE)] == [3_000]
    watch.now += 4
    assert [look.in_view_ms for look in seen.taken(SRE)] == [4_000]


def test_a_clock_is_read_only_where_something_is_in_view() -> None:
    ticks = count()
    seen = InstrumentUse(lambda: float(next(ticks)), lambda: float(next(ticks)))
    seen.pause()
    seen.go_on()
    assert seen.taken(SRE) == ()
    assert next(ticks) == 0


def test_long_words_are_cut_and_no_more_than_a_turn_holds_are_kept() -> None:
    watch = Watch()
    seen = use(watch)
    parts = [CHART._replace(title=f"{number} {'x' * 500}") for number in range(MAX_LOOKS + 9)]
    seen.watch(SRE, [Watched(FIRST, looking) for looking in parts])
    looks = seen.taken(SRE)
    assert len(looks) == MAX_LOOKS
    assert all(len(look.title) <= 200 for look in looks)
