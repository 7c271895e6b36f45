"""What a person has missed since their last turn. No widget in here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import ActionType, AgentRole, ChaosOpsObservation, RoleView, Status
from chaosops.play.cells import CellPlace, words
from chaosops.play.costs import is_of_another, summed, unusual
from chaosops.play.formatting import ROLE_NAMES, shown
from chaosops.play.happenings import landing_words, new_landings
from chaosops.play.wording import verb_word
from chaosops.presenter import Recent, TakenAction, recent


class TurnDigest(NamedTuple):
    """What is new to the role whose turn it is.

    Attributes:
        heading: What the lines are.
        lines: What it all paid, then one for each thing, what matters most first.
        headline: The same in a few sentences, what matters most first.
    """

    heading: str
    lines: tuple[str, ...]
    headline: str


def turn_digest(
    steps: Sequence[EpisodeStep],
    observation: ChaosOpsObservation,
    late: Collection[int] = (),
) -> TurnDigest:
    """The role's own findings, what has landed, what was said to it, then what others did.

    Args:
        steps: The turns so far.
        late: Turns that passed because nobody took them in time.
    """
    role, view = observation.turn_role, observation.view
    since, before = steps_since(steps, role)
    if not since:
        return TurnDigest("The page", (observation.message,), observation.message)
    fresh = recent(view, before)
    messages = [words(said, _SAID, _LEFT_OUT) for said in fresh.inbox]
    found = [words(item, _FOUND, _LEFT_OUT) for item in fresh.findings]
    told = told_steps(since, late)
    points = points_line(since)
    statuses = [*(step.observation.view.status for step in since), view.status]
    rest = (*found, *landed_lines(fresh, view, before, statuses), *messages, *told)
    headline = _headline(since, late, points, rest)
    return TurnDigest("Since your last turn", (points, *rest), headline)


def steps_since(
    steps: Sequence[EpisodeStep], role: AgentRole
) -> tuple[list[EpisodeStep], RoleView | None]:
    """The turns from the role's last one on, oldest first, and what the role saw in that one."""
    since: list[EpisodeStep] = []
    for step in reversed(steps):
        since.append(step)
        if step.role is role:
            return since[::-1], step.observation.view
    return since[::-1], None


def told_steps(since: Sequence[EpisodeStep], late: Collection[int] = ()) -> list[str]:
    """What was done in some turns, with what it cost or earned; who passed is told in one line."""
    lines, passed = [], []
    for step in since:
        parts = unusual(step)
        others = [part for part in parts if is_of_another(part, step)]
        costs = "; ".join(part.full for part in parts if part not in others)
        if step.turn in late:
            lines.append(
                _with_costs(f"{ROLE_NAMES[step.role]}: time ran out, the turn passed", costs)
            )
        elif step.action.action_type is ActionType.NOOP and not costs:
            passed.append(ROLE_NAMES[step.role])
        else:
            lines.append(_with_costs(step.message, costs))
        lines += [part.full for part in others]
    if passed:
        lines.append(f"{_and(passed)} passed")
    return lines


def landed_lines(
    fresh: Recent, view: RoleView, before: RoleView | None, statuses: Sequence[Status] = ()
) -> list[str]:
    """What has taken effect since the role last looked, with what was measured then.

    Args:
        statuses: Of the minutes since then, in order.
    """
    lines = []
    measured = [] if before is None else list(new_landings(before, view))
    for item in fresh.landed:
        deed, role = item.find("act"), item.find("who")
        landing = next(
            (
                each
                for each in measured
                if isinstance(deed, TakenAction)
                and (each.role, each.action_type, each.target)
                == (role, deed.action_type, deed.target)
            ),
            None,
        )
        if landing is None:
            lines.append(words(item, _LANDED, _LEFT_OUT))
        else:
            measured.remove(landing)
            lines.append(f"Landed: {landing_words(landing, statuses)}")
    return lines


def points_line(since: Sequence[EpisodeStep]) -> str:
    """What those turns paid, by component."""
    return f"Points {summed(since)}"


def _headline(
    since: Sequence[EpisodeStep], late: Collection[int], points: str, lines: Sequence[str]
) -> str:
    """Lost turns and costs first, then what was found and said, then what others did."""
    weighty = [step for step in since if step.turn in late or unusual(step)]
    first = told_steps(weighty, late)
    rest = [line for line in lines if line not in first]
    told = (*first, points, *rest)
    return " ".join(line if line.endswith((".", "!", "?")) else f"{line}." for line in told)


def _with_costs(text: str, costs: str) -> str:
    return f"{text} ({costs})" if costs else text


def _and(names: Sequence[str]) -> str:
    *most, last = dict.fromkeys(names)
    return f"{', '.join(most)} and {last}" if most else last


def _without_args(deed: TakenAction) -> str:
    return f"{verb_word(deed.action_type)} {shown(deed.target, 60)}"


_LANDED: Final = (
    CellPlace("act", "Landed: ", say=_without_args),
    CellPlace("who", " (", ")"),
)
_FOUND: Final = (
    CellPlace("target", "Found at "),
    CellPlace("source", ", "),
    CellPlace("text", ": "),
)
_SAID: Final = (
    CellPlace("sender", after=" to you"),
    CellPlace("text", ": "),
    CellPlace("proposal", " → proposes "),
)
_LEFT_OUT: Final = (
    *("time", "taken", "lands", "number", "who", "to"),
    *("signs", "finding"),
)
"""What a digest leaves to the panes."""
