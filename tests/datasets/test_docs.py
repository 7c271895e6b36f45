import re
from pathlib import Path

import click
import pytest

from chaosops.cli.recordings_export import export as command
from chaosops.datasets.rows import ROW_OF, Format

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([^`\n]+)`", PAGE))


@pytest.mark.parametrize("kind", list(Format))
def test_the_page_names_every_format_and_every_column(kind: Format) -> None:
    assert {kind.value, *ROW_OF[kind].model_fields} <= NAMED


def test_the_options_that_the_page_names_are_there() -> None:
    known = {opt for param in command.params for opt in (*param.opts, *param.secondary_opts)}
    named = {word.split()[0] for word in NAMED if word.startswith("--")}
    assert named
    assert named <= known


def test_its_second_command_is_understood() -> None:
    line = next(line for line in PAGE.splitlines() if " recordings export --format " in line)
    words = line.split()[3:]
    context = click.Context(command)
    command.parse_args(context, words)
    assert context.params["formats"] == ("sft",)
