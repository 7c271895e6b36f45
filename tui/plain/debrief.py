"""The debrief as sentences."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from chaosops.env.models import Status
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.process_figures import process_figures
from chaosops.play.counterfactuals import Hindsight, hindsight
from chaosops.play.dailies import note_daily
from chaosops.play.daily import today_in_utc
from chaosops.play.debrief import (
    USUAL_COURSE,
    LedgerFact,
    TimelineEntry,
    ledger,
    share_parts,
    timeline,
)
from chaosops.play.deeds import deed_words
from chaosops.play.earned_stars import stars_in, withheld_in
from chaosops.play.follow_ups import follow_ups, told
from chaosops.play.formatting import ROLE_NAMES, clock, in_words, shown, signed
from chaosops.play.hindsight_words import (
    LEAST,
    MEASURE,
    cost_words,
    gap_words,
    without_cost_words,
)
from chaosops.play.outcome import Outcome, outcome
from chaosops.play.process_words import process_words
from chaosops.play.reveal import revealed, twins_told
from chaosops.play.session import Session
from chaosops.play.stars import STARS, Star
from chaosops.play.verdicts import told_verdict
from chaosops.presenter.parts import STAKES
from chaosops.recording.turn_sources import Decider
from tui.plain.console import Console
from tui.plain.spelled import spelled

_DEAREST: Final = 3
_PATIENCE: Final = 3.0
"""Seconds between two progress messages."""


def tell_debrief(console: Console, session: Session) -> int | None:
    """Print the debrief; the expert's line on the same seed is computed last.

    Returns:
        The most expensive turn of a person, counted from 0; None if there is none, or on interrupt.
    """
    result, withheld = result_of(session), withheld_in(session)
    status = session.observation.view.status
    console.say(
        f"The incident is over. {_ending(result)} Score {signed(result.score)}.",
        "Score:",
        *(f"- {word}: {signed(value)}" for word, value in result.sums),
        *_diagnoses(result, status, session.scenario),
        *(() if withheld is None else _stars(withheld)),
        *process_words(process_figures(session.scenario, session.steps)),
        *_truth(session),
    )
    people = frozenset(session.steps[turn].role for turn in _played(session))
    deeds = [f"- {deed}" for deed in deed_words(session.steps, session.observation.view)]
    if deeds:
        console.say("What deeds earned or cost:", *deeds)
    entries = timeline(session.scenario, session.steps, session.observation, people, session.late)
    console.say("What happened, and when:")
    console.say(*(f"- {_entry(entry, status)}" for entry in entries))
    facts = ledger(session.scenario, session.steps, session.observation)
    console.say("What could be found, and when it was:")
    console.say(*(f"- {_fact(fact, status)}" for fact in facts))
    seen = _expert(console, session, result)
    expert = None if seen is None else seen.expert.score
    daily = note_daily(session, result.stars, today_in_utc())
    share = ", ".join(map(spelled, share_parts(session.scenario, result, people, expert, daily)))
    console.say(f"To share: {share}", *_recording(session))
    if daily is not None and daily.trouble:
        console.say(f"Note: the streak is not counted: {daily.trouble}")
    cost = None if seen is None else seen.costliest
    return None if cost is None else cost.turn


def _played(session: Session) -> tuple[int, ...]:
    """Return the player's turns, also if a program plays through a pipe."""
    humans = enumerate(session.humans)
    return tuple(turn for turn, part in humans if part.source is not Decider.SCRIPTED)


def result_of(session: Session) -> Outcome:
    """Return the totals of a session's episode."""
    diagnoses = session.observation.view.diagnoses
    return outcome(
        session.steps, resolved=session.resolved, diagnoses=diagnoses, stars=stars_in(session)
    )


def _stars(withheld: Mapping[Star, str]) -> Iterator[str]:
    yield f"Stars: {len(STARS) - len(withheld)} of {len(STARS)}."
    for star, needs in STARS.items():
        lacks = withheld.get(star, "")
        how = f"not earned, {lacks}" if lacks else "earned"
        yield f"- {star.value}, {how}: {needs}"


def _ending(result: Outcome) -> str:
    if result.resolved:
        return f"Resolved in {result.turns} minutes."
    return f"Not resolved after {result.turns} minutes."


def _diagnoses(result: Outcome, status: Status, truth: Scenario) -> Iterator[str]:
    if not result.diagnoses:
        yield "No diagnosis was made."
    for made in result.diagnoses:
        where = f" at {shown(made.place)}" if made.place else ""
        stake = f", {STAKES[made.stake]}" if made.stake is not None else ""
        yield (
            f"Diagnosis at {clock(status, made.minute)} by {ROLE_NAMES[made.role]}: "
            f"{in_words(made.cause)}{where}{stake}, {told_verdict(made, truth)}."
        )


def _truth(session: Session) -> Iterator[str]:
    debrief = session.scenario.incident.debrief
    facts = ledger(session.scenario, session.steps, session.observation)
    said = session.observation.view
    found = revealed(session.scenario, said, facts)
    yield from (f"{heading}: {text}" for heading, text in found)
    yield f"What it was: {shown(debrief.title).rstrip('.')}."
    yield f"{USUAL_COURSE}: {shown(debrief.happened, 4_000)}"
    yield f"What can mislead here: {shown(debrief.misleading, 4_000)}"
    twins = twins_told(session.scenario, session.steps)
    yield from (f"{heading}: {text}" for heading, text in twins)
    yield f"The lesson: {shown(debrief.lesson, 4_000)}"
    yield f"Similar outages: {shown(debrief.same_kind)}"
    views = [*(step.observation.view for step in session.steps), session.observation.view]
    followed = follow_ups(session.scenario, views)
    last = session.observation.view
    for heading, text in told(followed, last.diagnoses, last.status):
        yield f"{heading}: {text}"


def _entry(entry: TimelineEntry, status: Status) -> str:
    who = "" if entry.role is None else f"{ROLE_NAMES[entry.role]}{' (you)' * entry.mine}: "
    paid = f", {signed(entry.reward)}" if entry.turn is not None else ""
    return f"{clock(status, entry.minute)} {who}{shown(entry.text)}{paid}"


def _fact(fact: LedgerFact, status: Status) -> str:
    roles = " or ".join(ROLE_NAMES[role] for role in fact.roles)
    if fact.looked is None:
        looked = "nobody investigated"
    else:
        minute, role = fact.looked
        looked = f"{ROLE_NAMES[role]} saw it at {clock(status, minute)}"
    speaks = f" It speaks for {', '.join(fact.supports)}." if fact.supports else ""
    return (
        f"{shown(fact.where)}, {roles}, from {clock(status, fact.knowable)} on; {looked}. "
        f"{shown(fact.text)}.{speaks}"
    )


def _expert(console: Console, session: Session, result: Outcome) -> Hindsight | None:
    """Print the expert's line and the most expensive turns, unless interrupted."""
    console.say("The expert is now playing the same seed; press ctrl+c to skip this.")
    tick = ProgressReport(console).tick
    try:
        seen = hindsight(session.scenario, session.steps, _played(session), tick)
    except KeyboardInterrupt:
        seen = None
    if seen is None:
        return None
    console.say(*_expert_lines(seen, result))
    return seen


class ProgressReport:
    """Prints the progress of something slow from time to time."""

    def __init__(self, console: Console, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._console, self._monotonic = console, monotonic
        self._said = monotonic()

    def tick(self, share: float) -> bool:
        """Take the progress, from 0 to 1; always continue."""
        now = self._monotonic()
        if share < 1.0 and now - self._said >= _PATIENCE:
            self._said = now
            self._console.say(f"{share * 100:.0f} percent done.")
        return True


def _expert_lines(seen: Hindsight, result: Outcome) -> Iterator[str]:
    line = seen.expert
    word = "resolved it" if line.resolved else "did not resolve it"
    yield (
        f"The expert {word} in {len(line.steps)} minutes with a score of {signed(line.score)}; "
        f"yours is {signed(result.score)}."
    )
    yield from gap_words(seen, result)
    dear = [cost for cost in seen.costs if cost.lost >= LEAST][:_DEAREST]
    if not dear:
        yield without_cost_words(seen)
        return
    yield f"Your costliest turns, and the expert's moves. {MEASURE}"
    for cost in dear:
        yield f"- {cost_words(cost)}"


def _recording(session: Session) -> Iterator[str]:
    path = session.recording
    if path is None:
        yield "This game was not recorded."
    elif session.log.is_gone:
        yield f"The recording {shown(path, 1_000)} was deleted: this game isn't saved anywhere."
    else:
        yield f"Step through it with: chaosops replay {shown(path)} --plain"
