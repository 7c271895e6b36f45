"""Games to look at: short, without a pause between the turns, and recorded where a test wants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import count
from pathlib import Path

from textual.pilot import Pilot

from chaosops.agents.policies import Policy, pass_turn
from chaosops.agents.runner import EpisodeStep, Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.action_form.state import Stage
from chaosops.play.session import Roster, Session
from chaosops.recording.events import Ui
from tui.app import ChaosOpsApp
from tui.screens.incident.screen import IncidentScreen
from tui.widgets.picker.picker import Picker

UI = Ui(name="test", version="1", columns=80, rows=24, theme="dark")

HOSTILE = (
    "[/]",
    "[/x]",
    "[/ ",
    "[@click=app.quit]press[/]",
    "[bold red]not bold[/bold red]",
    "$error \\[ [[ ]] \\",
    "\x1b]52;c;aGk=\x07\x1b[2J",
    "\x9b31mred",
    "abc\u202etxt.exe\u2066",
    "lone \ud800 surrogate",
    "two\nlines\r\nand\ta tab",
    "長い文字列" * 60,
    "x" * 3_000,
    "",
)
"""What a player or a file may say that must be shown as it is, or as U+FFFD, and do nothing."""


BY_DEV = 2
"""A seed with which Dev can end the incident; with the usual one only the Manager can."""


@cache
def scenario(seed: int = 7, rounds: int | None = None) -> Scenario:
    played = Scenario.load("paying-ends-in-an-error", seed=seed)
    return played if rounds is None else played.lasting(rounds * len(TURN_ORDER))


def roster(*people: AgentRole, others: Policy = pass_turn) -> Roster:
    mates = {role: others for role in TURN_ORDER if role not in people}
    return Roster(frozenset(people), mates, dict.fromkeys(mates, "noop"))


def session(*people: AgentRole, folder: Path | None = None, rounds: int | None = None) -> Session:
    return Session(scenario(rounds=rounds), roster(*people), recordings=folder, ui=UI)


def frames(
    policies: Mapping[AgentRole, Policy] | None = None, turns: int = 8, *, seed: int = 7
) -> list[EpisodeStep]:
    """The first turns of an episode; a role without a policy passes."""
    stepper = Stepper(ChaosOpsEnvironment(), scenario(seed))
    chosen = policies or {}
    while len(stepper.steps) < turns and not stepper.done:
        role = stepper.role
        stepper.take(chosen.get(role, pass_turn)(stepper.observation, role))
    return list(stepper.steps)


def game(
    seats: Roster,
    *,
    folder: Path | None = None,
    rounds: int | None = None,
    clock: Callable[[], float] | None = None,
    played: Scenario | None = None,
) -> tuple[ChaosOpsApp, IncidentScreen]:
    """An app that opens on an incident, and its screen.

    Args:
        clock: What turns are timed by. By default each look at it is a second after the last, so
            that no key comes too soon.
        played: The incident; by default the one of `scenario`.
    """
    world, ticks = played or scenario(rounds=rounds), clock or count(1.0).__next__

    def begin() -> Session:
        return Session(world, seats, recordings=folder, ui=UI, monotonic=ticks)

    screen = IncidentScreen(world, seats, folder, begin=begin)
    return ChaosOpsApp(lambda: screen, pace=0), screen


async def settled(pilot: Pilot[int]) -> None:
    """Let teammates answer and the screen catch up, also with what begins after it was drawn."""
    await pilot.pause()
    if not len(pilot.app.workers):
        await pilot.pause()
    if len(pilot.app.workers):
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()


async def press(pilot: Pilot[int], *keys: str) -> None:
    """Press keys one at a time, and let each take effect."""
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


async def complete(pilot: Pilot[int], picker: Picker) -> None:
    """Answer every question with the first choice, or with a word, up to the last look."""
    while picker.flow.stage in (Stage.CHOOSE, Stage.WRITE):
        if picker.flow.stage is Stage.WRITE:
            await press(pilot, "o", "k")
        await press(pilot, "enter")


def text_of(app: ChaosOpsApp) -> str:
    """All that is on the screen, as lines of text."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
