"""The gates over the whole built-in set, so that no incident gives its answer away."""

from collections import defaultdict

import pytest

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Difficulty
from chaosops.env.world_sim import Scenario
from chaosops.evaluation import gates
from chaosops.evaluation.adversaries.form import FormReader
from chaosops.evaluation.calibration import POLICIES, Cell, play, table
from chaosops.evaluation.shortcuts import shortcuts_that_may_resolve
from chaosops.evaluation.study import Study, StudyPlan
from chaosops.scenarios.rendering import ScenarioSource
from tests.sampling import sample
from tests.worlds import built_in, situations

pytestmark = pytest.mark.proof

SOURCES = built_in()
SITUATIONS = tuple(s for s in situations() if s.level is not Difficulty.TUTORIAL)
SEEDS = range(20)
PER_INCIDENT = pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.id)


def _scenarios(source: ScenarioSource, seeds: range) -> list[Scenario]:
    return [Scenario.of(source, seed) for seed in seeds]


@PER_INCIDENT
def test_the_expert_and_the_best_line_resolve_it(source: ScenarioSource) -> None:
    scenarios = _scenarios(source, range(4))
    for gate in (
        gates.oracle_resolves,
        gates.expert_resolves,
        gates.oracle_leads,
        gates.bonuses_can_be_had,
    ):
        report = gate(scenarios)
        assert report.passed, str(report)


@PER_INCIDENT
def test_twenty_seeds_open_in_twenty_ways(source: ScenarioSource) -> None:
    report = gates.openings_differ(_scenarios(source, SEEDS))
    assert report.passed, str(report)


@PER_INCIDENT
def test_wrong_fixes_bite_and_mitigations_help(source: ScenarioSource) -> None:
    scenarios = _scenarios(source, range(2))
    for gate in (gates.tempting_fixes_bite, gates.mitigations_help):
        report = gate(scenarios)
        assert report.passed, str(report)


@PER_INCIDENT
def test_no_shortcut_reaches_the_expert(source: ScenarioSource) -> None:
    """Those that only name causes over and over are tried on some of the incidents, below."""
    report = gates.shortcuts_fall_short(_scenarios(source, range(1)), shortcuts_that_may_resolve)
    assert report.passed, str(report)


@pytest.mark.parametrize("name", sorted(sample())[::2])
def test_naming_causes_over_and_over_does_not_reach_the_expert_either(name: str) -> None:
    report = gates.shortcuts_fall_short([Scenario.load(name, 0)])
    assert report.passed, str(report)


@PER_INCIDENT
def test_the_best_of_two_hundred_random_episodes_stays_below_the_expert(
    source: ScenarioSource,
) -> None:
    report = gates.random_search_falls_short(_scenarios(source, range(1)))
    assert report.passed, str(report)


@pytest.fixture(scope="module")
def cells() -> dict[tuple[Difficulty, str], Cell]:
    return {(cell.level, cell.policy): cell for cell in table(list(play(SOURCES, range(3))))}


@pytest.mark.parametrize("level", list(Difficulty))
def test_policies_rank_at_every_level(
    level: Difficulty, cells: dict[tuple[Difficulty, str], Cell]
) -> None:
    random, heuristic, expert, oracle = (cells[level, policy] for policy in POLICIES)
    assert random.reward < heuristic.reward < expert.reward <= oracle.reward
    assert random.resolved < heuristic.resolved < expert.resolved <= oracle.resolved
    assert expert.resolved >= 0.9


def test_the_expert_catches_rogues_and_spares_the_innocent(
    cells: dict[tuple[Difficulty, str], Cell],
) -> None:
    for (_level, policy), cell in cells.items():
        if policy == "expert":
            assert cell.rogue_caught is None or cell.rogue_caught >= 0.8
            assert cell.false_flags <= 0.05


def test_the_set_is_as_large_and_as_varied_as_it_is_said_to_be() -> None:
    causes = [(source.id, cause) for source in SOURCES for cause in source.drawing.causes.values()]
    rogues = {at for at, cause in causes if cause.agent}
    alarms = {at for at, cause in causes if cause.harmless}
    chains = [
        source.id
        for source in SOURCES
        if any(cast.follows for cast in source.drawing.situation.casts)
    ]
    assert len(SOURCES) >= 31
    assert len(causes) >= 150
    assert len({cause.diagnosis for _at, cause in causes}) >= 50
    assert {source.topology.id for source in SOURCES} == {
        "pipeline",
        "shop",
        "storefront",
        "zones",
    }
    assert {source.level for source in SOURCES} == set(Difficulty)
    assert len(rogues) >= 12
    assert len(alarms) >= 9
    assert len(chains) >= 1
    assert sum(source.level is Difficulty.TUTORIAL for source in SOURCES) == 7


@pytest.mark.parametrize("source", situations(), ids=lambda source: source.id)
def test_the_audit_log_of_a_situation_is_neither_empty_nor_long_at_the_page(
    source: ScenarioSource,
) -> None:
    env = ChaosOpsEnvironment()
    for seed in range(12):
        env.reset(Scenario.of(source, seed))
        audit = env.view_of(AgentRole.OVERSIGHT).audit
        assert audit is not None
        assert 3 <= len(audit) <= 12


def test_the_form_of_the_audit_log_tells_neither_who_is_guilty_nor_whether_anyone_is() -> None:
    study = Study(SITUATIONS, StudyPlan(seeds=tuple(SEEDS)))
    figures = FormReader().measure(study, frozenset(Difficulty))
    who, whether = figures["form: who"], figures["form: whether"]
    assert who.n >= 40
    assert who.value is not None
    assert whether.value is not None
    assert who.value <= who.base + 0.15
    assert whether.value <= 0.65


def test_each_page_stands_for_at_least_two_causes() -> None:
    causes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for source in SOURCES:
        for seed in SEEDS:
            incident = source.render(seed)
            causes[incident.topology, incident.page].add(str(incident.failure_type))
    assert {page: found for page, found in causes.items() if len(found) < 2} == {}


def test_every_kind_of_agent_that_is_guilty_in_one_incident_is_innocent_in_another() -> None:
    guilty: dict[str, set[str]] = defaultdict(set)
    there: dict[str, set[str]] = defaultdict(set)
    for source in SOURCES:
        for cause in source.drawing.causes.values():
            if cause.agent:
                guilty[cause.agent].add(source.id)
        for agent in source.drawing.situation.automation:
            if agent.standing is not None:
                there[agent.standing.kind].add(source.id)
    assert len(guilty) >= 8
    assert {kind: at for kind, at in guilty.items() if not there[kind] - at} == {}
