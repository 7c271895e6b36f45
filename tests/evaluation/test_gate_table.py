"""The one table of gates, and what the adversaries reach on the first edition's incidents."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from chaosops.evaluation.gate_table import TABLE, AdversaryGates, measure
from chaosops.evaluation.measurement import Measurement
from chaosops.evaluation.report import gates, line, markdown, must_be, row_line
from chaosops.evaluation.study import Study, StudyPlan
from tests.evaluation.adversaries.helpers import study_of
from tests.worlds import built_in

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evaluation.md").read_text("utf-8")
BY_ENTRY = pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)

AS_PLAYED: Mapping[str, tuple[str, float, float]] = {
    "place": ("place", 0.91, 0.05),
    "form": ("form: whether", 0.931, 0.02),
    "false-alarm": ("false alarm", 1.0, 0.0),
    "memoriser": ("memoriser", 1.0, 0.05),
}
"""What people measured by hand on the first incidents: a gate, a figure, and how near.

For form it is the figure of the 26 that are left of 38; on all of them it was 0.989.
"""

PASSING_BY_LEVEL = {"easy": 2 / 8, "medium": 1 / 9, "hard": 4 / 9}
"""What a team resolves whose SRE only passes, as people found it, of those incidents."""


def whole_set(*seeds: int, training: int = 8) -> Study:
    first_edition = tuple(source for source in built_in() if source.drawing is None)
    return Study(first_edition, StudyPlan(seeds, training, "expert"))


def entry_of(name: str) -> AdversaryGates:
    return next(entry for entry in TABLE if entry.name == name)


def test_every_gate_and_every_adversary_has_a_name_of_its_own() -> None:
    names = [gate.name for gate in gates()]
    assert len(set(names)) == len(names)
    assert len({entry.name for entry in TABLE}) == len(TABLE)


@BY_ENTRY
def test_an_adversary_measures_its_gates_and_no_others(entry: AdversaryGates) -> None:
    study = study_of("paying-ends-in-an-error", "site-turns-users-away", seeds=(0,), training=1)
    figures = entry.adversary.measure(study, entry.levels)
    assert set(figures) == {gate.name for gate in entry.gates}
    for one in measure(entry, study):
        assert one.adversary == entry.name
        assert one.gate in line(one)
        for row in one.rows:
            assert row.name in row_line(row)


@BY_ENTRY
def test_an_adversary_finds_the_same_again(entry: AdversaryGates) -> None:
    study = study_of("paying-ends-in-an-error", "errors-across-teams", seeds=(1,), training=2)
    assert measure(entry, study) == measure(entry, study)


@pytest.mark.proof
@pytest.mark.parametrize("name", AS_PLAYED)
def test_it_reaches_on_the_first_edition_what_people_measured(name: str) -> None:
    gate, figure, near = AS_PLAYED[name]
    found = {one.gate: one for one in measure(entry_of(name), whole_set(0, 1))}[gate]
    assert found.figure == pytest.approx(figure, abs=near + 1e-9)
    assert found.passes is False


def test_words_name_the_cause_and_the_header_alone_four_fifths_of_the_incidents() -> None:
    found = measure(entry_of("free-text"), whole_set(0, 1, 2, training=12))[0]
    assert found.figure == 1.0
    shares = {row.name: row.figure for row in found.rows if row.kind == "incident named by"}
    assert shares["page, turns and hold"] == pytest.approx(0.82, abs=0.06)
    assert min(shares["audit"], shares["changes"]) >= 0.95


def test_who_only_passes_resolves_what_people_found_by_playing() -> None:
    found: dict[str, Measurement] = {
        one.gate: one for one in measure(entry_of("thoughtless"), whole_set(0))
    }
    rows = {r.name: r.figure for r in found["thoughtless sre: passes"].rows if r.kind == "level"}
    assert rows == pytest.approx(PASSING_BY_LEVEL)


def test_the_first_edition_stands_still() -> None:
    found = measure(entry_of("stands-still"), whole_set(0))[0]
    assert found.figure is not None
    assert found.figure <= 0.1


def test_a_bot_with_the_public_runbook_reaches_the_expert_on_the_first_edition() -> None:
    found = measure(entry_of("composed"), whole_set(0))[0]
    assert found.figure is not None
    assert found.figure >= 15 / 38
    assert found.passes is False


@BY_ENTRY
def test_the_documentation_says_of_each_gate_what_the_table_says(entry: AdversaryGates) -> None:
    assert f"`{entry.name}`" in PAGE
    assert entry.how in PAGE
    for gate in entry.gates:
        assert f"| {gate.name} | {gate.what} | {must_be(gate)} |" in PAGE


def test_a_gate_that_was_not_measured_has_dashes_in_the_table() -> None:
    lines = markdown(()).splitlines()
    assert len(lines) == 2 + len(gates())
    assert all(row.endswith("| - | - | - | - |") for row in lines[2:])
