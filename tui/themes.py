"""The game's two themes: red, amber and green only for health, one accent for "you, now"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from textual.theme import BUILTIN_THEMES, Theme

from chaosops.play.formatting import shown
from chaosops.play.settings import DEFAULT_THEME, SettingsFile, Trouble

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


THEMES: Final[Mapping[str, Theme]] = {**BUILTIN_THEMES, DARK.name: DARK, LIGHT.name: LIGHT}
"""Textual's themes and the game's, by name."""


def theme_of(preferences: SettingsFile) -> tuple[str, list[Trouble]]:
    """Return the theme of the settings, or the built-in one and why theirs can't be used."""
    wanted = preferences.settings.theme
    if wanted in THEMES:
        return wanted, []
    from difflib import get_close_matches

    near = get_close_matches(wanted[:40], THEMES, 1)
    cure = f"did you mean {near[0]}?" if near else "choose one in the settings."
    message = f"no theme '{shown(wanted, 40)}'; {cure} {DEFAULT_THEME} used"
    return DEFAULT_THEME, list(preferences.troubles_with([("", "theme", message)]))
