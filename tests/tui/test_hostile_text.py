from __future__ import annotations

import pytest
from textual.widgets import Input

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import (
    EMPTY,
    ActionType,
    AgentRole,
    AuditEvent,
    Change,
    ChangeKind,
    ChaosOpsAction,
    ChaosOpsObservation,
    Finding,
    Health,
    Impact,
    InFlight,
    LastAction,
    LogLevel,
    LogLine,
    Message,
    Proposal,
    RoleView,
    ServiceNode,
    Source,
    Ticket,
)
from chaosops.play.rationale import Thought
from chaosops.play.replay_model import Replay
from tests.tui.games import HOSTILE, frames, game, press, roster, settled, text_of
from tui.app import ChaosOpsApp
from tui.screens.replay.screen import ReplayScreen
from tui.widgets.panes.board import Board
from tui.widgets.rewards.turn import TurnNotes
from tui.widgets.status.header import Seating

FORBIDDEN = ("\x1b", "\x9b", "\u202e", "\u2066", "\ud800", "\x07")


def poisoned(view: RoleView, at: int) -> RoleView:
    """The view with every hostile text wherever a stranger could put one."""
    sre, dev = AgentRole.SRE, AgentRole.DEV
    one, services, first = HOSTILE[at], view.services or (), view.alerts[0]
    return view._replace(
        status=view.status._replace(title=one),
        alerts=tuple(first._replace(text=text, service=text) for text in HOSTILE),
        channel=tuple(
            Message(0, dev, None, text, Proposal(ActionType.RESTART, text), None)
            for text in HOSTILE
        ),
        inbox=tuple(Message(0, dev, sre, text, None, None) for text in HOSTILE),
        in_flight=(InFlight(sre, ActionType.RESTART, one, EMPTY, 0, 2),),
        findings=tuple(Finding(0, sre, Source.LOGS, text, text, ()) for text in HOSTILE),
        graph=(*view.graph, ServiceNode(one or "none", view.graph[0].kind, (one,))),
        services=(*services, services[0]._replace(service=one)),
        logs=tuple(LogLine(0, text, LogLevel.ERROR, text) for text in HOSTILE),
        changes=tuple(Change(0, text, ChangeKind.FLAG, text, text, text) for text in HOSTILE),
        audit=tuple(AuditEvent(0, text, text, text, text, text) for text in HOSTILE),
        agents=HOSTILE,
        paused=HOSTILE,
        flagged=HOSTILE,
        health=((one, Health.DOWN),),
        impact=Impact(
            0.5,
            1.0,
            tuple(Ticket(0, text) for text in HOSTILE),
            tuple(LastAction(dev, 0, text) for text in HOSTILE),
        ),
    )


def poisoned_step(step: EpisodeStep, at: int) -> EpisodeStep:
    text = HOSTILE[at]
    view = poisoned(step.observation.view, at)
    return step._replace(
        observation=step.observation._replace(view=view, message=text),
        action=ChaosOpsAction(AgentRole.SRE, text, text, {"to": text, "text": text, text: text}),
        message=text,
    )


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_hostile_text_is_shown_and_does_nothing_in_any_pane(size: tuple[int, int]) -> None:
    step = frames(turns=1)[0]
    steps = tuple(poisoned_step(step, at) for at in range(len(HOSTILE)))
    seating = Seating(dict.fromkeys(AgentRole, HOSTILE[0]), frozenset())
    notes = tuple(TurnNotes(text, thought=Thought(text)) for text in HOSTILE)
    screen = ReplayScreen(Replay(steps, seating, HOSTILE[3], notes, HOSTILE))
    app = ChaosOpsApp(lambda: screen)
    async with app.run_test(size=size, tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        for text in HOSTILE:
            screen.action_pane(1)
            app.notify(text)
            await pilot.pause()
            shown = text_of(app)
            assert not any(char in shown for char in FORBIDDEN)
            await pilot.press("right")
        assert app.is_running
        assert screen.playback.at == len(HOSTILE) - 1


@pytest.mark.slow
async def test_what_teammates_say_cannot_touch_the_game() -> None:
    def rude(observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        text = HOSTILE[observation.step % len(HOSTILE)]
        return ChaosOpsAction(role, ActionType.COMMUNICATE, None, {"to": "sre", "text": text})

    app, screen = game(roster(AgentRole.SRE, others=rude))
    async with app.run_test(size=(80, 24), tooltips=True, notifications=True) as pilot:
        await settled(pilot)
        for _ in range(5):
            await press(pilot, "0", "enter")
            screen.query_one(Board).open("channel")
            await pilot.pause()
            shown = text_of(app)
            assert not any(char in shown for char in FORBIDDEN)
        assert screen.session.turn == 20


@pytest.mark.slow
async def test_what_a_person_says_comes_back_as_it_was_typed() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "3", "1")
        screen.query_one("#picker-input", Input).value = "[@click=app.quit]press[/] [/x] \x1b[2J"
        await press(pilot, "enter", "enter")
        screen.query_one(Board).open("channel")
        await settled(pilot)
        assert "[@click=app.quit]press[/] [/x]" in text_of(app)
        assert "\x1b" not in text_of(app)
        assert "[/x]" in screen.session.steps[0].action.args["text"]
