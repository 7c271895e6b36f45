"""A row says how it reads as a line, and has a value for each of its cells."""

from __future__ import annotations

import pytest

from chaosops.presenter.rows import Share, Wording
from chaosops.text import Dialect


def test_a_row_reads_as_its_wording_says() -> None:
    row = Wording("in all {share} of {name} ({kind}): {count} times").row(
        share=Share(0.25), name="db", kind="database", count=3
    )
    assert Dialect().line(row) == "in all 25 % of db (database): 3 times"


def test_a_bracket_is_left_out_with_the_cell_in_it() -> None:
    row = Wording("{name} ({kind}): {calls}").row(name="db", kind="database", calls="nothing")
    told = Dialect().joined(cell for cell in row.cells if cell.name != "kind")
    assert told == "db: nothing"


def test_a_row_has_a_value_for_each_cell_of_its_wording_and_no_other() -> None:
    alert = Wording("{service}: {text}")
    with pytest.raises(KeyError):
        alert.row(service="db", words="slow")
    with pytest.raises(TypeError, match="service, text, severity"):
        alert.row(service="db", text="slow", severity="page")
    assert alert.row(service="db", text="slow").find("severity") is None
