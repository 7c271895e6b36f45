"""The question for a cause, where authors' causes are among the choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from chaosops.env.models import ActionType, AgentRole
from chaosops.play.action_form.choices import Choice
from chaosops.play.action_form.fields import Draft
from chaosops.play.action_form.picks import Speech, picks
from chaosops.play.action_form.state import FormState
from chaosops.play.action_form.typed import CommandError, parse
from chaosops.play.session import Session
from tests.own_folder import ALIAS, NOT_CAST, OWN, drawing, write_folder
from tests.tui.games import UI, roster
from tests.tui.plain_games import played
from tui.plain.guide import explain_lines
from tui.widgets.picker.options import choice_options

DEFINITION = "A transaction that was left open holds rows, and whoever wants to write them waits."


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Session:
    home = tmp_path_factory.mktemp("home")
    write_folder(home)
    return Session(drawing(home), roster(AgentRole.SRE), recordings=None, ui=UI)


def choices(game: Session) -> dict[str, Choice]:
    view = game.observation.view
    pick = next(p for p in picks(view) if p.verb.action_type is ActionType.DIAGNOSE)
    field = Draft(pick, view, game.offers, own_causes=game.own_causes).question
    assert field is not None
    return {choice.value: choice for choice in field.choices}


def test_an_authors_cause_stands_among_the_others_with_its_definition(game: Session) -> None:
    found = choices(game)
    assert list(found) == sorted(found)
    assert (found[OWN].label, found[OWN].note) == ("vacuum lock", DEFINITION)
    assert found[NOT_CAST].note == DEFINITION
    assert found["row_lock"].note == ""


def test_a_search_in_the_picker_finds_it_by_its_aliases(game: Session) -> None:
    view = game.observation.view
    form = FormState(game.turn, view, game.offers, game.own_causes)
    diagnose = next(p for p in form.picks if p.verb.action_type is ActionType.DIAGNOSE)
    form.begin(diagnose)
    assert form.field is not None
    found = [option.id for option in choice_options(form.field, ALIAS)]
    assert [form.field.choices[int(str(place))].value for place in found] == [OWN]


@pytest.mark.parametrize("words", ["vacuum lock", "vacuum_lock", "Vacuum-Lock", "vacuum", ALIAS])
def test_it_can_be_typed_by_each_of_its_names(words: str, game: Session) -> None:
    view, own = game.observation.view, game.own_causes
    draft = parse(f"diagnose {words}", view, game.offers, own_causes=own)
    assert draft.action().args == {"cause": OWN}


def test_a_slip_is_answered_with_its_name(game: Session) -> None:
    view, own = game.observation.view, game.own_causes
    with pytest.raises(CommandError, match="did you mean vacuum lock"):
        parse("diagnose vacuum_loc", view, game.offers, own_causes=own)


def test_a_teammate_can_be_asked_to_name_it_and_a_message_that_names_it_says_so(
    game: Session,
) -> None:
    view, own = game.observation.view, game.own_causes
    asked = parse(f"propose dev diagnose {ALIAS}", view, game.offers, own_causes=own).action()
    assert asked.args["proposal"]["args"] == {"cause": OWN}
    pick = next(p for p in picks(view) if p.speech is Speech.PROPOSE)
    draft = Draft(pick, view, game.offers, own_causes=own)
    for name, value in (
        ("to", "dev"),
        ("proposal.action_type", "restart"),
        ("proposal.target", "db"),
        ("text", "please, it looks like a vacuum lock"),
    ):
        draft = draft.answer(name, value)
    assert draft.action().args["proposal"]["cause"] == OWN


def test_its_definition_is_told_on_request(game: Session) -> None:
    lines = explain_lines("vacuum_lock", game.own_causes)
    assert lines == [f"vacuum lock: {DEFINITION} Also: vacuum, {ALIAS}."]
    assert "vacuum lock" in explain_lines("", game.own_causes)[0]
    assert "vacuum lock" not in explain_lines("")[0]


def test_a_plain_game_names_it_in_words_from_the_page_to_the_debrief(tmp_path: Path) -> None:
    write_folder(tmp_path)
    game = Session(drawing(tmp_path), roster(AgentRole.SRE), recordings=None, ui=UI)
    said = played(game, f"diagnose {ALIAS}", "y", *["pass"] * 20)
    assert "diagnosed vacuum lock: working theory, sealed" in said
    assert OWN not in said
