"""Process figures: how a team worked, beside how the episode ended and what it paid.

They are computed from the frames and the scenario's truth. A look is an investigation that was not
refused. A look is telling if what it shows supports the cause: an incident's evidence says what
does, and in a situation the telling readings of the drawn cause. The acts of a guilty agent are
telling too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from chaosops.agents.runner import EpisodeResult, EpisodeStep
from chaosops.env.models import ActionType, FailureType, Source
from chaosops.env.models.failures import cause_named
from chaosops.env.models.records import Record
from chaosops.env.world_sim import Scenario
from chaosops.scenarios.schema import Evidence

_MINUTES_EASED: Final = 2
_SHARE_LEFT: Final = 0.5


class _ProcessFigures(NamedTuple):
    grounded: bool | None = None
    coverage: float | None = None
    looks: int = 0
    redundant_looks: int = 0
    time_to_ease: int | None = None
    time_to_diagnose: int | None = None


class ProcessFigures(_ProcessFigures, Record):
    """How a team worked.

    Attributes:
        grounded: Whether, before the last diagnosis was made, somebody had seen a reading that
            supports it; None without a diagnosis.
        coverage: The share of the telling looks that were taken, 0 to 1; None if there are none.
        looks: The number of looks.
        redundant_looks: Looks at what somebody had looked at with the same instrument, with
            nothing having landed since.
        time_to_ease: Minutes from the page until, after an action had landed, at most half as many
            requests failed as at worst, or the objective was met again, for two minutes; None if
            that never happened or the objective was never missed. If the incident is resolved
            sooner, its last minute counts.
        time_to_diagnose: Minutes from the page to the first right diagnosis; None without one.
    """

    __slots__ = ()


class _Look(NamedTuple):
    """An investigation that was not refused."""

    turn: int
    minute: int
    source: Source
    target: str


def process_of(result: EpisodeResult) -> ProcessFigures:
    """Return the process figures of an episode."""
    return process_figures(result.scenario, result.steps)


def process_figures(scenario: Scenario, steps: Sequence[EpisodeStep]) -> ProcessFigures:
    """Return the process figures of an episode, which may be unfinished.

    Args:
        steps: Its frames from the first turn on.
    """
    looks = tuple(_looks(steps))
    named = tuple(_diagnoses(steps))
    right = frozenset((scenario.failure_type,))
    first_right = next((step for step, cause in named if cause in right), None)
    telling = _telling(scenario, right)
    covered = sum(any(shows(look) for look in looks) for shows in telling)
    return ProcessFigures(
        _is_grounded(scenario, looks, *named[-1]) if named else None,
        covered / len(telling) if telling else None,
        len(looks),
        _redundant(looks, steps),
        _minute_eased(steps),
        None if first_right is None else first_right.observation.view.status.minute,
    )


def _looks(steps: Sequence[EpisodeStep]) -> Iterator[_Look]:
    for k, step in enumerate(steps):
        if step.action.action_type is ActionType.INVESTIGATE and not _was_refused(steps, k):
            minute = step.observation.view.status.minute
            source = Source(step.action.args["source"])
            yield _Look(k, minute, source, step.action.target or "")


def _diagnoses(steps: Sequence[EpisodeStep]) -> Iterator[tuple[EpisodeStep, FailureType | str]]:
    for k, step in enumerate(steps):
        if step.action.action_type is ActionType.DIAGNOSE and not _was_refused(steps, k):
            yield step, cause_named(step.action.args["cause"])


def _was_refused(steps: Sequence[EpisodeStep], number: int) -> bool:
    if number + 1 < len(steps):
        return steps[number + 1].observation.refused
    return bool(steps[number].breakdown.miscommunication_penalty)


def _is_grounded(
    scenario: Scenario, looks: Sequence[_Look], made: EpisodeStep, cause: FailureType | str
) -> bool:
    supports = _telling(scenario, frozenset((cause,)))
    return any(shows(look) for look in looks if look.turn < made.turn for shows in supports)


def _telling(
    scenario: Scenario, causes: frozenset[FailureType | str]
) -> tuple[Callable[[_Look], bool], ...]:
    """Return, for each place where a look supports one of the causes, whether a look did."""
    incident = scenario.incident
    items: dict[tuple[Source, str], list[Evidence]] = {}
    for item in incident.evidence:
        if causes.intersection(item.supports):
            items.setdefault((item.source, item.at), []).append(item)
    if scenario.failure_type in causes:
        for agent in incident.automation:
            if agent.is_guilty:
                items.setdefault((Source.AUTOMATION, agent.name), [])
    starts = {fault.id: fault.starts for fault in incident.faults}
    return tuple(partial(_shows, place, found, starts) for place, found in items.items())


def _shows(
    place: tuple[Source, str],
    evidence: Sequence[Evidence],
    starts: Mapping[str, int | None],
    look: _Look,
) -> bool:
    """Whether a look at a place showed one of the pieces of evidence, or the acts of an agent."""
    if (look.source, look.target) != place:
        return False
    if not evidence:
        return True
    return any(_could_be_seen(item, starts, look) for item in evidence)


def _could_be_seen(item: Evidence, starts: Mapping[str, int | None], look: _Look) -> bool:
    """Whether the evidence could be seen in the minute of a look, if its fault was still live."""
    begins = starts.get(item.while_live)
    return begins is not None and begins <= look.minute


def _redundant(looks: Sequence[_Look], steps: Sequence[EpisodeStep]) -> int:
    """Count the looks that repeat an earlier one, with nothing having landed since."""
    landings = sorted({item.lands for step in steps for item in step.observation.view.landed})
    last: dict[tuple[Source, str], int] = {}
    count = 0
    for look in looks:
        key = look.source, look.target
        before = last.get(key)
        if before is not None:
            count += not any(before < minute <= look.minute for minute in landings)
        last[key] = look.minute
    return count


def _minute_eased(steps: Sequence[EpisodeStep]) -> int | None:
    statuses = [step.observation.view.status for step in steps]
    if all(status.users_ok >= status.slo for status in statuses):
        return None
    worst, begun, lasted = 0.0, 0, 0
    for step in steps:
        view = step.observation.view
        status = view.status
        failed = 1.0 - status.users_ok
        worst = max(worst, failed)
        allowed = 1.0 - status.slo
        acted = any(item.taken >= 0 and item.lands <= status.minute for item in view.landed)
        eased = worst > allowed and failed <= max(worst * _SHARE_LEFT, allowed)
        if not (acted and eased):
            lasted = 0
            continue
        begun = begun if lasted else status.minute
        lasted += 1
        if lasted == _MINUTES_EASED:
            return begun
    if not steps or not steps[-1].breakdown.resolved_bonus:
        return None
    # The minute after the last turn is in no frame.
    return begun if lasted else steps[-1].observation.view.status.minute + 1


class ProcessMeans:
    """Shares and means of process figures over episodes; None where there is nothing to average."""

    def __init__(self) -> None:
        self._sums = dict.fromkeys(ProcessFigures._fields, 0.0)
        self._counts = dict.fromkeys(ProcessFigures._fields, 0)

    def add(self, figures: ProcessFigures) -> None:
        """Count an episode."""
        for name, value in figures._asdict().items():
            if value is not None:
                self._sums[name] += value
                self._counts[name] += 1

    def figures(self) -> dict[str, float | None]:
        """Return the share of grounded diagnoses and the means of the other figures, by name."""
        names = {name: name for name in ProcessFigures._fields} | {"grounded": "grounded_share"}
        return {
            names[name]: round(self._sums[name] / count, 4) if count else None
            for name, count in self._counts.items()
        }
