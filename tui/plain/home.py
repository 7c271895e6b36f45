"""The list of incidents to choose from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from chaosops.env.models import TURN_ORDER, AgentRole
from chaosops.env.world_sim import Scenario
from chaosops.play.daily import Daily, daily, today_in_utc
from chaosops.play.formatting import shown
from chaosops.play.setup import Setup
from chaosops.scenarios.loader import find_scenarios
from chaosops.scenarios.rendering import ScenarioSource
from chaosops.scenarios.summaries import scenario_summaries
from tui.plain.console import LEAVE, Console
from tui.plain.reference import looked_up


class ChosenGame(NamedTuple):
    """The chosen game: an incident and who sits where."""

    scenario: Scenario
    setup: Setup


def chosen(console: Console, folders: tuple[Path, ...], usual: Setup) -> ChosenGame | None:
    """Ask for an incident and a role; None if the player leaves.

    Args:
        usual: The setup unless a role is named.

    Raises:
        ScenarioError: A file in one of the folders is broken.
    """
    sources = find_scenarios(folders)
    console.say("Incidents, from the easiest to the hardest:")
    level = ""
    for number, source in enumerate(sources, 1):
        incident = source.render(0)
        if incident.level.value != level:
            level = incident.level.value
            console.say(f"{level.capitalize()}:")
        console.say(f"- {number} {shown(incident.title)} ({shown(source.id, 80)})")
    today = daily(scenario_summaries(), today_in_utc())
    if today is not None:
        console.say(f"- daily {shown(today.incident.title)} ({today.words}, for everyone)")
    wanted = _ask_game(console, sources, today)
    if wanted is None:
        return None
    setup = _ask_seat(console, usual)
    if setup is None:
        return None
    return ChosenGame(wanted, setup)


def _ask_game(
    console: Console, sources: list[ScenarioSource], today: Daily | None
) -> Scenario | None:
    by_id = {source.id: source for source in sources}
    while (
        line := console.ask(
            "Which one? Type a number or a name, or Enter for the first; glossary WORD looks "
            "something up:"
        )
    ) is not None:
        if line.lower() in LEAVE:
            return None
        if not line:
            return Scenario.of(sources[0])
        if today is not None and line.lower() == "daily":
            return Scenario.load(today.incident.id, today.seed)
        if (told := looked_up(line)) is not None:
            console.say(*told)
            continue
        if line.isdecimal() and 1 <= int(line[:6]) <= len(sources):
            return Scenario.of(sources[int(line[:6]) - 1])
        if line in by_id:
            return Scenario.of(by_id[line])
        console.say(f"No incident '{shown(line, 60)}': type a number from 1 to {len(sources)}.")
    return None


def _ask_seat(console: Console, usual: Setup) -> Setup | None:
    """Return the usual setup, or one with a person in the named role."""
    names = ", ".join(role.value for role in TURN_ORDER)
    if not usual.has_person:
        usual = Setup.of((AgentRole.SRE,), shot_clock=usual.shot_clock)
    seats = ", ".join(f"{role.value} {usual.seats[role].word}" for role in TURN_ORDER)
    while (line := console.ask(f"Which role? {names}; Enter for {seats}:")) is not None:
        if line.lower() in LEAVE:
            return None
        if not line:
            return usual
        if (told := looked_up(line)) is not None:
            console.say(*told)
            continue
        try:
            return Setup.of((AgentRole(line.lower()),), shot_clock=usual.shot_clock)
        except ValueError:
            console.say(f"No role '{shown(line, 40)}'.")
    return None
