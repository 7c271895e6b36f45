"""Small logs to write and to break."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from chaosops.agents.runner import EpisodeStep
from chaosops.env.engine import ENGINE
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    AgentRole,
    ChaosOpsAction,
    ChaosOpsObservation,
    Difficulty,
    Health,
    RoleView,
    ServiceSignals,
    Status,
)
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import EndReason, Footer, Header, HumanPart, Seat, SeatKind, Ui
from chaosops.recording.layout import columns
from chaosops.recording.turn_sources import Decider
from chaosops.rewards.reward_fn import StepRewardBreakdown

Event = dict[str, Any]

HUMAN = HumanPart(source=Decider.HUMAN, shown_at_ms=1_000, submitted_at_ms=4_000, latency_ms=3_000)


def header(**changes: Any) -> Header:
    values: dict[str, Any] = {
        "episode_id": "0f" * 16,
        "scenario": "first-outage",
        "seed": 7,
        "difficulty": Difficulty.EASY,
        "max_turns": 40,
        "scenario_sha256": "ab" * 32,
        "chaosops": "0.1.0",
        "engine": ENGINE,
        "python": "3.11.0",
        "ui": Ui(name="test", version="1", columns=80, rows=24, theme="dark"),
        "seats": {
            role: Seat(kind=SeatKind.HUMAN)
            if role is AgentRole.SRE
            else Seat(kind=SeatKind.SCRIPTED, policy="expert")
            for role in TURN_ORDER
        },
        "started_at_ms": 1_000,
        "columns": columns(),
    }
    return Header(**(values | changes))


def footer(frames: Iterable[EpisodeStep]) -> Footer:
    played = tuple(frames)
    return Footer(
        reason=EndReason.OUT_OF_TURNS,
        resolved=False,
        turns=len(played),
        cumulative_reward=sum(frame.reward for frame in played),
        wrong_fixes=0,
        ended_at_ms=9_000,
    )


def signals(minute: int) -> ServiceSignals:
    return ServiceSignals(
        "db", Health.DEGRADED, 300 + minute, 0.0125, 84, 61, 70 + minute, 40, 22, None, 0, 3
    )


def view(role: AgentRole, minute: int) -> RoleView:
    status = Status("Checkout is slow", minute, 600, 40, 0.98, 0.99, 0, 4, 90)
    history = tuple((signals(m),) for m in range(minute - 4, minute + 1))
    return RoleView(
        role, status, (), (), (), (), (), (), (), (), (), (), history[-1], history, (), None,  # type: ignore[arg-type]
        None, None, None, None, None, None,
    )  # fmt: skip


def frames(count: int = 6) -> tuple[EpisodeStep, ...]:
    made = []
    for turn in range(count):
        role = TURN_ORDER[turn % len(TURN_ORDER)]
        breakdown = StepRewardBreakdown(mttr_penalty=-2.0, impact_penalty=-0.25)
        made.append(
            EpisodeStep(
                turn,
                role,
                ChaosOpsObservation(role, view(role, turn), turn, 0.0, False, ""),
                ChaosOpsAction(role, ActionType.RESTART, "db", {"hint": [1]}),
                breakdown.total,
                breakdown,
                turn == count - 1,
                "sre restarts db",
            )
        )
    return tuple(made)


def write_log(folder: Path, played: Iterable[EpisodeStep] | None = None) -> Path:
    played = frames() if played is None else tuple(played)
    with EventLogWriter.create(folder, header()) as log:
        for frame in played:
            log.turn(frame, HUMAN)
        log.finish(footer(played))
    return log.path


def edited(path: Path, line: int, change: Callable[[Event], object]) -> Path:
    """The log with one line changed, counted from 1."""
    lines = path.read_text().splitlines()
    event = json.loads(lines[line - 1])
    change(event)
    lines[line - 1] = json.dumps(event)
    path.write_text("\n".join(lines) + "\n")
    return path
