import pytest

from chaosops.agents.runner import run_episode
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import Health, RoleView, ServiceKind, ServiceNode, ServiceSignals, Source
from chaosops.env.world_sim import Scenario
from chaosops.evaluation.openings import (
    deepest_unhealthy,
    everything_seen,
    opening_of,
    text_parts,
    unhealthy,
    words_of,
    worst_service,
)


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.load("paying-ends-in-an-error", seed=3)


def seen(view: RoleView, *services: tuple[str, Health, float]) -> RoleView:
    """The view, with edge -> app -> db in it, and other, which nobody calls."""
    signals = [
        ServiceSignals(name, health, 10, errors, 20, None, None, None, None, None, None, 3)
        for name, health, errors in services
    ]
    calls = {"edge": ("app",), "app": ("db",)}
    graph = tuple(
        ServiceNode(name, ServiceKind.APP, calls.get(name, ())) for name, *_rest in services
    )
    return view._replace(services=tuple(signals), graph=graph)


H = Health.HEALTHY
D = Health.DEGRADED
C = Health.CRITICAL


@pytest.mark.few(1)
@pytest.mark.parametrize(
    ("edge", "app", "db", "other", "deepest"),
    [
        (C, C, D, H, "db"),
        (C, D, H, H, "app"),
        (D, H, H, C, "other"),
        (H, H, H, D, "other"),
    ],
)
def test_the_deepest_unhealthy_service_is_the_worst_that_calls_no_unhealthy_one(
    scenario: Scenario, edge: Health, app: Health, db: Health, other: Health, deepest: str
) -> None:
    view = seen(
        opening_of(scenario).sre,
        ("edge", edge, 0.2),
        ("app", app, 0.2),
        ("db", db, 0.01),
        ("other", other, 0.1),
    )
    assert deepest_unhealthy(view) == deepest


def test_where_all_are_well_the_one_that_fails_most_stands_for_the_deepest(
    scenario: Scenario,
) -> None:
    view = seen(opening_of(scenario).sre, ("edge", H, 0.0), ("app", H, 0.004), ("db", H, 0.001))
    assert unhealthy(view) == ()
    assert deepest_unhealthy(view) == worst_service(view) == "app"


def test_an_opening_is_the_first_view_of_each_role_while_all_pass(scenario: Scenario) -> None:
    played = run_episode(ChaosOpsEnvironment(), scenario, {}).steps[:4]
    assert opening_of(scenario).views == tuple(step.observation.view for step in played)


def test_the_header_says_how_long_the_game_is(scenario: Scenario) -> None:
    assert opening_of(scenario).sre.status.turns == scenario.max_steps * 4


def test_a_look_is_at_the_deepest_unhealthy_service(scenario: Scenario) -> None:
    opening = opening_of(scenario, look=Source.METRICS)
    assert opening.look is not None
    assert opening.look.source is Source.METRICS
    assert opening.look.target == deepest_unhealthy(opening.sre)
    assert opening_of(scenario).look is None


def test_what_is_read_without_a_look_has_no_finding_in_it(scenario: Scenario) -> None:
    plain, looked = opening_of(scenario), opening_of(scenario, look=Source.METRICS)
    assert text_parts(plain) == text_parts(looked)
    assert everything_seen(plain) < everything_seen(looked)


def test_words_have_no_figures() -> None:
    assert list(words_of("p95 is 1,204 ms at db-7, 3.5 %")) == ["p", "is", "ms", "at", "db"]


def test_the_same_seed_is_read_the_same_again(scenario: Scenario) -> None:
    assert everything_seen(opening_of(scenario)) == everything_seen(opening_of(scenario))
