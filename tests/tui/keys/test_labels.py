"""Every label names the key that a binding has now, and lines of keys keep their order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.screen import ModalScreen
from textual.widgets import Input

from chaosops.env.models import AgentRole
from tests.tui.games import game, press, roster, settled, text_of
from tests.tui.test_bindings import own_bindings, own_classes
from tui.app import ChaosOpsApp
from tui.fixtures import FIXTURES, Fixture
from tui.keys.keymap import FIXED, known_bindings
from tui.keys.labels import key_word
from tui.screens.dialogs.help import explanation_for

KNOWN = known_bindings()

_FAR = [
    f"{modifiers}+f{number}"
    for modifiers in (
        "ctrl+alt",
        "ctrl+shift",
        "alt+shift",
        "ctrl+super",
        "alt+super",
        "ctrl+meta",
        "alt+meta",
        "shift+meta",
        "shift+super",
        "super+meta",
        "ctrl+alt+shift",
    )
    for number in range(1, 25)
]

MOVED = dict(zip((name for name in KNOWN if name not in FIXED), _FAR, strict=False))
assert len(MOVED) == len(KNOWN.keys() - FIXED)
"""A keymap that gives every binding a key that stands in no text by chance."""

BY_ITSELF = frozenset({"Enter"})
"""What lists and boxes to type in take without a binding of the game."""

_SETTING = "Escape"
"""The name of a setting, which is no key."""

ABOUT_TERMINALS = frozenset({"SettingsScreen"})
"""Texts in which keys are what a terminal sends, and no keys of the game."""

each_fixture = pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture.name)


class Seen(NamedTuple):
    """What a fixture shows.

    Attributes:
        hints: The words of the line of keys, in their order.
        explained: What there is to read of each thing that takes the focus.
        active: The bindings that work.
    """

    text: str
    hints: list[str]
    explained: list[str]
    active: frozenset[str]


def moved(app: ChaosOpsApp, key: str) -> str:
    """The key that does now what a built-in one did; what is typed into a box stays as it is."""
    if isinstance(app.focused, Input):
        return key
    for item in app.screen.active_bindings.values():
        name = item.binding.id or ""
        if name in MOVED and key in KNOWN[name].keys:
            return MOVED[name]
    return key


async def look(fixture: Fixture, folder: Path, keys: dict[str, str]) -> Seen:
    """A fixture with these keys, from its first screen on."""
    folder.mkdir()
    app = fixture.app(folder)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.change_settings(keys=keys)
        app.use_keys(keys)
        if isinstance(app.screen, ModalScreen):
            app.push_screen(fixture.begin(folder))
        for key in fixture.keys:
            await pilot.press(moved(app, key) if keys else key)
            await settled(pilot)
        await fixture._replace(keys=()).set_up(pilot)
        labels = app.screen.query("FooterKey")
        return Seen(
            text_of(app),
            [label.description for label in labels],
            [explanation_for(widget).text for widget in (None, *app.screen.focus_chain)],
            frozenset(item.binding.id or "" for item in app.screen.active_bindings.values()),
        )


def stale(text: str, active: frozenset[str]) -> set[str]:
    """Built-in keys of bindings that have other ones now, as far as a text still names them."""
    found = set()
    for name in active & MOVED.keys():
        for key in KNOWN[name].keys:
            word = key_word(key)
            if word in BY_ITSELF:
                continue
            told = rf"(?<![\w^/+]){re.escape(word)}(?![\w/])"
            if len(word) == 1:
                # A letter counts where it stands before the words for what it does.
                told = rf"(?<!\S){re.escape(word)} {{1,3}}(?=[A-Z◂])"
            if re.search(told, text):
                found.add(f"{name}: {word}")
    return found


@pytest.mark.slow
@each_fixture
async def test_after_moving_every_key_no_screen_names_an_old_one_and_no_line_reorders(
    fixture: Fixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = await look(fixture, Path("before"), {})
    after = await look(fixture, Path("after"), MOVED)
    text = after.text.replace(_SETTING, "") if fixture.name == "settings" else after.text
    assert stale(text, after.active) == set()
    assert after.hints == before.hints
    for text in after.explained:
        assert "{" not in text
        assert fixture.name == "settings" or stale(text, after.active) == set()


def test_no_explanation_names_a_key_outright() -> None:
    for kind in own_classes():
        text = vars(kind).get("EXPLAINED", "")
        if kind.__name__ not in ABOUT_TERMINALS:
            named = set(re.findall(r"Enter|Escape|Backspace|Tab|\^[a-z]", text))
            assert named <= BY_ITSELF, kind.__name__


async def test_labels_that_are_on_the_screen_follow_at_once() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "[ ] Next pane space Select h Hint" in text_of(app)
        app.use_keys({"incident.previous_pane": "f6", "incident.hint": "f7"})
        await settled(pilot)
        assert "f6 ] Next pane space Select f7 Hint" in text_of(app)


@pytest.mark.slow
async def test_the_palette_is_in_every_line_of_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = 0
    for fixture in FIXTURES:
        seen = await look(fixture, Path(fixture.name), {})
        if seen.hints:
            lines += 1
            assert "Commands" in seen.hints, fixture.name
            assert "^p Commands" in seen.text
    assert lines >= 8


async def test_a_search_that_finds_nothing_says_so() -> None:
    app, _screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "slash", *"zzz")
        assert "Nothing here matches 'zzz'." in text_of(app)
        await press(pilot, "enter")
        assert "Nothing here matches 'zzz'." in text_of(app)
        await press(pilot, "backspace", "backspace", "backspace", *"rest")
        assert "restart" in text_of(app)
        assert "Nothing here" not in text_of(app)


def test_every_binding_has_a_place_in_the_moved_keymap() -> None:
    assert {binding.id for binding in own_bindings()} == MOVED.keys() | FIXED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["briefing", "incident", "debrief", "replay"])
async def test_moving_one_key_leaves_the_order_of_the_line_as_it_is(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    fixture = next(fixture for fixture in FIXTURES if fixture.name == name)
    Path("game").mkdir()
    app = fixture.app(Path("game"))
    async with app.run_test(size=(120, 40)) as pilot:
        await fixture.set_up(pilot)
        shown = {
            item.binding.id or ""
            for item in app.screen.active_bindings.values()
            if item.binding.show
        }
        before = [label.description for label in app.screen.query("FooterKey")]
        assert len(before) > 5
        for moved_alone in shown & MOVED.keys():
            app.use_keys({moved_alone: MOVED[moved_alone]})
            await settled(pilot)
            after = [label.description for label in app.screen.query("FooterKey")]
            assert after == before, moved_alone
