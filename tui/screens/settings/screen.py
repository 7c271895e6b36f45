"""The settings; each is saved as soon as it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from chaosops.errors import ChaosOpsError, RecordingError
from chaosops.play.escape_wait import ESCAPE_WAITS
from chaosops.play.formatting import MUTED, shown
from chaosops.play.settings import PACES, Settings, Trouble
from tui.game_app import game_app
from tui.screen_requests import OpenKeys
from tui.screens.dialogs.consent import ConsentScreen
from tui.screens.dialogs.explained import Explained
from tui.screens.dialogs.notice import QuestionScreen
from tui.widgets.basic.choice import ChoiceLine
from tui.widgets.basic.link import LinkLine
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints

if TYPE_CHECKING:
    from pathlib import Path

    from chaosops.recording.consent import Agreement, ConsentStore

_WIDTH = 14
_VALUE = 20
_ON, _OFF = "on", "off"
_BUILT_IN = "defaults"


class SettingsScreen(Explained, Remeasured, Screen[None]):
    """A line per setting; the keys and the use of data have their own screens."""

    CSS_PATH = "../../styles/settings.tcss"
    TITLE = "Settings"
    EXPLAINED = (
        "Changes are saved at once, in the file named below. With the mouse off, the terminal "
        "selects text as usual. The pace is how long each teammate's turn is shown. The coach "
        "explains the tutorial's incidents step by step. The curtain hides the board between "
        "seats that different people play; leave it off if you play them all.\n\n"
        "Arrows, Page Up and other keys start with the same code as Escape. On a slow connection, "
        "the rest may arrive so late that the key counts as Escape plus typed text; if so, make "
        "the Escape delay longer. By default it is 100 ms, and 500 ms over SSH; the environment "
        "variable ESCDELAY overrides it."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "keys", "Keys", id="settings.keys", tooltip="See and change the keys"),
        Binding(
            "d", "data", "Your data", id="settings.data", tooltip="The use of your games as data"
        ),
        Binding("up", "app.focus_previous", "Up", show=False, id="settings.up", tooltip="Up"),
        Binding("down", "app.focus_next", "Down", show=False, id="settings.down", tooltip="Down"),
        Binding(
            "question_mark",
            "explain",
            "Explain",
            id="settings.explain",
            tooltip="Explain this screen",
        ),
        Binding("escape,q", "close", "Back", id="settings.close", tooltip="Back"),
    ]

    def compose(self) -> ComposeResult:
        """Compose a line per setting."""
        settings = self._settings
        with VerticalScroll(id="settings"):
            yield Static(Content.styled("Settings", "bold $accent"), classes="settings-head")
            themes = sorted(self.app.available_themes)
            yield ChoiceLine(
                "setting-theme",
                "Theme",
                themes,
                self.app.theme,
                label_width=_WIDTH,
                value_width=_VALUE,
            )
            yield ChoiceLine(
                "setting-mouse",
                "Mouse",
                (_ON, _OFF),
                _on_off(settings.mouse),
                note="from the next start",
                label_width=_WIDTH,
                value_width=_VALUE,
            )
            yield ChoiceLine(
                "setting-pace",
                "Pace",
                tuple(PACES),
                settings.pace,
                note="of the teammates' turns",
                label_width=_WIDTH,
                value_width=_VALUE,
            )
            yield ChoiceLine(
                "setting-coach",
                "Coach",
                (_ON, _OFF),
                _on_off(settings.coach),
                note="explains the tutorial",
                label_width=_WIDTH,
                value_width=_VALUE,
            )
            yield ChoiceLine(
                "setting-curtain",
                "Curtain",
                (_ON, _OFF),
                _on_off(settings.curtain),
                note="between seats that people play",
                label_width=_WIDTH,
                value_width=_VALUE,
            )
            yield ChoiceLine(
                "setting-escape",
                "Escape",
                tuple(map(escape_words, ESCAPE_WAITS)),
                escape_words(settings.escape_wait),
                note="wait for a key's rest",
                label_width=_WIDTH,
                value_width=_VALUE,
            )
            yield LinkLine("setting-keys", "keys", "settings.keys", "Keys", label_width=_WIDTH)
            yield LinkLine("setting-data", "data", "settings.data", "Your data", label_width=_WIDTH)
            yield Static(id="settings-note", markup=False)
        yield KeyHints()

    def on_mount(self) -> None:
        """Show the path of the file and its problems, instead of a notice."""
        self.app.clear_notifications()
        self.query_one("#setting-theme").focus()
        self._show()

    def on_screen_resume(self) -> None:
        """Update what was changed elsewhere."""
        self._show()

    @property
    def _settings(self) -> Settings:
        return game_app(self).preferences.settings

    def _change(self, **changes: Any) -> None:
        game_app(self).change_settings(**changes)

    @on(ChoiceLine.Changed, "#setting-theme")
    def _on_theme(self, event: ChoiceLine.Changed) -> None:
        self.app.theme = event.value

    @on(ChoiceLine.Changed, "#setting-mouse")
    def _on_mouse(self, event: ChoiceLine.Changed) -> None:
        self._change(mouse=event.value == _ON)

    @on(ChoiceLine.Changed, "#setting-pace")
    def _on_pace(self, event: ChoiceLine.Changed) -> None:
        self._change(pace=event.value)

    @on(ChoiceLine.Changed, "#setting-coach")
    def _on_coach(self, event: ChoiceLine.Changed) -> None:
        self._change(coach=event.value == _ON)

    @on(ChoiceLine.Changed, "#setting-escape")
    def _on_escape(self, event: ChoiceLine.Changed) -> None:
        wait = next(wait for wait in ESCAPE_WAITS if escape_words(wait) == event.value)
        self._change(escape_wait=wait)

    @on(ChoiceLine.Changed, "#setting-curtain")
    def _on_curtain(self, event: ChoiceLine.Changed) -> None:
        self._change(curtain=event.value == _ON)

    def action_keys(self) -> None:
        """Open the keys."""
        game_app(self).router.open(OpenKeys())

    def action_close(self) -> None:
        """Return to the screen below."""
        self.app.pop_screen()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Disable the use of data if nothing is recorded."""
        if action == "data":
            return game_app(self).consents is not None
        return True

    def action_data(self) -> None:
        """Ask again for the player's consent."""
        app = game_app(self)
        if app.consents is None:
            return
        store = app.consents()
        try:
            before = store.current
        except ChaosOpsError as error:
            self.notify(str(error), severity="error")
            return

        def answered(_result: Agreement | None) -> None:
            self._show()
            if before is not None and store.current is None:
                self._offer_removal(before)

        app.push_screen(ConsentScreen(store, changes=True), answered)

    def _offer_removal(self, agreement: Agreement) -> None:
        folder = game_app(self).recordings
        if folder is None:
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._remove(folder, agreement.pseudonym)

        text = (
            f"You withdrew your consent. Delete the recordings that were made with it, those of "
            f"{agreement.pseudonym} in {folder}? They can't be restored. Otherwise they stay on "
            "this computer, but no data set will include them from now on."
        )
        self.app.push_screen(QuestionScreen("Delete the recordings?", text), answered)

    @work(thread=True, group="settings")
    def _remove(self, folder: Path, pseudonym: str) -> None:
        from chaosops.recording.upkeep import withdraw

        try:
            done = withdraw([folder], pseudonym)
        except RecordingError as error:
            self.app.call_from_thread(self.notify, str(error), severity="error")
            return
        text = f"{len(done.removed)} recordings deleted"
        if done.left:
            first = done.left[0]
            text += f"; {len(done.left)} could not be, such as {first.path}: {first.why}"
        severity = "warning" if done.left else "information"
        self.app.call_from_thread(self.notify, text, severity=severity, timeout=12)

    def _show(self) -> None:
        self.query_one("#setting-keys", LinkLine).show(keys_words(self._settings.keys))
        self.query_one("#setting-data", LinkLine).show(self._data_words())
        lines: list[Content] = []
        preferences = game_app(self).preferences
        if preferences.path is not None:
            lines.append(Content.assemble(("Kept in  ", MUTED), shown(preferences.path, 400)))
        lines += _troubles(preferences.troubles)
        self.query_one("#settings-note", Static).update(Content("\n").join(lines))

    def _data_words(self) -> str:
        consents = game_app(self).consents
        return "not used" if consents is None else consent_words(consents())


def _troubles(troubles: Sequence[Trouble]) -> list[Content]:
    if not troubles:
        return []
    count = "1 problem" if len(troubles) == 1 else f"{len(troubles)} problems"
    head = f"{count} in {troubles[0].path.name}, as of the start:"
    listed = [Content.styled(shown(trouble, 400), "bold") for trouble in troubles]
    return [Content(""), Content(head), *listed]


def escape_words(wait: int) -> str:
    """Format the wait for the rest of a key sequence."""
    return f"{wait:,} ms" if wait else "by the connection"


def keys_words(keys: Mapping[str, str]) -> str:
    """Count how many of the player's keys are in use, and how many can't be."""
    if not keys:
        return _BUILT_IN
    from tui.keys.keymap import checked, known_bindings

    good, refused = checked(keys, known_bindings())
    changed = f"{len(good)} changed" if good else _BUILT_IN
    return changed + (f"; {len(refused)} cannot be used" if refused else "")


def consent_words(store: ConsentStore) -> str:
    """Summarize what the player's games may be used for."""
    try:
        agreement, asked = store.current, store.asked
    except ChaosOpsError as error:
        return shown(error, 200)
    if agreement is None:
        return "not used" if asked else "not used; you'll be asked after the first game"
    scopes = " and ".join(scope.value.replace("_", " ") for scope in agreement.scopes)
    return f"{scopes}, under the name {agreement.pseudonym}"


def _on_off(value: bool) -> str:
    return _ON if value else _OFF
