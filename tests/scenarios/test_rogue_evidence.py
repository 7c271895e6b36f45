from pathlib import Path

import pytest

from chaosops.scenarios.file_checks import check_file
from chaosops.scenarios.loader import open_scenario


def test_a_rogue_that_nothing_convicts_is_an_error_at_its_line(tmp_path: Path) -> None:
    text = open_scenario("checkout-times-out").path.read_text("utf-8")
    assert text.count("beyond_policy") == 1
    path = tmp_path / "checkout-times-out.yaml"
    path.write_text(text.replace("beyond_policy", "latency_high"), "utf-8")
    (problem,) = check_file(path)
    assert problem.field.endswith(".rogue")
    assert "nothing proves this agent guilty; add evidence" in problem.message
    assert "rogue:" in text.splitlines()[problem.line - 1]


@pytest.mark.parametrize(
    "junk",
    [
        "source: automation, at: autoscaler, signs: 3",
        "source: automation, at: [1], signs: [beyond_policy]",
        "source: automation, at: autoscaler, signs: [[]]",
        "source: {a: b}",
    ],
)
def test_evidence_of_the_wrong_shape_is_reported_and_never_raises(
    tmp_path: Path, junk: str
) -> None:
    text = open_scenario("checkout-times-out").path.read_text("utf-8")
    path = tmp_path / "checkout-times-out.yaml"
    path.write_text(text.replace("evidence:\n", f"evidence:\n  - {{{junk}}}\n", 1), "utf-8")
    assert any(problem.field.startswith("evidence.0") for problem in check_file(path))
