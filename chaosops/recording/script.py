"""The text of a log, as the writer writes it and verification expects it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chaosops.agents.runner import EpisodeStep
from chaosops.recording.encoding import FrameEncoder, action_parts
from chaosops.recording.events import Footer, Header, HumanPart, Note
from chaosops.recording.json_text import to_bytes
from chaosops.recording.parts import Part
from chaosops.recording.seal import SealChain, marks_of

TURN = b'{"kind":"turn"'
"""How the line of a turn begins."""

ACTION = TURN + b',"action":'
"""The same, up to its action."""


class Script:
    """Makes the lines of one log in their order."""

    def __init__(self, chain: SealChain | None = None) -> None:
        """Begin a log; with a chain, continue with notes after its last line."""
        self.chain = chain or SealChain()
        self.frames = FrameEncoder()

    def header(self, header: Header) -> bytes:
        """Return the first line."""
        return self._line("header", header)

    def turn(self, frame: EpisodeStep, human: HumanPart) -> bytes:
        """Return the line of a turn."""
        return self.chain.line(
            to_bytes(
                {
                    "kind": "turn",
                    "action": action_parts(frame.action),
                    "human": human.written,
                    "marks": marks_of(frame.action),
                    "frame": self.frames.encode(frame),
                }
            )
        )

    def footer(self, footer: Footer) -> bytes:
        """Return the line that ends the game."""
        return self._line("footer", footer)

    def note(self, note: Note) -> bytes:
        """Return the line of a note."""
        return self._line("note", note)

    def _line(self, kind: str, part: Part) -> bytes:
        values: Mapping[str, Any] = part.model_dump()
        return self.chain.line(to_bytes({"kind": kind, kind: values}))
