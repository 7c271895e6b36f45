"""The page of one situation on three seeds: `python -m tui.three_seeds [FOLDER]`, by default docs/.

The seed of a situation draws its cause. The page shows three seeds that open alike, with different
causes behind them, and the investigation that tells which one it is.
"""

from __future__ import annotations

import asyncio
import sys
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from chaosops.env.environment import ChaosOpsEnvironment
from chaosops.env.models import Health, Signal, Source
from chaosops.env.world_sim import Scenario
from chaosops.output import say
from chaosops.scenarios.loader import open_scenario
from tui.app import ChaosOpsApp
from tui.fixtures import WIDE, first_turn, settled
from tui.gallery import exported
from tui.twins import drawn_parts, looked, name_of

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs"
PICTURES: Final = "seeds"
"""The folder of the pictures, beside the page."""
PAGE: Final = "seeds.md"

_SITUATION: Final = "checkout-times-out"
_SEEDS: Final = range(60)
_MANY: Final = 3

_INTRODUCTION: Final = """\
# One situation on three seeds

<!-- Written by `python -m tui.three_seeds`. -->

The seed of a situation draws its cause, its place and what else is going on. Of seeds {seeds} of
`{situation}`, the same services are unhealthy and the same rules alert at the page; the causes
differ, and so do the fixes. The page gives answers away, so play first.
"""


class SeededRun(NamedTuple):
    """A seed of the situation.

    Attributes:
        source, target: The investigation that tells its cause.
    """

    scenario: Scenario
    source: Source
    target: str

    @property
    def cause(self) -> str:
        """The name of its cause in words."""
        return name_of(self.scenario.incident.drawn.cause)

    def picture(self, of: str) -> str:
        """Return the path of one of its pictures, relative to the page."""
        return f"{PICTURES}/{of}-{self.scenario.seed}.svg"


class _Opening(NamedTuple):
    unhealthy: frozenset[str]
    alerts: frozenset[tuple[str, Signal | None]]
    source: Source
    target: str


def opening(run: SeededRun) -> _Opening:
    """Return what is the same for seeds that open alike: services, alerts, and the look to take."""
    view = ChaosOpsEnvironment().reset(scenario=run.scenario).view
    services = view.services or ()
    return _Opening(
        frozenset(now.service for now in services if now.health is not Health.HEALTHY),
        frozenset((alert.service, alert.signal) for alert in view.alerts or ()),
        run.source,
        run.target,
    )


@cache
def three_runs() -> tuple[SeededRun, ...]:
    """Return the first seeds that open alike and have different causes."""
    source = open_scenario(_SITUATION)
    found: dict[_Opening, dict[str, SeededRun]] = {}
    for seed in _SEEDS:
        scenario = Scenario.of(source, seed)
        telling = scenario.incident.evidence[0]
        run = SeededRun(scenario, telling.source, telling.at)
        alike = found.setdefault(opening(run), {})
        alike.setdefault(run.cause, run)
        if len(alike) == _MANY:
            return tuple(alike.values())
    raise AssertionError(f"{_SITUATION} has no {_MANY} seeds that open alike")


def page() -> str:
    """Return the page in Markdown."""
    runs = three_runs()
    seeds = ", ".join(str(run.scenario.seed) for run in runs)
    first = runs[0]
    lines = [_INTRODUCTION.format(seeds=seeds, situation=_SITUATION)]
    lines.append("## At the page\n")
    for run in runs:
        lines.append(f"![Seed {run.scenario.seed} at the page]({run.picture('page')})\n")
    lines.append("## The look that tells\n")
    lines.append(f"It is the {first.source.value} of {first.target}, some minutes later.\n")
    for run in runs:
        incident = run.scenario.incident
        lines.append(f"### Seed {run.scenario.seed}: {run.cause}\n")
        lines.append(f"{incident.evidence[0].text}. {incident.hints.answer}\n")
        lines.append(f"![Seed {run.scenario.seed}: {run.cause}]({run.picture('look')})\n")
    return "\n".join(lines)


async def drawn_page(run: SeededRun) -> str:
    """Draw the first turn as SVG."""
    app = ChaosOpsApp(lambda: first_turn(run.scenario), pace=0)
    app.animation_level = "none"
    async with app.run_test(size=WIDE) as pilot:
        await settled(pilot)
        return exported(app, f"Seed {run.scenario.seed} at the page")


async def drawn_look(run: SeededRun) -> str:
    """Draw the part of the reading that decides, as SVG."""
    name = f"seed {run.scenario.seed}"
    cause = run.scenario.incident.drawn.cause
    shown = looked(run.scenario, run.source, run.target, name, cause)
    return await drawn_parts([shown], f"Seed {run.scenario.seed}: {run.cause}")


def main(folder: Path) -> None:
    """Write the page and its pictures into a folder; remove other pictures."""
    (folder / PICTURES).mkdir(parents=True, exist_ok=True)
    for old in (folder / PICTURES).glob("*.svg"):
        old.unlink()
    for run in three_runs():
        for name, draw in (("page", drawn_page), ("look", drawn_look)):
            path = folder / run.picture(name)
            path.write_text(asyncio.run(draw(run)), encoding="utf-8")
            say(str(path))
    (folder / PAGE).write_text(page(), encoding="utf-8")
    say(str(folder / PAGE))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
