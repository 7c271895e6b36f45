"""Who decided a turn, and by whom turns and recordings are chosen."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Decider(StrEnum):
    """Whose decision an action was; `timeout` is a turn that passed because nobody decided."""

    HUMAN = "human"
    SCRIPTED = "scripted"
    COPILOT = "copilot"
    LLM = "llm"
    TIMEOUT = "timeout"


PEOPLE: Final = frozenset({Decider.HUMAN, Decider.COPILOT, Decider.TIMEOUT})
"""The deciders behind which there is a person."""


class TurnSource(StrEnum):
    """Who took a turn, as recordings and their turns are chosen by it.

    A person by themselves, a person to whom a copilot had made a proposal, taken or not, a policy,
    or a program that answered in a person's seat.
    """

    HUMAN = "human"
    COPILOT = "copilot"
    SCRIPTED = "scripted"
    LLM = "llm"

    @classmethod
    def of(cls, decider: Decider, *, with_proposal: bool) -> TurnSource:
        """Whose turn it was, by who decided and whether something was proposed."""
        if decider is Decider.SCRIPTED:
            return cls.SCRIPTED
        if decider is Decider.LLM:
            return cls.LLM
        return cls.COPILOT if with_proposal else cls.HUMAN


SOURCES_OF_PEOPLE: Final = frozenset({TurnSource.HUMAN, TurnSource.COPILOT})
