"""A language model as a policy."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from chaosops.adapters.llm.call_log import CallLog
from chaosops.adapters.llm.client import ChatClient, ChatError, ChatReply
from chaosops.adapters.llm.prompts import (
    answer_form,
    answer_in,
    first_messages,
    repair_messages,
)
from chaosops.adapters.llm.settings import ModelMode
from chaosops.adapters.llm.usage import UsageBook
from chaosops.agents.candidates import Candidate
from chaosops.agents.policy import pass_turn
from chaosops.env.models import AgentRole, ChaosOpsAction, ChaosOpsObservation
from chaosops.text import ActionTextError, estimated_tokens
from chaosops.text_safety import clean

REPAIRS: Final = 2
"""How often an answer is sent back in a turn."""


class _LastAnswer(threading.local):
    """The last answer that was given in this thread."""

    by_program = False
    trouble = ""
    reason = ""


class ModelPolicy:
    """Asks a model for each action; passes where it gives none, and never raises.

    Attributes:
        name: The name of the policy, by which its usage is counted.
    """

    def __init__(
        self,
        name: str,
        model: str,
        client: ChatClient,
        usage: UsageBook,
        *,
        mode: ModelMode = ModelMode.SCHEMA,
        budget: int = 0,
        log: CallLog | None = None,
        compact: bool = False,
    ) -> None:
        """Seat a model.

        Args:
            model: Its name, as the server knows it.
            budget: Tokens that all models of this usage may use; 0 for no limit.
            compact: Whether it sees about a thousand tokens a turn instead of everything.
        """
        self.name = name
        self._model, self._client, self._usage = model, client, usage
        self._mode, self._budget, self._log = mode, budget, log
        self._compact = compact
        self._answer = _LastAnswer()
        self._asking: set[threading.Event] = set()
        self._refused = ""

    def __repr__(self) -> str:
        return f"ModelPolicy({self.name!r})"

    @property
    def answered_by_program(self) -> bool:
        """Whether the last answer in this thread is the model's, and not a turn that passed."""
        return self._answer.by_program

    @property
    def trouble(self) -> str:
        """Why the last turn in this thread passed; empty if the model decided."""
        return self._answer.trouble

    def explain(self, observation: ChaosOpsObservation, role: AgentRole) -> str:
        """Return the reason that came with the last answer; nothing is asked again."""
        return self._answer.reason

    def stop(self) -> None:
        """Send nothing more for the turns that are being asked about."""
        for event in tuple(self._asking):
            event.set()

    def __call__(self, observation: ChaosOpsObservation, role: AgentRole) -> ChaosOpsAction:
        """Return the model's action, or pass."""
        found = self._answered(observation, several=False)
        return found[0].action if found else pass_turn(observation, role)

    def candidates(
        self, observation: ChaosOpsObservation, role: AgentRole
    ) -> tuple[Candidate, ...]:
        """Return what the model offers as a copilot, up to three actions; none if it failed."""
        return self._answered(observation, several=True)

    def _answered(
        self, observation: ChaosOpsObservation, *, several: bool
    ) -> tuple[Candidate, ...]:
        """Ask the model, and count the turn; returns nothing where it gave no valid answer."""
        answer, stop = self._answer, threading.Event()
        answer.by_program, answer.trouble, answer.reason = False, "", ""
        self._asking.add(stop)
        try:
            found = self._decide(observation, stop, several=several)
        except ChatError as error:
            if error.is_final:
                self._refused = str(error)
            answer.trouble = f"the server of {self.name} {error}"
            self._usage.lose_turn(self.name, answer.trouble)
            return ()
        except ActionTextError as error:
            said = " ".join(clean(str(error)).split())[:120]
            answer.trouble = f"{self.name} gave no valid action: {said}"
            self._usage.lose_turn(self.name, answer.trouble)
            return ()
        finally:
            self._asking.discard(stop)
        self._usage.add(self.name, turns=1)
        answer.by_program, answer.reason = True, found[0].reason
        return found

    def _decide(
        self, observation: ChaosOpsObservation, stop: threading.Event, *, several: bool
    ) -> tuple[Candidate, ...]:
        """Ask until each action of an answer is valid.

        Where that fails, the valid ones of the last answer that had some are enough.

        Raises:
            ActionTextError: No answer had one.
            ChatError: The server didn't answer.
        """
        kept: tuple[Candidate, ...] = ()
        messages = first_messages(observation, self._mode, several=several, compact=self._compact)
        form = answer_form(observation.view, self._mode, several=several)
        for left in reversed(range(REPAIRS + 1)):
            try:
                reply = self._ask(messages, form, observation, stop)
            except ChatError:
                if kept:
                    return kept
                raise
            found = answer_in(reply, observation.view, several=several)
            kept = tuple(map(self._without_key, found.candidates)) or kept
            problem = self._client.hide(found.problem)
            is_last = not left or stop.is_set()
            if kept and (is_last or not problem):
                return kept
            if is_last:
                raise ActionTextError(problem)
            self._usage.add(self.name, repairs=1)
            messages = [*messages, *repair_messages(reply, problem, several=several)]
        raise AssertionError("the last answer returns or raises")

    def _without_key(self, candidate: Candidate) -> Candidate:
        """Blot out the key, which a server may echo in a form that was only decoded now."""
        action, hide = candidate.action, self._client.hide
        args = {name: _mapped(value, hide) for name, value in action.args.items()}
        return Candidate(replace(action, args=args), hide(candidate.reason))

    def _ask(
        self,
        messages: list[dict[str, str]],
        form: dict[str, Any],
        observation: ChaosOpsObservation,
        stop: threading.Event,
    ) -> ChatReply:
        if self._refused:
            raise ChatError(self._refused, is_final=True)
        if self._budget and self._usage.tokens >= self._budget:
            raise ChatError(f"is no longer asked: the budget of {self._budget:,} tokens is spent")
        asked_at, began = time.time(), time.monotonic()
        reply, problem = None, ""
        try:
            body = {"model": self._model, "messages": messages, **form}
            reply = self._client.ask(body, stop, lambda: self._usage.add(self.name, calls=1))
        except ChatError as error:
            problem = str(error)
            raise
        finally:
            if self._log is not None:
                call: dict[str, Any] = {
                    "at_ms": round(asked_at * 1000),
                    "ms": round((time.monotonic() - began) * 1000),
                    "model": self.name,
                    "mode": self._mode.value,
                    "role": observation.view.role.value,
                    "turn": observation.step,
                    "messages": messages,
                }
                if reply is not None:
                    call["text"] = reply.text
                    call["calls"] = [each._asdict() for each in reply.calls]
                    call["tokens"] = [reply.prompt_tokens, reply.completion_tokens]
                self._log.write({**call, "problem": problem})
        self._count(messages, reply)
        return reply

    def _count(self, messages: list[dict[str, str]], reply: ChatReply) -> None:
        """Add the tokens of a call; what the server didn't count is estimated."""
        asked, said = reply.prompt_tokens, reply.completion_tokens
        if asked is None:
            asked = sum(estimated_tokens(message["content"]) for message in messages)
        if said is None:
            said = estimated_tokens(reply.text)
            said += sum(estimated_tokens(call.name + call.arguments) for call in reply.calls)
        self._usage.add(self.name, prompt_tokens=asked, completion_tokens=said)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _mapped(inner, change) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(inner, change) for inner in value]
    return value
