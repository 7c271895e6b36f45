"""The guide says what is so: its tables are the program's own, and what it shows can be done."""

import re
from pathlib import Path

import pytest

from chaosops.cli.proofs import CURES
from chaosops.cli.scenarios_words import vocabulary
from chaosops.env.models import Source
from chaosops.env.models.verbs import AGENT_VERBS, LANDING
from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.folders import cause_files, topology_files
from chaosops.scenarios.loader import open_scenario
from tests.scenarios.files import INCIDENT, edited, write

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "authoring.md").read_text("utf-8")


def test_the_words_of_the_guide_are_those_of_the_command() -> None:
    (words,) = re.findall("<!-- words: begin -->\n(.*)<!-- words: end -->", GUIDE, re.DOTALL)
    assert words == f"{vocabulary()}\n", "put in what `chaosops scenarios words` prints"


def test_the_words_hold_every_cause_source_topology_and_verb_that_a_file_can_name() -> None:
    named = set(re.findall(r"`([a-z_]+)`", vocabulary()))
    topologies = {path.stem for path in topology_files(())}
    assert named >= {*cause_files(()), *Source, *topologies, *LANDING, *AGENT_VERBS}


def test_every_gate_of_a_proof_is_explained() -> None:
    assert re.findall(r"^\| ((?:the|par|every|no) [^|]*?) \|", GUIDE, re.MULTILINE) == list(CURES)


DOUBTFUL = ["no", "on", "08", "1_000", "12:30", "1e3", "true", "~"]


@pytest.mark.parametrize("scalar", DOUBTFUL)
def test_what_it_says_needs_quotes_is_text_with_them(tmp_path: Path, scalar: str) -> None:
    text = edited(INCIDENT, "title: Customers cannot sign in", f'title: "{scalar}"')
    text = edited(text, "build: r212", f"build: '{scalar}'")
    drawing = open_scenario(write(tmp_path, text)).drawing
    assert drawing.situation.title == scalar
    assert drawing.situation.automation[1].releases[0].build == scalar


@pytest.mark.parametrize("scalar", DOUBTFUL)
def test_what_it_says_needs_quotes_is_refused_without_them(tmp_path: Path, scalar: str) -> None:
    assert f"`{scalar}`" in GUIDE
    path = write(tmp_path, edited(INCIDENT, "build: r212", f"build: {scalar}"))
    (problem,) = check_file(path)
    assert problem.field == "automation.1.releases.0.build"
