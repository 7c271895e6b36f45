"""The services pane tells everything that its role sees, in the colours of health."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from textual.content import Content

from chaosops.agents.policies import pass_turn
from chaosops.agents.runner import Stepper
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import AgentRole, Alert, Health, RoleView, Severity
from chaosops.env.models.signals import SIGNALS
from chaosops.env.world_sim import Scenario
from chaosops.play.formatting import HEALTH_STYLES
from chaosops.play.service_tree import HEAVY, health_of
from tests.tui.games import game, roster, settled
from tui.widgets.basic.lines import Row
from tui.widgets.panes.alerts import AlertsPane
from tui.widgets.panes.services import ServicesPane

FLEETS = {
    "storefront": "sign-in-form-rejects-some",
    "zones": "three-in-a-hundred-fail",
    "pipeline": "slow-then-errors",
}
HEADINGS = {spec.field: spec.heading for spec in SIGNALS}
SPARK = re.compile("[▁▂▃▄▅▆▇]")
WIDTHS = range(40, 251)
"""Of terminals, in columns."""


@cache
def view_of(incident: str, role: AgentRole = AgentRole.SRE, seed: int = 1) -> RoleView:
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load(incident, seed=seed))
    while stepper.role is not role:
        stepper.take(pass_turn(stepper.observation, stepper.role))
    return stepper.observation.view


def rows_of_services(view: RoleView, width: int) -> list[Row]:
    """The rows of the pane without those that tell a limit below a service."""
    return [
        row
        for row in ServicesPane().rows(view, width)
        if not row.content.plain.strip().startswith("! ")
    ]


def told(view: RoleView, width: int) -> set[tuple[str, str]]:
    """Which signals of which services stand in the pane, "sparklines" among them."""
    heading, *rows = [row.content.plain for row in rows_of_services(view, width)]
    size = len(view.graph)
    assert all(len(row) <= width for row in [heading, *rows[:size]])
    columns = set(heading.split()) - {"health", "for", "errors", "latency"}
    services = {item.service for item in view.services or ()}
    found = {item for row in rows[size:] for item in in_words(row)}
    for row in rows[:size]:
        words = set(re.findall(r"[\w-]+", row)) & services
        found |= {(name, column) for name in words for column in columns}
        found |= {(name, "sparklines") for name in words if SPARK.search(row)}
    return found & (seen(view) | {(name, "sparklines") for name in services})


def in_words(row: str) -> Iterator[tuple[str, str]]:
    """The signals of a line such as "db disk 61% lag 0s · cart pool 24%"."""
    for entry in row.split(" · "):
        name, *words = entry.split()
        yield from ((name, heading) for heading in words[::2])


def seen(view: RoleView) -> set[tuple[str, str]]:
    """Every signal that the role sees; that nothing waits is told where there is room for it."""
    return {
        (item.service, heading)
        for item in view.services or ()
        for field, heading in HEADINGS.items()
        if getattr(item, field) is not None and not (field == "backlog" and not item.backlog)
    }


@pytest.mark.few(1)
@pytest.mark.parametrize("fleet", FLEETS)
@pytest.mark.parametrize("role", [AgentRole.SRE, AgentRole.DEV])
def test_every_signal_that_a_role_sees_is_told_at_every_width(fleet: str, role: AgentRole) -> None:
    view = view_of(FLEETS[fleet], role)
    assert any(heading == "pool" for _, heading in seen(view)) or role is AgentRole.DEV
    for width in WIDTHS:
        missing = seen(view) - told(view, width)
        assert not missing, f"{width}: {missing}"


@pytest.mark.slow
@pytest.mark.parametrize("fleet", FLEETS)
def test_a_wider_pane_never_shows_fewer_signals(fleet: str) -> None:
    view, before = view_of(FLEETS[fleet]), set[tuple[str, str]]()
    for width in WIDTHS:
        now = told(view, width)
        assert not before - now, f"{width}: {before - now}"
        before = now
    assert {name for name, heading in before if heading == "sparklines"} == {
        item.service for item in view.services or ()
    }


@pytest.mark.slow
async def test_a_wider_terminal_never_shows_fewer_signals() -> None:
    app, screen = game(roster(AgentRole.SRE))
    views = [view_of(incident) for incident in FLEETS.values()]
    async with app.run_test(size=(40, 24)) as pilot:
        before = [set[tuple[str, str]]() for _ in views]
        for width in (40, 60, 80, 99, 100, 119, 120, 121, 140, 159, 160, 200, 250):
            least = before
            for height in (24, 40):
                await pilot.resize_terminal(width, height)
                await settled(pilot)
                pane = screen.query_one(ServicesPane)
                now = [told(view, pane.scrollable_content_region.width) for view in views]
                for was, has in zip(before, now, strict=True):
                    lost = {item for item in was - has if item[1] != "wait"}
                    assert not lost, f"{width}x{height}: {lost}"
                least = [a & b for a, b in zip(least, now, strict=True)] if height > 24 else now
            before = least


def spans(content: Content) -> Iterator[tuple[str, str]]:
    """Each character with the style it is in."""
    for at, character in enumerate(content.plain):
        styles = [str(span.style) for span in content.spans if span.start <= at < span.end]
        yield character, styles[-1] if styles else ""


def test_only_the_failing_paths_connectors_are_red() -> None:
    view = view_of("orders-fail-at-the-last-step", seed=2)
    health = health_of(view)
    rows = ServicesPane().rows(view, 97)
    passed = set()
    for row in rows[1 : len(health) + 1]:
        name = next(name for name in health if re.match(rf"\W*{name}\b", row.content.plain))
        guides = list(spans(row.content))[: row.content.plain.index(name)]
        red = {character for character, style in guides if "$error" in style}
        assert red <= HEAVY
        if health[name] is Health.HEALTHY:
            assert red <= {"┃"}, f"a tick to {name}"
            passed |= red
        if name in {"checkout", "payments"}:
            assert red & set("┣┗")
    assert passed == {"┃"}


@pytest.mark.parametrize("fleet", FLEETS)
def test_sparklines_take_the_colour_of_their_services_health(fleet: str) -> None:
    view = view_of(FLEETS[fleet])
    health = health_of(view)
    assert len({Health.HEALTHY, *health.values()}) > 1
    rows = rows_of_services(view, 120)
    for row in rows[1 : len(health) + 1]:
        name = next(name for name in health if re.match(rf"\W*{name}\b", row.content.plain))
        colours = {style for mark, style in spans(row.content) if SPARK.match(mark)}
        assert colours == {HEALTH_STYLES[health[name]]}, name


def test_a_limit_that_is_near_is_told_below_its_service() -> None:
    stepper = Stepper(ChaosOpsEnvironment(), Scenario.load("calls-not-getting-through", seed=1))
    while stepper.observation.view.status.minute < 24:
        stepper.take(pass_turn(stepper.observation, stepper.role))
    rows = [row.content.plain for row in ServicesPane().rows(stepper.observation.view, 78)]
    at = next(i for i, row in enumerate(rows) if "disk: limit in" in row)
    assert rows[at].strip() == "! disk: limit in 14-16 min (3 of your turns)"
    assert "cart" in rows[at - 1]


def with_past(view: RoleView, name: str, **always: object) -> RoleView:
    """A view in which a service has always had some signals."""
    past = tuple(
        tuple(row._replace(**always) if row.service == name else row for row in minute)
        for minute in view.history or ()
    )
    now = tuple(
        row._replace(**always) if row.service == name else row for row in view.services or ()
    )
    return view.model_copy(update={"history": past, "services": now})


def row_of(view: RoleView, name: str, width: int = 120) -> Content:
    rows = rows_of_services(view, width)[1:]
    return next(row.content for row in rows if row.subject == name)


def test_a_latency_that_was_bad_all_the_time_is_drawn_high_and_a_usual_one_low() -> None:
    view = view_of("slow-then-errors")
    bad = with_past(view, "queries", p95_ms=800, errors=0.0, health=Health.CRITICAL)
    bars = row_of(bad, "queries").plain.split()[-1]
    assert set(bars) == {"▇"}
    usual = with_past(view, "queries", p95_ms=800, errors=0.0, health=Health.HEALTHY)
    assert set(row_of(usual, "queries").plain.split()[-1]) == {"▁"}


def test_the_figure_that_makes_a_service_unhealthy_is_in_colour() -> None:
    """However degraded it is called, a service whose requests fail is not outdone by a slow one."""
    view = view_of("slow-then-errors")

    def coloured(**always: object) -> str:
        content = row_of(with_past(view, "queries", **always), "queries")
        styles = {HEALTH_STYLES[state] + " bold" for state in (Health.CRITICAL, Health.DEGRADED)}
        found = [content.plain[s.start : s.end].strip() for s in content.spans if s.style in styles]
        return " ".join(found)

    assert coloured(errors=0.148, p95_ms=1700, health=Health.DEGRADED) == "14.8%"
    assert coloured(errors=0.0, p95_ms=570, health=Health.CRITICAL) == "570ms"
    assert coloured(errors=0.0, p95_ms=570, health=Health.HEALTHY) == ""


def test_an_alert_says_that_its_service_is_healthy_again() -> None:
    view = view_of("slow-then-errors")
    health = health_of(view)
    well = next(name for name, state in health.items() if state is Health.HEALTHY)
    ill = next(name for name, state in health.items() if state is not Health.HEALTHY)
    alerts = tuple(Alert(0, name, Severity.TICKET, "errors above 5 %") for name in (well, ill))
    rows = AlertsPane().rows(view.model_copy(update={"alerts": alerts}), 120)
    assert [row.content.plain.endswith("● healthy now") for row in rows] == [True, False]


async def test_selecting_a_service_begins_where_the_failure_begins() -> None:
    app, screen = game(roster(AgentRole.SRE))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        pane = screen.query_one(ServicesPane)
        pane.focus()
        await settled(pilot)
        marked = [row for row in pane.rows_at(90) if "◂" in row.content.plain]
        assert marked
        assert pane.subject == marked[0].subject
        line = pane.render_line(pane.highlighted or 0)
        assert not any(segment.style and segment.style.reverse for segment in line)
