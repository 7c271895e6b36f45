"""The one table of gates."""

from pathlib import Path

import pytest

from chaosops.evaluation.gate_table import TABLE, AdversaryGates, measure
from chaosops.evaluation.report import gates, line, markdown, must_be, row_line
from tests.evaluation.adversaries.helpers import study_of

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "evaluation.md").read_text("utf-8")
BY_ENTRY = pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)


def test_every_gate_and_every_adversary_has_a_name_of_its_own() -> None:
    names = [gate.name for gate in gates()]
    assert len(set(names)) == len(names)
    assert len({entry.name for entry in TABLE}) == len(TABLE)


@pytest.mark.few(1)
@BY_ENTRY
def test_an_adversary_measures_its_gates_and_no_others(entry: AdversaryGates) -> None:
    study = study_of("paying-ends-in-an-error", "site-errors-above-limit", seeds=(0,), training=1)
    figures = entry.adversary.measure(study, entry.levels)
    assert set(figures) == {gate.name for gate in entry.gates}
    for one in measure(entry, study):
        assert one.adversary == entry.name
        assert one.gate in line(one)
        for row in one.rows:
            assert row.name in row_line(row)


@pytest.mark.slow
@BY_ENTRY
def test_an_adversary_finds_the_same_again(entry: AdversaryGates) -> None:
    study = study_of("paying-ends-in-an-error", "errors-across-teams", seeds=(1,), training=2)
    assert measure(entry, study) == measure(entry, study)


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
