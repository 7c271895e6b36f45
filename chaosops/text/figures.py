"""Formats numbers and times."""

from __future__ import annotations

from chaosops.env.models import Status


def number(value: float) -> str:
    """Format a number with at most four decimals, without trailing zeros."""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def figure(value: float, unit: str = "") -> str:
    """Format a measured value with its unit: "34 %", "12.5 ms", "13247"; large ones in powers."""
    text = f"{value:.4g}" if abs(value) >= 1e9 else number(value)
    return f"{text} {unit}" if unit else text


def percent(share: float) -> str:
    """Format a share of 0 to 1 in percent."""
    return f"{number(share * 100)} %"


def clock(status: Status, minute: int) -> str:
    """Format the time of day of a minute, as HH:MM."""
    of_day = (status.paged_at + minute) % 1440
    return f"{of_day // 60:02d}:{of_day % 60:02d}"
