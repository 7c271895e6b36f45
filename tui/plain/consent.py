"""Who agreed to the use of a game, and the question after the first one."""

from __future__ import annotations

from chaosops.errors import ChaosOpsError
from chaosops.play.consent_prompt import agreed_player, cover, should_ask
from chaosops.play.plain_dialect import sentence
from chaosops.play.session import Session
from chaosops.recording.consent import INTRODUCTION, WORDS, ConsentStore
from chaosops.recording.events import ConsentScope, Player
from tui.plain.console import Console


def player_of(console: Console) -> Player | None:
    """Return who agreed to the use of the data; nobody is asked before a game."""
    try:
        return agreed_player(ConsentStore())
    except ChaosOpsError as error:
        console.say(sentence(f"note: {error}"))
        return None


def ask_once(console: Console, session: Session) -> None:
    """Ask for consent after the first game, and only if a person types."""
    if not console.typed or not should_ask(ConsentStore, session):
        return
    console.gap()
    store = ConsentStore()
    try:
        _ask_consent(console, store)
        agreement = store.current
    except ChaosOpsError as error:
        console.say(f"Note: your answer was not saved: {error}")
        return
    trouble = "" if agreement is None else cover(session, agreement)
    if trouble:
        console.say(f"Note: {trouble}")


def _ask_consent(console: Console, store: ConsentStore) -> None:
    console.say(INTRODUCTION)
    given: list[ConsentScope] = []
    for scope, words in WORDS.items():
        if scope is ConsentScope.FREE_TEXT and not given:
            break
        answer = console.ask(f"{words} May this be used? yes or no:")
        if answer is None:
            return
        if answer.lower() in ("y", "yes"):
            given.append(scope)
    if given:
        store.give(given)
    else:
        store.decline()
    console.gap()
