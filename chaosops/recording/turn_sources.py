"""Who decided a turn, for recordings and for selecting turns."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Decider(StrEnum):
    """Who decided on an action; `timeout` is a turn that passed because nobody did."""

    HUMAN = "human"
    SCRIPTED = "scripted"
    COPILOT = "copilot"
    LLM = "llm"
    TIMEOUT = "timeout"


PEOPLE: Final = frozenset({Decider.HUMAN, Decider.COPILOT, Decider.TIMEOUT})
"""The deciders that stand for a person."""


class TurnSource(StrEnum):
    """Who took a turn, for selecting recordings and turns.

    A person alone, a person whose copilot had made a proposal, accepted or not, a policy,
    or a program that answered in a person's seat.
    """

    HUMAN = "human"
    COPILOT = "copilot"
    SCRIPTED = "scripted"
    LLM = "llm"

    @classmethod
    def of(cls, decider: Decider, *, with_proposal: bool) -> TurnSource:
        """Return who took a turn, by who decided and whether something was proposed."""
        if decider is Decider.SCRIPTED:
            return cls.SCRIPTED
        if decider is Decider.LLM:
            return cls.LLM
        return cls.COPILOT if with_proposal else cls.HUMAN


SOURCES_OF_PEOPLE: Final = frozenset({TurnSource.HUMAN, TurnSource.COPILOT})
