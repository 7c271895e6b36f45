"""Bursts into an app without a terminal: fast, and the traceback is at hand."""

from __future__ import annotations

import asyncio
import tempfile
import traceback
from pathlib import Path

from textual import events
from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.keys import REPLACED_KEYS, _character_to_key, _get_unicode_name_from_key

from tests.fuzz.acts import Burst
from tui.app import ChaosOpsApp
from tui.fixtures import fixture

PATIENCE = 30.0
"""Seconds after which a screen that does not catch up hangs."""


async def crash_of(burst: Burst) -> str:
    """What a burst breaks, as a traceback; empty where it breaks nothing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            await asyncio.wait_for(_run(burst, Path(folder)), PATIENCE + len(burst.acts))
        except Exception:  # noqa: BLE001 - whatever it is, it is what was looked for
            return traceback.format_exc()
    return ""


async def _run(burst: Burst, folder: Path) -> None:
    chosen = fixture(burst.fixture)
    app = chosen.app(folder)
    app._pictures = folder
    async with app.run_test(size=_size(burst.size), notifications=True) as pilot:
        await chosen.set_up(pilot)
        for act in burst.acts:
            await send(app, act)
            if not app._running:
                return
        await settled(app)


async def settled(app: ChaosOpsApp) -> None:
    """Let all that was sent have its effect."""
    quiet = 0
    while quiet < 5 and app._running and app._exception is None:
        await asyncio.sleep(0.002)
        is_quiet = not (app.gate.is_busy or app.message_queue_size or len(app.workers))
        quiet = quiet + 1 if is_quiet else 0


async def send(app: ChaosOpsApp, act: str) -> None:
    """Send one act and wait for nothing, unless that is what it says."""
    verb, _, rest = act.partition(" ")
    driver = app._driver
    assert driver is not None
    if verb == "wait":
        await settled(app)
    elif verb == "key":
        driver.process_message(key_event(rest))
    elif verb == "paste":
        driver.process_message(events.Paste(rest))
    elif verb == "size":
        size = Size(*_size(rest))
        assert isinstance(driver, HeadlessDriver)
        driver._size = size
        app.post_message(events.Resize(size, size))
    else:
        _point(driver, verb, *map(int, rest.split()))


def key_event(key: str) -> events.Key:
    """A key as a terminal would send it."""
    import unicodedata

    name = _character_to_key(key) if len(key) == 1 and not key.isalnum() else key
    try:
        character = unicodedata.lookup(_get_unicode_name_from_key(REPLACED_KEYS.get(name, name)))
    except KeyError:
        character = key if len(key) == 1 else None
    return events.Key(name, character)


def _point(driver: Driver, verb: str, column: int, row: int) -> None:
    kinds: dict[str, tuple[type[events.MouseEvent], ...]] = {
        "click": (events.MouseMove, events.MouseDown, events.MouseUp),
        "move": (events.MouseMove,),
        "wheel": (events.MouseScrollDown,),
    }
    for kind in kinds[verb]:
        button = 0 if verb != "click" or kind is events.MouseMove else 1
        driver.process_message(
            kind(None, column, row, 0, 0, button, False, False, False, column, row)
        )


def _size(text: str) -> tuple[int, int]:
    columns, rows = map(int, text.split("x"))
    return columns, rows
