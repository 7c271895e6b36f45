"""Measurements: a figure with its bound, and the groups it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from chaosops.env.models import Difficulty

MEDIUM_UP = frozenset({Difficulty.MEDIUM, Difficulty.HARD})
"""The levels of most gates."""

EASY_UP = MEDIUM_UP | {Difficulty.EASY}
ALL_LEVELS = frozenset(Difficulty)


class Sample(NamedTuple):
    """A single measured value.

    Attributes:
        group: Its group besides its level, such as the situation.
        value: 1 or 0 for an event that happened or not, otherwise the number itself.
        family: The family of the cause; empty if it does not matter.
    """

    level: Difficulty
    group: str
    value: float
    family: str = ""


class FigureRow(NamedTuple):
    """The figure of one group.

    Attributes:
        kind: The kind of group: "level", "situation", "verb" and so on.
        n: The number of samples.
        unit: That of the measurement, or "count".
    """

    kind: str
    name: str
    figure: float
    n: int
    unit: str = "share"


class Figure(NamedTuple):
    """An adversary's figure for one gate.

    Attributes:
        value: None if there was nothing to measure.
        n: The number of samples.
        base: The figure of chance or of the most common answer; 0 for an absolute bound.
    """

    value: float | None
    n: int
    rows: tuple[FigureRow, ...] = ()
    base: float = 0.0


class FigureBound(NamedTuple):
    """The range for a figure, ends included; None for no limit.

    Attributes:
        over_base: Whether the limits are relative to the figure's base.
    """

    at_least: float | None = None
    at_most: float | None = None
    over_base: bool = False

    def around(self, base: float) -> FigureBound:
        """Return the same range as absolute limits."""
        if not self.over_base:
            return self
        low, high = self.at_least, self.at_most
        return FigureBound(
            None if low is None else base + low, None if high is None else min(base + high, 1.0)
        )

    def margin(self, value: float) -> float:
        """Return how far inside the range a value is; negative outside."""
        ends = []
        if self.at_least is not None:
            ends.append(value - self.at_least)
        if self.at_most is not None:
            ends.append(self.at_most - value)
        return min(ends, default=0.0)


class Measurement(NamedTuple):
    """The result of one gate.

    Attributes:
        gate: Its name in the table of gates.
        figure: None if there was nothing to measure.
        unit: "share", "points" of reward, or "auc".
        at_least, at_most: The absolute limits.
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
    """Compare a figure with a bound."""
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
    """Return the mean over the samples of some levels, with rows by level, group and family.

    The rows by level and group are of all samples, whatever their level.
    """
    inside = [sample for sample in samples if sample.level in levels]
    of_families = [one._replace(group=one.family) for one in inside if one.family]
    families = sorted(group_rows(of_families, "family"))
    rows = (*level_rows(samples), *group_rows(samples, "situation"), *families)
    mean = fmean(one.value for one in inside) if inside else None
    return Figure(mean, len(inside), rows, base)


def level_rows(
    samples: Iterable[Sample], label: str = "", unit: str = "share"
) -> tuple[FigureRow, ...]:
    """Return the mean of each level that has samples, the easiest first.

    Args:
        label: A prefix for the level if more than one thing is measured.
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
    """Return the mean of each group, in their order of appearance."""
    groups: dict[str, list[float]] = {}
    for sample in samples:
        groups.setdefault(sample.group, []).append(sample.value)
    return tuple(
        FigureRow(kind, name, fmean(values), len(values)) for name, values in groups.items()
    )
