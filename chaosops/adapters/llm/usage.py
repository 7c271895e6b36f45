"""Counts what models cost: calls, tokens, repairs and lost turns."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(slots=True)
class ModelUsage:
    """What one model was asked.

    Attributes:
        calls: Requests that were sent, those that failed included.
        prompt_tokens: Tokens of the prompts, as the server counts them, or else estimated.
        completion_tokens: Tokens of the answers.
        repairs: Answers that were sent back since they were no action.
        turns: Turns that the model decided.
        lost_turns: Turns that passed since it gave no valid action.
        last_trouble: Why the last of them was lost; empty if none was.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    repairs: int = 0
    turns: int = 0
    lost_turns: int = 0
    last_trouble: str = ""

    @property
    def tokens(self) -> int:
        """All tokens."""
        return self.prompt_tokens + self.completion_tokens


class UsageBook:
    """The usage of each model, by name; can be written to from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models: dict[str, ModelUsage] = {}

    def add(self, model: str, **counts: int) -> None:
        """Add to the counts of a model."""
        with self._lock:
            usage = self._models.setdefault(model, ModelUsage())
            for name, count in counts.items():
                setattr(usage, name, getattr(usage, name) + count)

    def lose_turn(self, model: str, why: str) -> None:
        """Count a turn that a model lost."""
        self.add(model, lost_turns=1)
        with self._lock:
            self._models[model].last_trouble = why

    @property
    def tokens(self) -> int:
        """The tokens of all models."""
        with self._lock:
            return sum(usage.tokens for usage in self._models.values())

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return the counts by model, as JSON values."""
        with self._lock:
            return {model: asdict(usage) for model, usage in self._models.items()}

    def lines(self) -> Iterator[str]:
        """Yield a line for each model, and why it lost its last turn, if it lost one."""
        for model, figures in self.figures().items():
            usage = ModelUsage(**figures)
            yield (
                f"{model}: {_count(usage.turns, 'turn')}, {_count(usage.calls, 'call')}, "
                f"{usage.tokens:,} tokens ({usage.prompt_tokens:,} in, "
                f"{usage.completion_tokens:,} out), {_count(usage.repairs, 'repair')}, "
                f"{_count(usage.lost_turns, 'lost turn')}"
            )
            if usage.lost_turns:
                yield f"last lost turn: {usage.last_trouble}"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
