"""The terminal driver: robust input, correct sizes, and a clean exit."""

from __future__ import annotations

import os
import selectors
import signal
import termios
import tty
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message
from textual.messages import InBandWindowResize

from tui.terminal.sequences import Held, Piece, Sequences

if TYPE_CHECKING:
    from collections.abc import Iterable

_CHUNK: Final = 65_536
_PATIENCE: Final = 0.1
_STRING_PATIENCE: Final = 0.5
"""Seconds of silence after which an unfinished sequence or string ends."""
_HAND: Final = 0.02
"""The least seconds between two separate key presses."""
_PASTE_PATIENCE: Final = 3.0
MAX_COLUMNS: Final = 800
MAX_ROWS: Final = 300
"""The largest screen that is drawn; a larger one can't be real, and would take seconds."""


class SafeInputDriver(LinuxDriver):
    """Textual's driver for Linux and macOS, which no input can break.

    The original ends the app at invalid UTF-8 and at a key with an impossible number,
    takes answers of the terminal and escapes in a paste for keys, trusts every reported size,
    and restarts at SIGCONT even if it was never stopped, after which the terminal is
    left in raw mode.
    """

    _is_on = False
    _is_suspended = False
    _is_over = False
    _read_at = _began_at = 0.0

    def run_input_thread(self) -> None:
        """Read input until the app ends."""
        parser = _Parser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="surrogateescape").decode
        sequences = Sequences()
        until: float | None = None
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                left = _PATIENCE if until is None else until - monotonic()
                if selector.select(min(max(left, 0.0), _PATIENCE)):
                    data = os.read(self.fileno, _CHUNK)
                    if not data:
                        self.exit_event.wait(_PATIENCE)
                        continue
                    parser = self._take(parser, sequences.fed(decode(data)))
                elif until is not None and monotonic() >= until:
                    parser = self._take(parser, sequences.timed_out())
                else:
                    continue
                wait = self._wait_for(sequences.held)
                until = None if wait is None else monotonic() + wait

    def _wait_for(self, held: Held) -> float | None:
        """Return the seconds to wait for the rest of an unfinished part; None if there is none."""
        key = float(getattr(self._app, "escape_wait", _PATIENCE))
        return {
            Held.NOTHING: None,
            Held.KEY: key,
            Held.SEQUENCE: max(key, _STRING_PATIENCE),
            Held.PASTE: _PASTE_PATIENCE,
        }[held]

    def _take(self, parser: _Parser, pieces: Iterable[Piece]) -> _Parser:
        """Pass on what was read; drop meaningless sequences."""
        together = self._together(monotonic())
        for piece in pieces:
            try:
                for message in parser.read(piece):
                    message.time = together
                    self._pass_on(message)
            except (ValueError, LookupError, ArithmeticError):
                parser = _Parser(self._debug)
            if parser.is_waiting:
                parser = _Parser(self._debug)
        return parser

    def _together(self, now: float) -> float:
        """Return the time of the current read: the same for what can't have been typed separately.

        A paste comes in one read, or in several without a pause.
        """
        if now - self._read_at >= _HAND:
            self._began_at = now
        self._read_at = now
        return self._began_at

    def _pass_on(self, message: Message) -> None:
        # The system knows the size and reports each change; an in-band report may not
        # come from the terminal.
        if isinstance(message, events.Resize | InBandWindowResize):
            return
        if isinstance(message, events.Key) and message.key == "ctrl+c":
            interrupted = getattr(self._app, "interrupted", None)
            if interrupted is not None:
                interrupted()
        self.process_message(message)

    def _query_in_band_window_resize(self) -> None:
        """Don't request in-band size reports."""

    def _get_terminal_size(self) -> tuple[int, int]:
        width, height = super()._get_terminal_size()
        return min(width, MAX_COLUMNS), min(height, MAX_ROWS)

    def start_application_mode(self) -> None:
        """Take over the terminal: its input first, then its screen.

        The original draws first. A key pressed between the two would go to the terminal's line
        editing, which takes Ctrl+Q and Ctrl+S for flow control and never passes them on.
        """
        before = self._make_input_raw()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if before is not None:
            self.attrs_before = before
        # It gives up half-way in the background, where it is stopped until it is continued.
        self._is_on = self._key_thread is not None and self._key_thread.is_alive()
        if self._is_on:
            self._is_suspended = False

    def _make_input_raw(self) -> list[Any] | None:
        """Pass on every key as it is typed; return the modes before, None if nothing changed."""
        try:
            if os.tcgetpgrp(self.fileno) != os.getpgrp():
                return None
            before = termios.tcgetattr(self.fileno)
            modes = termios.tcgetattr(self.fileno)
            modes[tty.LFLAG] = self._patch_lflag(modes[tty.LFLAG])
            modes[tty.IFLAG] = self._patch_iflag(modes[tty.IFLAG])
            termios.tcsetattr(self.fileno, termios.TCSANOW, modes)
        except (OSError, termios.error):
            return None
        return before

    def stop_application_mode(self) -> None:
        """Restore the terminal, for good unless it is suspended."""
        super().stop_application_mode()
        self._is_on = False
        if not self._is_suspended:
            self._is_over = True
            with suppress(ValueError):
                signal.signal(signal.SIGTSTP, signal.SIG_DFL)
                signal.signal(signal.SIGCONT, signal.SIG_DFL)

    def suspend_application_mode(self) -> None:
        """Restore the terminal for a while."""
        self._is_suspended = True
        super().suspend_application_mode()

    # A signal can come at any moment, also while writing to the terminal: it is handled
    # between two messages.

    def _sigtstp_application(self, *_: object) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._stop_process)

    def _sigcont_application(self, *_: object) -> None:
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._come_back)

    def _stop_process(self) -> None:
        if not self._is_over:
            super()._sigtstp_application()

    def _come_back(self) -> None:
        if self._is_over or not self._auto_restart:
            return
        if self._is_on:
            # It was stopped without a signal, and a shell may have used the terminal since.
            self.suspend_application_mode()
            self._must_signal_resume = True
        if self._is_suspended:
            self.resume_application_mode()


class _Parser(XTermParser):
    """Textual's parser, which gets complete pieces and needn't wait for anything."""

    @property
    def is_waiting(self) -> bool:
        """Whether it takes the last piece for the beginning of a sequence."""
        return self._timeout_time is not None

    def read(self, piece: Piece) -> Iterator[Message]:
        """Parse a piece."""
        yield from self.feed(piece.text)
        if not piece.is_sequence and self.is_waiting:
            self._timeout_time = 0.0
            yield from self.tick()
