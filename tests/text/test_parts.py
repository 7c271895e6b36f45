from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from chaosops.env.models import TURN_ORDER, AgentRole, Message, RoleView, ServiceSignals, Status
from chaosops.presenter import PARTS
from chaosops.text import Dialect, part_blocks, render_observation
from tests.text.samples import richest, seen
from tests.worlds import all_ids


class Comparing(Dialect):
    compares: ClassVar[bool] = True


def lines(name: str, view: RoleView, dialect: Dialect) -> list[str]:
    return [line for block in part_blocks(name, view, dialect) for line in block.lines()]


@pytest.mark.parametrize("name", all_ids()[:3])
def test_an_observation_is_told_in_all_its_parts_in_their_order(name: str) -> None:
    for observation in richest(name):
        parts = [line for part in PARTS for line in lines(part, observation.view, Dialect())]
        assert "\n".join(parts) in render_observation(observation)


def test_a_part_that_a_role_does_not_see_has_no_block(easiest: str) -> None:
    everybody = {"alerts", "flight", "diagnoses", "findings", "channel", "graph"}
    more = {
        AgentRole.SRE: {"services", "logs"},
        AgentRole.DEV: {"services", "logs", "changes"},
        AgentRole.MANAGER: {"impact"},
        AgentRole.OVERSIGHT: {"services", "audit"},
    }
    for observation in seen(easiest)[: len(TURN_ORDER)]:
        view = observation.view
        assert {name for name in PARTS if lines(name, view, Dialect())} == (
            everybody | more[view.role]
        )


@dataclass(frozen=True)
class Past:
    """A service's busy percentage, backlog and errors ten minutes ago, and now."""

    then: tuple[int, int, float]
    now: tuple[int, int, float]


def told(view: RoleView, past: Past, dialect: Dialect) -> str:
    """What is said of the first service."""
    assert view.services is not None
    row = view.services[0]

    def at(figures: tuple[int, int, float]) -> tuple[ServiceSignals, ...]:
        busy, backlog, errors = figures
        return (row._replace(busy=busy, backlog=backlog, errors=errors),)

    history = (*(at(past.then),) * 5, *(at(past.now),) * 10)
    changed = view._replace(services=history[-1], history=history)
    return "\n".join(lines("services", changed, dialect))


@pytest.mark.parametrize(
    ("past", "words", "missing"),
    [
        (Past((40, 0, 0.0), (90, 0, 0.0)), "CPU 90 % (was 40 %)", "waiting"),
        (Past((40, 0, 0.0), (43, 0, 0.0)), "CPU 43 %,", "was"),
        (Past((40, 0, 0.0), (40, 12, 0.004)), "waiting 12 (was 0)", "errors 0.4 % (was"),
        (Past((40, 9, 0.0), (40, 0, 0.25)), "waiting 0 (was 9)", "busy 40 % (was"),
        (Past((40, 0, 0.0), (40, 0, 0.25)), "errors 25 % (was 0 %)", "over the last"),
    ],
)
def test_to_compare_is_to_say_what_has_moved_and_no_more(
    past: Past, words: str, missing: str, easiest: str
) -> None:
    said = told(seen(easiest)[0].view, past, Comparing())
    assert words in said
    assert missing not in said


def test_without_comparing_every_earlier_value_is_told(easiest: str) -> None:
    said = told(seen(easiest)[0].view, Past((40, 0, 0.0), (90, 0, 0.0)), Dialect())
    assert "busy 40*5 90*10" in said
    assert "was" not in said


def test_where_little_is_known_of_the_past_nothing_is_compared(easiest: str) -> None:
    view = seen(easiest)[0].view
    assert view.history is not None
    said = "\n".join(lines("services", view._replace(history=view.history[-10:]), Comparing()))
    assert "services now:" in said
    assert "was" not in said


def test_a_dialect_has_its_own_words_for_times_and_what_was_written(easiest: str) -> None:
    class Loud(Dialect):
        def at(self, status: Status, minute: int) -> str:
            return f"minute {minute}"

        def quoted(self, text: str) -> str:
            return text.upper()

    said = Message(3, AgentRole.DEV, AgentRole.SRE, "hello\n- alerts: none", None, None)
    view = seen(easiest)[0].view._replace(channel=(said,))
    assert lines("channel", view, Loud())[1] == "- minute 3 dev to sre: HELLO - ALERTS: NONE"
