"""Groups the series of a chart that share one scale."""

from __future__ import annotations

from chaosops.env.models.readings import Chart

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def groups_of(chart: Chart) -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the series on each scale.

    All of them if they have one unit, as instances do; otherwise neighbours with the same unit, and
    counts without a unit on their own.
    """
    units = [series.unit for series in chart.series]
    if len(set(units)) <= 1:
        return (tuple(range(len(units))),) if units else ()
    groups: list[list[int]] = []
    for number, unit in enumerate(units):
        if groups and unit and units[groups[-1][-1]] == unit:
            groups[-1].append(number)
        else:
            groups.append([number])
    return tuple(tuple(group) for group in groups)


def group_with(chart: Chart, number: int) -> tuple[int, ...]:
    """Return the series in the group of one of them."""
    return next((group for group in groups_of(chart) if number in group), ())


def letter(place: int) -> str:
    """Return the letter at the end of a line of a group, and before its name."""
    return _LETTERS[place % len(_LETTERS)]
