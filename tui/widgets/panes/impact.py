"""The impact pane: what the incident costs the customers, and who is doing what."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from chaosops.env.models import RoleView
from chaosops.play.cells import CellPlace, placed, unplaced
from chaosops.play.formatting import MUTED, bar, percent
from chaosops.presenter import Entry, entries, status_entry
from tui.widgets.basic.lines import Row
from tui.widgets.panes.laid_out import Layout
from tui.widgets.panes.pane import Pane


class ImpactPane(Pane):
    """Users, budget, the roles' last acts, support tickets."""

    NAME = "impact"
    TITLE = "Impact"
    NOTHING = "Nothing is known about customer impact yet."
    FOLLOWS = False
    COUNTED = ("tickets",)
    TERMS = ("SLO", "error budget", "MTTR", "incident commander")
    EXPLAINED = (
        "Customer impact: the share of requests that fail now, how many have failed since the "
        "page, how many fail where users come in, and the support tickets. The error budget is "
        "how many requests the objective allows to fail. Below it, each role's last action."
    )

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """The figures, then who does what, then the tickets."""
        doing = entries(view, "impact", "doing")
        tickets = entries(view, "impact", "tickets")
        return [
            *_figure_rows(view),
            *map(_JOURNEY.row, entries(view, "impact", "journeys")),
            Row(Content.styled("Who is doing what", MUTED)),
            *map(_DOING.row, doing),
            Row(Content.styled(f"Support tickets {len(tickets)}", MUTED)),
            *map(_TICKET.row, tickets),
        ]


def _figure_rows(view: RoleView) -> list[Row]:
    (impact,) = entries(view, "impact", "impact")
    facts = Entry((*impact.cells, *status_entry(view.status).cells))
    rows = []
    for name, figure, note in _FIGURES:
        (value, _), (beside, _) = placed(facts, (figure, note))
        rows.append(Row(Content.assemble(f"{name:<22}", (f"{value:>9}", "bold"), f"  {beside}")))
    told = [figure for _name, figure, _note in _FIGURES]
    others = unplaced(impact, told)
    return [*rows, *(Row(Content(text.strip())) for text, _style in others)]


_FIGURES: Final = (
    (
        "Requests failing now",
        CellPlace("failed", say=lambda failed: percent(failed.of_one)),
        CellPlace("objective", "objective ", " good", say=lambda slo: percent(slo.of_one)),
    ),
    (
        "Failed since the page",
        CellPlace("lost", say=lambda lost: f"{lost:.1f} k"),
        CellPlace("lost", say=lambda _lost: "requests"),
    ),
    (
        "Error budget left",
        CellPlace("budget", after=" %"),
        CellPlace("budget", say=lambda budget: bar(budget / 100, 10)),
    ),
)
"""Each figure with its name and what stands beside it."""

_JOURNEY: Final = Layout(
    (),
    (
        CellPlace("service", limit=40),
        CellPlace("failed", ": ", " fail now", say=lambda failed: percent(failed.of_one)),
        CellPlace("before", ", ", " 5 min ago", say=lambda before: percent(before.of_one)),
    ),
)
_TIME: Final = CellPlace("time", after=" ", style=MUTED)
_TICKET: Final = Layout((_TIME,), (CellPlace("text"),))
_DOING: Final = Layout((_TIME,), (CellPlace("text"),), without=("who",))
