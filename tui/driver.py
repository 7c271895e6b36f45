"""What the terminal sends, made safe before Textual reads it."""

from __future__ import annotations

import os
import re
import selectors
from codecs import getincrementaldecoder
from typing import Final

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

_START: Final = "\x1b[200~"
_END: Final = "\x1b[201~"
_SEQUENCES: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b|[^\x1b]+")
_CHUNK: Final = 65_536
_PATIENCE: Final = 0.1


class SafeInputDriver(LinuxDriver):
    """Textual's driver for Linux and macOS, to which nothing that arrives is a fault.

    By itself it ends the app at a byte that is no UTF-8 and at a key with a number that cannot be,
    and takes escapes in a paste for keys.
    """

    def run_input_thread(self) -> None:
        """Read what is typed until the app ends."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        pastes = PasteFilter()
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(_PATIENCE):
                    data = os.read(self.fileno, _CHUNK)
                    if not data:
                        self.exit_event.wait(_PATIENCE)
                    elif text := pastes.filtered(decode(data)):
                        parser = self._take(parser, text)
                for message in parser.tick():
                    self.process_message(message)

    def _take(self, parser: XTermParser, text: str) -> XTermParser:
        """Pass on what a text says; a sequence that cannot be is dropped, and the rest goes on."""
        for part in _SEQUENCES.findall(text):
            try:
                for message in parser.feed(part):
                    self.process_message(message)
            except (ValueError, LookupError, ArithmeticError):
                parser = XTermParser(self._debug)
        return parser


class PasteFilter:
    """Takes the escapes out of pastes, so that nothing in one can read as a key."""

    def __init__(self) -> None:
        self._is_inside = False
        self._tail = ""

    def filtered(self, text: str) -> str:
        """The next part of the input, in which a paste may begin, go on or end anywhere."""
        parts: list[str] = []
        while text:
            part, text = self._inside(text) if self._is_inside else self._outside(text)
            parts.append(part)
        return "".join(parts)

    def _outside(self, text: str) -> tuple[str, str]:
        # A key must not wait for what follows it, so a mark that is cut in two passes as it comes.
        known = len(self._tail)
        joined = self._tail + text
        at = joined.find(_START)
        if at < 0:
            self._tail = joined[1 - len(_START) :]
            return text, ""
        end = at + len(_START)
        self._is_inside, self._tail = True, ""
        return joined[known:end], joined[end:]

    def _inside(self, text: str) -> tuple[str, str]:
        pasted, mark, rest = (self._tail + text).partition(_END)
        self._tail = ""
        if mark:
            self._is_inside = False
        else:
            cut = next((n for n in range(len(_END) - 1, 0, -1) if pasted.endswith(_END[:n])), 0)
            pasted, self._tail = pasted[: len(pasted) - cut], pasted[len(pasted) - cut :]
        return pasted.replace("\x1b", "") + mark, rest
