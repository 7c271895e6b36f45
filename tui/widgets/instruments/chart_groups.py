"""Which series of a chart share one scale: those that are of one kind."""

from __future__ import annotations

from chaosops.env.models.readings import Chart

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def groups_of(chart: Chart) -> tuple[tuple[int, ...], ...]:
    """The numbers of the series that are drawn on one scale.

    All of them where they have one unit, as instances do; else neighbours with the same unit, and
    counts without a unit each by itself.
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
    """The series that are drawn together with one of them."""
    return next((group for group in groups_of(chart) if number in group), ())


def letter(place: int) -> str:
    """What stands at the end of a line of a group, and before its name."""
    return _LETTERS[place % len(_LETTERS)]
