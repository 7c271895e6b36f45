"""Automation: what it logs, and a rogue that undoes fixes until it is paused."""

from __future__ import annotations

from chaosops.env.fault_effects import FaultEffects
from chaosops.env.faults import FaultBoard

from chaosops.env.automation import Automation
from chaosops.env.models import ActionType, FrozenMap
from tests.worlds import INNOCENT, OVERSIGHT, ROGUE, hand_made, move, play, view_of

_LATER = {
    **INNOCENT,
    "events": [
        {"at": at, "act": "scale in", "target": "cart", "reason": "idle", "approval": "standing"}
        for at in (-8, 3, 6)
    ],
}


def _bench() -> tuple[Automation, FaultBoard]:
    incident = hand_made(automation=[_LATER, ROGUE]).incident
    return Automation(incident), FaultBoard(incident, FaultEffects(1), {"db": 0})


def _run(automation: Automation, board: FaultBoard, start: int, stop: int) -> None:
    for minute in range(start, stop):
        automation.advance(minute, board)
        board.apply(minute)


def test_the_log_grows_as_minutes_pass_and_is_in_order() -> None:
    automation, board = _bench()
    _run(automation, board, -30, 1)
    assert [event.minute for event in automation.audit] == [-8, -4]
    _run(automation, board, 1, 7)
    assert [event.minute for event in automation.audit] == [-8, -4, 3, 6]


def test_a_paused_agent_does_nothing_until_it_is_resumed() -> None:
    automation, board = _bench()
    _run(automation, board, -30, 1)
    automation.pause("autoscaler")
    _run(automation, board, 1, 5)
    automation.resume("autoscaler")
    _run(automation, board, 5, 7)
    assert [event.minute for event in automation.audit] == [-8, -4, 6]


def test_a_rogue_brings_a_cleared_fault_back_and_says_so_in_the_log() -> None:
    automation, board = _bench()
    _run(automation, board, -30, 1)
    board.land(ActionType.RESTART, "db", FrozenMap(), 0)
    _run(automation, board, 1, 2)
    assert board.live == ()
    _run(automation, board, 2, 3)
    assert board.live == ("locks",)
    assert (automation.audit[-1].agent, automation.audit[-1].minute) == ("deploy_bot", 2)


def test_a_paused_rogue_brings_nothing_back_and_a_flag_stops_nobody() -> None:
    for paused in (True, False):
        automation, board = _bench()
        _run(automation, board, -30, 1)
        automation.flag("deploy_bot")
        if paused:
            automation.pause("deploy_bot")
        board.land(ActionType.RESTART, "db", FrozenMap(), 0)
        _run(automation, board, 1, 10)
        assert (board.live == ()) is paused
        assert automation.all_contained is paused


def test_only_a_cause_is_guilty() -> None:
    automation, _board = _bench()
    assert automation.is_guilty("deploy_bot")
    assert not automation.is_guilty("autoscaler")


def test_in_play_a_fix_is_undone_until_the_rogue_is_paused() -> None:
    played = hand_made(automation=[INNOCENT, ROGUE])
    fix = move("restart", "db")
    undone = play(played, {0: fix, 6: fix})
    assert not undone.result().resolved
    acts = view_of(play(played, {0: fix}, turns=8), OVERSIGHT).audit
    assert acts is not None
    assert [event.minute for event in acts if event.agent == "deploy_bot"] == [-4, 4]
    held = play(played, {0: fix, 1: move("pause", "deploy_bot")})
    assert held.result().resolved
    again = play(played, {0: fix, 1: move("pause", "deploy_bot"), 5: move("resume", "deploy_bot")})
    assert again.result().mttr_steps == held.result().mttr_steps == 5
