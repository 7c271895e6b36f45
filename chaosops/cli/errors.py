"""What a failure prints and which code the process exits with: decided here and nowhere else.

A user's mistake is one line on stderr that names the cure. Exit codes: 0 for success, 1 for a
failure, 2 for a wrong use of the command, 130 for an interrupt.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from chaosops.errors import ChaosOpsError
from chaosops.output import say, write
from chaosops.text_safety import clean

SUCCESS = 0
FAILURE = 1
USAGE = 2
INTERRUPTED = 130

_STDOUT = 1
_LONGEST = 1_200
"""Characters of a message at most; it may hold what somebody typed."""


def execute(command: click.Command, arguments: Sequence[str] | None, name: str) -> int:
    """Run a command and return the exit code; a command may return one itself.

    Args:
        arguments: By default those of the process.
        name: What the command is called in its help.
    """
    _escape_what_cannot_be_printed()
    try:
        result = command.main(
            None if arguments is None else list(arguments), prog_name=name, standalone_mode=False
        )
    except click.UsageError as error:
        message = error.format_message().rstrip(".")
        if error.ctx is not None and "(see " not in message:
            message += f" (see {error.ctx.command_path} --help)"
        complain(message)
        return USAGE
    except click.ClickException as error:
        complain(error.format_message())
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except ChaosOpsError as error:
        complain(str(error))
        return FAILURE
    except OSError as error:
        _drop_output()
        complain(f"{error}: make room or check the permissions, and try again")
        return FAILURE
    return result if isinstance(result, int) else SUCCESS


def complain(message: str) -> None:
    """Say on stderr, in one line, what is wrong."""
    line = " ".join(clean(message).split())
    if len(line) > _LONGEST:
        # The cure mostly stands at the end.
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    say(f"error: {line[:1].lower()}{line[1:]}", err=True)


def progress(text: str) -> None:
    """Replace the line on stderr that says how far it is, where the output goes elsewhere."""
    if is_terminal(sys.stderr) and not is_terminal(sys.stdout):
        write(sys.stderr, text, erases_line=True)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; one that was closed is None."""
    return stream is not None and stream.isatty()


def _escape_what_cannot_be_printed() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """What could not be written would be tried again at the end of the process, and fail again."""
    if sys.stdout is sys.__stdout__:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDOUT)
        os.close(nowhere)
