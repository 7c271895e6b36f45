"""The keys that work on every screen."""

from __future__ import annotations

from typing import Final

from textual.binding import Binding

APP_KEYS: Final[tuple[Binding, ...]] = (
    Binding(
        "ctrl+p",
        "command_palette",
        "Commands",
        priority=True,
        id="app.palette",
        tooltip="Search all commands by name",
    ),
    Binding(
        "ctrl+q",
        "leave",
        "Quit",
        priority=True,
        id="app.quit",
        tooltip="Leave the game; everything is saved already",
    ),
    Binding(
        "ctrl+c",
        "interrupt",
        "Quit at once",
        show=False,
        priority=True,
        id="app.interrupt",
        tooltip="Leave, whatever the keys are set to",
    ),
    Binding(
        "ctrl+z",
        "suspend_process",
        "Suspend",
        show=False,
        priority=True,
        id="app.suspend",
        tooltip="Suspend to the shell; fg resumes",
    ),
    Binding(
        "ctrl+t",
        "toggle_theme",
        "Light or dark",
        show=False,
        id="app.theme",
        tooltip="Switch between the light and the dark theme",
    ),
    Binding(
        "ctrl+s",
        "save_picture",
        "Screenshot",
        show=False,
        id="app.screenshot",
        tooltip="Save the screen as an SVG file",
    ),
    Binding(
        "ctrl+g,f1",
        "glossary",
        "Glossary",
        show=False,
        id="app.glossary",
        tooltip="Look up a signal, an action, a cause or a term",
    ),
    Binding(
        "f2",
        "settings",
        "Settings",
        show=False,
        id="app.settings",
        tooltip="Theme, mouse, pace, keys, and the use of your data",
    ),
)
