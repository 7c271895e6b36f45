"""The impact pane: what the incident costs the customers, and who is doing what."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import Impact, RoleView
from chaosops.play.formatting import MUTED, bar, clock, percent, shown
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class ImpactPane(Pane):
    """Users, budget, the roles' last acts, support tickets."""

    NAME = "impact"
    TITLE = "Impact"
    NOTHING = "Nothing is known about customer impact yet."
    FOLLOWS = False
    TERMS = ("SLO", "error budget", "MTTR", "incident commander")
    EXPLAINED = (
        "Customer impact: the share of requests that fail now, how many have failed since the "
        "page, and the support tickets. The error budget is how many requests the objective "
        "allows to fail. Below it, each role's last action."
    )

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role sees the impact."""
        return view.impact is not None

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Support tickets."""
        return None if view.impact is None else len(view.impact.tickets)

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """The figures, then who does what, then the tickets."""
        impact = view.impact
        if impact is None:
            return []
        return [
            *_figure_rows(view, impact),
            Row(Content.styled("Who is doing what", MUTED)),
            *(
                Row(
                    Content.assemble(
                        (f"{clock(view.status, doing.minute)} ", MUTED),
                        shown(doing.text),
                    ),
                    6,
                )
                for doing in impact.doing
            ),
            Row(Content.styled(f"Support tickets {len(impact.tickets)}", MUTED)),
            *(
                Row(
                    Content.assemble(
                        (f"{clock(view.status, ticket.minute)} ", MUTED),
                        shown(ticket.text),
                    ),
                    6,
                )
                for ticket in impact.tickets
            ),
        ]


def _figure_rows(view: RoleView, impact: Impact) -> list[Row]:
    status = view.status
    figures = (
        ("Requests failing now", percent(impact.failed), f"objective {percent(status.slo)} good"),
        ("Failed since the page", f"{impact.lost:.1f} k", "requests"),
        ("Error budget left", f"{status.budget} %", bar(status.budget / 100, 10)),
    )
    return [
        Row(Content.assemble((f"{name:<22}", ""), (f"{value:>9}", "bold"), (f"  {note}", "")))
        for name, value, note in figures
    ]
