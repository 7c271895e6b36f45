"""What a measurement is: a figure with the bound it is held to, and the groups it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from chaosops.env.models import Difficulty

MEDIUM_UP = frozenset({Difficulty.MEDIUM, Difficulty.HARD})
"""The levels that most gates are about."""

EASY_UP = MEDIUM_UP | {Difficulty.EASY}
ALL_LEVELS = frozenset(Difficulty)


class Sample(NamedTuple):
    """One thing that was measured once.

    Attributes:
        group: What it belongs to besides its level, such as the situation.
        value: 1 or 0 for something that happened or not, else the number itself.
    """

    level: Difficulty
    group: str
    value: float


class FigureRow(NamedTuple):
    """A figure of one group.

    Attributes:
        kind: What it is grouped by: "level", "situation", "verb" and so on.
        n: How many samples it is the figure of.
        unit: As of a measurement, or "count" for a number of things.
    """

    kind: str
    name: str
    figure: float
    n: int
    unit: str = "share"


class Figure(NamedTuple):
    """What an adversary found for one gate.

    Attributes:
        value: None if there was nothing to measure it on.
        n: How many samples it comes from.
        base: What chance, or the commonest answer, gives; 0 if the bound is no distance to it.
    """

    value: float | None
    n: int
    rows: tuple[FigureRow, ...] = ()
    base: float = 0.0


class FigureBound(NamedTuple):
    """The range that a figure has to be in, ends included; None is no end.

    Attributes:
        over_base: Whether the ends are counted from the figure's base.
    """

    at_least: float | None = None
    at_most: float | None = None
    over_base: bool = False

    def around(self, base: float) -> FigureBound:
        """The same range counted from 0."""
        if not self.over_base:
            return self
        low, high = self.at_least, self.at_most
        return FigureBound(
            None if low is None else base + low, None if high is None else min(base + high, 1.0)
        )

    def margin(self, value: float) -> float:
        """How far inside the range the value is; below 0 it is outside."""
        ends = []
        if self.at_least is not None:
            ends.append(value - self.at_least)
        if self.at_most is not None:
            ends.append(self.at_most - value)
        return min(ends, default=0.0)


class Measurement(NamedTuple):
    """How one gate stands.

    Attributes:
        gate: Its name in the table of gates.
        figure: None if there was nothing to measure.
        unit: "share", "points" of reward, or "auc".
        at_least, at_most: The bound, counted from 0.
        margin: How far the figure is inside the bound, negative outside.
        passes: None if there was nothing to measure.
    """

    gate: str
    adversary: str
    figure: float | None
    unit: str
    at_least: float | None
    at_most: float | None
    margin: float | None
    passes: bool | None
    n: int
    rows: tuple[FigureRow, ...]


_ROUNDING = 1e-9


def judge(gate: str, adversary: str, unit: str, bound: FigureBound, figure: Figure) -> Measurement:
    """Hold a figure to a bound."""
    ends = bound.around(figure.base)
    margin = None if figure.value is None else ends.margin(figure.value)
    return Measurement(
        gate,
        adversary,
        figure.value,
        unit,
        ends.at_least,
        ends.at_most,
        margin,
        None if margin is None else margin >= -_ROUNDING,
        figure.n,
        figure.rows,
    )


def mean_of(
    samples: Sequence[Sample], levels: frozenset[Difficulty], *, base: float = 0.0
) -> Figure:
    """The mean over the samples of some levels, with a row for each level and each group.

    The rows are of all samples, whatever their level.
    """
    inside = [sample.value for sample in samples if sample.level in levels]
    rows = (*level_rows(samples), *group_rows(samples, "situation"))
    return Figure(fmean(inside) if inside else None, len(inside), rows, base)


def level_rows(
    samples: Iterable[Sample], label: str = "", unit: str = "share"
) -> tuple[FigureRow, ...]:
    """The mean at each level that has samples, the easiest first.

    Args:
        label: What is measured, in front of the level, where there is more than one thing.
    """
    kept = list(samples)
    rows = []
    for level in Difficulty:
        values = [sample.value for sample in kept if sample.level is level]
        if values:
            name = f"{label}, {level.value}" if label else level.value
            rows.append(FigureRow("level", name, fmean(values), len(values), unit))
    return tuple(rows)


def group_rows(samples: Iterable[Sample], kind: str) -> tuple[FigureRow, ...]:
    """The mean of each group, in the order in which the groups come."""
    groups: dict[str, list[float]] = {}
    for sample in samples:
        groups.setdefault(sample.group, []).append(sample.value)
    return tuple(
        FigureRow(kind, name, fmean(values), len(values)) for name, values in groups.items()
    )
