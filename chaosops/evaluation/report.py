"""Reports of measurements: lines with rows for the terminal, or a Markdown table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from chaosops.evaluation.gate_table import TABLE, AdversaryGates, Gate
from chaosops.evaluation.measurement import FigureBound, FigureRow, Measurement

_NOTHING = "-"


def in_figures(value: float | None, unit: str) -> str:
    """Format a figure."""
    if value is None:
        return _NOTHING
    if unit == "share":
        return f"{100.0 * value:.1f} %"
    return format(value, {"auc": ".3f", "count": ".0f"}.get(unit, ".1f"))


def must_be(gate: Gate) -> str:
    """Format the bound of a gate."""
    return _ends(gate.bound.at_least, gate.bound.at_most, gate.unit, gate.bound)


def _ends(low: float | None, high: float | None, unit: str, bound: FigureBound) -> str:
    def end(value: float) -> str:
        return f"that + {100.0 * value:.0f} points" if bound.over_base else in_figures(value, unit)

    words = [f">= {end(low)}"] if low is not None else []
    words += [f"<= {end(high)}"] if high is not None else []
    return ", ".join(words)


def verdict(measured: Measurement) -> str:
    """Word whether the gate holds."""
    if measured.passes is None:
        return "not measured"
    return "pass" if measured.passes else "FAIL"


def line(measured: Measurement) -> str:
    """Format one gate in one line."""
    counted = FigureBound(measured.at_least, measured.at_most)
    limits = _ends(measured.at_least, measured.at_most, measured.unit, counted)
    margin = _NOTHING
    if measured.margin is not None:
        scale = 100.0 if measured.unit == "share" else 1.0
        form = "+.3f" if measured.unit == "auc" else "+.1f"
        margin = format(scale * measured.margin, form)
    return (
        f"{measured.gate:<26} {in_figures(measured.figure, measured.unit):>9}  "
        f"{limits:<11} margin {margin:>7}  n {measured.n:>5}  {verdict(measured)}"
    )


def row_line(row: FigureRow) -> str:
    """Format one group of a measurement in one line."""
    figure = in_figures(row.figure, row.unit)
    return f"    {f'{row.kind}: {row.name}':<66} {figure:>9}  n {row.n:>5}"


def markdown(measured: Sequence[Measurement]) -> str:
    """Format every gate as a Markdown table, with the figures that were measured."""
    by_gate = {one.gate: one for one in measured}
    lines = [
        "| gate | figure | must be | today | bound | margin | n |",
        "| --- | --- | --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [_markdown_row(gate, by_gate.get(gate.name)) for gate in gates()]
    return "\n".join(lines)


def _markdown_row(gate: Gate, measured: Measurement | None) -> str:
    cells = [gate.name, gate.what, must_be(gate)]
    if measured is None:
        cells += [_NOTHING] * 4
    else:
        counted = FigureBound(measured.at_least, measured.at_most)
        margin = in_figures(measured.margin, measured.unit)
        cells += [
            in_figures(measured.figure, measured.unit),
            _ends(measured.at_least, measured.at_most, measured.unit, counted),
            f"**{margin}**" if measured.passes is False else margin,
            str(measured.n),
        ]
    return f"| {' | '.join(cells)} |"


def gates(entries: Iterable[AdversaryGates] = TABLE) -> tuple[Gate, ...]:
    """Return the gates of some adversaries, by default of all."""
    return tuple(gate for entry in entries for gate in entry.gates)
