"""The key bindings, and changing them by pressing another key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from chaosops.play.formatting import MUTED, shown
from tui.game_app import game_app
from tui.keys.keymap import FIXED, KnownBinding, checked, known_bindings
from tui.keys.labels import key_of, key_word
from tui.screens.dialogs.explained import Explained
from tui.widgets.basic.menu import Menu
from tui.widgets.basic.remeasured import Remeasured
from tui.widgets.status.key_hints import KeyHints


class KeysScreen(Explained, Remeasured, Screen[None]):
    """Lists all bindings by screen; Enter asks for another key for one of them."""

    CSS_PATH = "../../styles/settings.tcss"
    TITLE = "Keys"
    EXPLAINED = (
        "All keys of the game, by screen and pane. Press {keys.change} on a line, then the "
        "new key. A key that would hide another one is refused. {keys.reset} restores a "
        "line's default key.\n\n"
        "• marks keys that you changed, ! keys of yours that can't be used; those keep their "
        "default."
    )

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "enter",
            "change",
            "Change",
            priority=True,
            id="keys.change",
            tooltip="Press another key for it",
        ),
        Binding(
            "backspace,delete",
            "reset",
            "Built-in key",
            id="keys.reset",
            tooltip="Give the line its built-in key back",
        ),
        Binding(
            "question_mark", "explain", "Explain", id="keys.explain", tooltip="Explain this screen"
        ),
        Binding("escape,q", "close", "Back", id="keys.close", tooltip="Back to the settings"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._known: Mapping[str, KnownBinding] = {}

    def compose(self) -> ComposeResult:
        """Compose the list."""
        yield Static(
            id="keys-title",
        )
        yield Menu(id="keys-list", markup=False, compact=True)
        yield Static(id="keys-note", markup=False)
        yield KeyHints()

    def on_mount(self) -> None:
        """Show the screen, then look up the bindings."""
        self.keys_changed()
        self.query_one(OptionList).focus()
        self.call_after_refresh(self._read)

    def keys_changed(self) -> None:
        """Update the key that changes a binding."""
        said = f"  {key_of(self, 'keys.change')} changes one"
        title = Content.assemble(("Keys", "bold $accent"), (said, MUTED))
        self.query_one("#keys-title", Static).update(title)

    @work(thread=True, group="keys")
    def _read(self) -> None:
        known = known_bindings()
        self.app.call_from_thread(self._take_in, known)

    def _take_in(self, known: Mapping[str, KnownBinding]) -> None:
        if self.is_up:
            self._known = known
            self._fill()

    @property
    def _own(self) -> dict[str, str]:
        return dict(game_app(self).preferences.settings.keys)

    def _fill(self) -> None:
        listing = self.query_one(OptionList)
        at = listing.highlighted
        options: list[Option] = []
        scope = ""
        good, refused = checked(self._own, self._known)
        wrong = {one.id for one in refused}
        for known in sorted(self._known.values(), key=lambda each: (each.scope, each.id)):
            if known.scope != scope:
                scope = known.scope
                options.append(Option(Content.styled(scope.capitalize(), "bold"), disabled=True))
            keys = good.get(known.id, ",".join(known.keys))
            mark = "•" if known.id in good else "!" if known.id in wrong else " "
            options.append(
                Option(
                    Content.assemble(
                        f" {mark} ",
                        (f"{self._shown_keys(keys):<18} ", "bold"),
                        f"{shown(known.description, 26):<27}",
                        (f"{known.id}", MUTED),
                    ),
                    id=known.id,
                )
            )
        listing.set_options(options)
        listing.highlighted = at if at is not None else 1 if len(options) > 1 else None

    def _shown_keys(self, keys: str) -> str:
        return shown(" ".join(key_word(key.strip()) for key in keys.split(",")), 18)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_change()

    def _chosen(self) -> KnownBinding | None:
        option = self.query_one(OptionList).highlighted_option
        return self._known.get(option.id) if option is not None and option.id else None

    def action_change(self) -> None:
        """Ask for another key for the highlighted binding."""
        chosen = self._chosen()
        if chosen is None:
            return
        if chosen.id in FIXED:
            self._say("This key can't be changed, so that there is always a way out.")
            return

        def pressed(key: str | None) -> None:
            if key:
                self._set(chosen.id, key)

        self.app.push_screen(PressScreen(chosen.description), pressed)

    def action_reset(self) -> None:
        """Reset the highlighted binding to its built-in key."""
        chosen = self._chosen()
        own = self._own
        if chosen is not None and own.pop(chosen.id, None) is not None:
            self._keep(own, f"{chosen.description}: the built-in key again.")

    def action_close(self) -> None:
        """Return to the screen below."""
        self.app.pop_screen()

    def _set(self, name: str, key: str) -> None:
        # First, so that older entries win over it, and not the other way round.
        own = {name: key} | {other: keys for other, keys in self._own.items() if other != name}
        good, refused = checked(own, self._known)
        why = next((item.message for item in refused if item.id == name), "")
        if why:
            self._say(f"{key_word(key)}: {why}.")
        else:
            known = self._known[name]
            self._keep({**own, name: good[name]}, f"{known.description}: {key_word(key)}.")

    def _keep(self, own: dict[str, str], words: str) -> None:
        app = game_app(self)
        app.change_settings(keys=own)
        good, _refused = checked(own, self._known)
        app.use_keys(good)
        self._fill()
        self._say(words)

    def _say(self, text: str) -> None:
        self.query_one("#keys-note", Static).update(Content.styled(shown(text, 300), "bold"))


class PressScreen(Remeasured, ModalScreen[str]):
    """Takes any next key; Escape cancels, and Ctrl+C leaves as always."""

    CSS_PATH = "../../styles/settings.tcss"
    TAKES_EVERY_KEY: ClassVar[bool] = True
    INHERIT_BINDINGS: ClassVar[bool] = False

    def __init__(self, description: str) -> None:
        super().__init__()
        self._description = description

    def compose(self) -> ComposeResult:
        """Compose the name of the binding."""
        with Vertical(classes="box") as box:
            box.border_title = Content(shown(self._description, 50))
            box.border_subtitle = Content("escape cancels")
            yield Static(Content("Press the new key."))

    def on_key(self, event: events.Key) -> None:
        """Take the key."""
        event.stop()
        event.prevent_default()
        self.dismiss(None if event.key == "escape" else event.key)
