"""What trials of causes came to, as a page: places, shares, actions, and each exception."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from chaosops.env.cause_trials import SHARES, MoveTrial, PlaceTrial, Strength
from chaosops.env.engine import ENGINE
from chaosops.scenarios.cause import Cause, CauseMove
from chaosops.scenarios.cause_list import move_words
from chaosops.scenarios.problems import FieldPath

MARK: Final = "cause trials"
"""The comments of a page between which it is."""

PLACES: Final = 3
TOPOLOGIES: Final = 3
"""A cause should reach each share at that many places, on that many topologies."""

_LISTS: Final = ("clears", "eases", "tempts")
_MOST_NAMED: Final = 3


class CauseOutcome(NamedTuple):
    """A cause, tried at every place that it fits."""

    cause: Cause
    trials: tuple[PlaceTrial, ...]

    def reached(self, share: int) -> list[PlaceTrial]:
        """Return the places at which it reaches one of the shares."""
        return [each for each in self.trials if each.strengths and each.strengths[share].reached]

    def is_widespread(self, share: int) -> bool:
        """Whether it reaches a share at enough places on enough topologies."""
        found = self.reached(share)
        return len(found) >= PLACES and len({each.topology for each in found}) >= TOPOLOGIES

    def moves(self, name: str) -> list[tuple[PlaceTrial, MoveTrial]]:
        """Return the trials of one of its lists of actions."""
        return [
            (trial, move) for trial in self.trials for move in trial.moves if move.field[0] == name
        ]


def markdown(outcomes: Sequence[CauseOutcome]) -> str:
    """Return the tables as Markdown."""
    tried = sum(len(outcome.trials) for outcome in outcomes)
    shares = [f"{share:.0%}" for share in SHARES]
    lines = [
        f"Engine {ENGINE}: {len(outcomes)} causes at {tried:,} places.",
        "",
        f"| family | cause | places | {' | '.join(shares)} | {' | '.join(_LISTS)} |",
        f"| --- | --- | --- |{' ---: |' * (len(SHARES) + len(_LISTS))}",
        *map(row, outcomes),
        "",
        f"Where a share is reached at fewer than {PLACES} places or {TOPOLOGIES} topologies:",
        "",
        *_or_none(_narrow(outcomes), "| cause | share | places | elsewhere |"),
        "",
        "Actions that do something else than the file says:",
        "",
        *_or_none(_odd_moves(outcomes), "| cause | listed under | action | where |"),
    ]
    return "\n".join(lines)


def row(outcome: CauseOutcome) -> str:
    """Return the row of a cause: where it was tried, and how much of it is as its file says."""
    cause, trials = outcome.cause, outcome.trials
    places = {trial.topology: 0 for trial in trials}
    for trial in trials:
        places[trial.topology] += 1
    cells = [cause.family, f"`{cause.id}`"]
    cells.append(", ".join(f"{name} {count}" for name, count in places.items()))
    for share in range(len(SHARES)):
        found = outcome.reached(share)
        fleets = len({trial.topology for trial in found})
        cells.append("alarm" if cause.harmless else f"{len(found)} on {fleets}")
    for name in _LISTS:
        moves = outcome.moves(name)
        right = sum(not move.problem for _trial, move in moves)
        cells.append(f"{right} of {len(moves)}" if moves else "-")
    return f"| {' | '.join(cells)} |"


def _or_none(rows: Iterator[str], head: str) -> list[str]:
    found = list(rows)
    return [head, "| --- | --- | --- | --- |", *found] if found else ["None."]


def _narrow(outcomes: Sequence[CauseOutcome]) -> Iterator[str]:
    """Yield a row for each share that a cause reaches at too few places, with the reasons."""
    for outcome in outcomes:
        if outcome.cause.harmless:
            continue
        for share, wanted in enumerate(SHARES):
            if outcome.is_widespread(share):
                continue
            found = outcome.reached(share)
            there = ", ".join(trial.where for trial in found) or "none"
            if len(found) > _MOST_NAMED:
                there = f"{len(found)} on {', '.join(dict.fromkeys(t.topology for t in found))}"
            elsewhere = _why_not(outcome, share)
            yield f"| `{outcome.cause.id}` | {wanted:.0%} | {there} | {elsewhere} |"


def _why_not(outcome: CauseOutcome, share: int) -> str:
    """Explain why the other places don't reach a share; there may be none."""
    others = [each for each in outcome.trials if not each.strengths[share].reached]
    if not others:
        return "it fits nowhere else"
    unnoticed = [each for each in others if each.strengths[share].is_unnoticed]
    jumping = [each for each in others if each.strengths[share].jumps]
    weak = [each for each in others if each not in unnoticed and each not in jumping]
    said = []
    for group, words in ((weak, "at most"), (jumping, "jumps to")):
        if group:
            said.append(f"{words} {_range([e.strengths[share] for e in group])} at {_named(group)}")
    if unnoticed:
        said.append(f"no user request needs {_named(unnoticed)}")
    return "; ".join(said)


def _range(strengths: Sequence[Strength]) -> str:
    low, high = (f"{f(each.most for each in strengths):.0%}" for f in (min, max))
    return low if low == high else f"{low} to {high}"


def _named(trials: Sequence[PlaceTrial]) -> str:
    if len(trials) > _MOST_NAMED:
        return f"{len(trials)} others"
    return ", ".join(trial.where for trial in trials)


def _listed(cause: Cause, field: FieldPath) -> CauseMove:
    """Return the action of a cause that is listed at a field."""
    lists = dict(zip(_LISTS, (cause.clears, cause.eases, cause.tempts), strict=True))
    return lists[str(field[0])][int(field[1])]


def _odd_moves(outcomes: Sequence[CauseOutcome]) -> Iterator[str]:
    """Yield a row for each action that isn't what its file says at some places.

    Beside each place is by how much the failed requests changed.
    """
    for outcome in outcomes:
        found: dict[FieldPath, list[tuple[PlaceTrial, MoveTrial]]] = {}
        for name in _LISTS:
            for trial, move in outcome.moves(name):
                if move.problem:
                    found.setdefault(move.field, []).append((trial, move))
        for field, at in found.items():
            words = move_words(_listed(outcome.cause, field))
            where = ", ".join(f"{t.where} ({-100.0 * m.relief:+.0f} %)" for t, m in at)
            yield f"| `{outcome.cause.id}` | {field[0]} | {words} | {where} |"
