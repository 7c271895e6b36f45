"""The offers above the picker's list."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from chaosops.play.action_form.picks import Pick
from chaosops.play.action_form.risks import cost_words
from chaosops.play.formatting import MUTED, shown
from chaosops.play.wording import describe


class OfferLines(Static):
    """Shows offers; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__(id="picker-offers", markup=False)
        self.display = False
        self._asked: tuple[Pick, ...] = ()
        self._thinking, self._since = "", 0.0
        self._timer: Timer | None = None

    def show(self, asked: Sequence[Pick], thinking: str) -> None:
        """Set the offers.

        Args:
            thinking: Who has not answered yet; empty for nobody.
        """
        if thinking != self._thinking:
            self._thinking, self._since = thinking, time.monotonic()
            if self._timer is not None:
                self._timer.stop()
            self._timer = self.set_interval(1.0, self._fill) if thinking else None
        self._asked = tuple(asked)
        self._fill()

    def _fill(self) -> None:
        lines = all_offer_lines(self._asked)
        if self._thinking:
            seconds = int(time.monotonic() - self._since)
            time_taken = f": {seconds} s" if seconds else ""
            who = shown(self._thinking, 60)
            lines.append(Content.styled(f"{who} is thinking{time_taken}", MUTED))
        self.update(Content("\n").join(lines))
        self.display = bool(lines)


def all_offer_lines(asked: Sequence[Pick]) -> list[Content]:
    """Return the lines of all offers: two for the first one, and one for each other one."""
    found: list[Content] = []
    before = ""
    for pick in asked:
        if pick.offer is None:
            continue
        who = "or " if pick.offer.who == before else f"{pick.offer.who} proposes "
        before = pick.offer.who
        head = Content.assemble(
            (f"{pick.key} ", "bold $accent"), who, (describe(pick.offer.action), "bold")
        )
        rest = cost_words(pick.verb).rstrip("; ")
        why = f"{pick.offer.why} ({rest})" if pick.offer.why else rest
        if found:
            found.append(Content.assemble(head, (f"  {why}", MUTED)))
        else:
            found += [head, Content.styled(f"  {why}", MUTED)]
    return found
