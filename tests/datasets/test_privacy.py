from pathlib import Path

import pytest

from chaosops.agents.runner import Stepper
from chaosops.datasets.errors import ExportError
from chaosops.datasets.privacy import WITHHELD, Redactor
from chaosops.datasets.rows import Format
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import MAX_TEXT, SAY, ActionType, ChaosOpsAction
from chaosops.recording.events import ConsentScope, Note
from chaosops.recording.times import now_ms
from chaosops.recording.turn_sources import Decider, TurnSource
from chaosops.recording.upkeep import add_note
from chaosops.text.actions import to_json
from tests.datasets.games import (
    BOTH,
    DEV,
    MESSAGE,
    NONSENSE,
    SECRET,
    SRE,
    export,
    game,
    resealed,
    rows,
)
from tests.worlds import scenario

ALL = tuple(Format)
ANYBODY = frozenset(TurnSource)
ACTIONS = (ConsentScope.ACTIONS,)
TOO_LONG = ChaosOpsAction(
    SRE, ActionType.COMMUNICATE, None, {"text": SECRET.ljust(MAX_TEXT + 1, ".")}
)
EMPTY = ChaosOpsAction(SRE, ActionType.COMMUNICATE, None, {"text": " "})
MOVES = {0: MESSAGE, 4: NONSENSE, 8: TOO_LONG, 12: EMPTY}


def everything(folder: Path) -> str:
    return "".join(p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file())


def test_what_people_did_is_left_out_without_consent(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,))
    game(tmp_path / "logs", people=(SRE,), scopes=(ConsentScope.FREE_TEXT,))
    with pytest.raises(ExportError, match="2 recordings without consent"):
        export(tmp_path / "logs", tmp_path / "set", *ALL, sources=ANYBODY)
    assert not (tmp_path / "set").exists()


def test_policies_need_no_consent(tmp_path: Path) -> None:
    game(tmp_path / "logs")
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert {row["player"] for row in rows(tmp_path / "set", Format.SFT)} == {""}


def test_without_consent_to_free_text_no_format_has_a_word_of_it(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, moves=MOVES, copilot="random")
    add_note(path, Note(at_ms=now_ms(), comment=SECRET, quality=3))
    export(path, tmp_path / "set", *ALL, sources=ANYBODY, forks=1, turns=frozenset({1}))
    text = everything(tmp_path / "set")
    assert "Mallory" not in text
    assert WITHHELD in text
    (episode,) = rows(tmp_path / "set", Format.EPISODES)
    assert (episode["comment"], episode["quality"]) == ("", 3)
    assert {row["rationale"] for row in rows(tmp_path / "set", Format.SFT)} == {""}


def test_with_consent_to_free_text_the_words_are_there(tmp_path: Path) -> None:
    path, _ = game(tmp_path / "logs", people=(SRE,), scopes=BOTH, moves=MOVES)
    add_note(path, Note(at_ms=now_ms(), comment=SECRET))
    export(path, tmp_path / "set", Format.SFT, Format.EPISODES)
    assert WITHHELD not in everything(tmp_path / "set" / "sft")
    (episode,) = rows(tmp_path / "set", Format.EPISODES)
    assert episode["comment"] == SECRET
    assert {row["rationale"] for row in rows(tmp_path / "set", Format.SFT)} == {SECRET}


def test_what_policies_wrote_stays(tmp_path: Path) -> None:
    report = ChaosOpsAction(DEV, ActionType.COMMUNICATE, None, {"to": "all", "text": "no deploys"})
    _, steps = game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, moves={2: report})
    written = {
        message.text
        for step in steps
        for message in step.observation.view.channel
        if message.sender is not SRE
    }
    assert "no deploys" in written
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    prompts = [row["prompt"][1]["content"] for row in rows(tmp_path / "set", Format.SFT)]
    assert all(any(to_json(words) in prompt for prompt in prompts) for words in written)


@pytest.mark.few(1)
@pytest.mark.parametrize("action", [NONSENSE, TOO_LONG, EMPTY], ids=["nonsense", "long", "empty"])
def test_a_refused_action_without_its_words_is_still_refused(action: ChaosOpsAction) -> None:
    redacted = Redactor(frozenset({SRE})).action(action, refused=True)
    assert "Mallory" not in repr(redacted)
    stepper = Stepper(ChaosOpsEnvironment(), scenario("first-shift-1-product-pages"))
    assert stepper.take(redacted).breakdown.miscommunication_penalty == -20.0


def test_a_message_without_its_words_does_the_same() -> None:
    redacted = Redactor(frozenset({SRE})).action(MESSAGE, refused=False)
    assert dict(redacted.args) == {"to": "all", "text": WITHHELD}
    other = Redactor(frozenset()).action(MESSAGE, refused=False)
    assert other is MESSAGE


def test_a_line_without_its_words_is_said_all_the_same() -> None:
    said = ChaosOpsAction(SRE, ActionType.RESTART, "cart", {SAY: {"to": "dev", "text": SECRET}})
    redacted = Redactor(frozenset({SRE})).action(said, refused=False)
    assert redacted.args == {SAY: {"to": "dev", "text": WITHHELD}}
    env = ChaosOpsEnvironment()
    env.reset(scenario("checkout-times-out"))
    assert not env.step(redacted).refused
    shared = ChaosOpsAction(SRE, ActionType.NOOP, None, {SAY: {"finding": 0}})
    assert Redactor(frozenset({SRE})).action(shared, refused=False) == shared
    assert Redactor(frozenset({DEV})).action(said, refused=False) is said


def test_a_discarded_game_is_left_out(tmp_path: Path) -> None:
    game(tmp_path / "logs", submitted=False)
    with pytest.raises(ExportError, match="1 recording discarded by the player"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    game(tmp_path / "logs", seed=1)
    report = export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    assert report.episodes == 1


@pytest.mark.few(1)
@pytest.mark.parametrize("decider", [Decider.HUMAN, Decider.LLM])
def test_a_person_who_takes_over_a_policys_seat_is_asked_for_consent(
    tmp_path: Path, decider: Decider
) -> None:
    """Behind a program that plays there may be a person."""
    game(tmp_path / "logs", taken_over=DEV, decider=decider, moves={6: MESSAGE})
    with pytest.raises(ExportError, match="1 recording without consent"):
        export(tmp_path / "logs", tmp_path / "set", *ALL, sources=ANYBODY)


def test_behind_the_program_that_a_seats_own_policy_asks_there_is_no_person(
    tmp_path: Path,
) -> None:
    path, _ = game(tmp_path / "logs")
    resealed(path, 2, lambda event: event["human"].update(source="llm"))
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=frozenset({TurnSource.LLM}))
    (row,) = rows(tmp_path / "set", Format.SFT)
    assert (row["source"], row["policy"], row["player"]) == ("llm", "expert", "")


def test_the_words_of_whoever_takes_over_a_seat_are_withheld(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), taken_over=DEV, scopes=ACTIONS, moves={6: MESSAGE})
    export(tmp_path / "logs", tmp_path / "set", Format.SFT)
    made = {row["turn"]: row for row in rows(tmp_path / "set", Format.SFT)}
    assert {made[turn]["role"] for turn in made} == {"sre", "dev"}
    assert WITHHELD in made[6]["completion"][0]["content"]
    assert "Mallory" not in everything(tmp_path / "set")


def test_what_was_replayed_from_another_game_is_neither_taught_nor_quoted(tmp_path: Path) -> None:
    game(tmp_path / "logs", replayed=8, moves={0: MESSAGE})
    with pytest.raises(ExportError, match="1 recording without consent"):
        export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    game(tmp_path / "logs", people=(SRE,), replayed=4, scopes=ACTIONS, moves={0: MESSAGE})
    report = export(
        tmp_path / "logs", tmp_path / "set", Format.SFT, Format.EPISODES, sources=ANYBODY
    )
    assert min(row["turn"] for row in rows(tmp_path / "set", Format.SFT)) == 4
    assert report.left_out_of["sft"]["turns replayed from another game"] == 4
    assert "Mallory" not in everything(tmp_path / "set")


def test_a_policys_turn_in_a_persons_seat_is_not_the_persons(tmp_path: Path) -> None:
    game(tmp_path / "logs", people=(SRE,), scopes=ACTIONS, handed_over=4)
    export(tmp_path / "logs", tmp_path / "set", Format.SFT)
    assert {row["turn"] for row in rows(tmp_path / "set", Format.SFT)} == {0}
