from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode

import tui
from chaosops.env.models import AgentRole
from tests.tui.games import game, press, roster, settled, text_of
from tui.app import ChaosOpsApp
from tui.fixtures import FIXTURES, Fixture
from tui.keys.keymap import FIXED


def own_classes() -> list[type[DOMNode]]:
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(tui.__path__, "tui.")
    ]
    return [
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, DOMNode)
        and value.__module__ == module.__name__
    ]


def own_bindings() -> list[Binding]:
    return [
        binding
        for kind in own_classes()
        for binding in vars(kind).get("BINDINGS", [])
        if isinstance(binding, Binding)
    ]


def test_every_binding_has_an_id_of_its_own_and_a_tooltip() -> None:
    bindings = own_bindings()
    assert len(bindings) > 30
    ids = [binding.id for binding in bindings]
    assert None not in ids
    assert len(set(ids)) == len(ids)
    assert all(binding.tooltip for binding in bindings)


class Look(NamedTuple):
    """What can be done on a screen with the focus on one of its widgets."""

    active: dict[str, ActiveBinding]
    palette: set[str]


async def looks(
    fixture: Fixture, folder: Path, keymaps: dict[str, dict[str, str]]
) -> dict[str, list[Look]]:
    """A fixture under each keymap, with the focus on each thing in turn that takes it."""
    found: dict[str, list[Look]] = {}
    app = fixture.app(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await fixture.set_up(pilot)
        screen = app.screen
        for name, keymap in keymaps.items():
            app.set_keymap(keymap)
            for widget in [None, *screen.focus_chain]:
                screen.set_focus(widget)
                own = {key: on for key, on in screen.active_bindings.items() if on.binding.id}
                titles = {command.title for command in app.get_system_commands(screen)}
                found.setdefault(name, []).append(Look(own, titles))
    return found


PASSING = {"start.back", "loading.back", "incident.pass_for"}
"""Bindings of what is there for a moment only: a game that is opened, a policy that thinks."""

OF_A_PLAYED_SHIFT = {"between.debrief", "ending.debrief", "shift.resume", "debrief.close"}
"""Bindings that work once an incident of a shift was played."""


@pytest.fixture
def recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = Path("recordings")
    folder.mkdir()
    return folder


def all_moved() -> dict[str, str]:
    """A keymap that gives every binding another key."""
    return {
        binding.id: f"ctrl+shift+f{number}"
        for number, binding in enumerate(own_bindings(), 1)
        if binding.id not in FIXED and binding.id is not None
    }


@pytest.mark.slow
async def test_every_binding_can_be_reached_and_is_in_the_palette_also_after_a_remap(
    recordings: Path,
) -> None:
    keymaps = {"as built in": {}, "all moved": all_moved()}
    reached: dict[str, set[str]] = {name: set() for name in keymaps}
    for fixture in FIXTURES:
        folder = recordings / fixture.name
        folder.mkdir()
        for name, seen in (await looks(fixture, folder, keymaps)).items():
            for look in seen:
                assert not_in_palette(look) == set(), (fixture.name, name)
                for key, active in look.active.items():
                    binding = active.binding
                    reached[name].add(binding.id or "")
                    assert binding.description
                    assert binding.tooltip
                    assert key == keymaps[name].get(binding.id or "", key), (fixture.name, key)
    everything = {binding.id for binding in own_bindings()}
    for name, ids in reached.items():
        assert everything - ids - PASSING - OF_A_PLAYED_SHIFT == set(), name


def not_in_palette(look: Look) -> set[str]:
    """Actions that have a key now and are not in the palette.

    Moving in a list is no action, the palette does not list itself, and the key that always leaves
    is there when all else fails.
    """
    aside = {*FIXED, "app.palette"}
    words: dict[str, set[str]] = {}
    for active in look.active.values():
        name = active.binding.id or ""
        if active.enabled and name not in aside and not name.startswith(("lines.", "tabs.")):
            words.setdefault(active.binding.action, set()).add(active.binding.description)
    return {action for action, names in words.items() if not names & look.palette}


async def test_the_palette_has_every_key_and_every_action_of_the_turn() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        titles = {command.title for command in app.get_system_commands(screen)}
        assert {"Hint", "Explain", "Next pane", "Quit", "Light or dark"} <= titles
        assert {"Look: investigate", "Fix: restart", "Talk: propose", "Decide: pass"} <= titles
        restart = next(c for c in app.get_system_commands(screen) if c.title == "Fix: restart")
        restart.callback()
        await settled(pilot)
        assert "restart › on what?" in text_of(app)
        hint = next(c for c in app.get_system_commands(screen) if c.title == "Hint")
        hint.callback()
        await settled(pilot)
        assert "The direction" in text_of(app)


async def test_the_palette_opens_by_its_key() -> None:
    app, _ = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+p", *"light")
        assert app.screen.id != "_default"
        await press(pilot, "escape", "escape")


@pytest.mark.few(1)
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_help_explains_the_pane_with_the_focus(size: tuple[int, int]) -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await press(pilot, "question_mark")
        assert "What your role can do now" in text_of(app)
        await press(pilot, "escape")
        screen.query_one("#services").focus()
        await press(pilot, "question_mark")
        assert "Services and their dependencies" in text_of(app)


async def test_the_theme_changes_by_a_key() -> None:
    app, _ = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+t")
        assert app.theme == "chaosops-light"
        await press(pilot, "ctrl+t")
        assert app.theme == "chaosops-dark"


async def test_a_screenshot_is_saved_and_a_folder_that_is_not_there_is_reported(
    tmp_path: Path,
) -> None:
    _, screen = game(roster(AgentRole.SRE))
    app = ChaosOpsApp(lambda: screen, pictures=tmp_path, pace=0)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "ctrl+s")
        assert [path.suffix for path in tmp_path.iterdir()] == [".svg"]
