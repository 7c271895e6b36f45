"""Finds language models by name, and counts what all of them cost."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from chaosops.adapters.llm.call_log import CallLog
from chaosops.adapters.llm.settings import FAMILY, MODEL, ModelServer, ModelSettings
from chaosops.adapters.llm.usage import UsageBook
from chaosops.agents.registry import Policies, PolicyFactory, PolicyNameError

if TYPE_CHECKING:
    from chaosops.adapters.llm.client import ChatClient
    from chaosops.adapters.llm.policy import ModelPolicy


class LanguageModels:
    """The models of one command: they share a server, a budget, a log and a summary.

    Nothing is imported or sent before a model is asked.

    Attributes:
        usage: What they cost so far.
    """

    def __init__(
        self,
        settings: ModelSettings | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Choose how models are asked.

        Args:
            environment: Has the server and its key; by default, the process's own.

        Raises:
            ChaosOpsError: The log can't be written.
        """
        self._settings = settings or ModelSettings()
        self._environment = os.environ if environment is None else environment
        self._client: ChatClient | None = None
        self.usage = UsageBook()
        log = self._settings.log
        self._log = None if log is None else CallLog(log)

    def policies(self, named: Iterable[str] = ()) -> Policies:
        """Return a registry that has these models as well.

        Args:
            named: Further names to offer.
        """
        model = self._environment.get(MODEL, "").strip()
        offered = [f"{FAMILY}:{model}"] if model and not any(map(str.isspace, model)) else []
        return Policies({FAMILY: self.find}, (*named, *offered))

    def find(self, model: str) -> PolicyFactory:
        """Return what seats a model, by the name that the server knows it by.

        Raises:
            PolicyNameError: The name, the key or a library is missing.
        """
        if not model or any(map(str.isspace, model)):
            raise PolicyNameError(f"there is no policy '{FAMILY}:{model}': write {FAMILY}:MODEL")
        if importlib.util.find_spec("httpx") is None:
            raise PolicyNameError(
                f"the policy '{FAMILY}:{model}' needs httpx: pip install 'chaosops[llm]'"
            )
        from chaosops.adapters.llm.client import ChatClient
        from chaosops.adapters.llm.policy import ModelPolicy

        if self._client is None:
            server = ModelServer.of(self._environment)
            self._client = ChatClient(server, timeout=self._settings.timeout)
        client, settings = self._client, self._settings

        def seat(_seed: int) -> ModelPolicy:
            return ModelPolicy(
                f"{FAMILY}:{model}",
                model,
                client,
                self.usage,
                mode=settings.mode,
                budget=settings.budget,
                log=self._log,
                compact=settings.compact,
            )

        return seat

    def summary(self) -> tuple[str, ...]:
        """Return a line for each model that was asked, and one on a log that ended early."""
        trouble = "" if self._log is None else self._log.trouble
        return (*self.usage.lines(), *((f"note: {trouble}",) if trouble else ()))
