"""The base of all views of a reading's parts."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Generic, TypeVar

from textual.containers import Vertical
from textual.content import Content
from textual.message import Message

from chaosops.env.models import Status
from chaosops.env.models.readings import Part
from chaosops.play.formatting import shown
from chaosops.play.plain_dialect import PLAIN
from chaosops.play.readings import Looking
from chaosops.text.readings import part_facts

PartType = TypeVar("PartType", bound=Part)


class PartView(Vertical, Generic[PartType]):
    """Shows one part of a reading.

    Subclasses handle the keys of their kind, and report what a person views.

    Attributes:
        part: The part.
        status: The status at that time, for times of day.
    """

    EXPLAINED: ClassVar[str] = ""
    TITLE: ClassVar[str] = ""

    class ViewChanged(Message):
        """Posted when a person views something else."""

    def __init__(self, part: PartType, status: Status) -> None:
        super().__init__(classes="part")
        self.part, self.status = part, status
        self.border_title = Content(title_of(part))

    @abstractmethod
    def looking(self) -> Looking:
        """Return what a person views now."""

    def text(self) -> str:
        """Return all of it as text, a fact per line."""
        facts = part_facts(self.part, self.status, PLAIN)
        return "\n".join([shown(facts.title, 400), *(shown(line) for line in facts.lines)])

    def action_copy(self) -> None:
        """Copy all of it as text."""
        text = self.text()
        self.app.copy_to_clipboard(text)
        lines = text.count("\n") + 1
        what = "a line" if lines == 1 else f"{lines} lines"
        self.notify(f"Copied {what}, if the terminal allows it.", markup=False)

    def tell(self) -> None:
        """Report that something else is in view."""
        self.post_message(self.ViewChanged())


def title_of(part: Part) -> str:
    """Return the title of a part."""
    if part.part == "diff":
        return f"{shown(part.service, 30)} {shown(part.version, 30)}"
    words = {"logs": f"log of {part.title}", "traces": f"requests through {part.title}"}
    return shown(words.get(part.part, part.title), 60)
