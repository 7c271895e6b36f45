"""The changes pane: deploys, configuration, flags and migrations, with the errors that follow."""

from __future__ import annotations

from textual.content import Content

from chaosops.env.models import Change, Health, RoleView
from chaosops.play.formatting import HEALTH_SHAPES, HEALTH_STYLES, MUTED, clock, percent, shown
from tui.widgets.basic.lines import Row
from tui.widgets.panes.pane import Pane


class ChangesPane(Pane):
    """The change history, oldest first."""

    NAME = "changes"
    TITLE = "Changes"
    NOTHING = "No changes on record."
    TERMS = ("rollback", "red herring", "blast radius")
    EXPLAINED = (
        "Who changed what, and when. The newest change of an unhealthy service shows the "
        "service's state now. A change isn't the cause just because it came first: compare the "
        "times, and investigate it."
    )

    @classmethod
    def sees(cls, view: RoleView) -> bool:
        """Whether the role sees the change history."""
        return view.changes is not None

    @classmethod
    def count(cls, view: RoleView) -> int | None:
        """Changes on record."""
        return len(view.changes or ())

    def rows(self, view: RoleView, width: int) -> list[Row]:
        """Time and age, service, kind, version, author, text; then the service as it is now."""
        changes = view.changes or ()
        newest = {change.service: i for i, change in enumerate(changes)}
        signals = {item.service: item for item in view.services or ()}
        rows = []
        for i, change in enumerate(changes):
            rows.append(_change_row(view, change))
            now = signals.get(change.service)
            if now is not None and now.health is not Health.HEALTHY and newest[change.service] == i:
                text = (
                    f"{HEALTH_SHAPES[now.health]} {now.health.value} now: "
                    f"{percent(now.errors)} errors, p95 {now.p95_ms} ms"
                )
                rows.append(Row(Content.assemble(" " * 14, (text, HEALTH_STYLES[now.health])), 14))
        return rows


def _change_row(view: RoleView, change: Change) -> Row:
    head = f"{clock(view.status, change.minute)} {_age(view.status.minute - change.minute):>7} "
    content = Content.assemble(
        (head, MUTED),
        (f"{shown(change.service, 24)} ", "bold"),
        f"{change.kind.value} {shown(change.version, 60)}",
        (f" by {shown(change.author, 40)}: ", MUTED),
        shown(change.text),
    )
    return Row(content, len(head))


def _age(minutes: int) -> str:
    if minutes < 60:
        return f"{minutes}m ago"
    hours = minutes // 60
    return f"{hours}h ago" if hours < 48 else f"{hours // 24}d ago"
