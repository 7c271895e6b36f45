"""What a comparison with the expert comes to, as sentences for the debrief. Needs no screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from chaosops.env.actions import HINT
from chaosops.env.models import ChaosOpsAction
from chaosops.play.counterfactuals import Cost, Gap, Hindsight
from chaosops.play.formatting import ROLE_NAMES, shown, signed
from chaosops.play.outcome import Outcome, outcome
from chaosops.play.wording import describe, describe_in

LEAST: Final = 0.05
"""Points that are worth a word: less is shown as 0.0."""

MEASURE: Final = (
    "What a turn cost: how much less experts in every seat can make after it than before it, and "
    "never less than this game made."
)


def gap_words(seen: Hindsight, result: Outcome) -> Iterator[str]:
    """Yield where the points between the expert's score and the game's went.

    Args:
        result: The game's totals.
    """
    gap = seen.gap
    if abs(gap.total) < LEAST:
        yield "Your score is the expert's."
        return
    side = "above" if gap.total < 0 else "below"
    yield f"{abs(gap.total):.1f} {side} the expert: {_by_whom(gap)}."
    yield f"The same by component: {', '.join(_by_component(seen, result))}."


def _by_whom(gap: Gap) -> str:
    parts = [f"your turns {signed(-gap.own)}", f"other turns {signed(-gap.others)}"]
    if gap.found >= LEAST:
        parts.append(f"a better line than the expert's {signed(gap.found)}")
    return ", ".join(parts)


def _by_component(seen: Hindsight, result: Outcome) -> Iterator[str]:
    theirs = dict(outcome(seen.expert.steps, resolved=seen.expert.resolved, diagnoses=()).sums)
    mine = dict(result.sums)
    for word in {**theirs, **mine}:
        difference = mine.get(word, 0.0) - theirs.get(word, 0.0)
        if abs(difference) >= LEAST:
            yield f"{word} {signed(difference)}"


def without_cost_words(seen: Hindsight) -> str:
    """Say that no turn of the person's was a mistake, as far as the game's record shows."""
    if seen.gap.own >= LEAST:
        return "None of your turns is a mistake as far as the truth and the record tell."
    return "None of your turns lost points that experts could still have made."


def cost_head(cost: Cost) -> str:
    """Name a turn: "turn 5, SRE"."""
    return f"turn {cost.turn + 1}, {ROLE_NAMES[cost.role]}"


def _words(cost: Cost, action: ChaosOpsAction) -> str:
    return describe(action) if cost.view is None else describe_in(cost.view, action)


def cost_words(cost: Cost) -> str:
    """Say what a turn cost, and what the expert would have done, if that is advice."""
    taken, better = _words(cost, cost.taken), _words(cost, cost.better)
    hints = cost.taken.args.get(HINT)
    if isinstance(hints, tuple) and hints:
        taken += f", with hint {' and '.join(str(level) for level in hints)},"
    said = f"{cost_head(cost)}: {taken}"
    if cost.ended:
        more = f"experts could have made {cost.lost:.1f} more"
        return f"{said} ended the incident; from before that turn {more}."
    if not cost.advised:
        return f"{said}: experts made {cost.lost:.1f} more from before it than from after it."
    why = f" {shown(cost.why, 400)}" if cost.why else ""
    return f"{said} cost {cost.lost:.1f}. Better: {better}.{why}"
