"""The card says how long the rows are, and the options that shorten them do."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from chaosops.cli.recordings_export import export as command
from chaosops.datasets.lengths import LIMIT, TEMPLATE
from chaosops.datasets.rows import Format, PromptStyle
from chaosops.recording.turn_sources import TurnSource
from chaosops.text import estimated_tokens
from tests.datasets.games import export, game, rows

ANYBODY = frozenset(TurnSource)
ANSWERS = ("completion", "chosen", "rejected")


def lengths(row: dict[str, list[dict[str, str]]]) -> tuple[int, int]:
    """Characters and tokens of a row, counted here anew."""

    def of(name: str) -> tuple[int, int]:
        texts = [message["content"] for message in row.get(name, [])]
        return sum(map(len, texts)), sum(map(estimated_tokens, texts))

    prompt, answers = of("prompt"), [of(name) for name in ANSWERS]
    characters, tokens = (prompt[i] + max(answer[i] for answer in answers) for i in (0, 1))
    return characters, tokens + TEMPLATE


def card(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def table(text: str, kind: Format) -> list[str]:
    section = text.split("## Lengths\n")[1].split("\n## ", maxsplit=1)[0]
    (line,) = (line for line in section.splitlines() if line.startswith(f"| `{kind.value}` |"))
    return [cell.strip().replace(",", "") for cell in line.strip("|").split("|")][1:]


@pytest.mark.slow
@pytest.mark.parametrize("style", list(PromptStyle))
def test_the_card_tells_how_long_the_rows_are(style: PromptStyle, tmp_path: Path) -> None:
    kinds = (Format.SFT, Format.GRPO, Format.PREFERENCE, Format.EPISODES)
    game(tmp_path / "logs", turns=6)
    export(tmp_path / "logs", tmp_path / "set", *kinds, sources=ANYBODY, forks=1, style=style)
    text = card(tmp_path / "set")
    for kind in kinds[:3]:
        found = sorted(map(lengths, rows(tmp_path / "set", kind)))
        cells = table(text, kind)
        for place, column in ((0, 0), (3, 1)):
            values = sorted(each[column] for each in found)
            median = values[(len(values) - 1) // 2]
            assert median <= int(cells[place]) < median + 16
            assert int(cells[place + 2]) == max(values)
        above = sum(tokens > LIMIT for _characters, tokens in found) / len(found)
        assert cells[-1] == f"{above:.0%}"
    assert "`episodes` |" not in text.split("## Lengths")[1].split("\n## ")[0]
    assert ("max_length=" in text) is (style is PromptStyle.FULL)
    assert "compact: what changed and what matters. Every row" in text or style is PromptStyle.FULL


def test_the_setting_that_the_card_names_has_room_for_the_longest_row(tmp_path: Path) -> None:
    game(tmp_path / "logs", turns=6)
    export(tmp_path / "logs", tmp_path / "set", Format.SFT, sources=ANYBODY)
    found = re.search(r"`max_length=(\d+)` or more", card(tmp_path / "set"))
    assert found
    longest = max(tokens for _, tokens in map(lengths, rows(tmp_path / "set", Format.SFT)))
    assert longest <= int(found[1]) < longest + 256


def test_fewer_minutes_of_history_make_shorter_prompts_of_the_same_turns(tmp_path: Path) -> None:
    game(tmp_path / "logs", turns=8)
    sizes = {}
    for minutes in (None, 5, 0):
        target = tmp_path / f"set-{minutes}"
        export(tmp_path / "logs", target, Format.SFT, sources=ANYBODY, history=minutes)
        by_role: dict[str, int] = {}
        for row in rows(target, Format.SFT):
            by_role[row["role"]] = by_role.get(row["role"], 0) + lengths(row)[1]
        sizes[minutes] = by_role
    for role in ("sre", "dev"):
        assert sizes[0][role] < sizes[5][role] < sizes[None][role]
    for role in ("oversight", "manager"):
        assert sizes[0][role] == sizes[5][role] == sizes[None][role]


def test_history_is_refused_where_it_would_change_nothing(tmp_path: Path) -> None:
    words = ["--format", "sft", str(tmp_path / "set"), "--prompt", "compact", "--history", "5"]
    with pytest.raises(click.UsageError, match="--history only applies to full prompts"):
        command.main(words, standalone_mode=False)
