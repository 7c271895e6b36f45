"""Automation: what it logs, and an agent that undoes fixes until it is paused."""

from __future__ import annotations

import pytest

from chaosops.env.automation import Automation
from chaosops.env.world_sim import Scenario
from tests.worlds import (
    DEPLOY_BOT,
    INNOCENT,
    OVERSIGHT,
    ROGUE_PROMOTION,
    Move,
    hand_made,
    move,
    play,
    view_of,
)

_ACTS = {
    **INNOCENT,
    "events": [
        {"at": at, "act": "compact", "target": "cart", "reason": "files", "approval": "standing"}
        for at in (-8, 3, 6)
    ],
}


def _rogue() -> Scenario:
    """The deploy bot promotes a bad build of `cart`, again whenever it was rolled back."""
    return hand_made(casts=[ROGUE_PROMOTION], automation=[_ACTS, DEPLOY_BOT])


def _automation() -> Automation:
    return Automation(_rogue().incident)


def _run(automation: Automation, start: int, stop: int) -> None:
    for minute in range(start, stop):
        automation.log(minute, (), {}, {})


def test_the_log_grows_as_minutes_pass_and_is_in_order() -> None:
    automation = _automation()
    _run(automation, -30, 1)
    assert [event.minute for event in automation.audit] == [-8]
    _run(automation, 1, 7)
    assert [event.minute for event in automation.audit] == [-8, 3, 6]


def test_a_paused_agent_does_nothing_until_it_is_resumed() -> None:
    automation = _automation()
    _run(automation, -30, 1)
    automation.pause("compactor")
    _run(automation, 1, 5)
    automation.resume("compactor")
    _run(automation, 5, 7)
    assert [event.minute for event in automation.audit] == [-8, 6]


def test_a_rogue_is_contained_by_a_pause_and_not_by_a_flag() -> None:
    automation = _automation()
    automation.flag("deploy_bot")
    automation.pause("compactor")
    assert not automation.all_contained
    automation.pause("deploy_bot")
    assert automation.all_contained
    automation.resume("deploy_bot")
    assert not automation.all_contained


def test_only_a_cause_is_guilty() -> None:
    automation = _automation()
    assert automation.is_guilty("deploy_bot")
    assert not automation.is_guilty("compactor")
    innocent = Automation(hand_made(automation=[_ACTS, DEPLOY_BOT]).incident)
    assert not innocent.is_guilty("deploy_bot")
    assert innocent.all_contained


def _rollback() -> Move:
    (cure,) = _rogue().incident.faults[0].clears
    return move("rollback", "cart", **cure.arguments())


def test_in_play_a_fix_is_undone_until_the_rogue_is_paused() -> None:
    played, fix = _rogue(), _rollback()
    undone = play(played, {2: fix})
    assert not undone.result().resolved
    acts = view_of(play(played, {2: fix}, turns=12), OVERSIGHT).audit
    assert acts is not None
    # It promotes at the onset of the incident, and again two minutes after the rollback landed.
    minutes = [event.minute for event in acts if event.agent == "deploy_bot"]
    assert minutes == [played.incident.drawn.onset, 2 + 3 + 2]
    held = play(played, {1: move("pause", "deploy_bot"), 2: fix})
    assert held.result().resolved


@pytest.mark.parametrize(
    ("turn", "act"),
    [
        (1, move("flag", "deploy_bot")),
        (1, move("pause", "compactor")),
        (5, move("resume", "deploy_bot")),
    ],
    ids=["a flag", "a pause of another", "a pause that is taken back"],
)
def test_nothing_but_a_pause_that_lasts_keeps_a_fix(turn: int, act: Move) -> None:
    moves = {1: move("pause", "deploy_bot"), 2: _rollback(), turn: act}
    assert not play(_rogue(), moves).result().resolved
