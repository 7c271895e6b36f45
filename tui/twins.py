"""The page of twins: `python -m tui.twins [FOLDER]`, by default into docs/.

Twins are causes with the same symptoms. For each pair, the page has a picture of the reading that
tells them apart, as it is with either cause.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.screen import Screen
from textual.widgets import Static

from chaosops.agents.policies import pass_turn
from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import (
    TURN_ORDER,
    ActionType,
    ChaosOpsAction,
    ChaosOpsObservation,
    Source,
    Status,
)
from chaosops.env.models.readings import Part, Table
from chaosops.env.models.roles import roles_looking_at
from chaosops.env.world_sim import Scenario
from chaosops.output import say
from chaosops.play.formatting import in_words
from chaosops.scenarios.cause import Cause
from chaosops.scenarios.loader import find_scenarios
from tui.app import ChaosOpsApp
from tui.fixtures import settled
from tui.gallery import exported
from tui.widgets.instruments.deck import view_of
from tui.widgets.instruments.table import table_width

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs"
PICTURES: Final = "twins"
"""The folder of the pictures, beside the page."""

PARTS: Final = {
    "row_lock": "sessions",
    "ddl_lock": "sessions",
    "deadlock": "sessions",
    "plan_flip": "statements",
    "slow_disk": "device",
    "hot_shard": "shards",
    "cascade": "sessions by state",
    "pool_leak": "pool",
    "memory_leak": "gc",
    "collector_thrash": "gc",
    "cpu_quota": "cgroup",
    "descriptor_limit": "descriptors",
    "thread_limit": "threads",
    "strict_probe": "readiness",
    "blocked_capacity": "scheduling",
    "rogue_scale_in": "scheduling",
    "rogue_ejection": "instances",
    "rogue_runbook": "instances",
    "access_rule": "probes",
    "bad_config": "configuration",
    "alternating_config": "configuration",
    "bad_release": "instances",
    "rogue_promotion": "instances",
    "stale_credential": "",
    "latent_bug": "",
    "dead_code_flag": "",
    "poison_message": "partitions",
    "hot_partition": "partitions",
    "rebalance_loop": "consumers",
    "slow_consumer": "consumers",
    "consumers_removed": "consumers",
    "retry_storm": "requests by key",
    "reconnect_herd": "connections",
    "hostile_traffic": "requests by network",
    "genuine_surge": "requests by network",
    "hot_path": "cpu by route",
    "noisy_neighbour": "requests by key",
    "cold_cache": "cache nodes",
    "lossy_link": "zone pairs",
    "zone_outage": "hosts",
    "zone_brownout": "hosts",
    "stray_route": "routes",
    "patch_everywhere": "instances",
    "port_exhaustion": "outgoing ports",
    "third_party_down": "",
    "provider_quota": "",
    "provider_key": "",
    "lost_leader": "replication",
    "replica_lag": "replication",
    "two_writers": "replication",
    "id_exhaustion": "sequences",
    "disk_full": "device",
    "stale_cache": "invalidations",
    "cleanup_overreach": "stored objects",
    "half_rolled_certificate": "certificates",
    "expired_certificate": "certificates",
    "empty_record": "answers",
    "resolver_down": "answers",
    "rogue_dns_plan": "answers",
    "clock_skew": "clocks",
    "broken_probe": "external checks",
    "tight_threshold": "collection",
    "blind_outage": "instances",
}
"""How the title of the part that decides begins, by cause. Of two twins the upper one counts."""

_SEEDS: Final = range(60)
_ROUNDS: Final = 4
_MOST_ROWS: Final = 12
_WIDEST: Final = 176
_SIDE_BY_SIDE: Final = 92
"""The widest part that has another one at its side."""
_FRAME: Final = 7
"""The columns beside a table: the frames, and a bar."""

_ACRONYMS: Final = frozenset(("cpu", "ddl", "dns", "id"))

_INTRODUCTION: Final = """\
# Twins

<!-- Written by `python -m tui.twins`. -->

Twins are causes with the same symptoms and different fixes. For each pair, this page shows one
reading {rounds} minutes into an incident of either cause, and says what to look for. It gives the
answers away, so play first.
"""


class Twins(NamedTuple):
    """Two causes with the same symptoms, and the reading that tells them apart.

    Attributes:
        cause, twin: The cause whose reading is shown, and the other one.
        here, there: An incident with each.
        source, target: The investigation.
        text: What the reading shows if it is the cause.
    """

    cause: Cause
    twin: Cause
    here: Scenario
    there: Scenario
    source: Source
    target: str
    text: str

    @property
    def picture(self) -> str:
        """The picture's path, relative to the page."""
        return f"{PICTURES}/{self.cause.id}-{self.twin.id}.svg".replace("_", "-")

    @property
    def title(self) -> str:
        """The names of both."""
        return _capital(f"{name_of(self.cause)} or {name_of(self.twin)}")

    @property
    def sentence(self) -> str:
        """Which reading decides, and what to look for in it."""
        seen = self.text[:1].lower() + self.text[1:]
        return (
            f"Look at the {self.source.value} of {self.target}: it is **{name_of(self.cause)}**, "
            f"not {name_of(self.twin)}, if {seen}."
        )


class ShownPart(NamedTuple):
    """A part of a reading, with a line above it."""

    head: str
    part: Part
    status: Status


class TwinsScreen(Screen[None]):
    """Shows the same part of two readings, side by side if there is room."""

    CSS_PATH: ClassVar[Any] = ["styles/instrument.tcss"]
    AUTO_FOCUS: ClassVar[str] = ""
    CSS = """
    TwinsScreen #twins { layout: vertical; }
    TwinsScreen #twins.-beside { layout: horizontal; }
    TwinsScreen .twin { width: 1fr; height: 1fr; }
    TwinsScreen .twin .part { height: 1fr; }
    TwinsScreen .twin .table-row { height: 0; border: none; }
    TwinsScreen .head { padding: 0 2; text-style: bold; }
    """

    def __init__(self, shown: Sequence[ShownPart], *, beside: bool) -> None:
        super().__init__()
        self._shown, self._beside = shown, beside

    def compose(self) -> ComposeResult:
        """Compose both parts below their heads."""
        with Container(id="twins", classes="-beside" if self._beside else ""):
            for one in self._shown:
                with Vertical(classes="twin"):
                    yield Static(one.head, classes="head", markup=False)
                    yield view_of(one.part, one.status)


def name_of(cause: Cause) -> str:
    """Return the name of a cause in words."""
    words = in_words(cause.id).split()
    return " ".join(word.upper() if word in _ACRONYMS else word for word in words)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


@cache
def all_twins() -> tuple[Twins, ...]:
    """Return all twins that incidents have where the same look can be taken, by family."""
    incidents = _incidents()
    causes = [scenarios[0].incident.drawn.cause for scenarios in incidents.values()]
    order = list(PARTS)
    causes.sort(key=lambda c: (c.family, order.index(c.id) if c.id in order else len(order), c.id))
    found = (
        _twins(cause, twin, incidents)
        for cause, twin in combinations(causes, 2)
        if cause.family == twin.family and (twin.id in cause.twins or cause.id in twin.twins)
    )
    return tuple(one for one in found if one.target in _places(one.there))


def _incidents() -> dict[str, list[Scenario]]:
    """Return incidents by cause."""
    found: dict[str, list[Scenario]] = {}
    for source in find_scenarios():
        for seed in _SEEDS:
            scenario = Scenario.of(source, seed)
            found.setdefault(scenario.incident.drawn.cause.id, []).append(scenario)
    return found


def _places(scenario: Scenario) -> frozenset[str]:
    """Return where somebody can look: services and automation agents."""
    agents = (agent.name for agent in scenario.incident.automation)
    return frozenset((*scenario.topology.names(), *agents))


def _twins(cause: Cause, twin: Cause, incidents: dict[str, list[Scenario]]) -> Twins:
    shared = {telling.text for telling in twin.telling}
    place = next((i for i, one in enumerate(cause.telling) if one.text not in shared), 0)
    here, there = min(
        ((one, other) for one in incidents[cause.id] for other in incidents[twin.id]),
        key=lambda pair: (
            pair[0].incident.evidence[place].at not in _places(pair[1]),
            pair[0].incident.drawn.place != pair[1].incident.drawn.place,
        ),
    )
    evidence = here.incident.evidence[place]
    return Twins(cause, twin, here, there, evidence.source, evidence.at, evidence.text)


def page(twins: Iterable[Twins]) -> str:
    """Return the page in Markdown."""
    lines = [_INTRODUCTION.format(rounds=_ROUNDS)]
    for family, members in groupby(twins, key=lambda one: one.cause.family):
        pairs = list(members)
        lines.append(f"## {_capital(in_words(family))}\n")
        causes = {cause.id: cause for one in pairs for cause in (one.cause, one.twin)}
        lines += [f"- **{name_of(cause)}**: {cause.glossary}" for cause in causes.values()]
        lines.append("")
        for one in pairs:
            lines.append(f"### {one.title}\n")
            lines.append(f"{one.sentence}\n")
            lines.append(f"![{one.title}]({one.picture})\n")
    return "\n".join(lines)


async def drawn(twins: Twins) -> str:
    """Draw the picture of twins as SVG."""
    shown = [
        looked(scenario, twins.source, twins.target, name_of(cause), twins.cause)
        for scenario, cause in ((twins.here, twins.cause), (twins.there, twins.twin))
    ]
    return await drawn_parts(shown, twins.title)


async def drawn_parts(shown: Sequence[ShownPart], title: str) -> str:
    """Draw parts of readings as SVG, side by side if there is room."""
    widths = [_width(one.part) for one in shown]
    beside = max(widths) <= _SIDE_BY_SIDE
    heights = [_height(one.part) for one in shown]
    size = (2 * max(widths), max(heights)) if beside else (min(max(widths), _WIDEST), sum(heights))
    app = ChaosOpsApp(lambda: TwinsScreen(shown, beside=beside), pace=0)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        return exported(app, title)


def looked(scenario: Scenario, source: Source, target: str, name: str, cause: Cause) -> ShownPart:
    """Return what a look shows some minutes into an incident: the part that decides on a cause.

    Args:
        name: What to say before the look.
    """
    env = ChaosOpsEnvironment()
    seen: ChaosOpsObservation = env.reset(scenario=scenario)
    role = roles_looking_at(source)[0]
    turns = 0
    while turns < _ROUNDS * len(TURN_ORDER) or seen.turn_role is not role:
        seen = env.step(pass_turn(seen, seen.turn_role))
        turns += 1
    args = {"source": source.value}
    env.step(ChaosOpsAction(role, ActionType.INVESTIGATE, target, args))
    view = env.view_of(role)
    reading = view.findings[-1].reading
    assert reading is not None, f"{source.value} of {target} has no reading"
    head = f"{_capital(name)}: {source.value} of {target}"
    return ShownPart(head, _deciding(reading.parts, cause), view.status)


def _deciding(parts: Sequence[Part], cause: Cause) -> Part:
    """Return the part that decides: by its title, or else the last one, as the latest change."""
    wanted = PARTS.get(cause.id, "")
    named = [part for part in parts if isinstance(part, Table) and part.title.startswith(wanted)]
    part = named[-1] if named and wanted else parts[-1]
    if isinstance(part, Table):
        return part._replace(rows=part.rows[:_MOST_ROWS])
    return part


def _width(part: Part) -> int:
    return table_width(part) + _FRAME if isinstance(part, Table) else _SIDE_BY_SIDE


def _height(part: Part) -> int:
    return len(part.rows) + 4 if isinstance(part, Table) else _MOST_ROWS + 4


def main(folder: Path) -> None:
    """Write the page and its pictures into a folder; remove other pictures."""
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    for old in (folder / PICTURES).glob("*.svg"):
        old.unlink()
    for one in all_twins():
        (folder / one.picture).write_text(asyncio.run(drawn(one)), encoding="utf-8")
        say(str(folder / one.picture))
    (folder / "twins.md").write_text(page(all_twins()), encoding="utf-8")
    say(str(folder / "twins.md"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
