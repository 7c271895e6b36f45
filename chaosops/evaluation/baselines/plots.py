"""Reward curves as text for a terminal, and as an SVG picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

from chaosops.evaluation.baselines.summary import RewardCurve

_MARKS: Final = "abcdefghijklmnopqrstuvwxyz"

COLOURS: Final = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#b8860b",
    "#56b4e9",
    "#666666",
)
"""Colours that people with any colour vision can tell apart."""

_DASHES: Final = ("", "7 3", "2 3", "9 3 2 3")

_STEPS: Final = (1.0, 2.0, 5.0, 10.0)


def text_plot(curves: Sequence[RewardCurve], width: int = 72, height: int = 18) -> str:
    """Draw the means as letters, one per policy, with a legend; `*` is where several meet.

    Args:
        width, height: Of the whole plot without the legend, in characters.
    """
    shown = [curve for curve in curves if curve.points]
    if not shown:
        return "no episodes"
    low, high = _range([point.mean for curve in shown for point in curve.points])
    turns = len(shown[0].points)
    labels = [f"{high:g}", "0", f"{low:g}"]
    margin = max(map(len, labels)) + 1
    across = max(10, width - margin - 1)

    def line_of(value: float) -> int:
        return round((high - value) / (high - low) * (height - 1))

    grid = [[" "] * across for _ in range(height)]
    zero = line_of(0.0) if low <= 0.0 <= high else None
    if zero is not None:
        grid[zero] = ["-"] * across
    for number, curve in enumerate(shown):
        mark = _MARKS[number % len(_MARKS)]
        for column in range(across):
            turn = round(column * (turns - 1) / max(1, across - 1))
            row = grid[line_of(curve.points[turn].mean)]
            row[column] = mark if row[column] in " -" else "*"
    lines = []
    for number, row in enumerate(grid):
        label = {0: labels[0], height - 1: labels[2]}.get(number, "")
        label = label or ("0" if number == zero else "")
        lines.append(f"{label.rjust(margin - 1)} |{''.join(row).rstrip()}")
    axis = f"{'turn 1'.ljust(across - len(str(turns)))}{turns}"
    lines += [f"{' ' * margin}+{'-' * across}", f"{' ' * (margin + 1)}{axis}"]
    for number, curve in enumerate(shown):
        last = curve.points[-1]
        lines.append(
            f"{_MARKS[number % len(_MARKS)]}  {curve.policy}: {last.mean:.1f} "
            f"({last.low:.1f} to {last.high:.1f})"
        )
    return "\n".join(lines)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """Return round numbers around the values and zero."""
    low, high = min(0.0, *values), max(0.0, *values)
    step = round_step(max(high - low, 1.0))
    return math.floor(low / step) * step, math.ceil(high / step) * step or step


def round_step(span: float, lines: int = 5) -> float:
    """Return a round distance that divides a span into about so many parts."""
    power = 10.0 ** math.floor(math.log10(span / lines))
    return next(step * power for step in _STEPS if step * power >= span / lines)


_WIDTH: Final = 860
_HEIGHT: Final = 440
_LEFT: Final = 64
_RIGHT: Final = 220
_TOP: Final = 44
_BOTTOM: Final = 48


def svg_plot(curves: Sequence[RewardCurve], title: str) -> str:
    """Draw the means as lines and their confidence intervals as bands."""
    shown = [curve for curve in curves if curve.points]
    ends = [end for curve in shown for point in curve.points for end in (point.low, point.high)]
    low, high = _range(ends or [0.0])
    turns = max((len(curve.points) for curve in shown), default=1)
    plane = _Plane(low, high, turns)
    parts = [
        _opening(),
        f"<title>{escape(title)}</title>",
        f"<desc>{escape(_described(shown))}</desc>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="24" font-size="15" fill="#222222">{escape(title)}</text>',
        *plane.axes(),
    ]
    for number, curve in enumerate(shown):
        colour = COLOURS[number % len(COLOURS)]
        dash = _DASHES[number // len(COLOURS) % len(_DASHES)]
        parts += plane.curve(curve, colour, dash)
    parts += _legend(shown)
    return "\n".join((*parts, "</svg>", ""))


def _opening() -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" font-size="13">'
    )


def _described(curves: Sequence[RewardCurve]) -> str:
    means = (f"{curve.policy} {curve.points[-1].mean:.1f}" for curve in curves)
    return f"Mean cumulative reward after the last turn: {', '.join(means)}."


class _Plane:
    """Maps turns and rewards to the picture."""

    def __init__(self, low: float, high: float, turns: int) -> None:
        self._low, self._high, self._turns = low, high, turns

    def x(self, turn: float) -> float:
        share = (turn - 1) / max(1, self._turns - 1)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, reward: float) -> float:
        share = (self._high - reward) / (self._high - self._low)
        return round(_TOP + share * (_HEIGHT - _TOP - _BOTTOM), 1)

    def axes(self) -> list[str]:
        left, right = self.x(1), self.x(self._turns)
        parts = []
        step = round_step(self._high - self._low)
        for number in range(round(self._low / step), round(self._high / step) + 1):
            value = number * step
            y = self.y(value)
            colour = "#888888" if not value else "#e2e2e2"
            parts.append(f'<path d="M{left} {y}H{right}" stroke="{colour}"/>')
            parts.append(
                f'<text x="{left - 8}" y="{y + 4}" text-anchor="end" fill="#444444">{value:g}'
                "</text>"
            )
        step = max(1.0, round_step(max(self._turns, 5)))
        marks = [1, *(int(k * step) for k in range(1, int(self._turns / step) + 1))]
        for turn in dict.fromkeys(marks):
            parts.append(
                f'<text x="{self.x(turn)}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle" '
                f'fill="#444444">{turn}</text>'
            )
        middle = (left + right) / 2
        parts.append(
            f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle" fill="#222222">turn</text>'
        )
        return parts

    def curve(self, curve: RewardCurve, colour: str, dash: str) -> list[str]:
        upper = " ".join(f"{self.x(p.turn)},{self.y(p.high)}" for p in curve.points)
        lower = " ".join(f"{self.x(p.turn)},{self.y(p.low)}" for p in reversed(curve.points))
        line = " ".join(f"{self.x(p.turn)},{self.y(p.mean)}" for p in curve.points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        return [
            f'<polygon points="{upper} {lower}" fill="{colour}" fill-opacity="0.15"/>',
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>',
        ]


def _legend(curves: Sequence[RewardCurve]) -> list[str]:
    """Return the names of the curves, the highest first as at the right edge."""
    parts = []
    left = _WIDTH - _RIGHT + 24
    ranked = sorted(range(len(curves)), key=lambda k: -curves[k].points[-1].mean)
    for place, number in enumerate(ranked):
        curve = curves[number]
        colour = COLOURS[number % len(COLOURS)]
        dash = _DASHES[number // len(COLOURS) % len(_DASHES)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        y = _TOP + 10 + 22 * place
        words = f"{_shortened(curve.policy)}  {curve.points[-1].mean:.1f}"
        parts += [
            f'<path d="M{left} {y - 4}h22" stroke="{colour}" stroke-width="2"{dashed}/>',
            f'<text x="{left + 30}" y="{y}" fill="#222222">{escape(words)}</text>',
        ]
    return parts


def _shortened(name: str, most: int = 20) -> str:
    return name if len(name) <= most else f"…{name[1 - most :]}"
