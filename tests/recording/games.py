"""Recordings of real games, and what can be done to their files."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from chaosops.agents.runner import EpisodeResult, Stepper
from chaosops.agents.seats import seat_policies
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.recording.event_log import EventLogWriter
from chaosops.recording.events import (
    Consent,
    ConsentScope,
    HumanPart,
    Player,
    Seat,
    SeatKind,
    Ui,
    new_footer,
    new_header,
)
from chaosops.recording.turn_sources import Decider
from tests.worlds import built_in

UI = Ui(name="test", version="1")
PERSON = HumanPart(
    source=Decider.HUMAN,
    shown_at_ms=1_000,
    first_input_at_ms=2_000,
    submitted_at_ms=5_000,
    latency_ms=4_000,
    invalid_attempts=1,
    panes=("services", "logs"),
)
PLAYER = Player(
    "3f9a2c41d0b7e586",
    Consent(version=1, scopes=(ConsentScope.ACTIONS,), given_at_ms=1),
)


@cache
def scenario(seed: int = 7) -> Scenario:
    """The first incident."""
    return Scenario.of(built_in()[0], seed)


def record(
    folder: Path,
    *,
    seed: int = 7,
    policy: str = "random",
    turns: int | None = None,
    people: tuple[AgentRole, ...] = (AgentRole.SRE,),
    player: Player | None = None,
    header_says: Mapping[str, object] | None = None,
    name: str = "",
    played: Scenario | None = None,
) -> Path:
    """Play an incident into a log: to its end, or so many turns without a footer.

    Args:
        name: Its id; by default the first incident's.
        played: The incident itself, instead of its id and seed.
        header_says: What the header says instead, as another version of ChaosOps wrote it.
    """
    if played is None:
        played = Scenario.load(name, seed=seed) if name else scenario(seed)
    policies = seat_policies(dict.fromkeys(TURN_ORDER, policy), played)
    stepper = Stepper(ChaosOpsEnvironment(), played)
    seats = {
        role: Seat(kind=SeatKind.HUMAN)
        if role in people
        else Seat(kind=SeatKind.SCRIPTED, policy=policy)
        for role in TURN_ORDER
    }
    header = new_header(
        played, seats=seats, ui=UI, max_turns=played.max_steps * len(TURN_ORDER), player=player
    )
    header = header.model_copy(update=header_says)
    with EventLogWriter.create(folder, header) as log:
        while not stepper.done and (turns is None or len(stepper.steps) < turns):
            role = stepper.role
            frame = stepper.take(policies[role](stepper.observation, role))
            log.turn(frame, PERSON if role in people else HumanPart.scripted(policy))
        if turns is None:
            log.finish(new_footer(stepper.result()))
    return log.path


def damaged(folder: Path) -> Path:
    """A file that is no recording."""
    path = folder / "damaged.jsonl"
    path.write_text("hello\n")
    return path


def outcome(seed: int = 7, policy: str = "random") -> EpisodeResult:
    """How that game ends."""
    return end_of(scenario(seed), policy, ChaosOpsEnvironment())


def end_of(played: Scenario, policy: str, env: ChaosOpsEnvironment) -> EpisodeResult:
    """How a game ends in which one policy has all seats."""
    policies = seat_policies(dict.fromkeys(TURN_ORDER, policy), played)
    stepper = Stepper(env, played)
    while not stepper.done:
        stepper.take(policies[stepper.role](stepper.observation, stepper.role))
    return stepper.result()


def rewrite(path: Path, line: int, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change a line, counted from 1, as the game would write it."""
    lines = path.read_bytes().splitlines(keepends=True)
    event = json.loads(lines[line - 1])
    change(event)
    lines[line - 1] = json.dumps(event, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    return path


Leaf = tuple[str | int, ...]


def leaves(value: Any, at: Leaf = ()) -> Iterator[Leaf]:
    """The paths of all values that hold no others."""
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves(inner, (*at, key))
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from leaves(inner, (*at, index))
    else:
        yield at


def flip(event: Any, leaf: Leaf) -> None:
    """Change the value at a path into another one, of the same type where there is one."""
    *outer, last = leaf
    inner = event
    for key in outer:
        inner = inner[key]
    inner[last] = _other(inner[last])


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("x" if value[-1:] != "x" else "y")
    return [0] if value is None or value == [] else {"x": 0}
