"""The lengths of a data set's rows, counted while they are written, for its card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from chaosops.datasets.rows import (
    ChatMessage,
    ExportRow,
    Format,
    GrpoRow,
    PreferenceRow,
    SftRow,
)
from chaosops.text import TOKEN_RULE, estimated_tokens

LIMIT: Final = 1024
"""The default length in tokens at which trainers truncate or drop a row."""

TEMPLATE: Final = 24
"""About how many tokens a chat template adds to three messages."""

_STEP: Final = 16


class _Length(NamedTuple):
    characters: int
    tokens: int


class Lengths:
    """The lengths of the rows of each format, in memory that doesn't grow with their number.

    They are counted in steps of 16, rounded up.
    """

    def __init__(self) -> None:
        self._characters: dict[Format, Counter[int]] = {}
        self._tokens: dict[Format, Counter[int]] = {}
        self._longest: dict[Format, _Length] = {}

    def add(self, kind: Format, row: ExportRow) -> None:
        """Count a row: its prompt with the longer of its answers. Whole episodes don't count."""
        length = length_of(row)
        if length is None:
            return
        self._characters.setdefault(kind, Counter())[-(-length.characters // _STEP)] += 1
        self._tokens.setdefault(kind, Counter())[-(-length.tokens // _STEP)] += 1
        longest = self._longest.get(kind, length)
        self._longest[kind] = _Length(*map(max, zip(longest, length, strict=True)))

    def lines(self) -> Iterable[str]:
        """Yield a section of the card as Markdown; empty if no row has a prompt."""
        if not self._longest:
            return
        yield (
            "| configuration | characters: median | 95 % | longest | tokens: median | 95 % "
            f"| longest | above {LIMIT:,} |"
        )
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        for kind in Format:
            if kind in self._longest:
                characters, tokens = self._characters[kind], self._tokens[kind]
                longest = self._longest[kind]
                above = sum(n for step, n in tokens.items() if step * _STEP > LIMIT)
                cells = (
                    *(_quantile(characters, share) for share in (0.5, 0.95)),
                    longest.characters,
                    *(_quantile(tokens, share) for share in (0.5, 0.95)),
                    longest.tokens,
                )
                shown = " | ".join(f"{cell:,}" for cell in cells)
                yield f"| `{kind.value}` | {shown} | {above / tokens.total():.0%} |"
        yield ""
        yield (
            "A row's length includes its prompt, its longer answer, and about "
            f"{TEMPLATE} tokens of a chat template. Tokens are estimated by a rule that needs no "
            f"model: {TOKEN_RULE}. On such prompts the estimate is 0.97 to 1.28 times the count of "
            "the tokenizers of Qwen 2.5, cl100k and o200k."
        )
        if any(step * _STEP > LIMIT for tokens in self._tokens.values() for step in tokens):
            most = max(longest.tokens for longest in self._longest.values())
            room = -(-most // 256) * 256
            yield ""
            yield (
                f"Trainers with a default limit of {LIMIT:,} tokens, such as TRL's, cut off the "
                f"answers of longer rows or drop them: train with `max_length={room}` or more, "
                "or export with `--prompt compact`."
            )


def length_of(row: ExportRow) -> _Length | None:
    """Measure a row; None if it has no prompt."""
    answers: tuple[list[ChatMessage], ...]
    if isinstance(row, SftRow):
        answers = (row.completion,)
    elif isinstance(row, PreferenceRow):
        answers = (row.chosen, row.rejected)
    elif isinstance(row, GrpoRow):
        answers = ()
    else:
        return None
    prompt, ends = _length(row.prompt), [_length(answer) for answer in answers]
    return _Length(
        prompt.characters + max((end.characters for end in ends), default=0),
        prompt.tokens + TEMPLATE + max((end.tokens for end in ends), default=0),
    )


def _length(messages: Iterable[ChatMessage]) -> _Length:
    texts = [message.content for message in messages]
    return _Length(sum(map(len, texts)), sum(map(estimated_tokens, texts)))


def _quantile(steps: Counter[int], share: float) -> int:
    """Return the lowest step that this share of all doesn't exceed."""
    left = share * steps.total()
    for step in sorted(steps):
        left -= steps[step]
        if left <= 0:
            return step * _STEP
    return 0
