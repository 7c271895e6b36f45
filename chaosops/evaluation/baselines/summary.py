"""The summary of baselines: a table by level with confidence intervals, and reward curves.

Both are added up episode by episode, in memory that doesn't grow with their number. Intervals are
of 95 %. Seeds of one incident are more alike than incidents are, so the spread is that of the
incidents' means.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final, NamedTuple

from chaosops.env.models import Difficulty
from chaosops.evaluation.baselines.episodes import BaselineEpisode
from chaosops.evaluation.process_figures import ProcessMeans

_Z: Final = 1.96


class Interval(NamedTuple):
    """A mean with the ends of its confidence interval."""

    mean: float
    low: float
    high: float


class BaselineCell(NamedTuple):
    """The results of a policy on a level.

    Attributes:
        resolved: The share of resolved episodes, from 0 to 1.
        mttr: The mean turns to resolve, of resolved episodes; None if there are none.
        process: Shares and means of the process figures, by name.
    """

    level: Difficulty
    policy: str
    episodes: int
    incidents: int
    resolved: Interval
    reward: Interval
    mttr: float | None
    wrong_fixes: float
    errors: int
    process: dict[str, float | None]


class IncidentCell(NamedTuple):
    """The results of a policy on an incident.

    Attributes:
        resolved: The share of resolved episodes, from 0 to 1.
        reward: The mean cumulative reward.
    """

    incident: str
    level: Difficulty
    policy: str
    episodes: int
    resolved: float
    reward: float


class RewardPoint(NamedTuple):
    """The mean cumulative reward after a turn, with the ends of its confidence interval."""

    turn: int
    mean: float
    low: float
    high: float


class RewardCurve(NamedTuple):
    """The cumulative reward of a policy by turn.

    An episode that has ended keeps its last value, so the last point is the mean reward.
    """

    policy: str
    episodes: int
    points: tuple[RewardPoint, ...]


class BaselineSummary:
    """Adds up episodes."""

    def __init__(self) -> None:
        self._totals: dict[tuple[Difficulty, str], _Totals] = {}
        self._curves: dict[str, _CurveSums] = {}

    def add(self, episode: BaselineEpisode) -> None:
        """Count an episode."""
        key = episode.level, episode.policy
        self._totals.setdefault(key, _Totals()).add(episode)
        self._curves.setdefault(episode.policy, _CurveSums()).add(episode.rewards)

    def cells(self) -> tuple[BaselineCell, ...]:
        """Return the table, the easiest level first, the policies as they were played."""
        return tuple(
            self._totals[level, policy].cell(level, policy)
            for level in Difficulty
            for policy in self._curves
            if (level, policy) in self._totals
        )

    def incidents(self) -> tuple[IncidentCell, ...]:
        """Return the results by incident, the easiest level first, then as they were played."""
        return tuple(
            IncidentCell(
                name,
                level,
                policy,
                group.count,
                group.resolved / group.count,
                group.reward / group.count,
            )
            for level in Difficulty
            for name in dict.fromkeys(
                name
                for (at, _policy), totals in self._totals.items()
                if at is level
                for name in totals.groups
            )
            for policy in self._curves
            if (level, policy) in self._totals
            and (group := self._totals[level, policy].groups.get(name)) is not None
        )

    def curves(self) -> tuple[RewardCurve, ...]:
        """Return the curve of each policy, all of them with the same turns."""
        turns = max((len(sums) for sums in self._curves.values()), default=0)
        return tuple(sums.curve(policy, turns) for policy, sums in self._curves.items())


class _Group:
    """Sums of one incident's episodes."""

    __slots__ = ("count", "resolved", "reward")

    def __init__(self) -> None:
        self.count = self.resolved = 0
        self.reward = 0.0


class _Totals:
    """Sums of one policy on one level."""

    def __init__(self) -> None:
        self.groups: dict[str, _Group] = {}
        self._squares = 0.0
        self._turns = self._wrong = self._errors = 0
        self._process = ProcessMeans()

    def add(self, episode: BaselineEpisode) -> None:
        group = self.groups.setdefault(episode.scenario, _Group())
        group.count += 1
        group.resolved += episode.resolved
        group.reward += episode.reward
        self._squares += episode.reward * episode.reward
        self._turns += episode.mttr or 0
        self._wrong += episode.wrong_fixes
        self._errors += bool(episode.error)
        self._process.add(episode.process)

    def cell(self, level: Difficulty, policy: str) -> BaselineCell:
        groups = list(self.groups.values())
        count = sum(group.count for group in groups)
        resolved = sum(group.resolved for group in groups)
        mean = sum(group.reward for group in groups) / count
        variance = max(0.0, self._squares / count - mean * mean)
        margin = _margin(groups, [group.reward for group in groups], mean)
        alone = _Z * sqrt(variance / count)
        margin = max(margin, alone)
        return BaselineCell(
            level,
            policy,
            count,
            len(groups),
            _share(groups, resolved, count),
            Interval(mean, mean - margin, mean + margin),
            self._turns / resolved if resolved else None,
            self._wrong / count,
            self._errors,
            self._process.figures(),
        )


def _margin(groups: Sequence[_Group], sums: Sequence[float], mean: float) -> float:
    """Return half the width of the interval of a mean, from the spread of the incidents."""
    many = len(groups)
    if many < 2:
        return 0.0
    count = sum(group.count for group in groups)
    spread = sum(
        (total - group.count * mean) ** 2 for group, total in zip(groups, sums, strict=True)
    )
    return _Z * sqrt(spread * many / (many - 1)) / count


def _share(groups: Sequence[_Group], resolved: int, count: int) -> Interval:
    """Return a share with the wider of Wilson's interval and that of the incidents' spread."""
    share = resolved / count
    scale = 1.0 + _Z * _Z / count
    middle = (share + _Z * _Z / (2 * count)) / scale
    half = _Z * sqrt(share * (1.0 - share) / count + _Z * _Z / (4 * count * count)) / scale
    margin = _margin(groups, [float(group.resolved) for group in groups], share)
    low = min(middle - half, share - margin)
    high = max(middle + half, share + margin)
    return Interval(share, max(0.0, low), min(1.0, high))


class _CurveSums:
    """Count, mean and squared deviations of the cumulative reward after each turn."""

    def __init__(self) -> None:
        self._count = 0
        self._means: list[float] = []
        self._spread: list[float] = []

    def __len__(self) -> int:
        return len(self._means)

    def add(self, rewards: Sequence[float]) -> None:
        self._lengthen(len(rewards))
        self._count += 1
        reached = 0.0
        for k in range(len(self._means)):
            reached += rewards[k] if k < len(rewards) else 0.0
            off = reached - self._means[k]
            self._means[k] += off / self._count
            self._spread[k] += off * (reached - self._means[k])

    def _lengthen(self, turns: int) -> None:
        """Add turns, after which all episodes so far have their last values."""
        missing = turns - len(self._means)
        if missing > 0:
            self._means += [self._means[-1] if self._means else 0.0] * missing
            self._spread += [self._spread[-1] if self._spread else 0.0] * missing

    def curve(self, policy: str, turns: int) -> RewardCurve:
        self._lengthen(turns)
        points = []
        for k, mean in enumerate(self._means):
            error = (
                sqrt(self._spread[k] / (self._count - 1) / self._count) if self._count > 1 else 0
            )
            points.append(RewardPoint(k + 1, mean, mean - _Z * error, mean + _Z * error))
        return RewardCurve(policy, self._count, tuple(points))
