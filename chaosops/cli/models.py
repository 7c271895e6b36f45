"""Language models for the commands in which policies play."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from chaosops.cli.options import Decorated
from chaosops.output import say

if TYPE_CHECKING:
    from chaosops.adapters.llm.models import LanguageModels

MODES: Final = ("schema", "tools", "text")
PROMPTS: Final = ("full", "compact")


class ModelOptions:
    """What was said on the command line about language models."""

    def __init__(
        self,
        mode: str = MODES[0],
        timeout: float = 60.0,
        budget: int = 0,
        log: Path | None = None,
        prompt: str = PROMPTS[0],
    ) -> None:
        self._mode, self._timeout, self._budget, self._log = mode, timeout, budget, log
        self._compact = prompt == "compact"

    @contextmanager
    def opened(self) -> Iterator[LanguageModels]:
        """Open the models for a command; at its end, print on stderr what they cost.

        Raises:
            ChaosOpsError: The log can't be written.
        """
        from chaosops.adapters.llm.models import LanguageModels
        from chaosops.adapters.llm.settings import ModelMode, ModelSettings

        settings = ModelSettings(
            ModelMode(self._mode), self._timeout, self._budget, self._log, self._compact
        )
        models = LanguageModels(settings)
        try:
            yield models
        finally:
            for line in models.summary():
                say(line, err=True)


def has_model(names: Iterable[str]) -> bool:
    """Whether one of the policies is a language model."""
    from chaosops.adapters.llm.settings import is_model

    return any(map(is_model, names))


def model_options(command: Decorated) -> Decorated:
    """Add the options for language models; the parameter is `models`, of `ModelOptions`."""

    @functools.wraps(command)
    def with_models(
        *args: Any,
        llm_mode: str,
        llm_timeout: int,
        llm_budget: int,
        llm_log: Path | None,
        llm_prompt: str,
        **others: Any,
    ) -> Any:
        models = ModelOptions(llm_mode, llm_timeout, llm_budget, llm_log, llm_prompt)
        return command(*args, models=models, **others)

    options = (
        click.option(
            "--llm-mode",
            type=click.Choice(MODES),
            default=MODES[0],
            help="How openai:MODEL is asked for an action: held to a JSON schema (the default), "
            "by tools, or in its text.",
        ),
        click.option(
            "--llm-prompt",
            type=click.Choice(PROMPTS),
            default=PROMPTS[0],
            help="What a model is told in a turn: everything that its role sees (the default), or "
            "what matters most in about a thousand tokens.",
        ),
        click.option(
            "--llm-timeout",
            metavar="SECONDS",
            type=click.IntRange(1, 3600),
            default=60,
            help="Seconds that a model may take for an answer; 60 by default.",
        ),
        click.option(
            "--llm-budget",
            metavar="TOKENS",
            type=click.IntRange(0),
            default=0,
            help="Tokens that models may use in all, after which they pass; 0, the default, for "
            "no limit.",
        ),
        click.option(
            "--llm-log",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Append each call of a model to this file, which only you can read.",
        ),
    )
    decorated: Any = with_models
    for option in reversed(options):
        decorated = option(decorated)
    done: Decorated = decorated
    return done
