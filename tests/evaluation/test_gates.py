from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chaosops.agents.policies import Policy, pass_turn
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import ActionType, AgentRole, ChaosOpsAction
from chaosops.env.world_sim import Scenario
from chaosops.evaluation import gates
from chaosops.scenarios.loader import open_scenario

Edited = Callable[[str, str], list[Scenario]]


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    """The deadlock incident with one text in its file replaced by another."""

    def make(old: str, new: str) -> list[Scenario]:
        text = open_scenario("paying-ends-in-an-error").path.read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "paying-ends-in-an-error.yaml"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return [Scenario.of(open_scenario(path))]

    return make


def passing(_seed: int) -> Policy:
    return pass_turn


def test_a_sound_incident_is_proven() -> None:
    report = gates.prove(open_scenario("paying-ends-in-an-error"), range(3), shortcut_seeds=(0,))
    assert report.passed, str(report)
    assert str(report).startswith("paying-ends-in-an-error: proven on 3 seeds\npass  ")


def test_the_same_incident_and_seeds_give_the_same_report() -> None:
    source = open_scenario("paying-ends-in-an-error")
    once, again = (gates.prove(source, (4, 5), shortcut_seeds=()) for _ in range(2))
    assert once == again


def test_no_seeds_prove_nothing() -> None:
    with pytest.raises(ValueError, match="at least one seed"):
        gates.prove(open_scenario("paying-ends-in-an-error"), ())


def test_a_best_line_that_comes_too_early_for_a_second_fault_is_found(edited: Edited) -> None:
    gate = gates.oracle_resolves(
        edited(
            "faults:\n",
            "faults:\n  - id: second\n    starts: 20\n"
            "    effects: [{service: db, parameter: errors, value: 0.5}]\n"
            "    clears: [{action: terminate, target: db}]\n",
        )
    )
    assert not gate.passed
    assert gate.words == "seed 0: not resolved"


def test_a_best_line_with_a_fix_that_nothing_needs_any_more_is_found(edited: Edited) -> None:
    gate = gates.oracle_resolves(
        edited(
            "args: {cause: db_deadlock}}\n",
            "args: {cause: db_deadlock}}\n  - {role: dev, action: disable_feature, target: cart}\n",
        )
    )
    assert not gate.passed
    assert "wrong fix" in gate.words


def test_a_tempting_fix_without_consequences_is_found(edited: Edited) -> None:
    gate = gates.tempting_fixes_bite(edited("value: 0.6, minutes: 8", "value: 0.001, minutes: 8"))
    assert not gate.passed
    assert "restart payments does too little" in gate.words


def test_a_mitigation_that_does_not_help_is_found(edited: Edited) -> None:
    gate = gates.mitigations_help(edited("remains: 0.5", "remains: 1.0"))
    assert not gate.passed
    assert "disable_feature cart helps too little" in gate.words


def test_a_par_and_a_budget_that_the_best_line_misses_are_found(edited: Edited) -> None:
    assert gates.bonuses_can_be_had(edited("par: ", "par: ")).passed
    gate = gates.bonuses_can_be_had(edited("diagnosis_budget: ", "diagnosis_budget: 1 # "))
    assert gate.words == "seed 0: diagnosis_budget"
    gate = gates.bonuses_can_be_had(edited("par: ", "par: 1 # "))
    assert gate.words == "seed 0: par, the best line takes 4"


def test_openings_that_are_alike_are_found() -> None:
    scenario = Scenario.load("paying-ends-in-an-error", 3)
    gate = gates.openings_differ([scenario, scenario])
    assert not gate.passed
    assert gate.words == "seeds 3 and 3 open alike"


def test_a_file_that_leaves_nothing_to_the_seed_opens_alike_whatever_the_traffic(
    tmp_path: Path,
) -> None:
    source = open_scenario("paying-ends-in-an-error")
    text = source.path.read_text(encoding="utf-8")
    head, rest = text.split("variables:\n", 1)
    declared, rest = rest.split("\n\n", 1)
    for line in declared.splitlines():
        name = line.split(":", 1)[0].strip()
        rest = rest.replace(f'"{{{name}}}"', "-5" if "number" in line else "search")
        rest = rest.replace(f"{{{name}}}", "one")
    path = tmp_path / "paying-ends-in-an-error.yaml"
    path.write_text(head + rest, encoding="utf-8")
    scenarios = [Scenario.of(open_scenario(path), seed) for seed in range(20)]

    assert len({repr(ChaosOpsEnvironment().reset(each)) for each in scenarios}) == 20
    gate = gates.openings_differ(scenarios)
    assert not gate.passed
    assert gate.words == (
        "seeds 0 and 1 open alike; seeds 0 and 2 open alike; seeds 0 and 3 open alike; and 16 more"
    )


def test_openings_that_differ_in_strength_alone_are_alike(tmp_path: Path) -> None:
    source = open_scenario("paying-ends-in-an-error")
    text = source.path.read_text(encoding="utf-8")
    path = tmp_path / "paying-ends-in-an-error.yaml"
    openings = []
    for strength in ("0.16", "0.1605"):
        path.write_text(text.replace("value: 0.16,", f"value: {strength},"), encoding="utf-8")
        openings.append(Scenario.of(open_scenario(path)))
    weak, strong = openings
    strong = replace(weak, incident=strong.incident)

    assert ChaosOpsEnvironment().reset(weak) != ChaosOpsEnvironment().reset(strong)
    assert gates.opening(weak, 0) == gates.opening(strong, 0)


def test_an_incident_the_expert_cannot_solve_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "expert_policy", passing)
    scenario = Scenario.load("paying-ends-in-an-error")
    gate = gates.expert_resolves([scenario])
    assert not gate.passed
    assert gate.words == "seed 0: not resolved in 40 turns"


def test_a_shortcut_that_reaches_the_expert_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "expert_policy", passing)
    gate = gates.shortcuts_fall_short([Scenario.load("paying-ends-in-an-error")])
    assert not gate.passed
    assert gate.words.startswith("seed 0: 'do nothing' scores ")


def test_an_expert_above_the_best_line_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_scenario: Scenario) -> Policy:
        return pass_turn

    monkeypatch.setattr(gates, "oracle_policy", nobody)
    assert not gates.oracle_leads([Scenario.load("paying-ends-in-an-error")]).passed


def test_a_score_is_cut_short_only_below_the_bar() -> None:
    env, scenario = ChaosOpsEnvironment(), Scenario.load("paying-ends-in-an-error")
    whole = gates.score_at_most(env, scenario, {}, -1e9)
    cut = gates.score_at_most(env, scenario, {}, 100.0)
    assert whole < cut < 100.0


def test_doing_harm_costs_more_requests_than_doing_nothing() -> None:
    scenario = Scenario.load("paying-ends-in-an-error")
    harm = ChaosOpsAction(AgentRole.SRE, ActionType.RESTART, "cache")
    assert gates.failing(scenario, harm) > gates.failing(scenario, None) > 0.0
