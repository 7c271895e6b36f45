"""The points of the highlighted turn by component, beside the reward log."""

from __future__ import annotations

from textual.content import Content

from chaosops.agents.runner import EpisodeStep
from chaosops.env.models import AgentRole
from chaosops.play.costs import paid
from chaosops.play.formatting import MUTED, ROLE_NAMES, shown, signed
from chaosops.play.wording import describe_in
from tui.widgets.basic.lines import Lines, Row


class RewardDetail(Lines):
    """The breakdown of one turn."""

    EXPLAINED = (
        "The turn highlighted in the reward log: the action, its result, and every reward "
        "component that isn't zero."
    )
    TERMS = ("reward", "blast radius", "MTTR")

    def __init__(self) -> None:
        super().__init__("reward-detail")
        self.border_title = Content("Points this turn")

    def show(self, step: EpisodeStep | None, viewer: AgentRole | None) -> None:
        """Show a turn; None empties the pane."""
        if step is None:
            self.border_title = Content("Points this turn")
            self.set_rows([Row(Content.styled("A turn's breakdown appears here.", MUTED))])
            return
        self.border_title = Content(f"Turn {step.turn + 1}, {ROLE_NAMES[step.role]}")
        lines = breakdown_text(step, viewer).split("\n")
        self.set_rows([Row(Content(line), 2) for line in lines])
        self.border_subtitle = Content(f"paid {signed(step.reward)}")


def breakdown_text(step: EpisodeStep, viewer: AgentRole | None) -> str:
    """Return the action, each component with its reason, and the result."""
    lines = []
    for part in paid(step):
        lines += [f"{part.word:<18}{signed(part.amount):>8}", f"  {part.why}"]
    lines.append(f"{'this turn':<18}{signed(step.reward):>8}")
    return "\n".join(
        [describe_in(step.observation.view, step.action, viewer), *lines, shown(step.message)]
    )
