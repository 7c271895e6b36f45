"""The guide says what is so: its tables are the program's own, and what it shows can be done."""

import re
from pathlib import Path

import pytest
from chaosops.scenarios.parameters import Parameter

from chaosops.cli.proofs import CURES
from chaosops.cli.scenarios_words import vocabulary
from chaosops.env.models import Sign
from chaosops.env.models.verbs import FIRST_EDITION_CAUSES
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.loader import open_scenario
from chaosops.scenarios.schema import Profile
from tests.scenarios.files import INCIDENT, edited, write

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "authoring.md").read_text("utf-8")


def test_the_words_of_the_guide_are_those_of_the_command() -> None:
    (words,) = re.findall("<!-- words: begin -->\n(.*)<!-- words: end -->", GUIDE, re.DOTALL)
    assert words == f"{vocabulary()}\n", "put in what `chaosops scenarios words` prints"


def test_the_words_hold_every_sign_and_every_cause_of_an_incident_file() -> None:
    named = set(re.findall(r"`([a-z_]+)`", vocabulary()))
    assert named >= {*Sign, *FIRST_EDITION_CAUSES}


def test_every_parameter_and_profile_of_an_effect_is_named() -> None:
    for word in (*Parameter, *Profile):
        assert f"`{word.value}`" in GUIDE


def test_every_gate_of_a_proof_is_explained() -> None:
    assert re.findall(r"^\| ((?:the|par|every|no) [^|]*?) \|", GUIDE, re.MULTILINE) == list(CURES)


DOUBTFUL = ["no", "on", "08", "1_000", "12:30", "1e3", "true", "~"]


@pytest.mark.parametrize("scalar", DOUBTFUL)
def test_what_it_says_needs_quotes_is_text_with_them(tmp_path: Path, scalar: str) -> None:
    text = edited(INCIDENT, "title: Customers cannot sign in", f'title: "{scalar}"')
    text = edited(text, "version: v212", f"version: '{scalar}'")
    incident = open_scenario(write(tmp_path, text)).render(0)
    assert (incident.title, incident.changes[0].version) == (scalar, scalar)


@pytest.mark.parametrize("scalar", DOUBTFUL)
def test_what_it_says_needs_quotes_is_refused_without_them(tmp_path: Path, scalar: str) -> None:
    assert f"`{scalar}`" in GUIDE
    path = write(tmp_path, edited(INCIDENT, "version: v212", f"version: {scalar}"))
    (problem,) = check_file(path)
    assert problem.field == "changes.0.version"
