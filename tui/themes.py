"""The game's own two themes: red, amber and green for health alone, one accent for "you, now"."""

from __future__ import annotations

from typing import Final

from textual.theme import Theme

DARK: Final = Theme(
    name="chaosops-dark",
    dark=True,
    primary="#8fb4d9",
    secondary="#8a94a3",
    accent="#7cc4ff",
    foreground="#d8dee6",
    background="#0f1419",
    surface="#151b22",
    panel="#1d252e",
    success="#7fc97f",
    warning="#f0b849",
    error="#ff6b6b",
    variables={
        "border": "#6fb3e8",
        "border-blurred": "#33404d",
        "footer-key-foreground": "#7cc4ff",
    },
)

LIGHT: Final = Theme(
    name="chaosops-light",
    dark=False,
    primary="#1f5f99",
    secondary="#5b6672",
    accent="#005fb8",
    foreground="#1b222a",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e7e4dc",
    success="#1d7a34",
    warning="#8a5a00",
    error="#b3261e",
    variables={
        "border": "#1f5f99",
        "border-blurred": "#c4c0b6",
        "footer-key-foreground": "#005fb8",
    },
)
