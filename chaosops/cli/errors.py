"""The one place that decides what a failure prints and which code the process exits with.

A user's mistake prints one line on stderr that says how to fix it. Exit codes: 0 for success, 1
for a failure, 2 for a usage error, 130 for an interrupt.
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
"""The longest message in characters; messages may quote user input."""


def execute(command: click.Command, arguments: Sequence[str] | None, name: str) -> int:
    """Run a command and return the exit code, which the command may choose itself.

    Args:
        arguments: The process's own arguments by default.
        name: The command's name in its help.
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
        complain(f"{error}: check permissions and free disk space, then try again")
        return FAILURE
    return result if isinstance(result, int) else SUCCESS


def complain(message: str) -> None:
    """Print an error on stderr, in one line."""
    line = " ".join(clean(message).split())
    if len(line) > _LONGEST:
        # The fix is usually at the end.
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    say(f"error: {line[:1].lower()}{line[1:]}", err=True)


def progress(text: str) -> None:
    """Replace the progress line on stderr, if stderr is a terminal and stdout is not."""
    if is_terminal(sys.stderr) and not is_terminal(sys.stdout):
        write(sys.stderr, text, erases_line=True)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a standard stream is a terminal; None stands for a closed stream."""
    return stream is not None and stream.isatty()


def _escape_what_cannot_be_printed() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Drop unwritten output, which would fail again when the process ends."""
    if sys.stdout is sys.__stdout__:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDOUT)
        os.close(nowhere)
