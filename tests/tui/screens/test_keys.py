from __future__ import annotations

import string
from pathlib import Path

import pytest
from textual.app import App
from textual.screen import Screen
from textual.widgets import OptionList

from chaosops.env.models import AgentRole
from chaosops.play.settings import SettingsFile
from tests.tui.games import press, roster, scenario, settled, text_of
from tests.tui.test_bindings import own_bindings, own_classes
from tui.app import ChaosOpsApp
from tui.keys.keymap import COMPANIONS, FIXED, checked, is_key, known_bindings, normal
from tui.screens.home.screen import HomeScreen
from tui.screens.incident.screen import IncidentScreen
from tui.screens.settings.keys import KeysScreen

KNOWN = known_bindings()


def refusal(**keys: str) -> str:
    named = {name.replace("__", "."): key for name, key in keys.items()}
    good, refused = checked(named, KNOWN)
    assert not set(good) & {item.id for item in refused}
    return "; ".join(f"{item.id}: {item.message}" for item in refused)


def test_every_binding_of_the_game_is_known() -> None:
    assert set(KNOWN) == {binding.id for binding in own_bindings()}
    assert all(item.description and item.tooltip and item.keys for item in KNOWN.values())


def test_every_scope_is_one_that_the_check_knows_how_to_place() -> None:
    screens = {
        binding.id.partition(".")[0]
        for kind in own_classes()
        if issubclass(kind, Screen | App)
        for binding in vars(kind).get("BINDINGS", [])
    }
    widgets = {item.scope for item in KNOWN.values()} - screens
    placed = set().union(*COMPANIONS.values())
    assert widgets == placed
    assert set(COMPANIONS) <= screens


@pytest.mark.parametrize("character", string.ascii_letters + string.digits + string.punctuation)
def test_every_character_is_a_key_under_the_name_that_textual_gives_it(character: str) -> None:
    assert is_key(character)
    assert is_key(normal(character))


@pytest.mark.parametrize("name", ["f5", "ctrl+n", "ctrl+shift+f5", "tilde", "underscore", "é"])
def test_names_of_keys_are_taken(name: str) -> None:
    assert refusal(incident__hint=name) == ""


@pytest.mark.parametrize("name", ["banana", "ctrl+", "<any>", "xx", "ctl+n", "F5", "\x1b", ""])
def test_what_is_no_key_is_refused_with_an_example(name: str) -> None:
    assert "there is no key" in refusal(incident__hint=name)


def test_an_unknown_id_is_refused_with_the_nearest_one() -> None:
    assert "did you mean incident.hint?" in refusal(incident__hnit="f5")


def test_the_way_out_stays() -> None:
    assert list(FIXED) == ["app.interrupt"]
    assert "way out" in refusal(app__interrupt="f5")
    assert "app.interrupt" in refusal(incident__hint="ctrl+c")


def test_a_key_that_would_hide_another_is_refused_and_a_swap_is_not() -> None:
    assert "already used by 'Hint' (incident.hint)" in refusal(incident__explain="h")
    assert "already" in refusal(lines__down="f2")
    assert refusal(incident__explain="h", incident__hint="question_mark") == ""
    assert "already" in refusal(incident__explain="f5", incident__hint="f5")


def test_a_swap_whose_other_half_is_refused_is_refused_too() -> None:
    said = refusal(incident__explain="h", incident__hint="banana")
    assert "incident.explain" in said
    assert "incident.hint" in said


def test_screens_that_never_meet_may_share_a_key() -> None:
    assert refusal(home__daily="f5", replay__close="f5") == ""


def test_a_key_that_chooses_an_action_is_kept_for_that() -> None:
    assert "chooses an action" in refusal(incident__hint="5")
    assert "chooses an action" in refusal(app__theme="a")
    assert refusal(home__daily="5") == ""


def app_with(tmp_path: Path, keys: str) -> ChaosOpsApp:
    path = tmp_path / "settings.toml"
    path.write_text(f"[keys]\n{keys}\n", encoding="utf-8")

    def first() -> HomeScreen:
        return HomeScreen((), None)

    return ChaosOpsApp(first, home=first, preferences=SettingsFile(path))


async def test_keys_from_the_settings_work_and_the_old_ones_do_not(tmp_path: Path) -> None:
    app = app_with(tmp_path, '"home.explain" = "f5"')
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "f5 Explain" in text_of(app)
        await press(pilot, "question_mark")
        assert isinstance(app.screen, HomeScreen)
        await press(pilot, "f5")
        assert "Choose an incident" in text_of(app)


async def test_a_wrong_key_is_said_with_its_line_and_the_built_in_one_works(
    tmp_path: Path,
) -> None:
    app = app_with(tmp_path, '"home.explain" = "banana"\n"home.hlep" = "x"')
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await settled(pilot)
        said = [str(notice.message) for notice in app._notifications]
        assert said == ["2 problems in settings.toml, see Settings"]
        await press(pilot, "f2")
        assert "settings.toml:2: keys.home.explain: there is no key 'banana'" in text_of(app)
        assert "settings.toml:3: keys.home.hlep: no such key binding" in text_of(app)
        app.push_screen(KeysScreen())
        await settled(pilot)
        await app.workers.wait_for_complete()
        await settled(pilot)
        listing = app.screen.query_one(OptionList)
        line = str(listing.get_option("home.explain").prompt)
        assert line.split()[:2] == ["!", "?"]
        await press(pilot, "escape")
        await press(pilot, "escape", "question_mark")
        assert "Choose an incident" in text_of(app)


@pytest.mark.slow
async def test_a_key_is_changed_by_pressing_it_and_given_back(tmp_path: Path) -> None:
    app = app_with(tmp_path, "")
    async with app.run_test(size=(100, 40)) as pilot:
        await settled(pilot)
        await press(pilot, "s", "k")
        await settled(pilot)
        listing = app.screen.query_one("#keys-list")
        ids = [option.id for option in listing.options]
        listing.highlighted = ids.index("home.daily")
        await press(pilot, "enter", "f6")
        assert "Daily: f6" in text_of(app)
        await press(pilot, "enter", "r")
        assert "already" in text_of(app)
        listing.highlighted = ids.index("home.recordings")
        await press(pilot, "enter", "f6")
        assert "f6: f6 is already used by 'Daily' (home.daily)" in text_of(app)
        await press(pilot, "escape", "escape")
        assert "f6 Daily" in text_of(app)
        await press(pilot, "s", "k")
        await settled(pilot)
        app.screen.query_one("#keys-list").highlighted = ids.index("home.daily")
        await press(pilot, "backspace", "escape", "escape")
        assert "d Daily" in text_of(app)
    assert SettingsFile(tmp_path / "settings.toml").settings.keys == {}


async def test_after_a_remap_of_everything_every_binding_can_be_reached(tmp_path: Path) -> None:
    names = [name for name in sorted(KNOWN) if name not in FIXED]
    other = [f"f{i}" for i in range(1, 25)] + [f"ctrl+{c}" for c in "abdefghklnopqrstuvwxyz"]
    other += [f"alt+{c}" for c in string.ascii_lowercase + string.digits]
    other += [f"ctrl+f{i}" for i in range(1, 25)] + [f"alt+f{i}" for i in range(1, 25)]
    other += [f"ctrl+alt+{c}" for c in string.ascii_lowercase + string.digits]
    other += [
        f"{held}+f{i}"
        for held in ("ctrl+alt", "shift", "ctrl+shift", "alt+shift")
        for i in range(1, 25)
    ]
    wanted = dict(zip(names, other, strict=False))
    assert len(wanted) == len(names)
    good, refused = checked(wanted, KNOWN)
    assert refused == []
    app = ChaosOpsApp(lambda: IncidentScreen(scenario(), roster(AgentRole.SRE), None), pace=0)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.use_keys(good)
        await pilot.pause()
        active = {bound.binding.id: key for key, bound in app.screen.active_bindings.items()}
        here = {name: good[name] for name in names if name in active}
        assert {"incident.hint", "incident.explain", "app.quit", "app.settings"} <= set(here)
        assert {name: active[name] for name in here} == here


def test_thousands_of_unknown_entries_are_refused_without_a_long_search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[str] = []

    def search(name: str, *_: object) -> list[str]:
        searches.append(name)
        return []

    monkeypatch.setattr("difflib.get_close_matches", search)
    path = tmp_path / "settings.toml"
    entries = "".join(f'"app.unknown{number}" = "x"\n' for number in range(2_000))
    path.write_text(f'more = 1\n"{"z" * 5_000}" = 2\n[keys]\n{entries}')
    file = SettingsFile(path)
    good, refused = checked(file.settings.keys, KNOWN)
    assert good == {}
    assert len(refused) == 2_000
    troubles = file.troubles_with([("keys", item.id, item.message) for item in refused])
    assert len(searches) <= 22
    assert max(map(len, searches)) <= 60
    assert [trouble.line for trouble in troubles[:2]] == [4, 5]
    assert str(troubles[-1]) == "settings.toml: 1980 more problems; fix these first"
    assert len(troubles) == 21
    assert max(len(str(trouble)) for trouble in file.troubles) < 220
